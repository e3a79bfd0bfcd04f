import { type ConversationMessage, type JsonInput, pythonStr } from "../messages/index.ts";

/** Fields of DeepSeek V4's encoder that the OpenAI chat shape does not have. */
export interface DeepseekV4Fields {
  /** The internal task that the message asks for: its token opens the answer. */
  readonly task?: string | null;
  /** The turn has no end of its own. */
  readonly wo_eos?: boolean | null;
  /** A JSON Schema for the answer, in a system or developer message. */
  readonly response_format?: JsonInput;
}

export const fieldsOf = ({ raw }: ConversationMessage): DeepseekV4Fields => raw as DeepseekV4Fields;

/** A turn as the format has it: a message, or neighbouring user messages and tool results. */
export interface DeepseekV4Turn {
  readonly role: string;
  /** The message, the first one of a merged turn. */
  readonly message: ConversationMessage;
  /** What stands in a user's turn, in this order. */
  readonly blocks: ConversationMessage[];
  readonly task: string | null;
}

/** Users and developers ask; tool results are in a user's turn. */
export const isQuery = ({ role }: { readonly role: string }): boolean => role === "user" || role === "developer";

/**
 * Merges tool results and user messages into user turns, results in the order of their calls. A user message after one that
 * has a task begins a turn of its own.
 */
export function deepseekV4Turns(messages: readonly ConversationMessage[]): DeepseekV4Turn[] {
  const turns: DeepseekV4Turn[] = [];
  for (const message of messages) {
    const isResult = message.role === "tool";
    const last = turns.at(-1);
    const joins = last?.role === "user" && (isResult || (message.role === "user" && last.task === null));
    if (joins) last.blocks.push(message);
    else {
      const role = isResult ? "user" : message.role;
      turns.push({ role, message, blocks: [message], task: isResult ? null : (fieldsOf(message).task ?? null) });
    }
  }
  let order: ReadonlyMap<string, number> = new Map();
  for (const { role, message, blocks } of turns) {
    if (role === "assistant" && message.toolCalls.length > 0) order = callOrder(message);
    else if (role === "user" && order.size > 0) sortResults(blocks, order);
  }
  return turns;
}

function callOrder({ toolCalls }: ConversationMessage): Map<string, number> {
  const order = new Map<string, number>();
  for (const [index, { id }] of toolCalls.entries()) if (id) order.set(id, index);
  return order;
}

/** Results change places among themselves; text stays where it is. */
function sortResults(blocks: ConversationMessage[], order: ReadonlyMap<string, number>): void {
  const placeOf = ({ toolCallId = "" }: ConversationMessage) => order.get(toolCallId) ?? 0;
  const results = blocks.filter(({ role }) => role === "tool").sort((a, b) => placeOf(a) - placeOf(b));
  for (const [index, { role }] of blocks.entries()) {
    if (role === "tool") blocks[index] = results.shift() as ConversationMessage;
  }
}

/** Parts with an empty line between; a part that is no text is named. */
export function deepseekV4Text({ role, content, text }: ConversationMessage): string {
  if (!Array.isArray(content)) return text;
  const parts: string[] = [];
  for (const part of content) {
    if (part?.type === "text") parts.push(pythonStr(part.text ?? ""));
    else if (part?.type !== "thinking" || role === "tool") parts.push(`[Unsupported ${pythonStr(part?.type ?? null)}]`);
  }
  return parts.join("\n\n");
}

/** Thinking in its own field, or else in parts of its own. */
export function deepseekV4Reasoning({ reasoning, content }: ConversationMessage): string {
  if (reasoning !== null) return reasoning;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (part?.type === "thinking" ? pythonStr(part.thinking ?? "") : "")).join("");
}
