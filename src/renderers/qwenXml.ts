/*
 * Qwen3.5 and its successors (ChatML with images and XML calls)
 *
 *   <|im_start|>system⏎# Tools … <tools>⏎{tool}⏎</tools> … ⏎⏎{system}<|im_end|>⏎
 *   <|im_start|>user⏎{text}<|vision_start|><|image_pad|>…<|vision_end|>{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎<think>⏎{reasoning}⏎</think>⏎⏎{content}⏎⏎<tool_call>⏎<function={name}>⏎<parameter={key}>⏎
 *   {value}⏎</parameter>⏎…</function>⏎</tool_call>⏎<tool_call>⏎…⏎</tool_call><|im_end|>⏎
 *   <|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response><|im_end|>⏎
 *
 * White space at the edges of every text goes. The generation prompt opens the thinking, or with `enableThinking: false`
 * closes an empty one; turns after the last user query have a thinking block, also an empty one.
 *
 * `patched`: edge white space of reasoning and content stays, and argument values that are no strings are JSON, so that a
 * response renders to the text that it was read from.
 */
import {
  type ContentPiece,
  chatml,
  chatmlMarkers,
  chatmlThinking,
  contentPieces,
  contentWithoutImages,
  FUNCTIONS_HEAD,
  FUNCTIONS_TAIL,
  functionCallText,
  functionXmlCalls,
  lastQueryIndex,
  misplacedSystem,
  missingQuery,
  type OtherPartText,
  type ScalarPrinting,
  splitThinking,
  startsChatmlQuery,
  type Thinking,
  templateReasoning,
  toolValue,
  unknownRole,
  visionImages,
  type WireFormat,
} from "../format/index.ts";
import { qwenImages } from "../images/index.ts";
import {
  type ConversationMessage,
  type ConversationToolCall,
  pythonJson,
  pythonLiteral,
  pythonStrip,
  type Validation,
} from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

export interface QwenXmlConfig {
  readonly name: string;
  readonly enableThinking: boolean;
  /** Every turn keeps its thinking block. */
  readonly preserveThinking?: boolean;
  readonly addVisionId: boolean;
  readonly patched: boolean;
  readonly validate: Validation;
}

/** In what the formats differ. */
export interface QwenXmlVariant {
  /** How argument values are printed that are neither strings nor objects nor arrays. */
  readonly scalars: ScalarPrinting;
  /** Thinking inside the content is told apart from it. */
  readonly inlineThinking: boolean;
  /** With thinking off, earlier turns without thinking keep the empty block that they were sampled after. */
  readonly keepsEmptyThinking: boolean;
  /** Parts that are neither text nor images. */
  readonly otherParts: OtherPartText;
  /** What the system block begins with. */
  readonly instructions: string;
  /** Without instructions and tools, an empty system message writes nothing. */
  readonly omitsEmptySystem: boolean;
  /** A conversation without a user's query is an error. */
  readonly needsQuery: boolean;
}

const ROLES = ["system", "user", "assistant", "tool"];
const OPEN_THINKING = "<think>\n";
const EMPTY_THINKING = "<think>\n\n</think>\n\n";

export function qwenXmlFormat(tokenizer: Tokenizer, config: QwenXmlConfig, variant: QwenXmlVariant): WireFormat {
  const { otherParts } = variant;
  const token = chatmlMarkers(tokenizer, config.name);
  const chat = chatml(token);
  const vision = visionImages(tokenizer, config.name, { processor: qwenImages(), numbered: config.addVisionId });
  const prefill = config.enableThinking ? OPEN_THINKING : EMPTY_THINKING;
  const trim = config.patched ? (text: string) => text : (text: string) => pythonStrip(text);
  const scalars = config.patched ? "exact" : variant.scalars;

  /** An assistant's turn after its role; null reasoning writes no thinking block. */
  function write(
    { reasoning, content }: { readonly reasoning: string | null; readonly content: string },
    calls: readonly Pick<ConversationToolCall, "name" | "arguments">[],
  ): string {
    const thinking = reasoning === null ? "" : `${OPEN_THINKING}${trim(reasoning)}\n</think>\n\n`;
    const separator = calls.length > 0 && trim(content) !== "" ? "\n\n" : "";
    return thinking + content + separator + calls.map((call) => functionCallText(call, scalars)).join("\n");
  }

  const grammar: ResponseGrammar = {
    ...chatmlThinking(token, { exact: config.patched }),
    calls: functionXmlCalls({
      open: token.callOpen,
      close: token.callClose,
      separator: "\n\n",
      literal: variant.scalars === "python" ? pythonLiteral : undefined,
    }),
    spell({ reasoning, content, toolCalls }, opened) {
      const calls = toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }));
      const text = write({ reasoning, content: trim(content) }, calls);
      return opened ? text.slice(OPEN_THINKING.length) : text;
    },
  };

  function thinkingOf(message: ConversationMessage): Thinking {
    const reasoning = templateReasoning(message, config.validate);
    const text = trim(contentWithoutImages(message, otherParts));
    return variant.inlineThinking ? splitThinking({ reasoning, text }) : { reasoning: reasoning ?? "", content: text };
  }

  function keepsThinking(index: number, lastQuery: number, reasoning: string): boolean {
    if (index > lastQuery || config.preserveThinking === true) return true;
    return variant.keepsEmptyThinking && !config.enableThinking && pythonStrip(reasoning) === "";
  }

  function startsQuery(message: ConversationMessage): boolean {
    if (message.role !== "user") return false;
    const pieces = contentPieces(message, otherParts).map((piece) => (typeof piece === "string" ? piece : "<image>"));
    return startsChatmlQuery({ role: "user", text: pythonStrip(pieces.join("")) });
  }

  return {
    roles: ROLES,
    grammar,
    turn: { close: token.turnEnd.id, separator: "\n" },
    isPrefixStable: config.preserveThinking === true,
    startsQuery,
    images: vision.format,
    refuse: vision.refuse,

    writeOpening(out, { messages, tools = [] }) {
      const system = messages[0].role === "system" ? messages[0] : undefined;
      const text = system ? pythonStrip(contentWithoutImages(system, otherParts)) : "";
      const { instructions } = variant;
      const isEmpty = text === "" && (variant.omitsEmptySystem || !system);
      if (isEmpty && instructions === "" && tools.length === 0) return;
      chat.open(out.at(system ? 0 : -1), "system").scaffold(instructions);
      if (tools.length > 0) {
        out.scaffold(instructions === "" ? FUNCTIONS_HEAD : `\n\n${FUNCTIONS_HEAD}`);
        for (const tool of tools) out.scaffold("\n").foreign(pythonJson(toolValue(tool)));
        out.scaffold(FUNCTIONS_TAIL);
      }
      const follows = text !== "" && (instructions !== "" || tools.length > 0);
      chat.close(out.scaffold(follows ? "\n\n" : "").body(text));
    },

    writeMessages(out, { messages, continues }, context) {
      if (variant.needsQuery && !continues && !messages.some(startsQuery)) throw missingQuery();
      const lastQuery = lastQueryIndex(messages, startsQuery, messages.length - 1);
      const writeBody = vision.writer(context);
      const bodyOf = (message: ConversationMessage) => trimText(contentPieces(message, otherParts));
      messages.forEach((message, index) => {
        out.at(index);
        switch (message.role) {
          case "system":
            if (continues) chat.turn(out, "system", pythonStrip(contentWithoutImages(message, otherParts)));
            else if (index > 0) throw misplacedSystem(message);
            return;
          case "user":
            writeBody(chat.open(out, "user"), bodyOf(message));
            chat.close(out);
            return;
          case "assistant": {
            const { reasoning, content } = thinkingOf(message);
            const keeps = keepsThinking(index, lastQuery, reasoning);
            const text = write({ reasoning: keeps ? reasoning : null, content }, message.toolCalls);
            const prefilled = keeps && text.startsWith(prefill) ? prefill : "";
            chat.open(out, "assistant").scaffold(prefilled).sampled(text.slice(prefilled.length));
            chat.closeSampled(out);
            return;
          }
          case "tool":
            chat.toolResult(out, messages, index, (body) => writeBody(body, bodyOf(message)));
            return;
          default:
            throw unknownRole(message, ROLES);
        }
      });
    },

    writeGenerationPrompt(out) {
      chat.open(out, "assistant").scaffold(prefill);
    },
  };
}

/** A text loses its edges; with images beside it, it keeps them. */
function trimText(pieces: readonly ContentPiece[]): readonly ContentPiece[] {
  return pieces.length === 1 && typeof pieces[0] === "string" ? [pythonStrip(pieces[0])] : pieces;
}
