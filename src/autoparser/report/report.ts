import type { CallElement, CallsLayout, ValueForm } from "../../parse/layout/layout.ts";
import type { TemplateAnalysis } from "../analyze.ts";
import { segments } from "../text/diff.ts";
import type { LlamaFields } from "./llamaFields.ts";

/** An analysis in words. */
export interface AnalysisSummary {
  readonly reasoning: string;
  readonly content: string;
  readonly tools: string;
}

/** Says in a few words what an analysis found. `code` sets off what is the model's own text; default: as Markdown does. */
export function summary({ layout, prefill }: TemplateAnalysis, code: Code = markdownCode): AnalysisSummary {
  const quoted = (text: string) => (text === "" ? "nothing" : code(visible(text)));
  const { reasoning, content, calls } = layout;
  const opened = [prefill.on, prefill.off].map((one) => (one === "artefact" ? "open" : one));
  const prompt = opened.every((one) => one === "none")
    ? ""
    : opened[0] === opened[1]
      ? `; the prompt leaves it ${opened[0]}`
      : `; the prompt: ${opened[0]}, without thinking ${opened[1]}`;
  return {
    reasoning:
      reasoning === null
        ? "none"
        : `${quoted(reasoning.open)} … ${quoted(reasoning.close)}${reasoning.mode === "tools_only" ? ", with calls only" : ""}${prompt}`,
    content:
      content.mode === "plain"
        ? `plain${content.droppedWithCalls ? ", dropped beside calls" : ""}`
        : `${quoted(content.open)} … ${quoted(content.close)}`,
    tools: calls === null ? "none" : toolsInWords(calls, code),
  };
}

type Code = (text: string) => string;

const markdownCode: Code = (text) => (text.includes("`") ? `\`\`\`\` ${text} \`\`\`\`` : `\`${text}\``);

function toolsInWords({ section, call, separator, parallel, bare }: CallsLayout, code: Code): string {
  const unit = call.map(elementInWords).join("");
  const whole = section === null ? unit : `${visible(section.open)}${unit}${visible(section.close)}`;
  const more = parallel ? (separator === "" ? "" : `, ${code(visible(separator))} between calls`) : ", one call only";
  return `${code(whole)}${more}${bare ? ", without a marker" : ""}`;
}

function elementInWords(element: CallElement): string {
  if (element.kind === "text") return visible(element.text);
  if (element.kind === "name") return "NAME";
  if (element.kind === "id") return element.namesFunction ? "functions.NAME:0" : "ID";
  if (element.kind === "index") return String(element.base);
  if (element.kind === "json") return "{…}";
  if (element.kind === "object") {
    const { name, arguments: args, id, order } = element;
    if (name.length === 0) return "{NAME: {…}}";
    const parts = order.map(({ key, fixed }) => {
      const inner = [name, args, ...(id ? [id] : [])].filter((path) => path[0] === key && path.length > 1);
      if (inner.length > 0) return `${key}: {${inner.map((path) => path.slice(1).join(".")).join(", ")}}`;
      return fixed === undefined ? key : `${key}: ${fixed}`;
    });
    return `{${parts.join(", ")}}${element.argumentsAreText ? " with arguments as text" : ""}`;
  }
  const string = element.values.find(({ types }) => types.includes("string")) ?? element.values[0]!;
  const { open, close, namePrefix } = element;
  return visible(`${open}${namePrefix}KEY${string.between}${valueInWords(string)}${string.suffix}${close}`);
}

function valueInWords({ writing }: ValueForm): string {
  return writing.kind === "literal" ? `${writing.quote ?? ""}VALUE${writing.quote ?? ""}` : "VALUE";
}

const visible = (text: string): string => text.replaceAll("\n", "⏎");

/** One of llama.cpp's findings beside ours. */
export interface FieldComparison {
  /** `tools.format.section_start` */
  readonly field: string;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly equal: boolean;
}

/**
 * Fields by which two analyses are compared. Texts are equal but for the white space at their edges, which one side may count to
 * the marker and the other to what stands beside it. `preserved_tokens` are equal if all whole markers of theirs are in ours.
 */
const compared: readonly string[] = [
  "reasoning.mode",
  "reasoning.start",
  "reasoning.end",
  "content.mode",
  "content.start",
  "content.end",
  "content.requires_nonnull_content",
  "tools.format.mode",
  "tools.format.section_start",
  "tools.format.section_end",
  "tools.format.per_call_start",
  "tools.format.per_call_end",
  "tools.format.fun_name_is_key",
  "tools.format.tools_array_wrapped",
  "tools.format.function_field",
  "tools.format.name_field",
  "tools.format.args_field",
  "tools.format.id_field",
  "tools.format.gen_id_field",
  "tools.format.parameter_order",
  "tools.function.name_prefix",
  "tools.function.name_suffix",
  "tools.function.close",
  "tools.arguments.start",
  "tools.arguments.end",
  "tools.arguments.name_prefix",
  "tools.arguments.name_suffix",
  "tools.arguments.value_prefix",
  "tools.arguments.value_suffix",
  "tools.arguments.separator",
  "tools.call_id.pos",
  "tools.call_id.prefix",
  "tools.call_id.suffix",
  "preserved_tokens",
  "additional_stops",
  "reasoning_prefill.enable_thinking_true",
  "reasoning_prefill.enable_thinking_false",
];

/**
 * Holds an analysis against llama.cpp's of the same template.
 *
 * @param theirs an object with llama.cpp's fields (`reasoning`, `content`, `tools`, …); those that it lacks are not compared
 */
export function compareFields(ours: LlamaFields, theirs: object): FieldComparison[] {
  return compared.flatMap((field) => {
    const [one, other] = [valueAt(ours, field), valueAt(theirs, field)];
    return other === undefined ? [] : [{ field, ours: one, theirs: other, equal: isEqual(field, one, other) }];
  });
}

const valueAt = (object: object, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);

function isEqual(field: string, ours: unknown, theirs: unknown): boolean {
  if (field === "preserved_tokens") {
    const markers = (theirs as readonly string[]).filter((text) => segments(text)[0]?.kind === "marker");
    return markers.every((text) => (ours as readonly string[]).includes(text));
  }
  // "open (forced-open thinking)"
  if (field.startsWith("reasoning_prefill")) return String(theirs).split(" ")[0] === ours;
  if (typeof ours === "string" && typeof theirs === "string") return ours.trim() === theirs.trim();
  return JSON.stringify(ours) === JSON.stringify(theirs);
}
