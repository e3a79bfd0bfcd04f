import { checkArguments } from "./checkArguments.ts";
import { checkContent } from "./checkContent.ts";
import { checkTools } from "./checkTools.ts";
import { isRecord, messageError } from "./messageError.ts";
import type { Message, Role, ToolCall, ToolSpec, Validation } from "./types.ts";

export interface CheckMessagesOptions {
  readonly validate: Validation;
  /** Checked as `checkTools` does. */
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** The messages continue a history that is known only as ids: a tool result's call may lie there. Default false. */
  readonly continuing?: boolean;
}

const roles: ReadonlySet<string> = new Set<Role>(["system", "developer", "user", "assistant", "tool"]);

/**
 * Checks a conversation. Every error says which message and field it is about, what was expected, what was found and what to
 * do; `details` holds `{ message, field, expected, actual }`.
 *
 * @throws TitoError `empty_messages`, `invalid_message`, `unknown_role`, `orphan_tool_result`, `invalid_arguments`,
 * `invalid_tool`
 * @example
 * checkMessages([{ role: "tool", content: "21 °C", tool_call_id: "call_1" }], { validate: "strict" });
 * // TitoError orphan_tool_result: messages[0].tool_call_id: expected the id of an earlier tool call, found "call_1". …
 */
export function checkMessages(messages: readonly Message[], options: CheckMessagesOptions): void {
  if (!Array.isArray(messages)) {
    throw messageError({
      code: "invalid_message",
      index: -1,
      field: "messages",
      expected: "an array of messages",
      actual: messages,
      remedy: "Pass an array, also for a single message.",
    });
  }
  if (messages.length === 0) {
    throw messageError({
      code: "empty_messages",
      index: -1,
      field: "messages",
      expected: "at least one message",
      actual: messages,
      remedy: "Pass the conversation so far.",
    });
  }
  const strict = options.validate === "strict";
  const calls: KnownCalls | undefined = options.continuing ? undefined : { any: false, ids: new Set() };
  for (let index = 0; index < messages.length; index++) checkMessage(messages[index]!, index, strict, calls);
  if (options.tools) checkTools(options.tools, { validate: options.validate });
}

/** The calls of earlier messages. */
interface KnownCalls {
  any: boolean;
  readonly ids: Set<string>;
}

function checkMessage(message: Message, index: number, strict: boolean, calls: KnownCalls | undefined): void {
  const at = `messages[${index}]`;
  if (!isRecord(message)) {
    const remedy =
      (message as unknown) instanceof Map
        ? "Turn parsed JSON into messages with messagesFromJson."
        : 'Pass { role: "user", content: "…" } or the like.';
    throw messageError({ code: "invalid_message", index, field: at, expected: "an object", actual: message, remedy });
  }
  checkRole(message, index, strict);
  checkToolCalls(message, index, strict);
  checkContent(message, index, strict);
  if (!strict) return;
  for (const field of ["reasoning_content", "reasoning", "tool_call_id", "name"] as const) {
    const value = message[field];
    if (value === undefined || value === null || typeof value === "string") continue;
    const remedy = "Pass a string, or leave the field out.";
    throw messageError({
      code: "invalid_message",
      index,
      field: `${at}.${field}`,
      expected: "a string",
      actual: value,
      remedy,
    });
  }
  if (calls === undefined) return;
  if (message.role === "tool") checkResult(message, index, calls);
  for (const call of message.tool_calls ?? []) {
    calls.any = true;
    if (typeof call.id === "string") calls.ids.add(call.id);
  }
}

function checkRole(message: Message, index: number, strict: boolean): void {
  const { role } = message;
  const field = `messages[${index}].role`;
  if (typeof role !== "string") {
    const remedy = `Set it to one of ${[...roles].join(", ")}.`;
    throw messageError({ code: "invalid_message", index, field, expected: "a string", actual: role, remedy });
  }
  if (!strict || roles.has(role)) return;
  throw messageError({
    code: "unknown_role",
    index,
    field,
    expected: `one of ${[...roles].join(", ")}`,
    actual: role,
    remedy: 'Correct the role, or set validate: "template" to hand it to the template as it is.',
  });
}

function checkToolCalls(message: Message, index: number, strict: boolean): void {
  const calls: unknown = message.tool_calls;
  if (calls === undefined || calls === null) return;
  const code = "invalid_message";
  const field = `messages[${index}].tool_calls`;
  if (!Array.isArray(calls)) {
    const remedy = "Pass an array of calls, or leave the field out.";
    throw messageError({ code, index, field, expected: "an array", actual: calls, remedy });
  }
  if (strict && calls.length > 0 && message.role !== "assistant") {
    const remedy = "Only an assistant message calls tools: move the calls there.";
    throw messageError({ code, index, field, expected: `none in a ${message.role} message`, actual: calls, remedy });
  }
  for (let i = 0; i < calls.length; i++) checkToolCall(calls[i], index, `${field}[${i}]`, strict);
}

function checkToolCall(call: ToolCall, index: number, at: string, strict: boolean): void {
  const code = "invalid_message";
  const fail = (field: string, expected: string, actual: unknown, remedy: string) =>
    messageError({ code, index, field, expected, actual, remedy });
  const envelope = isRecord(call) && call.function !== undefined;
  const fn: unknown = envelope ? call.function : call;
  if (!isRecord(call) || !isRecord(fn)) {
    const remedy = 'Pass { type: "function", function: { name, arguments } }.';
    throw fail(envelope ? `${at}.function` : at, "an object", fn, remedy);
  }
  if (!strict) return;
  if (call.id !== undefined && call.id !== null && typeof call.id !== "string") {
    throw fail(`${at}.id`, "a string", call.id, "Pass a string, or leave the id out.");
  }
  if (call.type !== undefined && call.type !== "function") {
    throw fail(`${at}.type`, '"function"', call.type, "Only function calls can be rendered.");
  }
  const path = envelope ? `${at}.function` : at;
  if (typeof fn.name !== "string" || fn.name === "") {
    throw fail(`${path}.name`, "the called tool's name", fn.name, "Name the tool.");
  }
  checkArguments(fn.arguments, index, `${path}.arguments`);
}

function checkResult(message: Message, index: number, calls: KnownCalls): void {
  const id = message.tool_call_id;
  if (typeof id === "string" ? calls.ids.has(id) : calls.any) return;
  throw messageError({
    code: "orphan_tool_result",
    index,
    field: typeof id === "string" ? `messages[${index}].tool_call_id` : `messages[${index}]`,
    expected:
      typeof id === "string" ? "the id of an earlier tool call" : "an earlier assistant message with a tool call",
    actual: id ?? undefined,
    remedy: calls.any
      ? `Calls so far: ${
          [...calls.ids]
            .slice(-5)
            .map((known) => JSON.stringify(known))
            .join(", ") || "none with an id"
        }. Give result and call the same id.`
      : "Put the assistant message that made the call before its result.",
  });
}
