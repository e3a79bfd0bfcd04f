import { checkConfig, modelMap, multimodalModels, type RendererConfigInput, resolveConfig } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { messageToolNames } from "../messages/index.ts";
import type { Renderer } from "../renderers/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import {
  attributeTextSegments,
  messageTokenSpans,
  roleTokenSpans,
  tokensByRole,
  tokensPerMessage,
} from "../tokens/index.ts";
import { messagesOf, type RecordedCase, toBits, toCamelFields, toSnake } from "./cases.ts";
import { failed, firstDifference, type Outcome, passed } from "./outcome.ts";

/** Cases of single functions. */
export function runModelMap(recorded: RecordedCase): Outcome {
  return equalRecords(recorded.plain.expect, modelMap);
}

export function runMultimodalModels(recorded: RecordedCase): Outcome {
  const ours = Object.fromEntries(Object.entries(multimodalModels).map(([name, kinds]) => [name, [...kinds].sort()]));
  return equalRecords(recorded.plain.expect, ours);
}

export function runConfig(recorded: RecordedCase): Outcome {
  const { name, fields } = recorded.plain;
  return runResolution(recorded, fields, () => checkConfig(configOf(name, fields)));
}

export function runResolve(recorded: RecordedCase): Outcome {
  const { name_or_path, auto, chat_template_kwargs } = recorded.plain;
  const given = { ...auto, ...chat_template_kwargs };
  return runResolution(recorded, given, () =>
    resolveConfig({
      nameOrPath: name_or_path,
      config: configOf("auto", auto ?? {}),
      chatTemplateKwargs: chat_template_kwargs ?? undefined,
    }),
  );
}

/** A recorded config in the SDK's names. Variables that the default renderer does not know are its template's. */
export function configOf(name: string, fields: Readonly<Record<string, unknown>>): RendererConfigInput {
  if (name !== "default") return { name, ...toCamelFields(fields) } as RendererConfigInput;
  const { name: _, tool_parser, reasoning_parser, thinking_retention, ...templateKwargs } = fields;
  const own = toCamelFields({ tool_parser, reasoning_parser, thinking_retention });
  return { name, ...own, templateKwargs } as RendererConfigInput;
}

function runResolution(
  recorded: RecordedCase,
  given: Readonly<Record<string, unknown>>,
  resolve: () => object,
): Outcome {
  const { plain } = recorded;
  let resolved: ReturnType<typeof resolve>;
  try {
    resolved = resolve();
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    const actual = { error: { code: error.code, message: error.message } };
    return plain.error ? passed("error", actual) : failed(`unexpected ${error.code}: ${error.message}`, actual);
  }
  const { templateKwargs, ...own } = resolved as Readonly<Record<string, unknown>>;
  const fields = Object.entries(own).map(([field, value]) => [toSnake(field), value]);
  const unset = Object.fromEntries(Object.keys(plain.expect ?? {}).map((field) => [field, null]));
  const actual = { ...unset, ...Object.fromEntries(fields), ...(templateKwargs as object | undefined) };
  if (plain.error) return failed(`expected an error (${plain.error.type})`, actual);
  for (const [field, value] of Object.entries(plain.expect)) {
    // Null is what was left open until the model is known; ours has its value by then.
    if (value === null && given[field] === undefined) continue;
    if (JSON.stringify(actual[field]) !== JSON.stringify(value))
      return failed(`${field}: expected ${JSON.stringify(value)}, got ${JSON.stringify(actual[field])}`, actual);
  }
  return passed("expect", actual);
}

export function runMeta(recorded: RecordedCase, renderer: Renderer): Outcome {
  const { expect } = recorded.plain;
  const actual = {
    stop_token_ids: [...renderer.stopTokenIds],
    is_prefix_stable: renderer.isPrefixStable,
    effective_thinking_retention: renderer.thinkingRetention,
    is_multimodal: renderer.mmTokenTypes !== null,
    mm_token_type_id_map: renderer.mmTokenTypes && Object.fromEntries(renderer.mmTokenTypes),
  };
  const { class: _, ...comparable } = expect;
  return equalRecords(comparable, actual);
}

export function runAttribution(recorded: RecordedCase, tokenizer: Tokenizer): Outcome {
  const { segments, overlap_is_content, expect } = recorded.plain;
  const result = attributeTextSegments(
    tokenizer,
    segments.map(([text, content]: [string, boolean]) => ({ text, content })),
    { overlapIsContent: overlap_is_content },
  );
  const actual = { ids: Array.from(result.tokenIds), bits: toBits(result.contentMask) };
  const at = firstDifference(expect.ids, result.tokenIds);
  if (at) return failed(`ids ${at}`, actual);
  return expect.bits === actual.bits
    ? passed("expect", actual)
    : failed(`bits: expected ${expect.bits}, got ${actual.bits}`, actual);
}

export function runToolNames(recorded: RecordedCase): Outcome {
  return equalRecords(recorded.plain.expect, messageToolNames(messagesOf(recorded)));
}

export function runHelpers(recorded: RecordedCase, renderer: Renderer): Outcome {
  const rendered = renderer.render(messagesOf(recorded));
  return equalRecords(recorded.plain.expect, {
    tokens_per_message: tokensPerMessage(rendered),
    tokens_per_message_2: tokensPerMessage(rendered, { messages: 2 }),
    sampled: tokensPerMessage(rendered, { sampledOnly: true }),
    spans: messageTokenSpans(rendered),
    role_spans: roleTokenSpans(rendered),
    by_role: tokensByRole(rendered),
    by_role_sampled: tokensByRole(rendered, { sampledOnly: true }),
  });
}

export function runTokenize(recorded: RecordedCase, tokenizer: Tokenizer): Outcome {
  const { text, ids, plain_ids } = recorded.plain;
  const readings = {
    ids: tokenizer.encode(text),
    ...(plain_ids ? { plain_ids: tokenizer.encode(text, { addedTokens: "plain" }) } : {}),
  };
  const actual = Object.fromEntries(Object.entries(readings).map(([name, row]) => [name, Array.from(row)]));
  for (const [name, expected] of Object.entries({ ids, ...(plain_ids ? { plain_ids } : {}) })) {
    const at = firstDifference(expected as number[], actual[name]);
    if (at) return failed(`${name} ${at}`, actual);
  }
  return passed("expect", actual);
}

function equalRecords(expected: unknown, actual: unknown): Outcome {
  const [a, b] = [stable(expected), stable(actual)];
  return a === b ? passed("expect", actual) : failed(`expected ${clip(a)}, got ${clip(b)}`, actual);
}

const clip = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** JSON with sorted keys. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
