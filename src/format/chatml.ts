import type { ConversationMessage } from "../messages/index.ts";
import type { ReasoningGrammar, TaggedGrammar } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { markers } from "./markers.ts";

/** The markers that Qwen's formats and those built on them share. */
export function chatmlMarkers(tokenizer: Tokenizer, family: string) {
  return markers(tokenizer, family, {
    turnStart: "<|im_start|>",
    turnEnd: "<|im_end|>",
    endOfText: "<|endoftext|>",
    thinkOpen: "<think>",
    thinkClose: "</think>",
    callOpen: "<tool_call>",
    callClose: "</tool_call>",
  });
}

/** What responses share that begin with Qwen's thinking block: `<think>⏎{reasoning}⏎</think>⏎⏎{content}`. */
export function chatmlThinking(
  token: ReturnType<typeof chatmlMarkers>,
  { exact }: { readonly exact: boolean },
): Pick<TaggedGrammar, "kind" | "stops" | "turnStart"> & { readonly reasoning: ReasoningGrammar } {
  return {
    kind: "tagged",
    stops: [token.turnEnd.id, token.endOfText.id],
    turnStart: token.turnStart.id,
    reasoning: {
      open: token.thinkOpen,
      close: token.thinkClose,
      padding: "\n",
      separator: "\n\n",
      whenUnknown: "closed",
      exact,
    },
  };
}

export interface Chatml {
  /** `<|im_start|>{role}⏎` */
  open(out: SpanWriter, role: string): SpanWriter;
  /** `<|im_end|>⏎` */
  close(out: SpanWriter): SpanWriter;
  /** The same where the model writes the end of its own turn. */
  closeSampled(out: SpanWriter): SpanWriter;
  /** A whole turn that holds a message's text. */
  turn(out: SpanWriter, role: string, text: string): SpanWriter;
  /**
   * A tool's result; neighbouring results share one user turn:
   * `<|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎ … <|im_end|>⏎`
   */
  toolResult(
    out: SpanWriter,
    messages: readonly ConversationMessage[],
    index: number,
    writeBody?: (out: SpanWriter) => void,
  ): SpanWriter;
}

/** `<|im_start|>{role}⏎ … <|im_end|>⏎` */
export function chatml(token: {
  readonly turnStart: { readonly id: number };
  readonly turnEnd: { readonly id: number };
}): Chatml {
  const open: Chatml["open"] = (out, role) => out.token(token.turnStart.id).scaffold(`${role}\n`);
  const close: Chatml["close"] = (out) => out.token(token.turnEnd.id).scaffold("\n");
  return {
    open,
    close,
    closeSampled: (out) => out.sampledToken(token.turnEnd.id).scaffold("\n"),
    turn: (out, role, text) => close(open(out, role).body(text)),
    toolResult(out, messages, index, writeBody = (body) => void body.body(messages[index].text)) {
      if (messages[index - 1]?.role !== "tool") out.token(token.turnStart.id).scaffold("user");
      writeBody(out.scaffold("\n<tool_response>\n"));
      out.scaffold("\n</tool_response>");
      return messages[index + 1]?.role === "tool" ? out : close(out);
    },
  };
}
