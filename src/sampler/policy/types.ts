import type { GrammarOptions } from "../grammarOptions.ts";

/** How the parts of a completion are sampled: data (JSON), made by `segmentPolicy` or by hand. */
export interface SegmentPolicy {
  /** Null (default): no tool events, and no greedy swap. */
  readonly toolCallMarkers?: ToolCallMarkers | null | undefined;
  /**
   * What of a call is payload, where `toolCallMarkers` has no payload markers, which come first. Null (default): nothing is known
   * of it, and a call is syntax from marker to marker.
   */
  readonly payload?: PayloadSyntax | null | undefined;
  /** What a completion is held to, or what follows from a trigger on; `"json"`: any JSON value. Null (default): nothing. */
  readonly grammar?: GrammarOptions | "json" | null | undefined;
  /**
   * Where the likeliest id is taken, whatever the temperature: `"syntax"`: from a call's start marker to its end marker, except for
   * payload; `"span"`: all of that; `"off"` (default): nowhere.
   */
  readonly greedy?: GreedyScope | undefined;
  /** Null (default): the model writes no reasoning that is known, and everything is outside of it. */
  readonly reasoning?: ReasoningMarkers | null | undefined;
}

export type GreedyScope = "syntax" | "span" | "off";

/**
 * Texts around one tool call. They are found as the ids that the model's vocabulary spells them with. Where a format has markers
 * around all calls of a response only, they are those.
 */
export interface ToolCallMarkers {
  readonly start: string;
  readonly end: string;
  /** Texts around what is payload within a call. One of them does not go without the other. */
  readonly payloadStart?: string;
  readonly payloadEnd?: string;
}

/** Markers of reasoning. */
export interface ReasoningMarkers {
  /** Null: the model writes no opening marker, only the prompt does. */
  readonly start: string | null;
  /** Other texts that begin it. Default: none. */
  readonly alsoStarts?: readonly string[];
  readonly end: string;
  /** The completion begins inside of reasoning. */
  readonly opened: boolean;
}

/** Where in a call, behind its start marker, payload stands: text that the model makes up. */
export type PayloadSyntax = JsonPayload | TagPayload;

/**
 * Arguments in JSON. Payload is what stands inside the string values of the arguments, escapes included; keys, numbers, names and
 * ids are syntax. Lists on the way are passed through, and several objects may follow each other.
 */
export interface JsonPayload {
  readonly kind: "json";
  /** Text behind which the JSON begins, where brackets may stand before it. Default: it begins with the first bracket. */
  readonly behind?: string;
  /** Keys from the outer object inwards to the arguments, null for any key. Default `[]`: the object is the arguments. */
  readonly within?: readonly (string | null)[];
  /** The arguments are a string that holds JSON text: payload is what stands in the strings of that text. Default false. */
  readonly asText?: boolean;
  /** Stands around strings instead of quotation marks (`<|"|>`); within it nothing is escaped. Default: quotation marks. */
  readonly quote?: string;
}

/**
 * Arguments one by one, each between texts of its own: {name}{key}{open}{value}{close}. White space at the texts' edges, and where
 * they have some, may be other white space.
 */
export interface TagPayload {
  readonly kind: "tags";
  /** Text that opens all arguments, where `name` is empty. Default: none. */
  readonly begin?: string;
  /** Text before an argument's name. Default: none, a name stands wherever no value is open. */
  readonly name?: string;
  /** The ways in which values are written: by the longest `open` that fits. */
  readonly values: readonly TagValue[];
  /**
   * What may follow a value's `close`, white space aside. Where something else follows, the `close` was part of the value. Default:
   * anything may.
   */
  readonly follow?: readonly string[];
}

export interface TagValue {
  /** From the argument's name to its value. */
  readonly open: string;
  /** Behind the value; `{name}` stands for the argument's name. May be empty for `"literal"`, which ends by itself. */
  readonly close: string;
  /**
   * - `text` (default): all up to `close` is payload, also a number or JSON where it is written between the same texts
   * - `literal`: JSON, or the like; payload is what stands inside its strings that are no keys
   */
  readonly writing?: "text" | "literal";
  /** Texts in which a `text` may stand, `<![CDATA[` and `]]>`: no payload. */
  readonly fence?: { readonly open: string; readonly close: string };
  /** Lists and objects are tags within the value, written like arguments: these tags are syntax. Default false. */
  readonly nested?: boolean;
}
