/*
 * How a model writes a response, as plain JSON: what the analysis of a template finds out, and what the parser, the speller
 * and the tool grammar are made of. All texts are exact, white space included; the parser is lenient about white space at
 * their edges and between their markers, the speller and the grammar are not.
 *
 *   [reasoning.open … reasoning.close] [content.open … content.close] [lead section.open call separator call section.close] end
 */

export interface ResponseLayout {
  readonly reasoning: ReasoningLayout | null;
  readonly content: ContentLayout;
  readonly calls: CallsLayout | null;
  /** What the template writes behind a whole response, before the token that stops it (`"\n"`, `<|close|>message<|sep|>`). */
  readonly end: string;
  /**
   * Texts that stand between the parts of a response and belong to none, longest first: what closes one message and begins the
   * next one of the same turn (`<|end|><|start|>assistant`). Dropped where a part could begin or the response is over.
   */
  readonly glue: readonly string[];
}

export interface ReasoningLayout {
  /** `tools_only`: only responses with calls have reasoning. */
  readonly mode: "tag_based" | "tools_only";
  /** With the white space that is the template's: `"<think>\n"`. Empty: the model writes no opening marker. */
  readonly open: string;
  /** With the white space that leads to the content: `"\n</think>\n\n"`. */
  readonly close: string;
  /** Other texts that open it (the one of the generation prompt, where that is another). */
  readonly alsoOpens?: readonly string[] | undefined;
  /**
   * A response begins in its reasoning though neither prompt nor response has written the opening marker, as far as the
   * closing marker follows. Always so with an empty `open`.
   */
  readonly implied?: boolean | undefined;
  /** Reasoning may open again behind content or calls. Default false: a marker that stands there is text. */
  readonly repeats?: boolean | undefined;
  /** What is written where there is no reasoning (`"<think>\n\n</think>\n\n"`). Empty: nothing. */
  readonly empty?: string | undefined;
}

export interface ContentLayout {
  readonly mode: "plain" | "always_wrapped" | "wrapped_with_reasoning";
  /** Around the content where it is wrapped; empty in mode `plain`. */
  readonly open: string;
  readonly close: string;
  /** Other texts that open content (a channel that is shown to the user beside the final one). */
  readonly alsoOpens?: readonly string[] | undefined;
  /** The wrapper is written also for no content before calls. Default false. */
  readonly wrapsEmpty?: boolean | undefined;
  /** Where content and calls are in one response, the content follows the calls. Default false. */
  readonly afterCalls?: boolean | undefined;
  /** Content in a response with calls is not written by the template. Default false. */
  readonly droppedWithCalls?: boolean | undefined;
}

export interface CallsLayout {
  /** Written between content that is not empty and the first call (or its section). */
  readonly lead: string;
  /** Written there where the content is empty, instead. Default: "". */
  readonly leadAlone?: string | undefined;
  /** Around all calls of a response; null where every call stands for itself. */
  readonly section: { readonly open: string; readonly close: string } | null;
  /** Between two calls. */
  readonly separator: string;
  /** One call, from its first text to its last one. */
  readonly call: readonly CallElement[];
  /** The template can write several calls in one response. */
  readonly parallel: boolean;
  /**
   * What begins like a call is one only if it names a known tool: calls without any marker, whose first element is the object
   * itself. Without tools there are none. They stand at the response's start (behind reasoning) only.
   */
  readonly bare?: boolean | undefined;
}

export type CallElement =
  | { readonly kind: "text"; readonly text: string }
  /** The function's name. */
  | { readonly kind: "name" }
  /** The call's id. `namesFunction`: the name stands nowhere else, and the id is `functions.{name}:{index}`. */
  | { readonly kind: "id"; readonly namesFunction?: boolean | undefined }
  /** The call's number in its response, counted from `base`. */
  | { readonly kind: "index"; readonly base: 0 | 1 }
  /** All arguments as one JSON object. */
  | { readonly kind: "json" }
  /** The whole call as one JSON object, name and all. */
  | ObjectElement
  /** Arguments one by one. */
  | TaggedElement;

/** `{"name": …, "arguments": …}` and its kin. Paths are the keys from the outer object inwards. */
export interface ObjectElement {
  readonly kind: "object";
  /** Path of the function's name. Empty: the name is the key, and its value the arguments (`{"get_weather": {…}}`). */
  readonly name: readonly string[];
  readonly arguments: readonly string[];
  /** Path of the call's id; null: none. */
  readonly id: readonly string[] | null;
  /** `"index"`: the id is the call's number, counted from 0, as a string, and no id of the conversation. */
  readonly idIs?: "given" | "index" | undefined;
  /** Arguments are a string that holds JSON text. Default false: an object. */
  readonly argumentsAreText?: boolean | undefined;
  /** Members in the order in which the template writes them, outer keys; those with a fixed value have its JSON text. */
  readonly order: readonly { readonly key: string; readonly fixed?: string | undefined }[];
  /** JSON style of the template's own writing: `", "`/`": "` by default, else what it uses; indentation in blanks, null for none. */
  readonly style: JsonStyle;
}

export interface JsonStyle {
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly indent: number | null;
  /** How deep the object stands in an indented list (levels). Default 0. */
  readonly depth?: number | undefined;
}

export interface TaggedElement {
  readonly kind: "tagged";
  /** Around all arguments; written for a call without arguments, too. */
  readonly open: string;
  readonly close: string;
  /** Before an argument's name. */
  readonly namePrefix: string;
  /** Between two arguments. */
  readonly separator: string;
  /** How values are written, by their JSON type. The first form that has the type is used; every type is in one of them. */
  readonly values: readonly ValueForm[];
  /** Names stand in the order of the alphabet. Default: as given. */
  readonly sorted?: boolean | undefined;
}

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

export interface ValueForm {
  readonly types: readonly JsonType[];
  /** From the argument's name to its value: the end of the name's marker and the start of the value's. */
  readonly between: string;
  /** Behind the value. `{name}` stands for the argument's name (`</{name}>`). */
  readonly suffix: string;
  readonly writing: ValueWriting;
}

/**
 * - `raw`: a string as it is, without quotes; ends where `suffix` is a legal end
 * - `json`: JSON text
 * - `python`: what Python prints (`True`, `None`, `{'a': 1}`)
 * - `literal`: JSON or Python text that ends by itself (`f(a='x', b=1)`), where no marker need follow; `quote`: what stands
 *   around its strings instead of quotes (`<|"|>`), within which nothing is escaped; `bareKeys`: keys have no quotes
 * - `elements`: nested tags: an object is `{open}{key}{mid}…{close}` for every key, a list the same with `item` for a key
 */
export type ValueWriting =
  | { readonly kind: "raw"; readonly fence?: TextFence | undefined }
  | { readonly kind: "json" }
  | { readonly kind: "python" }
  | { readonly kind: "literal"; readonly quote?: string | undefined; readonly bareKeys?: boolean | undefined }
  | { readonly kind: "elements"; readonly item: string };

/** Stands around a string that holds one of the texts in `when` (`<![CDATA[` … `]]>` where there is a `<` or `&`). */
export interface TextFence {
  readonly open: string;
  readonly close: string;
  readonly when: readonly string[];
}

/** What is not in the layout, but in the prompt: where a response begins. */
export type LayoutBeginning =
  /** Nothing is open. `closed`: the prompt has opened and closed reasoning; no more of it comes, unless it repeats. */
  | { readonly in: "start"; readonly closed: boolean }
  /** The prompt has opened reasoning. */
  | { readonly in: "reasoning" }
  /** The prompt has opened wrapped content, or ends inside an open message. */
  | { readonly in: "content" }
  /** The prompt has begun a part and not finished its header (`>>>`, `<|start|>assistant`): glue has been read. */
  | { readonly in: "glue" };
