import type { Message, ToolArguments, ToolSpec } from "../../messages/index.ts";

/*
 * What the probes say: texts that no template writes of its own accord, and that none has a reason to change.
 */
export const words = {
  system: "Probe of the system",
  user: "Probe of the user",
  assistant: "Probe of the assistant",
  reasoning: "Probe of the reasoning",
  result: "Probe of the result",
  variable: "Probe of a variable",
  tools: ["first_probe", "second_probe"],
  argument: "argument_probe",
  value: "Probe of a value",
} as const;

/** The arguments as Python prints a dict: a template that writes this expects a string. */
export const argumentsAsDict = `{'${words.argument}': '${words.value}'}`;

export const tools: readonly ToolSpec[] = words.tools.map((name) => ({
  type: "function",
  function: {
    name,
    description: "Probe of a description",
    parameters: {
      type: "object",
      properties: { [words.argument]: { type: "string", description: "Probe of a parameter" } },
      required: [words.argument],
    },
  },
}));

/** The same without the envelope. */
export const flatTools: readonly ToolSpec[] = tools.map((tool) => tool.function as ToolSpec);

/** How a template wants to be spoken to. */
export interface Manner {
  /** Content is a list of parts. */
  readonly typed: boolean;
  /** The conversation begins with a system message. */
  readonly system: boolean;
  /** There are tools in every conversation. */
  readonly tools: boolean;
  /** Every variable that it asks for is there. */
  readonly filled: boolean;
}

/** From the most ordinary one on. */
export function manners(typed: boolean): Manner[] {
  const either = [false, true];
  return either.flatMap((filled) =>
    either.flatMap((tools) => either.map((system) => ({ typed, system, tools, filled }))),
  );
}

export function message(role: string, text: string, { typed }: Manner): Message {
  return { role, content: typed ? [{ type: "text", text }] : text };
}

/** What comes before the first answer. */
export function opening(manner: Manner): Message[] {
  const user = message("user", words.user, manner);
  return manner.system ? [message("system", words.system, manner), user] : [user];
}

/** A conversation with calls. */
export interface CallsProbe {
  readonly count: 1 | 2;
  /** Arguments are an object and no JSON text. */
  readonly object: boolean;
  /** Calls without their envelope: name and arguments beside the id. */
  readonly flat: boolean;
  /** Content beside the calls; undefined: there is none. */
  readonly content: string | null | undefined;
  /** What comes last: templates may refuse results, or drop calls that an answer or another question follows. */
  readonly ending: "question" | "results" | "calls";
}

/** The message with the calls comes right behind `opening`. */
export function callConversation({ count, object, flat, content, ending }: CallsProbe, manner: Manner): Message[] {
  const args: ToolArguments = { [words.argument]: words.value };
  // Nine letters and digits: some templates accept no other ids.
  const functions = words.tools
    .slice(0, count)
    .map((name) => ({ name, arguments: object ? args : JSON.stringify(args) }));
  const calls = functions.map((call, at) => ({
    id: `call0000${at + 1}`,
    type: "function" as const,
    ...(flat ? call : { function: call }),
  }));
  const spoken: Message = typeof content === "string" ? message("assistant", content, manner) : { role: "assistant" };
  const asking = { ...spoken, ...(content === null ? { content } : {}), tool_calls: calls };
  const results = calls.map(({ id }, at) => ({
    ...message("tool", words.result, manner),
    tool_call_id: id,
    name: functions[at]!.name,
  }));
  const question = [message("assistant", words.assistant, manner), message("user", words.user, manner)];
  return [
    ...opening(manner),
    asking,
    ...(ending === "calls" ? [] : results),
    ...(ending === "question" ? question : []),
  ];
}
