/*
 * Any model, by its own chat template.
 *
 * The template writes the conversation, and every piece of what it writes knows where it comes from. From that come the
 * columns: a message's pieces and the text written around them are that message's; of an assistant's turn everything behind
 * its header, up to the token that ends it, is what the model samples. A template may rewrite the history at any turn, so a
 * bridge is made only where renders prove that it does not.
 */
import type { DefaultConfig } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import type { WireFormat, WriteContext } from "../../format/index.ts";
import { type Conversation, normalise, type ToolSpec } from "../../messages/index.ts";
import {
  adaptations,
  adaptMessages,
  type ChatTemplate,
  capabilities,
  chooseTemplate,
  compileTemplate,
  SPECIAL_TOKEN_NAMES,
  type TemplateSource,
  type TemplateTrace,
} from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { type Span, SpanWriter } from "../../tokens/index.ts";
import { type WarningHandler, warnOnce } from "../../warnings.ts";
import { bindBridge } from "./bindBridge.ts";
import { openFinalMessage } from "./openFinalMessage.ts";
import { responseFormat } from "./responseFormat.ts";
import { templateContext } from "./templateContext.ts";
import { writeTrace } from "./traceSpans.ts";
import { addedText, type TurnShape, turnShape } from "./turnShape.ts";

/** A template bound to a model's special tokens and its own variables. */
export interface BoundTemplate {
  readonly template: ChatTemplate;
  readonly source: TemplateSource;
  readonly shape: TurnShape;
}

/** @throws TitoError `template_syntax`, `template_missing`, `unknown_template`, `unknown_parser`, `invalid_config` */
export function bindDefault(tokenizer: Tokenizer, config: DefaultConfig, onWarning?: WarningHandler): WireFormat {
  const warning = warnOnce(onWarning);
  const variables = { specialTokens: tokenizer.specialTokens, templateKwargs: config.templateKwargs };
  const specialTokens = new Map([...tokenizer.specialTokens, ...namedTokens(config.templateKwargs)]);
  const bound = new Map<string, BoundTemplate>();
  const options = config.now === undefined ? {} : { now: new Date(config.now) };

  function templateFor(tools: boolean): BoundTemplate {
    const { name, text, source } = chosen(tokenizer, config, tools);
    const known = bound.get(name);
    if (known !== undefined) return known;
    const template = compileTemplate(text, { mutable: config.mutable });
    const shape = turnShape(
      template,
      (messages, { addGenerationPrompt, tools }) =>
        templateContext(
          { messages: messages.map(asMessage), tools: tools as readonly ToolSpec[] | undefined },
          variables,
          addGenerationPrompt,
        ),
      tokenizer.addedTokens,
    );
    const entry = { template, source, shape };
    bound.set(name, entry);
    return entry;
  }

  const plain = templateFor(false);
  if (plain.source === "fallback") {
    warning({
      code: "template_fallback",
      message:
        "The model has no chat template, so ChatML stands for it, without tools. Pass the model's own as template.",
    });
  }
  const stops = stopIds(tokenizer, plain.shape);

  function write(out: SpanWriter, conversation: Conversation, { generates, continuesFinal }: WriteContext): void {
    // An empty list of tools is one: transformers takes the template for tools then.
    const { template, shape, source } = templateFor(conversation.tools !== undefined);
    if (conversation.tools?.length) warnOfTools(template, source, warning);
    const { adapted, indices } = adapt(conversation, template);
    const trace = template.trace(templateContext(adapted, variables, generates), options);
    const written = continuesFinal ? openFinalMessage(trace, adapted.messages) : trace;
    for (const span of spansOf(written, { template, shape }, adapted, generates)) {
      out.spans.push(span.message < 0 ? span : { ...span, message: indices[span.message]! });
    }
  }

  function spansOf(
    trace: TemplateTrace,
    { template, shape }: Pick<BoundTemplate, "template" | "shape">,
    adapted: Pick<Conversation, "messages" | "tools">,
    generates: boolean,
  ): readonly Span[] {
    const plain = () => template.render(templateContext(adapted, variables, false), options);
    const own = new SpanWriter({ contentSpecials: config.contentSpecials });
    writeTrace(own, trace, {
      messages: adapted.messages,
      shape,
      generationPrompt: generates ? promptLength(trace, shape, plain) : 0,
      tokens: tokenizer.addedTokens,
      specialTokens,
    });
    return own.spans;
  }

  const forTools = hasTemplateForTools(tokenizer, config) ? templateFor(true) : plain;
  const { grammar, analysis } = responseFormat(tokenizer, config, forTools.template, stops);
  const provenBridge = bindBridge(tokenizer, config, grammar, {
    templateFor,
    spansOf,
    adapt: (conversation, template) => adapt(conversation, template),
    context: (conversation, generates) => templateContext(conversation, variables, generates),
    plainContext: (conversation, generates) =>
      templateContext(conversation, { ...variables, templateKwargs: {} }, generates),
    options,
  });

  /** The conversation as the template can write it, if that is asked for, and where its messages stood. */
  function adapt(conversation: Conversation, template: ChatTemplate) {
    const raw = conversation.messages.map((message) => message.raw);
    const kinds = config.adaptMessages === true ? adaptations : config.adaptMessages || [];
    if (kinds.length === 0) return { adapted: conversation, indices: raw.map((_, index) => index) };
    const { messages, messageIndices, changes } = adaptMessages(raw, capabilities(template), kinds);
    if (changes.length > 0) {
      warning({
        code: "messages_adapted",
        message: `Messages were changed so that the chat template can write them: ${changes.map((change) => change.message).join("; ")}.`,
        details: { changes },
      });
    }
    return { adapted: normalise(messages, { tools: conversation.tools }), indices: messageIndices };
  }

  return {
    roles: ["system", "developer", "user", "assistant", "tool"],
    otherRoles: true,
    grammar,
    turn: { close: grammar.stops[0]!, separator: "" },
    isPrefixStable: false,
    templateSource: plain.source,
    startsQuery: ({ role }) => role === "user",
    writeOpening() {},
    writeMessages: write,
    writeGenerationPrompt() {},
    continuesFinal: true,
    ...(provenBridge && { provenBridge }),
    ...(analysis && { analysis }),
  };
}

function asMessage(raw: { readonly role: string; readonly content: string }, index: number) {
  return { raw, index } as unknown as Conversation["messages"][number];
}

/** Special tokens that are passed as variables are trusted as the tokenizer's own. */
function namedTokens(kwargs: DefaultConfig["templateKwargs"]): [string, string][] {
  return SPECIAL_TOKEN_NAMES.flatMap((name): [string, string][] => {
    const token = kwargs[name];
    return typeof token === "string" ? [[name, token]] : [];
  });
}

function chosen(tokenizer: Tokenizer, config: DefaultConfig, tools: boolean) {
  if (config.template !== undefined) return { name: "default", text: config.template, source: "option" as const };
  return chooseTemplate(tokenizer, { tools, name: config.templateName });
}

/** Tools have a template of their own, or share the one that is there. */
function hasTemplateForTools(tokenizer: Tokenizer, config: DefaultConfig): boolean {
  return config.template === undefined && config.templateName === undefined && tokenizer.chatTemplates.has("tool_use");
}

/** The turn's own end, or what begins the next turn where none ends it; and the end of all text. */
function stopIds(tokenizer: Tokenizer, { turnEnd, nextTurn }: TurnShape): number[] {
  const ends = turnEnd === null ? nextTurn : [turnEnd];
  const ids = [...ends.map((token) => tokenizer.tokenToId(token)), tokenizer.eosTokenId].filter(
    (id) => id !== undefined,
  );
  if (ids.length > 0) return [...new Set(ids)];
  throw new TitoError(
    "invalid_config",
    "No token is known to end a turn: the tokenizer names no end-of-sequence token, and the template writes no control token " +
      "behind an assistant's words. Load the tokenizer with eosToken.",
    { details: { field: "eosToken" } },
  );
}

function promptLength({ text }: TemplateTrace, { generationPrompt }: TurnShape, plain: () => string): number {
  if (generationPrompt !== "" && text.endsWith(generationPrompt)) return generationPrompt.length;
  return addedText(plain(), text).length;
}

function warnOfTools(template: ChatTemplate, source: TemplateSource, warning: WarningHandler): void {
  const { supportsTools, supportsToolCalls } = capabilities(template);
  if (supportsTools || (!supportsToolCalls && source !== "fallback")) return;
  warning({
    code: "tools_not_described",
    message:
      "The chat template does not tell the model which tools there are, so tools have no effect on the prompt. " +
      "Describe them in a system message, or use a template for tools.",
  });
}
