/*
 * Gemma 4: results stand inside the model's turn, which goes on behind them; ▸ stands for the token `<|"|>` around strings.
 *
 *   <bos><|turn>system⏎<|think|>⏎{system}<|tool>declaration:{name}{description:▸…▸,parameters:{…}}<tool|>…<turn|>⏎
 *   <|turn>user⏎{text}<|image><|image|>…<image|>{text}<turn|>⏎
 *   <|turn>model⏎<|channel>thought⏎{reasoning}⏎<channel|>{content}<turn|>⏎
 *   <|turn>model⏎<|channel>thought⏎{reasoning}⏎<channel|><|tool_call>call:{name}{{key}:▸{text}▸,{key}:1}<tool_call|>…
 *     <|tool_response>response:{name}{value:▸{result}▸}<tool_response|><|tool_response>…<tool_response|>{content}
 *     <|channel>thought⏎{reasoning}⏎<channel|>…<turn|>⏎
 *
 * The system turn is there if there is a system message, tools, or thinking (`<|think|>`). A call's arguments have sorted keys.
 * The model ends its turn with `<turn|>`, or with the first `<|tool_response>` where it waits for results. Assistant messages
 * behind results, or behind each other, belong to one turn. The words of a turn with calls stand behind the results.
 *
 * Thinking stays in the turns after the last user message, with `preserveThinking` also in earlier turns that called tools.
 * Behind results the generation prompt opens it (`enableThinking`); with `prefillEmptyThought` and without thinking a new turn
 * begins with an empty thought, also in the history, if its message has no thinking of its own.
 *
 * `patched`: words of a turn with calls stay before the results; content is not stripped; an empty thought is written; keys keep
 * their order, and have quotes where they could not be read without; numbers keep their text; the prefilled empty thought
 * stands in every turn.
 *
 * Differs from the published template: null is `null` and not `None`; turns without calls keep their thinking after the last
 * user message; empty thoughts stay in the history; behind results thinking is opened; words before a later assistant message
 * of the same turn do not end the turn; text parts of a system message are stripped and followed by a space each. With strict
 * validation a result without id or name takes the name of the call in its place, and a result of a call that could not
 * be read stands behind the turn's words.
 */
import { type Gemma4Config, gemma4Config } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import {
  argumentEntries,
  contentPieces,
  contentWithoutImages,
  declarationPieces,
  dropPart,
  endsInGemmaString,
  type Family,
  fieldPieces,
  gemmaCall,
  gemmaCallBody,
  isFields,
  markers,
  piecesText,
  refusePart,
  valuePieces,
  type WireFormat,
  type WriteContext,
} from "../format/index.ts";
import { gemmaImages } from "../images/index.ts";
import { type ConversationMessage, type ConversationToolCall, pythonStrip } from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { answeredNames, misplacedResult, namesOf, resultParts, resultsBehind } from "./gemma4Results.ts";

const LABEL = "thought\n";

export const gemma4: Family<Gemma4Config> = {
  config: gemma4Config,
  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "gemma4", {
      begin: "<bos>",
      end: "<eos>",
      turnStart: "<|turn>",
      turnEnd: "<turn|>",
      thoughtOpen: "<|channel>",
      thoughtClose: "<channel|>",
      think: "<|think|>",
      toolOpen: "<|tool>",
      toolClose: "<tool|>",
      callOpen: "<|tool_call>",
      callClose: "<tool_call|>",
      resultOpen: "<|tool_response>",
      resultClose: "<tool_response|>",
      imageOpen: "<|image>",
      image: "<|image|>",
      imageClose: "<image|>",
      quote: '<|"|>',
    });
    const { enableThinking, patched } = config;
    const isStrict = config.validate === "strict";
    const opening = token.thoughtOpen.text + LABEL;
    const emptyThought = opening + token.thoughtClose.text;
    const prefill = !enableThinking && config.prefillEmptyThought ? emptyThought : "";

    const spellThought = (reasoning: string | null): string => {
      if (!reasoning) return patched && reasoning === "" ? emptyThought : "";
      return `${opening}${reasoning}\n${token.thoughtClose.text}`;
    };

    function spellCall({ name, ...call }: Pick<ConversationToolCall, "name" | "arguments">): string {
      const pieces = fieldPieces(argumentEntries(call) ?? [], patched ? "exact" : "bare");
      return `${token.callOpen.text}call:${name}${piecesText(pieces, token.quote.text)}${token.callClose.text}`;
    }

    /** Thinking that stands inside the words is no part of them. */
    function spellContent(text: string): string {
      if (patched) return text;
      const parts = text.split(token.thoughtClose.text);
      return pythonStrip(parts.map((part) => part.split(token.thoughtOpen.text, 1)[0]).join(""));
    }

    const grammar: ResponseGrammar = {
      kind: "tagged",
      stops: [token.turnEnd.id, token.resultOpen.id, token.end.id],
      turnStart: token.turnStart.id,
      reasoning: {
        open: token.thoughtOpen,
        close: token.thoughtClose,
        label: LABEL,
        padding: "",
        closing: "\n",
        separator: "",
        whenUnknown: "closed",
        exact: true,
        repeats: true,
      },
      calls: {
        open: token.callOpen,
        close: token.callClose,
        separator: "",
        atoms: [token.quote.id],
        body: gemmaCallBody(token.quote.id),
        endsInside: (call) => endsInGemmaString(call, token.quote.id),
        form: { inside: gemmaCall(token.quote.text, { sorted: !patched }), between: "", contentFollows: true },
      },
      spell({ reasoning, content, toolCalls }, opened) {
        const thought = opened ? `${reasoning ?? ""}\n${token.thoughtClose.text}` : spellThought(reasoning);
        const calls = toolCalls.map(({ name, argumentsText }) => spellCall({ name, arguments: argumentsText }));
        return thought + calls.join("") + spellContent(content);
      },
    };

    const closeTurn = (out: SpanWriter): SpanWriter => out.token(token.turnEnd.id).scaffold("\n");

    const openTurn = (out: SpanWriter, role: string): SpanWriter =>
      out.token(token.turnStart.id).foreign(role).scaffold("\n");

    function writeImage(out: SpanWriter, { part, at }: { part: unknown; at: string }, { images }: WriteContext): void {
      out.token(token.imageOpen.id).image(token.image.id, images.resolve(part, at)).token(token.imageClose.id);
    }

    /** A turn that no model speaks. */
    function writeTurn(out: SpanWriter, message: ConversationMessage, context: WriteContext): void {
      openTurn(out, message.role);
      for (const piece of contentPieces(message, dropPart, pythonStrip)) {
        if (typeof piece === "string") out.body(piece);
        else writeImage(out, piece, context);
      }
      closeTurn(out);
    }

    /** Results of the calls before them; the first one's opening token is the model's. */
    function writeResults(
      out: SpanWriter,
      results: readonly ConversationMessage[],
      names: readonly (string | undefined)[],
      context: WriteContext,
    ): void {
      for (const [at, result] of results.entries()) {
        out.at(result.index);
        if (at > 0) out.token(token.resultOpen.id);
        const { value, media } = resultParts(result);
        out.scaffold("response:").foreign(names[at] ?? "unknown");
        if (!isFields(value)) out.scaffold("{value:");
        for (const piece of valuePieces(value, "bare")) {
          if (piece === null) out.bodyToken(token.quote.id);
          else out.body(piece);
        }
        if (!isFields(value)) out.scaffold("}");
        out.token(token.resultClose.id);
        for (const piece of media) writeImage(out, piece, context);
      }
    }

    /** An assistant's message with its results; `next`: the role of the message behind them. */
    function writeModel(
      out: SpanWriter,
      message: ConversationMessage,
      { results, continues, answers, keepsThinking, next }: ModelPlace,
      context: WriteContext,
    ): void {
      const { index, toolCalls } = message;
      const reasoning = reasoningOf(message);
      const content = contentWithoutImages(message, dropPart, spellContent);
      const wordsFirst = patched || toolCalls.length === 0;
      const isAnswered = results.length > 0;
      if (!continues) {
        openTurn(out.at(index), "model");
        if (patched || !reasoning) out.scaffold(prefill);
      }
      const thought = spellThought(keepsThinking ? reasoning : null);
      const opened = answers && enableThinking && thought !== "" ? opening : "";
      out.at(index).scaffold(opened).sampled(thought.slice(opened.length));
      for (const call of toolCalls) {
        if (argumentEntries(call) === null) throw unreadableArguments(index);
        out.sampled(spellCall(call));
      }
      if (wordsFirst) out.sampled(content);
      if (isAnswered) {
        writeResults(
          out.sampledToken(token.resultOpen.id),
          results,
          namesOf(message, results, config.validate),
          context,
        );
        out.at(index);
      }
      if (!wordsFirst) out.sampled(content);
      const hasLastWord = !isAnswered || (!wordsFirst && pythonStrip(content) !== "");
      if (toolCalls.length > 0 && !isAnswered) out.sampledToken(token.resultOpen.id);
      else if (next !== "assistant" && (hasLastWord || next !== undefined))
        out.sampledToken(token.turnEnd.id).scaffold("\n");
    }

    return {
      roles: ["system", "developer", "user", "assistant", "tool"],
      grammar,
      turn: {
        close: token.turnEnd.id,
        separator: "\n",
        separatorAfterStop: (stop) => (stop === token.turnEnd.id ? "\n" : ""),
      },
      isPrefixStable: false,
      startsQuery: ({ role }) => role === "user",
      images: { placeholder: token.image.id, processor: gemmaImages() },

      refuse({ conversation: { messages }, context }) {
        const waits = context.closedBy === token.resultOpen.id;
        const misfit = messages.find(({ role }) => waits !== (role === "tool"));
        if (context.closedBy === token.end.id || misfit) {
          const why = waits
            ? `The turn waits for results, and new message ${misfit?.index} is none.`
            : misfit
              ? `The turn waits for no results, and new message ${misfit.index} is one.`
              : "The model has ended the conversation.";
          return { reason: "turn_not_continued", message: `${why} Render the conversation anew.` };
        }
        const unnamed = waits ? answeredNames(context, messages).indexOf(undefined) : -1;
        if (unnamed < 0) return null;
        return {
          reason: "unresolved_tool_name",
          message: `This format writes the tool's name, and new message ${unnamed} has none, nor do the calls tell. Set its name.`,
        };
      },

      writeOpening(out, { messages, tools = [] }) {
        out.at(-1).token(token.begin.id);
        const system = messages.find(isLeadingSystem);
        if (!system && !enableThinking && tools.length === 0) return;
        openTurn(out.at(system ? 0 : -1), "system");
        if (enableThinking) out.token(token.think.id).scaffold("\n");
        if (system) {
          const end = Array.isArray(system.content) ? " " : "";
          out.body(contentWithoutImages(system, refusePart, (text) => pythonStrip(text) + end));
        }
        for (const tool of tools) {
          out.token(token.toolOpen.id);
          for (const piece of declarationPieces(tool)) {
            if (piece === null) out.token(token.quote.id);
            else out.foreign(piece);
          }
          out.token(token.toolClose.id);
        }
        closeTurn(out);
      },

      writeMessages(out, { messages, continues: isBridge }, context) {
        if (context.closedBy === token.resultOpen.id) {
          writeResults(out, messages, answeredNames(context, messages), context);
          return;
        }
        const lastUser = messages.findLastIndex(({ role }) => role === "user");
        let previous: string | undefined;
        for (let at = 0; at < messages.length; at++) {
          const message = messages[at];
          if (!isBridge && isLeadingSystem(message)) continue;
          out.at(message.index);
          if (message.role === "tool") throw misplacedResult(message);
          if (message.role !== "assistant") writeTurn(out, message, context);
          else {
            const results = message.toolCalls.length > 0 || isStrict ? resultsBehind(messages, at) : [];
            const place = {
              results,
              continues: previous === "assistant",
              answers: previous === "assistant" && messages[at - 1].role === "tool",
              keepsThinking: at > lastUser || (config.preserveThinking && message.toolCalls.length > 0),
              next: messages[at + 1 + results.length]?.role,
            };
            writeModel(out, message, place, context);
            at += results.length;
          }
          previous = message.role;
        }
      },

      writeGenerationPrompt(out, { messages }) {
        const last = messages[messages.length - 1];
        if (last.role === "tool") {
          if (enableThinking) out.scaffold(opening);
        } else if (last.role !== "assistant" || last.toolCalls.length === 0) {
          openTurn(out, "model").scaffold(prefill);
        }
      },
    };
  },
};

/** Where an assistant's message stands. */
interface ModelPlace {
  readonly results: readonly ConversationMessage[];
  /** Its turn began with an earlier message. */
  readonly continues: boolean;
  /** Results stand directly before it. */
  readonly answers: boolean;
  readonly keepsThinking: boolean;
  readonly next: string | undefined;
}

const isLeadingSystem = ({ index, role }: ConversationMessage): boolean =>
  index === 0 && (role === "system" || role === "developer");

/** As the template looks for it: the first of the two fields that holds any text. */
function reasoningOf({ raw }: ConversationMessage): string | null {
  const fields = [raw.reasoning, raw.reasoning_content].filter((text) => typeof text === "string");
  return fields.find((text) => text !== "") ?? fields[0] ?? null;
}

function unreadableArguments(index: number): TitoError {
  return new TitoError(
    "invalid_arguments",
    `messages[${index}].tool_calls: this format prints arguments one by one, and these are no JSON object. Pass an object, or JSON text of one.`,
    { details: { message: index, field: "arguments", expected: "a JSON object" } },
  );
}
