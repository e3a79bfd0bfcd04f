import type { GrammarTrigger } from "../autoparser/grammar/index.ts";
import type { AppliedTemplate } from "./types.ts";

/** The fields of a request to llama-server's `/completion` that a template decides; the sampling is yours to add. */
export interface LlamaServerRequest {
  readonly prompt: readonly number[] | string;
  readonly grammar?: string;
  readonly grammar_lazy?: boolean;
  readonly grammar_triggers?: readonly LlamaServerTrigger[];
  readonly preserved_tokens: readonly string[];
  readonly stop: readonly string[];
}

/** `type`: 0 a token, 1 a word, 2 a regular expression; the grammar reads from its first group on. */
export interface LlamaServerTrigger {
  readonly type: 0 | 1 | 2;
  readonly value: string;
  readonly token?: number;
}

/**
 * A request as llama-server takes it: ids where there are some, else text. To a prompt of text the server itself adds the token
 * that begins a text, where the model has one: leave `bos_token` out of the special tokens then.
 *
 * @example
 * const body = { ...llamaServerRequest(applied), n_predict: 512, return_tokens: true };
 * await fetch(`${server}/completion`, { method: "POST", body: JSON.stringify(body) });
 */
export function llamaServerRequest(applied: AppliedTemplate): LlamaServerRequest {
  const { prompt, promptIds, grammar, lazy, triggers, preservedTokens, stops } = applied;
  const held =
    grammar === null
      ? {}
      : {
          grammar,
          grammar_lazy: lazy,
          ...(lazy ? { grammar_triggers: triggers.map((trigger) => serverTrigger(trigger, applied)) } : {}),
        };
  // The server refuses a word that is one token and not preserved; what is more than one, it passes over.
  const words = lazy && grammar !== null ? triggers.map(({ text }) => text) : [];
  return {
    prompt: promptIds === null ? prompt : Array.from(promptIds),
    ...held,
    preserved_tokens: [...new Set([...preservedTokens, ...words])],
    stop: stops,
  };
}

function serverTrigger(trigger: GrammarTrigger, { beginning, thinking }: AppliedTemplate): LlamaServerTrigger {
  const { text } = trigger;
  if (trigger.kind === "token") return { type: 0, value: text, token: trigger.id };
  if (!trigger.atStart) return { type: 1, value: text };
  const places = [
    ...(beginning.in === "reasoning" ? [] : ["^"]),
    ...(thinking?.ends ?? []).filter((end) => end !== "").map(escaped),
  ];
  return { type: 2, value: `(?:${places.length === 0 ? "^" : places.join("|")})\\s*(${escaped(text)})` };
}

const escaped = (text: string): string => text.replace(/[.^$|()*+?[\]{}\\]/g, "\\$&");
