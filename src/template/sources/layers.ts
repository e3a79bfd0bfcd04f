// Templates of several sources. Those of the first source stand for all, as in transformers, so that a directory's
// outdated `tool_use` never goes with its new default. Only where they lack a default do later sources fill what is missing.
import { readTemplateField } from "./templateField.ts";
import type { ChatTemplateOption, ChatTemplates, TemplateSource } from "./types.ts";

export const noTemplates: ChatTemplates = { chatTemplates: new Map(), templateSources: new Map() };

/** Templates that are all from one source. */
export function templatesFrom(source: TemplateSource, chatTemplates: ReadonlyMap<string, string>): ChatTemplates {
  return { chatTemplates, templateSources: new Map(Array.from(chatTemplates.keys(), (name) => [name, source])) };
}

/** Templates as options give them; theirs is the source `"option"` unless a reader of files says otherwise. */
export function optionTemplates(options: {
  readonly chatTemplate?: ChatTemplateOption | undefined;
  readonly templateSources?: ReadonlyMap<string, TemplateSource> | undefined;
}): ChatTemplates {
  const { chatTemplates, templateSources } = templatesFrom(
    "option",
    readTemplateField(options.chatTemplate, "chatTemplate"),
  );
  const said = options.templateSources ?? new Map();
  const sources = Array.from(templateSources, ([name, source]) => [name, said.get(name) ?? source] as const);
  return { chatTemplates, templateSources: new Map(sources) };
}

/** Whether later sources count. */
export const isOpen = ({ chatTemplates }: ChatTemplates): boolean => !chatTemplates.has("default");

/** Templates, with those of another source under the names that they lack. */
export function fillTemplates(known: ChatTemplates, more: ChatTemplates): ChatTemplates {
  const isNew = ([name]: readonly [string, unknown]): boolean => !known.chatTemplates.has(name);
  return {
    chatTemplates: new Map([...known.chatTemplates, ...[...more.chatTemplates].filter(isNew)]),
    templateSources: new Map([...known.templateSources, ...[...more.templateSources].filter(isNew)]),
  };
}
