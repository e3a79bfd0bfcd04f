import type { Message, ToolSpec } from "../src/index.ts";

/** A conversation of tool calls, the same for the same numbers. */
export interface Trajectory {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
}

const SYLLABLES = "al be cor den ex fi gra ho im jun ke lo men nor op pre qui re sta tor un ver wa yet zo".split(" ");

export const TOOLS: readonly ToolSpec[] = [
  {
    type: "function",
    function: {
      name: "bash",
      description: "Run a shell command",
      parameters: {
        type: "object",
        properties: { command: { type: "string" }, timeout: { type: "integer" } },
        required: ["command"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "edit",
      description: "Edit a file",
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, old: { type: "string" }, new: { type: "string" } },
        required: ["path", "old", "new"],
      },
    },
  },
];

/**
 * One question, then `turns` of reasoning, a call and its result, then an answer. `words` is the length of each result;
 * the model's own words are about as many.
 */
export function toolTrajectory({ turns, words }: { readonly turns: number; readonly words: number }): Trajectory {
  const write = writer(turns * 1009 + words);
  const messages: Message[] = [
    { role: "system", content: write.prose(words) },
    { role: "user", content: write.prose(60) },
  ];
  for (let turn = 0; turn < turns; turn++) {
    const id = `call_${turn}`;
    const args = JSON.stringify({ command: write.code(Math.ceil(words / 4)), timeout: turn + 1 });
    messages.push(
      {
        role: "assistant",
        reasoning_content: write.prose(Math.ceil(words / 2)),
        content: write.prose(Math.ceil(words / 4)),
        tool_calls: [{ id, type: "function", function: { name: "bash", arguments: args } }],
      },
      { role: "tool", tool_call_id: id, content: write.code(words) },
    );
  }
  messages.push({ role: "assistant", reasoning_content: write.prose(20), content: write.prose(40) });
  return { messages, tools: TOOLS };
}

/** Text of made-up words: prose, and lines that look like code, with numbers and a few characters beyond ASCII. */
export function writer(seed: number) {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const word = (): string => {
    let text = "";
    for (let i = 1 + below(3); i > 0; i--) text += SYLLABLES[below(SYLLABLES.length)];
    return text;
  };
  const join = (count: number, next: (i: number) => string): string => {
    let text = "";
    for (let i = 0; i < count; i++) text += next(i);
    return text;
  };
  return {
    prose: (words: number) =>
      join(
        words,
        (i) => word() + (i % 12 === 11 ? ". " : i % 47 === 46 ? " – é " : i % 80 === 79 ? "\n\n" : " "),
      ).trimEnd(),
    code: (words: number) =>
      join(
        Math.ceil(words / 4),
        () => `${"    ".repeat(below(4))}${word()}.${word()}(${below(10_000)}, "${word()}")\n`,
      ),
  };
}
