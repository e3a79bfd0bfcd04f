import { createHash } from "node:crypto";
import {
  type BridgeProof,
  bridgeProof,
  histories,
  type ProbedTemplate,
  probeTools,
} from "../../bridge/certificate/index.ts";
import type { DefaultConfig } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import type { ProvenBridge } from "../../format/index.ts";
import { type Conversation, type Message, normalise } from "../../messages/index.ts";
import type { ResponseGrammar } from "../../parse/index.ts";
import {
  adaptMessages,
  type ChatTemplate,
  capabilities,
  defaultLimits,
  type TemplateContext,
  type TemplateRenderOptions,
  type TemplateTrace,
} from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import type { Span } from "../../tokens/index.ts";
import type { BoundTemplate } from "./defaultFamily.ts";
import { extendByTemplate } from "./extendByTemplate.ts";

/** The default renderer's parts that a bridge is made with. */
export interface BridgeParts {
  templateFor(tools: boolean): BoundTemplate;
  spansOf(
    trace: TemplateTrace,
    bound: BoundTemplate,
    conversation: Pick<Conversation, "messages" | "tools">,
    generates: boolean,
  ): readonly Span[];
  /** The conversation as the config has it adapted, and where its messages stood. */
  adapt(
    conversation: Conversation,
    template: ChatTemplate,
  ): { readonly adapted: Conversation; readonly indices: readonly number[] };
  context(conversation: Pick<Conversation, "messages" | "tools">, generates: boolean): TemplateContext;
  /** The same without the variables that the config sets. */
  plainContext(conversation: Pick<Conversation, "messages" | "tools">, generates: boolean): TemplateContext;
  readonly options: TemplateRenderOptions;
}

/**
 * The bridge of a template; null: the config asks for none.
 *
 * @throws TitoError `invalid_config` for a `thinkingRetention` that the template does not keep
 */
export function bindBridge(
  tokenizer: Tokenizer,
  config: DefaultConfig,
  grammar: ResponseGrammar,
  parts: BridgeParts,
): ProvenBridge | null {
  if (config.certificate === "off") {
    if (config.thinkingRetention === undefined) return null;
    throw refusedRetention(config, 'without bridges (certificate: "off") there is nothing to keep');
  }
  let known: BridgeProof | undefined;
  const proof = () => {
    known ??= bridgeProof(probed(tokenizer, config, parts));
    return known;
  };
  if (config.thinkingRetention !== undefined) checkRetention(config, proof());
  const readsThinking = (open: string) => grammar.kind !== "tagged" || grammar.reasoning?.open.text === open;
  return {
    get certificate() {
      return proof().certificate;
    },
    retention: ({ tools }) => proof().retention(tools),
    extend: (view) => extendByTemplate({ tokenizer, config, parts, proof: proof(), readsThinking }, view),
  };
}

function checkRetention(config: DefaultConfig, proof: BridgeProof): void {
  const kept = [false, true].map((tools) => proof.retention(tools));
  if (kept.every((one) => one === "all" || one === config.thinkingRetention)) return;
  const [withoutTools, withTools] = kept;
  throw refusedRetention(
    config,
    `this template does otherwise ("${withoutTools}" without tools, "${withTools}" with tools)`,
  );
}

function refusedRetention({ thinkingRetention }: DefaultConfig, fact: string): TitoError {
  return new TitoError(
    "invalid_config",
    `thinkingRetention: the default renderer cannot keep "${thinkingRetention}", because ${fact}. Leave it out, or name a family.`,
    { details: { variant: "default", field: "thinkingRetention", actual: thinkingRetention } },
  );
}

/** Probes are small: what takes more than this is broken. The time is fixed, so that renders can be compared. */
const probeOptions: TemplateRenderOptions = {
  now: new Date(2025, 0, 1),
  limits: { ...defaultLimits, steps: 500_000, length: 1_000_000, milliseconds: 1000 },
};

function probed(tokenizer: Tokenizer, config: DefaultConfig, parts: BridgeParts): ProbedTemplate {
  const conversation = (messages: readonly Message[], template: ChatTemplate, tools: boolean) =>
    normalise(fitting(messages, template), { tools: tools ? probeTools : undefined });
  return {
    hash: hashOf(tokenizer, config, parts),
    shape: (tools) => parts.templateFor(tools).shape,
    tokens: tokenizer.addedTokens,
    writesCalls: (tools) => capabilities(parts.templateFor(tools).template).supportsToolCalls,
    trace(messages, { tools, addGenerationPrompt }) {
      const { template } = parts.templateFor(tools);
      return template.trace(parts.context(conversation(messages, template, tools), addGenerationPrompt), probeOptions);
    },
    plainPrompt() {
      const { template } = parts.templateFor(false);
      const question = conversation(histories(false)[0]!, template, false);
      try {
        const [plain, prompting] = [false, true].map((generates) =>
          template.render(parts.plainContext(question, generates), probeOptions),
        );
        return prompting!.startsWith(plain!) ? prompting!.slice(plain!.length) : prompting!;
      } catch (error) {
        if (error instanceof TitoError) return "";
        throw error;
      }
    },
  };
}

/** Messages of our own as the template can write them, whatever the config says of the user's. */
export function fitting(messages: readonly Message[], template: ChatTemplate): readonly Message[] {
  return adaptMessages(messages, capabilities(template), ["content", "arguments"]).messages;
}

/** Of a user's template with `name` there may be two: for conversations with tools and without. */
export function templatesOf(parts: Pick<BridgeParts, "templateFor">): readonly string[] {
  return [false, true].map((tools) => parts.templateFor(tools).template.source);
}

function hashOf(tokenizer: Tokenizer, config: DefaultConfig, parts: BridgeParts): string {
  const tokens = tokenizer.addedTokens.map(({ content, special }) => [content, special]);
  const facts = [1, templatesOf(parts), [...tokenizer.specialTokens], tokens, config.templateKwargs, config.mutable];
  const json = JSON.stringify(facts, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  return createHash("sha256").update(json).digest("hex");
}
