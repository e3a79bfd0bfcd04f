import { equalJson, type JsonInput, type Message, type ToolCall, tryParseJson } from "../messages/index.ts";
import type {
  NotReplayedCall,
  NotReplayedReason,
  RendererIdentity,
  ReplayOptions,
  ReplaySource,
  StoredCall,
} from "./types.ts";

/** A call of a message that the store has, unchanged. */
export interface KnownCall {
  readonly message: number;
  readonly call: number;
  readonly id: string;
  readonly stored: StoredCall;
}

export interface KnownCalls {
  /** By message; a message without known calls has no entry. */
  readonly known: ReadonlyMap<number, readonly KnownCall[]>;
  readonly unknown: readonly NotReplayedCall[];
  /** The messages as the model knows them: with the wire format's own ids. */
  readonly messages: readonly Message[];
}

/** Asks the store for every call of these messages. What is no message is left to whoever checks them. */
export function knownCalls(
  given: readonly Message[],
  { store, reasoning }: ReplayOptions,
  identity: RendererIdentity,
  decodeBytes: (ids: Int32Array) => Uint8Array,
): KnownCalls {
  const known = new Map<number, readonly KnownCall[]>();
  const unknown: NotReplayedCall[] = [];
  const wireIds = new Map<string, string>();
  if (!Array.isArray(given)) return { known, unknown, messages: given };
  given.forEach((message: Message | null, index) => {
    const own: KnownCall[] = [];
    callsOf(message).forEach((call, at) => {
      const found = find(call, store, identity, decodeBytes);
      const id = idOf(call);
      if (typeof found === "string") {
        unknown.push({ message: index, call: at, id, reason: found });
        return;
      }
      own.push({ message: index, call: at, id: id!, stored: found });
      if (found.wireId !== null) wireIds.set(id!, found.wireId);
    });
    if (own.length > 0) known.set(index, own);
  });
  const messages = given.map((message: Message, index) => {
    const own = known.get(index) ?? [];
    const thinking = reasoning === "recorded" ? recordedReasoning(message, own) : null;
    const renamed = own.some(({ stored }) => stored.wireId !== null) || wireIds.has(message?.tool_call_id ?? "");
    if (!renamed && thinking === null) return message;
    return withThinking(withWireIds(message, own, wireIds), thinking);
  });
  return { known, unknown, messages };
}

function callsOf(message: Message | null): readonly ToolCall[] {
  if (message?.role !== "assistant" || !Array.isArray(message.tool_calls)) return [];
  return message.tool_calls;
}

const idOf = (call: ToolCall | null): string | null => (typeof call?.id === "string" ? call.id : null);

function find(
  call: ToolCall | null,
  store: ReplaySource,
  { family, vocabulary }: RendererIdentity,
  decodeBytes: (ids: Int32Array) => Uint8Array,
): StoredCall | NotReplayedReason {
  const id = idOf(call);
  if (id === null) return "no_id";
  const stored = store.get(id);
  if (stored === undefined) return "unknown_id";
  if (stored.vocabulary !== vocabulary) return "other_tokenizer";
  if (stored.family !== family) return "other_family";
  if (!Buffer.from(stored.bytes).equals(decodeBytes(stored.ids))) return "other_tokenizer";
  return isSame(call!, stored) ? stored : "changed";
}

function isSame(call: ToolCall, stored: StoredCall): boolean {
  const { name, arguments: given } = call.function ?? call;
  if (name !== stored.name) return false;
  const ours = tryParseJson(stored.argumentsText);
  const theirs = typeof given === "string" ? tryParseJson(given) : { ok: true as const, value: given ?? {} };
  return ours.ok && theirs.ok && equalJson(ours.value, theirs.value as JsonInput);
}

/** The reasoning of the one completion that all calls of a message are from; null where the message has its own, or there is none. */
function recordedReasoning(message: Message, own: readonly KnownCall[]): string | null {
  if (own.length === 0 || own.length !== callsOf(message).length) return null;
  if (typeof message.reasoning_content === "string" || typeof message.reasoning === "string") return null;
  const [{ stored }] = own;
  const isWhole = own.every(({ stored: { turn } }) => turn?.key === stored.turn?.key && turn?.calls === own.length);
  return isWhole ? (stored.turn?.completion?.reasoning ?? null) : null;
}

function withThinking(message: Message, thinking: string | null): Message {
  return thinking === null ? message : { ...message, reasoning_content: thinking };
}

function withWireIds(message: Message, own: readonly KnownCall[], wireIds: ReadonlyMap<string, string>): Message {
  const answered = wireIds.get(message.tool_call_id ?? "");
  if (answered !== undefined) return { ...message, tool_call_id: answered };
  if (own.length === 0) return message;
  const calls = new Map(own.map(({ call, stored }) => [call, stored.wireId]));
  const tool_calls = message.tool_calls?.map((call, at) => ({ ...call, id: calls.get(at) ?? call.id ?? null }));
  return tool_calls ? { ...message, tool_calls } : message;
}
