import type { KnownTool, ParsedToolCall } from "./types.ts";

/** A marker of the wire format: one token, or text that is spelled with several. */
export interface Marker {
  readonly text: string;
  /** Undefined for a marker of several tokens, which is found by its text. */
  readonly id: number | undefined;
  /** A token that must be among those that spell the marker: the same text in other tokens is no marker. */
  readonly atom?: number | undefined;
}

/** A marker that is one token. */
export interface TokenMarker extends Marker {
  readonly id: number;
}

/** The markers of a family's response, as data: what the token parser and the bridge know of a family. */
export type ResponseGrammar = TaggedGrammar | FramedGrammar;

interface CommonGrammar {
  /** Ids that end the turn. The first one is the turn's own close. */
  readonly stops: readonly number[];
  /** The token that opens a turn; what follows the last one in a prompt is the generation prompt. */
  readonly turnStart: number;
  /**
   * The text that the family itself writes for this response, without the stop; `opened`: the prompt has already written
   * the reasoning's opening marker and what follows it. A response is canonical when its text is this one.
   */
  spell(response: SpokenResponse, opened: boolean): string;
}

/** What a model said, as far as a family writes it. */
export interface SpokenResponse {
  readonly content: string;
  readonly reasoning: string | null;
  readonly toolCalls: readonly SpokenCall[];
}

export interface SpokenCall {
  readonly name: string;
  /** JSON text. */
  readonly argumentsText: string;
  readonly id: string | undefined;
}

/** Reasoning between two markers, then content, then tool calls between markers. */
export interface TaggedGrammar extends CommonGrammar {
  readonly kind: "tagged";
  readonly reasoning: ReasoningGrammar | null;
  readonly calls: CallGrammar | null;
}

export interface ReasoningGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Written after the opening and before the closing marker. Its characters are trimmed off the reasoning's ends. */
  readonly padding: string;
  /** Written between the closing marker and the content. Its characters are trimmed off the content's start. */
  readonly separator: string;
  /** How a completion is read whose prompt is unknown. */
  readonly whenUnknown: "open" | "closed";
  /** A call's opening marker ends reasoning that has no closing marker. Default true. */
  readonly endedByCall?: boolean;
  /** Of padding and separator exactly one is trimmed off, and not all their characters: nothing that was said is lost. */
  readonly exact?: boolean;
  /** Reasoning may open again after content and calls; its parts are joined. Default false. */
  readonly repeats?: boolean;
}

export interface CallGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Markers around all calls of a turn, where the format has them. */
  readonly section?: { readonly open: Marker; readonly close: Marker } | undefined;
  /** Written between the content and the first call (or its section). */
  readonly separator: string;
  /** Tokens that structure a call's body: their places are told to `body`. */
  readonly atoms?: readonly number[] | undefined;
  readonly body: CallBody;
  /**
   * Would a closing marker here stand inside a value? Then the call goes on to the next closing marker with which it can
   * be read; if there is none, the first one was meant.
   */
  endsInside?(call: CallText): boolean;
}

/** The text between a call's markers, and where tokens that structure it stand. */
export interface CallText {
  readonly text: string;
  readonly atoms: readonly Atom[];
}

/** A structural token in a call's text: half-open UTF-16 range. */
export interface Atom {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Reads the text between a call's markers, white space at its ends included. */
export type CallBody = (call: CallText, tools: ReadonlyMap<string, KnownTool> | null) => CallReading;

export type CallReading = Pick<ParsedToolCall, "name" | "arguments" | "argumentsText" | "id" | "status">;

/**
 * A response of several messages, each of them a header and a body with a token between: the header says what the body is.
 *
 *   {header}<body marker>{body}<end>{next start}{header}<body marker>{body}<end> …
 */
export interface FramedGrammar extends CommonGrammar {
  readonly kind: "framed";
  /** Ids that begin a header. The first header follows the prompt without one, where the prompt has written it. */
  readonly starts: readonly number[];
  /** Ids that end a header and begin a body. */
  readonly bodies: readonly number[];
  /** Ids that end a body. Those that are also stops end the turn. */
  readonly ends: readonly number[];
  /** How a completion is read whose prompt is unknown: from a header on, or as content altogether, as no header is at hand. */
  readonly whenUnknown: "header" | "plain";
  /** What a body is, by its header's text (with control tokens spelled out) and the id that began the body. */
  classify(header: string, body: number): FramedPart;
  readonly readCall: (header: string, call: CallText, tools: ReadonlyMap<string, KnownTool> | null) => CallReading;
}

export type FramedPart = "reasoning" | "content" | "call";
