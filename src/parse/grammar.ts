import type { CallElement, CallsLayout, ResponseLayout } from "./layout/layout.ts";
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
export type ResponseGrammar = TaggedGrammar | FramedGrammar | BareGrammar | LayoutGrammar;

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
  /** Written before content that follows no reasoning of the response; one is trimmed off the content's start. */
  readonly lead?: string | undefined;
  /** Written between content that is not empty and the turn's end; one is trimmed off the content's end. */
  readonly trail?: string | undefined;
  /** The response may begin with `turnStart`, where the prompt has not written it. Default false. */
  readonly opensTurn?: boolean | undefined;
  /** Several calls stand in one block: `calls` are then the markers of the block, and their `body` is not asked. */
  readonly list?: CallList | undefined;
}

/** Calls in a row that have no markers of their own. They are read, and reported, when their block is over. */
export interface CallList {
  /**
   * A content that begins with one of these texts, after white space, may be a block without markers. Default: none, and a
   * block stands only between the markers of `calls`.
   */
  readonly openings?: readonly string[] | undefined;
  /**
   * The calls in a block's text. A call that is cut off by the text's end has the status `unclosed_block`, which becomes
   * `invalid_json` where the block's own end is there. Null: this is no list. Then a block without markers is content, and a
   * block with markers one call that cannot be read.
   */
  read(text: string, tools: ReadonlyMap<string, KnownTool> | null): readonly ListedCall[] | null;
}

/** A call of a list, and where it stands in the block's text: half-open UTF-16 range. */
export interface ListedCall {
  readonly reading: CallReading;
  readonly start: number;
  readonly end: number;
}

export interface ReasoningGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Written after the opening and before the closing marker. Its characters are trimmed off the reasoning's ends. */
  readonly padding: string;
  /** A prompt that opens reasoning writes no padding: the model does. Default false. */
  readonly samplesPadding?: boolean | undefined;
  /**
   * Written behind the opening marker, before the padding, also by a prompt; it says what kind of part this is. It is taken off
   * as a whole, or else it is text. With it, an opening marker that repeats the prompt's own counts for nothing.
   */
  readonly label?: string | undefined;
  /** Written before the closing marker, where that is not `padding`. */
  readonly closing?: string | undefined;
  /** Written between the closing marker and the content. Its characters are trimmed off the content's start. */
  readonly separator: string;
  /** How a completion is read whose prompt is unknown. */
  readonly whenUnknown: "open" | "closed";
  /**
   * A call's opening marker ends reasoning that has no closing marker; `"at once"`: also reasoning that would close later, so
   * that no call is only talked about (the one choice for markers of several tokens). Default true.
   */
  readonly endedByCall?: boolean | "at once";
  /**
   * A prompt opens reasoning only directly behind `turnStart`; a marker that stands elsewhere after the last stop is text.
   * Default false: the last of the prompt's markers decides.
   */
  readonly opensAtTurnStart?: boolean;
  /** Of padding and separator exactly one is trimmed off, and not all their characters: nothing that was said is lost. */
  readonly exact?: boolean;
  /**
   * A turn whose prompt has written neither marker begins in its reasoning: the model writes the opening marker, after this
   * text, or leaves it out. Undefined: such a turn begins in its content, unless the model opens reasoning.
   */
  readonly implied?: string | undefined;
  /** Reasoning may open again after content and calls; its parts are joined by what the format writes at their end. Default false. */
  readonly repeats?: boolean;
}

export interface CallGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Markers around all calls of a turn, where the format has them. */
  readonly section?: SectionGrammar | undefined;
  /** Written between the content and the first call (or its section). */
  readonly separator: string;
  /** Tokens that structure a call's body: their places are told to `body`. */
  readonly atoms?: readonly number[] | undefined;
  readonly body: CallBody;
  /**
   * Would a closing marker here, the call's or the section's, stand inside a value? Then the call goes on to the next closing
   * marker with which it can be read; if there is none, the first one was meant.
   */
  endsInside?(call: CallText): boolean;
  /** What is known of a call that was cut short. Default: nothing, with the status `unclosed_block`. */
  unclosed?(call: CallText): Partial<CallReading>;
  /** How calls are written; without it no grammar can be made that holds a model to them. */
  readonly form?: CallForm | undefined;
}

/** How calls are written, as data beside the `body` that reads them. */
export interface CallForm {
  /** What stands between a call's markers. */
  readonly inside: readonly CallElement[];
  /** Written between two calls. */
  readonly between: string;
  /** Written behind the section's opening marker, and before its closing one. Default: nothing. */
  readonly sectionSpace?: string | undefined;
  /** The grammar's `separator` stands also before calls without content. Default false. */
  readonly leads?: boolean | undefined;
  /** Content stands behind the calls. Default false. */
  readonly contentFollows?: boolean | undefined;
}

export interface SectionGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** In content, calls without a section are read, too. Default false: they are text. */
  readonly optional?: boolean;
  /** A section that is cut short before its first call is kept as a call that is not closed. Default false: it is dropped. */
  readonly keepsCut?: boolean;
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
 *   {header}<body marker>{body}<end><start>{header}<body marker>{body}<end> …
 */
export interface FramedGrammar extends CommonGrammar {
  readonly kind: "framed";
  /** Ids that begin a header. The first header follows the prompt without one, where the prompt has written it. */
  readonly starts: readonly number[];
  /** Ids that end a header and begin a body. */
  readonly bodies: readonly number[];
  /** Those of `bodies` that begin a call also inside open reasoning, which is over then. */
  readonly callBodies?: readonly number[];
  /** Ids that end a body. Those that are also stops end the turn, unless a start follows: then the turn goes on. */
  readonly ends: readonly number[];
  /**
   * How a completion is read whose prompt is unknown: from a header on, or as content altogether, as no header is at hand
   * (unless it begins with a start).
   */
  readonly whenUnknown: "header" | "plain";
  /** What a body is, by its header's text (with control tokens spelled out) and the id that began the body. */
  classify(header: string, body: number): FramedPart;
  /** What of a header that introduces no call is nothing but text, and so content. */
  strayText(header: string): string;
  readonly readCall: (header: string, call: CallText, tools: ReadonlyMap<string, KnownTool> | null) => CallReading;
  /** The stop that the format has for this response, where it is not always the first one. */
  stopOf?(response: SpokenResponse): number;
  /** The same format by its parts, in the headers that `spell` writes; without it no grammar can be made for its calls. */
  readonly layout?: ResponseLayout | undefined;
  /** The ways in which models write calls, all read, and all begun by the same text. Default: the layout's own. */
  readonly callForms?: readonly CallsLayout[] | undefined;
}

export type FramedPart = "reasoning" | "content" | "call";

/**
 * A response that is either content or one call, without any marker: only its text tells which. What begins as a call is
 * held until the response is over.
 */
export interface BareGrammar extends CommonGrammar {
  readonly kind: "bare";
  /** The character with which a call begins, after white space. */
  readonly opening: string;
  /** Reads the whole response, white space at its ends removed. A reading without a name is no call, but content. */
  readonly body: CallBody;
  /** How a call is written; without it no grammar can be made for it. */
  readonly call?: readonly CallElement[] | undefined;
}

/** A response by its layout, which is data: for templates that no family is written for. */
export interface LayoutGrammar extends CommonGrammar {
  readonly kind: "layout";
  readonly layout: ResponseLayout;
  /** The text that opens the assistant's turn in a prompt, without what opens reasoning. May be empty. */
  readonly header: string;
}
