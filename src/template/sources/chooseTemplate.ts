import { TitoError } from "../../errors.ts";
import { FALLBACK_TEMPLATE } from "./fallbackTemplate.ts";
import type { ChatTemplates, TemplateSource } from "./types.ts";

export interface TemplateRequest {
  /** Whether tools are given: a template named `tool_use` is for these conversations. */
  readonly tools: boolean;
  /** A template by its name, whatever the tools. */
  readonly name?: string | undefined;
}

export interface ChosenTemplate {
  readonly name: string;
  /** Jinja source. */
  readonly text: string;
  /** `"fallback"`: the model has no template, and this is plain ChatML. */
  readonly source: TemplateSource;
}

/**
 * The template for a conversation, as transformers chooses it: the one asked for, else `tool_use` where there are tools,
 * else `default`. A model without any gets plain ChatML, which knows no tools.
 *
 * @throws TitoError `unknown_template` for a name that is not there; `template_missing` where there are templates and none
 *   of them is the default. Both list the names in `details.names`.
 * @example
 * const { text, source } = chooseTemplate(tokenizer, { tools: tools.length > 0 });
 */
export function chooseTemplate(templates: ChatTemplates, request: TemplateRequest): ChosenTemplate {
  const { chatTemplates, templateSources } = templates;
  const names = [...chatTemplates.keys()];
  const chosen = (name: string, text: string): ChosenTemplate => ({
    name,
    text,
    source: templateSources.get(name) ?? "option",
  });
  const wanted = request.name === undefined ? ["default"] : [request.name];
  if (request.tools && request.name === undefined) wanted.unshift("tool_use");
  for (const name of wanted) {
    const text = chatTemplates.get(name);
    if (text !== undefined) return chosen(name, text);
  }
  if (request.name !== undefined) throw unknownTemplate(request.name, names);
  if (names.length > 0) throw noDefault(names);
  return { name: "default", text: FALLBACK_TEMPLATE, source: "fallback" };
}

function unknownTemplate(name: string, names: readonly string[]): TitoError {
  const there = names.length === 0 ? "This model has no templates" : `There are ${names.join(", ")}`;
  return new TitoError("unknown_template", `There is no chat template ${JSON.stringify(name)}. ${there}.`, {
    details: { name, names },
  });
}

function noDefault(names: readonly string[]): TitoError {
  return new TitoError(
    "template_missing",
    `None of the model's chat templates is the default; they are ${names.join(", ")}. Name one of them, or pass chatTemplate.`,
    { details: { names } },
  );
}
