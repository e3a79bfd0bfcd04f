import type {
  CallElement,
  CallsLayout,
  ContentLayout,
  ObjectElement,
  TaggedElement,
} from "../../parse/layout/layout.ts";
import type { TemplateAnalysis } from "../analyze.ts";
import { segments } from "../text/diff.ts";

export type LlamaPrefill = "none" | "open" | "closed";

/** An analysis under the names that llama.cpp has for its own findings. Texts are cut where llama.cpp cuts them. */
export interface LlamaFields {
  readonly reasoning: {
    readonly mode: "NONE" | "TAG_BASED" | "TOOLS_ONLY";
    readonly start: string;
    readonly end: string;
  };
  readonly content: {
    readonly mode: "PLAIN" | "ALWAYS_WRAPPED" | "WRAPPED_WITH_REASONING";
    readonly start: string;
    readonly end: string;
    readonly requires_nonnull_content: boolean;
  };
  readonly tools: {
    readonly format: LlamaFormat;
    readonly function: { readonly name_prefix: string; readonly name_suffix: string; readonly close: string };
    readonly arguments: {
      readonly start: string;
      readonly end: string;
      readonly name_prefix: string;
      readonly name_suffix: string;
      readonly value_prefix: string;
      readonly value_suffix: string;
      readonly separator: string;
    };
    readonly call_id: {
      readonly pos: "NONE" | "PRE_FUNC_NAME" | "BETWEEN_FUNC_AND_ARGS" | "POST_ARGS";
      readonly prefix: string;
      readonly suffix: string;
    };
  };
  readonly preserved_tokens: readonly string[];
  /** Texts beside the token that ends a turn of content. */
  readonly additional_stops: readonly string[];
  readonly reasoning_prefill: {
    readonly enable_thinking_true: LlamaPrefill;
    readonly enable_thinking_false: LlamaPrefill;
  };
  readonly chat_format: "peg-native";
}

export interface LlamaFormat {
  readonly mode: "NONE" | "JSON_NATIVE" | "TAG_WITH_JSON" | "TAG_WITH_TAGGED";
  readonly section_start: string;
  readonly section_end: string;
  readonly per_call_start: string;
  readonly per_call_end: string;
  readonly fun_name_is_key: boolean;
  readonly tools_array_wrapped: boolean;
  readonly function_field: string;
  readonly name_field: string;
  readonly args_field: string;
  readonly id_field: string;
  readonly gen_id_field: string;
  readonly parameter_order: readonly string[];
}

/** What an analysis found, for programs that know llama.cpp's names. */
export function llamaFields(analysis: TemplateAnalysis): LlamaFields {
  const { layout, prefill, stops, preservedTokens, capabilities } = analysis;
  const { reasoning, content, calls } = layout;
  return {
    reasoning: {
      mode: reasoning === null ? "NONE" : reasoning.mode === "tools_only" ? "TOOLS_ONLY" : "TAG_BASED",
      start: reasoning?.open ?? "",
      end: reasoning?.close ?? "",
    },
    content: {
      mode: contentMode(content),
      start: content.open,
      end: content.close,
      requires_nonnull_content: capabilities.requiresNonnullContent,
    },
    tools: toolFields(calls),
    preserved_tokens: preservedTokens,
    additional_stops: stops.slice(1),
    reasoning_prefill: {
      enable_thinking_true: prefillName(prefill.on),
      enable_thinking_false: prefillName(prefill.off),
    },
    chat_format: "peg-native",
  };
}

const contentMode = ({ mode }: ContentLayout): LlamaFields["content"]["mode"] =>
  mode === "plain" ? "PLAIN" : mode === "always_wrapped" ? "ALWAYS_WRAPPED" : "WRAPPED_WITH_REASONING";

/** An artefact of the prompt opens reasoning as a marker does. */
const prefillName = (prefill: TemplateAnalysis["prefill"]["on"]): LlamaPrefill =>
  prefill === "artefact" ? "open" : prefill;

const noFunction = { name_prefix: "", name_suffix: "", close: "" };
const noArguments = {
  start: "",
  end: "",
  name_prefix: "",
  name_suffix: "",
  value_prefix: "",
  value_suffix: "",
  separator: "",
};
const noId = { pos: "NONE", prefix: "", suffix: "" } as const;

const format = (mode: LlamaFormat["mode"], fields: Partial<LlamaFormat> = {}): LlamaFormat => ({
  mode,
  section_start: "",
  section_end: "",
  per_call_start: "",
  per_call_end: "",
  fun_name_is_key: false,
  tools_array_wrapped: false,
  function_field: "function",
  name_field: "name",
  args_field: "arguments",
  id_field: "",
  gen_id_field: "",
  parameter_order: [],
  ...fields,
});

function toolFields(calls: CallsLayout | null): LlamaFields["tools"] {
  if (calls === null) return { format: format("NONE"), function: noFunction, arguments: noArguments, call_id: noId };
  const object = calls.call.find((element) => element.kind === "object");
  if (object) {
    const fields = { ...objectMarkers(calls, object), ...objectFields(object) };
    return { format: format("JSON_NATIVE", fields), function: noFunction, arguments: noArguments, call_id: noId };
  }
  const tagged = calls.call.find((element) => element.kind === "tagged");
  return tagged ? taggedFields(calls, tagged) : jsonFields(calls);
}

const section = ({ section: found }: CallsLayout) => ({
  section_start: found?.open ?? "",
  section_end: found?.close ?? "",
});

function objectMarkers(calls: CallsLayout, object: ObjectElement): Partial<LlamaFormat> {
  const at = calls.call.indexOf(object);
  const before = textOf(calls.call.slice(0, at));
  const after = textOf(calls.call.slice(at + 1));
  const { section_start: open, section_end: close } = section(calls);
  const list = /^(.*)\[\s*$/s.exec(open);
  const end = /^\s*\](.*)$/s.exec(close);
  const isList = list !== null && end !== null;
  const around = isList
    ? { section_start: list[1]!, section_end: end[1]!, tools_array_wrapped: true }
    : { section_start: open, section_end: close };
  // One call is all there is: what stands around it may as well be a section's.
  if (!calls.parallel && open === "") return { section_start: before, section_end: after };
  return { ...around, per_call_start: before, per_call_end: after };
}

function objectFields({ name, arguments: args, id, idIs, order }: ObjectElement): Partial<LlamaFormat> {
  const isKey = name.length === 0;
  return {
    fun_name_is_key: isKey,
    function_field: name.length > 1 ? name[0]! : "function",
    name_field: name.at(-1) ?? "",
    args_field: args.at(-1) ?? "",
    id_field: idIs === "index" ? "" : (id?.at(-1) ?? ""),
    gen_id_field: idIs === "index" ? (id?.at(-1) ?? "") : "",
    parameter_order: order.filter(({ fixed }) => fixed === undefined).map(({ key }) => key),
  };
}

/** Texts around the function's name, without those around its id. */
interface Head {
  readonly before: string;
  readonly after: string;
  readonly id: LlamaFields["tools"]["call_id"];
}

function headOf(call: readonly CallElement[]): Head {
  const end = call.findIndex(({ kind }) => kind === "json" || kind === "tagged");
  const name = call.findIndex((element) => element.kind === "name" || (element.kind === "id" && element.namesFunction));
  const id = call.findIndex((element) => element.kind === "id" && !element.namesFunction);
  if (id < 0) return { before: textOf(call.slice(0, name)), after: textOf(call.slice(name + 1, end)), id: noId };
  if (id < name) {
    const { first, rest } = firstMarker(textOf(call.slice(0, id)));
    const suffix = textOf(call.slice(id + 1, name));
    return {
      before: first,
      after: textOf(call.slice(name + 1, end)),
      id: { pos: "PRE_FUNC_NAME", prefix: rest, suffix },
    };
  }
  if (id > end)
    return {
      before: textOf(call.slice(0, name)),
      after: textOf(call.slice(name + 1, end)),
      id: { pos: "POST_ARGS", prefix: textOf(call.slice(end + 1, id)), suffix: textOf(call.slice(id + 1)) },
    };
  return {
    before: textOf(call.slice(0, name)),
    after: "",
    id: {
      pos: "BETWEEN_FUNC_AND_ARGS",
      prefix: textOf(call.slice(name + 1, id)),
      suffix: textOf(call.slice(id + 1, end)),
    },
  };
}

/** Texts joined; a number of the call is the first one. */
const textOf = (elements: readonly CallElement[]): string =>
  elements
    .map((element) => (element.kind === "text" ? element.text : element.kind === "index" ? String(element.base) : ""))
    .join("");

function jsonFields(calls: CallsLayout): LlamaFields["tools"] {
  const { before, after, id } = headOf(calls.call);
  const at = calls.call.findIndex(({ kind }) => kind === "json");
  const ending = textOf(calls.call.slice(at + 1));
  const { first, rest } = firstMarker(before);
  const { close, last } = id.pos === "POST_ARGS" ? { close: "", last: "" } : lastMarker(ending, first !== "");
  return {
    format: format("TAG_WITH_JSON", { ...section(calls), per_call_start: first, per_call_end: last }),
    function: { name_prefix: rest, name_suffix: after, close },
    arguments: noArguments,
    call_id: id,
  };
}

function taggedFields(calls: CallsLayout, tagged: TaggedElement): LlamaFields["tools"] {
  const { before, after, id } = headOf(calls.call);
  const at = calls.call.indexOf(tagged);
  const ending = tagged.close + textOf(calls.call.slice(at + 1));
  const head = segments(before);
  // A marker that the name stands in is the function's and not the call's.
  const { first, rest } = head[0]?.kind === "marker" ? firstMarker(before) : { first: "", rest: before };
  const { close, last } = lastMarker(ending, first !== "");
  const string = tagged.values.find(({ types }) => types.includes("string")) ?? tagged.values[0];
  const between = splitBetween(string?.between ?? "");
  return {
    format: format("TAG_WITH_TAGGED", { ...section(calls), per_call_start: first, per_call_end: last }),
    function: { name_prefix: rest, name_suffix: after + tagged.open, close },
    arguments: {
      ...noArguments,
      name_prefix: tagged.namePrefix,
      name_suffix: between.name,
      value_prefix: between.value,
      value_suffix: string?.suffix ?? "",
      separator: tagged.separator,
    },
    call_id: id,
  };
}

/** The first marker with the white space behind it, or all of a text that begins with none. */
function firstMarker(text: string): { readonly first: string; readonly rest: string } {
  const [marker] = segments(text.trimStart());
  if (marker?.kind !== "marker") return { first: text, rest: "" };
  const end = text.indexOf(marker.text) + marker.text.length;
  const space = /^\s*/.exec(text.slice(end))![0];
  return { first: text.slice(0, end + space.length), rest: text.slice(end + space.length) };
}

/** What closes the function, and the last marker, which closes the call where a marker of its own opens that. */
function lastMarker(text: string, isOpened: boolean): { readonly close: string; readonly last: string } {
  const marker = segments(text.trimEnd()).at(-1);
  if (!isOpened || marker?.kind !== "marker") return { close: text, last: "" };
  const start = text.lastIndexOf(marker.text);
  return { close: text.slice(0, start), last: text.slice(start) };
}

/** Between an argument's name and its value: a marker that opens the value, or what closes the quotes of an attribute, is the value's. */
function splitBetween(text: string): { readonly name: string; readonly value: string } {
  const parts = segments(text);
  const last = parts.at(-1);
  if (last?.kind === "marker") return { name: text.slice(0, text.length - last.text.length), value: last.text };
  return text.startsWith('"') ? { name: "", value: text } : { name: text, value: "" };
}
