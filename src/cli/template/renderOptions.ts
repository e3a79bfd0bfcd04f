import { parseArgs } from "node:util";
import { TitoError } from "../../errors.ts";
import type { JsonInput } from "../../messages/index.ts";
import { type ReadConversation, readKwargs } from "./readConversation.ts";

export const renderUsage = `tito template render PATH [options]

Renders a conversation with a chat template and prints the text, with nothing added. PATH is a tokenizer's directory,
a .jinja file, a tokenizer_config.json or a .gguf.

  --messages FILE|-           messages as JSON, or a chat request with messages and tools; default: a sample
  --tools FILE                tools as JSON
  --kwargs JSON               template variables, such as {"enable_thinking": false}; also the special tokens
                              that a .jinja by itself lacks: {"eos_token": "</s>"}
  --generation-prompt         end with what opens the assistant's turn; default unless an assistant's message is last
  --no-generation-prompt
  --continue-final-message    leave the last message, an assistant's, open
  --name NAME                 one of several templates; default: tool_use for tools, if there is one, else default
  --adapt                     change messages into what the template supports, and say how
  --mutable                   let the template change lists and dicts (append), which transformers refuses
  --now TIME                  what strftime_now prints: 2026-07-01T12:00:00
  --spans                     each piece of the text with its message, its field and its place in the template
  --ids                       the ids of the default renderer, with what is sampled and what is content
  --tokenizer PATH            the tokenizer of --ids; default: PATH, or what is beside it; its special tokens count without --ids, too
  --json                      { text, template, pieces?, ids?, changes? }`;

const options = {
  messages: { type: "string" },
  tools: { type: "string" },
  kwargs: { type: "string" },
  "generation-prompt": { type: "boolean", default: false },
  "no-generation-prompt": { type: "boolean", default: false },
  "continue-final-message": { type: "boolean", default: false },
  name: { type: "string" },
  adapt: { type: "boolean", default: false },
  mutable: { type: "boolean", default: false },
  now: { type: "string" },
  spans: { type: "boolean", default: false },
  ids: { type: "boolean", default: false },
  tokenizer: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Throws parseArgs' own errors. */
export const parseRenderArgs = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options });

export type RenderValues = ReturnType<typeof parseRenderArgs>["values"];

/**
 * What the command line says, else the request, else whether a message waits for its answer.
 *
 * @throws TitoError `usage`
 */
export function generationPrompt(
  values: RenderValues,
  given: ReadConversation | undefined,
  isAnswered: boolean,
): boolean {
  const { "generation-prompt": yes, "no-generation-prompt": no } = values;
  if (yes && no) {
    throw new TitoError(
      "usage",
      "--generation-prompt and --no-generation-prompt contradict each other. Leave one out.",
    );
  }
  return yes || (!no && (given?.addGenerationPrompt ?? !isAnswered));
}

/** Template variables; those of the command line win, one by one. Throws TitoError `usage`. */
export function kwargsOf(values: RenderValues, given: ReadConversation | undefined): Record<string, JsonInput> {
  const kwargs = { ...given?.kwargs, ...(values.kwargs === undefined ? {} : readKwargs(values.kwargs)) };
  const options = { messages: "--messages", tools: "--tools", add_generation_prompt: "--generation-prompt" };
  for (const [name, option] of Object.entries(options)) {
    if (!Object.hasOwn(kwargs, name)) continue;
    throw new TitoError("usage", `The template variable ${name} is no kwarg. Use ${option}.`);
  }
  return kwargs;
}

/** The time that templates see; undefined: that of the moment. Throws TitoError `usage`. */
export function timeOf({ now }: RenderValues): Date | undefined {
  if (now === undefined) return undefined;
  const time = new Date(now);
  if (Number.isNaN(time.getTime())) {
    throw new TitoError(
      "usage",
      `--now ${JSON.stringify(now)} is no time. Write it as 2026-07-01 or 2026-07-01T12:00:00.`,
    );
  }
  // A date alone would be midnight in UTC, and strftime_now prints local time.
  return /^\d{4}-\d\d-\d\d$/.test(now) ? new Date(`${now}T00:00:00`) : time;
}

/** A time as a default renderer's `now` takes it. */
export function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
