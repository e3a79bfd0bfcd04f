/** Where a template is from: what was passed in, a file that was named, a file of a model's directory, a GGUF, an object. */
export type TemplateSource =
  | "option"
  | "file"
  | "chat_template.jinja"
  | "additional_chat_templates"
  | "chat_templates"
  | "chat_template.json"
  | "tokenizer_config.json"
  | "gguf"
  | "transformers"
  | "fallback";

/** The chat templates of a model. A tokenizer is one of these, as is what `readTemplates` gives. */
export interface ChatTemplates {
  /** Jinja source by name: `default`, `tool_use`, `rag` …; empty where a model has none. */
  readonly chatTemplates: ReadonlyMap<string, string>;
  /** Where each of them is from, by the same names. */
  readonly templateSources: ReadonlyMap<string, TemplateSource>;
}

/** A chat template as an option: the text of the default one, or texts by name. */
export type ChatTemplateOption = string | Readonly<Record<string, string>> | ReadonlyMap<string, string>;
