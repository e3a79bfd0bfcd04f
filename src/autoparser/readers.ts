import { TitoError } from "../errors.ts";
import { harmonyTokens, harmonyTurns } from "../format/harmonyTurns.ts";
import {
  beginningOf,
  type ParsedToolCall,
  type ParserEvent,
  type ParserState,
  parserFactory,
  type ResponseGrammar,
  type ResponseLayout,
  spellResponse,
  type TextParser,
  type TextParserOptions,
  type TextParserState,
  type TokenParser,
  textParser,
} from "../parse/index.ts";
import { spokenResponse } from "../parse/spoken.ts";
import { characterTokenizer } from "../tokenizer/characterTokenizer.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

/**
 * What reads responses: the layout; or, where a turn is made of messages whose headers vary (`<|channel|>analysis to=…`), the
 * rules of the hand-written family that has such messages.
 */
export type ReaderKind = "layout" | "harmony";

/** What of an analysis its readers need. */
export interface Readable {
  readonly layout: ResponseLayout;
  readonly reader: ReaderKind;
  readonly header: string;
  /** Texts that end a response, where an endpoint leaves them in it. */
  readonly stops: readonly string[];
}

export type ResponseTextState = TextParserState | HarmonyTextState;

export interface HarmonyTextState {
  readonly kind: "harmonyText";
  readonly parser: ParserState;
  /** What may begin a control token. */
  readonly held: string;
  /** Reasoning has been told of as content, and is not over. */
  readonly thinking: boolean;
  /** The text so far. */
  readonly spoken: string;
}

export interface ResponseTextOptions extends Omit<TextParserOptions, "state"> {
  /** Go on from here. */
  readonly state?: ResponseTextState | undefined;
}

/** Reads a response from its text. Spans are in UTF-16 units of the text. */
export interface ResponseTextParser extends Omit<TextParser, "state"> {
  /** All that is known so far, as plain JSON. */
  readonly state: ResponseTextState;
}

/** Reads responses of an analysed template from their text, for endpoints that give no ids. */
export function responseTextParser(
  { layout, reader, stops, header }: Readable,
  { state, ...options }: ResponseTextOptions,
): ResponseTextParser {
  if (reader === "harmony") return harmonyText(layout, options, state?.kind === "harmonyText" ? state : undefined);
  return textParser(layout, { stops, header, ...options, state: state?.kind === "layoutText" ? state : undefined });
}

/**
 * How responses of an analysed template are read from ids. `stops`: ids that end a turn, its own close first.
 *
 * @throws TitoError `invalid_config` without a stop; `token_missing`
 */
export function responseGrammar(
  { layout, reader, header }: Readable,
  tokenizer: Tokenizer,
  stops: readonly number[],
  turnStart: number,
): ResponseGrammar {
  if (stops.length === 0) {
    throw new TitoError(
      "invalid_config",
      "No token ends a turn. Give the ids that do, or a tokenizer that names its own.",
    );
  }
  const spell: ResponseGrammar["spell"] = (response, opened) => spellResponse(layout, response, opened);
  if (reader === "harmony") {
    const { grammar } = harmonyTurns(harmonyTokens(tokenizer), harmonyOptions);
    return { ...grammar, layout, spell, stops: [...new Set([...grammar.stops, ...stops])] };
  }
  return {
    kind: "layout",
    layout,
    header,
    stops,
    turnStart,
    spell,
  };
}

const HARMONY = ["<|start|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|end|>", "<|call|>", "<|return|>"];

/** The reader for ids of this vocabulary: Harmony's rules go by its control tokens, all of which must be there. */
export function readerFor({ reader }: Pick<Readable, "reader">, tokenizer: Tokenizer): ReaderKind {
  return HARMONY.every((text) => tokenizer.tokenToId(text) !== undefined) ? reader : "layout";
}

const ANALYSIS = { open: "<|channel|>analysis<|message|>", close: "<|end|>" };

const harmonyOptions = { builtinTools: [], patched: true };

/** Harmony's messages in characters: a character is an id, and so is a control token. */
function harmonyText(
  layout: ResponseLayout,
  { tools, generationPrompt = "", responseFormat, continues = false, reasoningFormat }: ResponseTextOptions,
  state: HarmonyTextState | undefined,
): ResponseTextParser {
  const tokenizer = characterTokenizer();
  const { grammar } = harmonyTurns(harmonyTokens(tokenizer), harmonyOptions);
  const tokens = tokenizer.addedTokens.map(({ content }) => content);
  const prompt = tokenizer.encode(`<|start|>assistant${continues ? "" : generationPrompt}`);
  const parsers = parserFactory(grammar, tokenizer);
  const request = { prompt, tools: responseFormat ? null : tools };
  const parser = parsers({ ...request, state: state?.parser });
  let held = state?.held ?? "";
  let thinking = state?.thinking ?? false;
  let spoken = state?.spoken ?? "";

  function read(text: string, isLast: boolean): ParserEvent[] {
    spoken += text;
    const all = held + text;
    const end = isLast ? all.length : all.length - beginning(all, tokens);
    held = all.slice(end);
    return told(parser.push(tokenizer.encode(all.slice(0, end))));
  }

  /** Spans count ids, which are characters and tokens: as units of the text. */
  function inText(call: ParsedToolCall): ParsedToolCall {
    const ids = tokenizer.encode(spoken);
    const [start, end] = call.tokenSpan;
    const before = (count: number) => tokenizer.decode(ids.slice(0, count)).length;
    return { ...call, tokenSpan: [before(start), before(end)] };
  }

  /** What is told of the events, with reasoning as content where it is not split off. */
  function told(events: readonly ParserEvent[]): ParserEvent[] {
    const all = events
      .map((event) => (event.kind === "toolCallEnd" ? { ...event, call: inText(event.call) } : event))
      .flatMap(withArguments);
    return reasoningFormat === "none" ? all.flatMap(asContent) : all;
  }

  function asContent(event: ParserEvent): ParserEvent[] {
    if (event.kind !== "reasoning" && event.kind !== "reasoningEnd") return [event];
    const opening = thinking ? "" : ANALYSIS.open;
    thinking = event.kind === "reasoning";
    return [
      { kind: "content", text: thinking ? opening + (event as { text: string }).text : opening + ANALYSIS.close },
    ];
  }

  /** A text has no token that ends a call: one whose arguments are whole is over. */
  function ended(): ReturnType<TokenParser["end"]> {
    const closed = parsers({ ...request, state: parser.state });
    const events = closed.push([tokenizer.tokenToId("<|call|>")!]).filter(({ kind }) => kind !== "stop");
    const { response } = closed.end();
    const status = response.toolCalls.at(-1)?.status;
    const isWhole = status === "ok" || status === "unknown_tool";
    return isWhole ? { events, response: { ...response, stop: { kind: "none" } } } : parser.end();
  }

  if (continues && !state) read(generationPrompt, false);
  return {
    get state() {
      return { kind: "harmonyText" as const, parser: parser.state, held, thinking, spoken };
    },
    push: (text) => read(text, false),
    end() {
      const events = read("", true);
      const { response, events: last } = ended();
      const { reasoning, content } = response;
      const isSplit = reasoningFormat !== "none" || reasoning === null;
      const thought = isSplit ? "" : ANALYSIS.open + reasoning.text + (reasoning.complete ? ANALYSIS.close : "");
      return {
        events: [...events, ...told(last)],
        response: {
          ...response,
          toolCalls: response.toolCalls.map(inText),
          canonical: spoken === spellResponse(layout, spokenResponse(response), beginningOf(layout, generationPrompt)),
          ...(isSplit ? {} : { reasoning: null, content: thought + content }),
        },
      };
    },
  };
}

/** A call is told of as a whole when it is over. */
function withArguments(event: ParserEvent): ParserEvent[] {
  if (event.kind !== "toolCallEnd") return [event];
  const { index, call } = event;
  const name: ParserEvent[] = call.name === null ? [] : [{ kind: "toolCallName", index, name: call.name }];
  const text: ParserEvent[] =
    call.argumentsText === null ? [] : [{ kind: "toolCallArguments", index, text: call.argumentsText }];
  return [...name, ...text, event];
}

/** Length of the longest end of the text that begins a token, or a character that is not whole. */
function beginning(text: string, tokens: readonly string[]): number {
  const lone = /[\uD800-\uDBFF]$/.test(text) ? 1 : 0;
  return tokens.reduce((most, token) => {
    for (let size = Math.min(token.length - 1, text.length); size > most; size--) {
      if (text.endsWith(token.slice(0, size))) return size;
    }
    return most;
  }, lone);
}
