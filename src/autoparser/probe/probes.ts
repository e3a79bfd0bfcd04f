import type { ProbeCall, ProbeMessage, ProbeTool } from "./types.ts";

/** Words that no template writes of itself, and that no format has to escape. */
export const words = {
  user: "Question",
  content: "Answer",
  reasoning: "Thought",
  result: "Outcome",
} as const;

/** Names that are no part of one another, not in the order of the alphabet. */
export const names = { functions: ["probe_first", "other_second"], keys: ["key_one", "an_item", "more"] } as const;

export const user: ProbeMessage = { role: "user", content: words.user };

/** Ids as most formats have them; Mistral's templates refuse others than nine letters and digits. */
const ids = ["callAAAA1", "callBBBB2", "callCCCC3"] as const;

export function call(index: number, args: object, name: string = names.functions[index]!): ProbeCall {
  return { id: ids[index]!, type: "function", function: { name, arguments: args } };
}

/** The calls with ids that tell the function's name, for formats that write nothing else of it. */
export function withNamingIds(calls: readonly ProbeCall[]): ProbeCall[] {
  return calls.map((one, index) => ({ ...one, id: `functions.${one.function.name}:${index}` }));
}

export interface Said {
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly calls?: readonly ProbeCall[];
}

export function assistant({ content = "", reasoning, calls }: Said): ProbeMessage {
  return {
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning, reasoning, thinking: reasoning }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

const anything = {
  type: "object",
  properties: Object.fromEntries(names.keys.map((key) => [key, { description: key }])),
};

export const tools: readonly ProbeTool[] = names.functions.map((name) => ({
  type: "function",
  function: { name, description: `${name} described`, parameters: anything },
}));
