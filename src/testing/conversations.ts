import fc from "fast-check";
import type { Message, ToolSpec } from "../messages/index.ts";
import { type ToolUse, toolUses } from "./tools.ts";

/** A conversation with the tools that its calls use. */
export interface ConversationSample {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
}

/** An assistant's turn with the tools that it calls. */
export interface TurnSample {
  readonly message: Message;
  readonly tools: readonly ToolSpec[];
}

/** What a format has no place for in one turn. */
export interface TurnLimits {
  /** Calls in a turn at most. Default 3. */
  readonly maxCalls?: number | undefined;
  /** Content may stand beside calls. Default true. */
  readonly contentBesideCalls?: boolean | undefined;
}

export interface TurnOptions extends TurnLimits {
  /** What the assistant says and thinks. */
  readonly words: fc.Arbitrary<string>;
  /** Default true. */
  readonly reasoning?: boolean | undefined;
}

/** Thoughts, words and calls of an assistant. */
export function turns(options: TurnOptions): fc.Arbitrary<TurnSample> {
  const { words, maxCalls = 3, contentBesideCalls = true, reasoning = true } = options;
  return fc
    .record({
      content: words,
      reasoning_content: words,
      uses: fc.uniqueArray(toolUses(words), { selector: (use) => use.name, maxLength: maxCalls }),
    })
    .map(({ uses, reasoning_content, content }) => ({
      message: {
        role: "assistant",
        content: contentBesideCalls || uses.length === 0 ? content : "",
        ...(reasoning ? { reasoning_content } : {}),
        ...(uses.length > 0 ? { tool_calls: uses.map(toolCall) } : {}),
      },
      tools: uses.map((use) => use.tool),
    }));
}

function toolCall({ name, arguments: args }: ToolUse, index: number) {
  return { id: `functions.${name}:${index}`, type: "function", function: { name, arguments: args } } as const;
}

/** The results of a turn's calls, in their order. */
export function results(turn: Message, contents: fc.Arbitrary<string>): fc.Arbitrary<Message[]> {
  const messages = (turn.tool_calls ?? []).map((call) =>
    contents.map(
      (content): Message => ({ role: "tool", content, tool_call_id: call.id ?? "", name: call.function?.name ?? "" }),
    ),
  );
  return fc.tuple(...messages);
}

/** Whole conversations: a system message or none, then queries with turns and results. `contents`: what is not the assistant's. */
export function conversations(
  options: TurnLimits & { readonly contents: fc.Arbitrary<string>; readonly words: fc.Arbitrary<string> },
): fc.Arbitrary<ConversationSample> {
  const { contents } = options;
  const cycle = turns(options).chain(({ message, tools }) =>
    results(message, contents).map((answers) => ({ messages: [message, ...answers], tools })),
  );
  const query = fc
    .tuple(contents, fc.array(cycle, { minLength: 1, maxLength: 2 }), turns({ ...options, maxCalls: 0 }))
    .map(([content, cycles, last]) => ({
      messages: [{ role: "user", content }, ...cycles.flatMap((one) => one.messages), last.message],
      tools: cycles.flatMap((one) => one.tools),
    }));
  const system = fc.option(
    contents.map((content): Message => ({ role: "system", content })),
    { nil: null },
  );
  return fc.tuple(system, fc.array(query, { minLength: 1, maxLength: 2 })).map(([first, queries]) => ({
    messages: [...(first ? [first] : []), ...queries.flatMap((one) => one.messages)],
    tools: [...new Map(queries.flatMap((one) => one.tools).map((tool) => [nameOf(tool), tool])).values()],
  }));
}

const nameOf = (tool: ToolSpec): string => (tool as { function: { name: string } }).function.name;
