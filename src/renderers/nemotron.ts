/*
 * Nemotron 3 and its successors (ChatML with tools and calls in XML)
 *
 *   <|im_start|>system⏎{system}⏎⏎# Tools … <tools>⏎<function>⏎…⏎</function>⏎</tools> … <|im_end|>⏎
 *   <|im_start|>user⏎{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎<think>⏎{reasoning}{glue}</think>{glue}{content}⏎<tool_call>⏎<function={name}>⏎<parameter={key}>⏎
 *   {value}⏎</parameter>⏎…</function>⏎</tool_call>⏎<tool_call>⏎…⏎</tool_call>⏎<|im_end|>⏎
 *   <|im_start|>assistant⏎<think></think>{content}<|im_end|>⏎
 *   <|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response>⏎<|im_end|>⏎
 *
 * There is always a system block. A turn without reasoning begins with an empty thinking block; the thinking of turns before
 * the last user message becomes one. White space goes at the ends of the whole turn, not around the reasoning. The generation
 * prompt opens the thinking, or with `enableThinking: false` closes it.
 *
 * `patched`: white space at the ends of a turn stays, argument values that are no strings are JSON, and reasoning that is
 * empty but not missing is written like any other, so that a response renders to the text that it was read from.
 */
import {
  type ContentPiece,
  chatml,
  contentPieces,
  contentWithoutImages,
  functionCallText,
  functionXmlCalls,
  markers,
  misplacedSystem,
  refusePart,
  templateReasoning,
  unknownRole,
  type WireFormat,
  type WriteContext,
  writeFunctionListing,
  writeToolResponse,
} from "../format/index.ts";
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
import type { SpanWriter } from "../tokens/index.ts";

export interface NemotronConfig {
  readonly name: string;
  readonly enableThinking: boolean;
  readonly truncateHistoryThinking: boolean;
  readonly patched: boolean;
  readonly validate: Validation;
}

/** In what the formats differ. */
export interface NemotronVariant {
  /** Stands before and after the marker that closes reasoning. */
  readonly glue: "\n" | "";
  /** Content behind dropped thinking keeps its white space, where calls follow. */
  readonly keepsEdges: boolean;
  /** System messages may stand anywhere, and with `validate: "template"` other roles have turns, too. */
  readonly openRoles: boolean;
  /** JSON in the list of tools has ASCII characters only. */
  readonly asciiTools: boolean;
  /** Stands at the end of the last user message: how deeply to think. */
  readonly hint: string;
  /** Writes what a message holds beside text. */
  readonly writeImages?:
    | ((out: SpanWriter, pieces: readonly ContentPiece[], context: WriteContext) => void)
    | undefined;
}

const ROLES = ["system", "user", "assistant", "tool"];
const OPEN_THINKING = "<think>\n";
const EMPTY_THINKING = "<think></think>";

export function nemotronFormat(tokenizer: Tokenizer, config: NemotronConfig, variant: NemotronVariant): WireFormat {
  const { glue, hint, writeImages } = variant;
  const token = markers(tokenizer, config.name, {
    turnStart: "<|im_start|>",
    turnEnd: "<|im_end|>",
    thinkOpen: "<think>",
    thinkClose: "</think>",
    callOpen: "<tool_call>",
    callClose: "</tool_call>",
  });
  const endOfText = tokenizer.tokenToId("<|endoftext|>");
  const chat = chatml(token);
  const prefill = config.enableThinking ? OPEN_THINKING : EMPTY_THINKING;
  const trim = config.patched ? (text: string) => text : (text: string) => pythonStrip(text);
  const listing = {
    parameterFields: ["enum"],
    schemaFields: ["required"],
    json: (value: Parameters<typeof pythonJson>[0]) => pythonJson(value, { ensureAscii: variant.asciiTools }),
  };

  /** Thinking and words; words that hold thinking of their own are taken as they are. */
  function join(reasoning: string | null, content: string): string {
    if (reasoning !== null && (config.patched || pythonStrip(reasoning) !== "")) {
      return `${OPEN_THINKING}${reasoning}${glue}</think>${content === "" ? "" : glue}${content}`;
    }
    return /<\/?think>/.test(content) ? content : EMPTY_THINKING + content;
  }

  /** The same without the thinking. */
  function dropThinking(said: string, hasCalls: boolean): string {
    const after = said.includes("</think>") ? said.slice(said.lastIndexOf("</think>") + "</think>".length) : null;
    if (hasCalls) {
      const rest = after ?? said.split("<think>")[0];
      return EMPTY_THINKING + (variant.keepsEdges ? rest : trim(rest));
    }
    return trim(after !== null && said.includes("<think>") ? EMPTY_THINKING + after : said);
  }

  function withCalls(text: string, calls: readonly Pick<ConversationToolCall, "name" | "arguments">[]): string {
    if (calls.length === 0) return text;
    const scalars = config.patched ? "exact" : "python";
    return `${text}\n${calls.map((call) => `${functionCallText(call, scalars)}\n`).join("")}`;
  }

  const grammar: ResponseGrammar = {
    kind: "tagged",
    stops: [token.turnEnd.id, ...(endOfText === undefined ? [] : [endOfText])],
    turnStart: token.turnStart.id,
    reasoning: {
      open: token.thinkOpen,
      close: token.thinkClose,
      padding: "\n",
      closing: glue,
      separator: glue,
      whenUnknown: "closed",
      exact: true,
    },
    calls: functionXmlCalls({
      open: token.callOpen,
      close: token.callClose,
      separator: "\n",
      literal: pythonLiteral,
    }),
    spell({ reasoning, content, toolCalls }, opened) {
      const calls = toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }));
      const text = withCalls(trim(join(reasoning, content)), calls);
      // Without a block of its own the response follows the empty one of the prompt.
      const prompted = opened ? OPEN_THINKING : reasoning === null ? EMPTY_THINKING : "";
      // Where the format would begin otherwise than the prompt did, this is no response's text.
      return text.startsWith(prompted) ? text.slice(prompted.length) : prompted + text;
    },
  };

  function writeBody(out: SpanWriter, message: ConversationMessage, context: WriteContext): SpanWriter {
    if (writeImages) writeImages(out, contentPieces(message, refusePart), context);
    else out.body(contentWithoutImages(message, refusePart));
    return out;
  }

  return {
    roles: ROLES,
    grammar,
    turn: { close: token.turnEnd.id, separator: "\n" },
    isPrefixStable: !config.truncateHistoryThinking && hint === "",
    startsQuery: ({ role }) => role === "user",

    refuse() {
      if (hint === "") return null;
      const message =
        "The hint of how deeply to think moves to the last user message, which a bridge cannot follow. Render the " +
        "conversation anew, or do without the hint.";
      return { reason: "template_rewrites_history", message };
    },

    writeOpening(out, { messages, tools = [] }) {
      const system = messages[0].role === "system" ? messages[0] : undefined;
      const text = system ? contentWithoutImages(system, refusePart) : "";
      chat.open(out.at(system ? 0 : -1), "system").body(text);
      if (tools.length > 0) writeFunctionListing(out.scaffold(text === "" ? "" : "\n\n"), tools, listing);
      chat.close(out);
    },

    writeMessages(out, { messages, continues }, context) {
      const lastUser = messages.findLastIndex(({ role }) => role === "user");
      messages.forEach((message, index) => {
        out.at(index);
        switch (message.role) {
          case "system":
            if (index === 0 && !continues) return;
            if (!continues && !variant.openRoles) throw misplacedSystem(message);
            chat.close(writeBody(chat.open(out, "system"), message, context));
            return;
          case "user":
            writeBody(chat.open(out, "user"), message, context);
            chat.close(out.scaffold(index === lastUser ? hint : ""));
            return;
          case "assistant": {
            const said = join(templateReasoning(message, config.validate), contentWithoutImages(message, refusePart));
            const drops = config.truncateHistoryThinking && index < lastUser;
            const kept = drops ? dropThinking(said, message.toolCalls.length > 0) : trim(said);
            const text = withCalls(kept, message.toolCalls);
            const prefilled = text.startsWith(prefill) ? prefill : "";
            chat.open(out, "assistant").scaffold(prefilled).sampled(text.slice(prefilled.length));
            chat.closeSampled(out);
            return;
          }
          case "tool":
            writeToolResponse(out, chat, messages, index, (body) => writeBody(body, message, context));
            return;
          default:
            if (!variant.openRoles) throw unknownRole(message, ROLES);
            chat.close(writeBody(chat.open(out, message.role), message, context));
        }
      });
    },

    writeGenerationPrompt(out) {
      chat.open(out, "assistant").scaffold(prefill);
    },
  };
}
