import { TitoError } from "../../errors.ts";
import { type JsonInput, normalise } from "../../messages/index.ts";
import { createRenderer } from "../../renderers/createRenderer.ts";
import { openFinalMessage } from "../../renderers/default/openFinalMessage.ts";
import { templateContext } from "../../renderers/default/templateContext.ts";
import {
  adaptMessages,
  type ChatTemplate,
  type ChosenTemplate,
  capabilities,
  chooseTemplate,
  compileTemplate,
  type TemplateTrace,
} from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import type { CommandIo } from "./commandIo.ts";
import { onePath } from "./commandOptions.ts";
import { openTemplates, openTokenizer } from "./openTemplates.ts";
import { painter } from "./paint.ts";
import { type Conversation, readConversation, readTools } from "./readConversation.ts";
import {
  generationPrompt,
  kwargsOf,
  localTime,
  parseRenderArgs,
  type RenderValues,
  renderUsage,
  timeOf,
} from "./renderOptions.ts";
import { sampleConversation } from "./sampleConversation.ts";
import { idLines, shownIds } from "./showIds.ts";
import { pieceLines, shownPieces } from "./showPieces.ts";
import { withTemplate } from "./templateFault.ts";

export async function renderCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseRenderArgs(args);
  if (values.help) {
    io.write(`${renderUsage}\n`);
    return 0;
  }
  const request = await renderRequest(onePath(positionals, renderUsage), values, io);
  const { chosen, template, conversation, tokenizer } = request;
  const adapted = adaptedMessages(request);
  const trace = traced(request, adapted.messages);
  const pieces = values.spans ? shownPieces(trace.pieces, template.source, adapted.messageIndices) : undefined;
  const ids = values.ids ? shownIds(rendered(request, tokenizer!), tokenizer!) : undefined;
  for (const note of notes(request)) io.note(note);

  if (values.json) {
    const { name, source } = chosen;
    const changes = values.adapt ? adapted.changes : undefined;
    io.write(`${JSON.stringify({ text: trace.text, template: { name, source }, pieces, ids, changes })}\n`);
    return 0;
  }
  if (values.adapt) for (const { message } of adapted.changes) io.note(`adapted: ${message}`);
  const paint = painter(io.colors);
  const tables = [
    ...(pieces ? [pieceLines(pieces, conversation.messages, paint)] : []),
    ...(ids ? [idLines(ids, conversation.messages, paint)] : []),
  ];
  if (tables.length > 0) io.write(`${tables.map((lines) => lines.join("\n")).join("\n\n")}\n`);
  else io.write(io.isTty && !trace.text.endsWith("\n") ? `${trace.text}\n` : trace.text);
  return 0;
}

/** A render, all of its options resolved. */
interface RenderRequest {
  readonly path: string;
  readonly chosen: ChosenTemplate;
  readonly template: ChatTemplate;
  /** Where it is needed. */
  readonly tokenizer: Tokenizer | undefined;
  readonly specialTokens: ReadonlyMap<string, string>;
  readonly conversation: Conversation;
  readonly kwargs: Readonly<Record<string, JsonInput>>;
  readonly adapts: boolean;
  readonly continues: boolean;
  readonly generates: boolean;
  readonly mutable: boolean;
  readonly now: Date | undefined;
}

async function renderRequest(path: string, values: RenderValues, io: CommandIo): Promise<RenderRequest> {
  const now = timeOf(values);
  const given = values.messages === undefined ? undefined : readConversation(values.messages, io);
  const kwargs = kwargsOf(values, given);
  const tools = values.tools === undefined ? given?.tools : readTools(values.tools);

  const templates = await openTemplates(path);
  const needsTokenizer = values.ids || values.tokenizer !== undefined;
  const tokenizer = needsTokenizer ? await openTokenizer(templates, values.tokenizer) : undefined;
  // The sample has tools where there is a template for them.
  const chosen = chooseTemplate(templates, { tools: !given || (tools?.length ?? 0) > 0, name: values.name });
  const template = withTemplate(chosen, () => compileTemplate(chosen.text, { mutable: values.mutable }));
  const conversation = given ? { messages: given.messages, tools } : sampleConversation(capabilities(template), tools);

  const continues = values["continue-final-message"] || (given?.continueFinalMessage ?? false);
  const isAnswered = continues || conversation.messages.at(-1)?.role === "assistant";
  const generates = generationPrompt(values, given, isAnswered);
  if (generates && continues) {
    throw new TitoError("usage", "A message cannot go on and a new one begin. Leave out the generation prompt.");
  }
  const { specialTokens } = tokenizer ?? templates;
  const adapts = values.adapt || !given;
  const { mutable } = values;
  const facts = { path, chosen, template, tokenizer, specialTokens, conversation };
  return { ...facts, kwargs, adapts, continues, generates, mutable, now };
}

function adaptedMessages({ conversation: { messages }, template, adapts }: RenderRequest) {
  if (adapts) return adaptMessages(messages, capabilities(template));
  return { messages, messageIndices: [...messages.keys()], changes: [] };
}

function traced(request: RenderRequest, messages: Conversation["messages"]): TemplateTrace {
  const { chosen, template, specialTokens, conversation, kwargs, continues, generates, now } = request;
  const normal = normalise(messages, { tools: conversation.tools });
  const context = templateContext(normal, { specialTokens, templateKwargs: kwargs }, generates);
  const trace = withTemplate(chosen, () => template.trace(context, { now }));
  return continues ? openFinalMessage(trace, normal.messages) : trace;
}

function rendered(request: RenderRequest, tokenizer: Tokenizer) {
  const { chosen, conversation, kwargs: templateKwargs, adapts: adaptMessages, mutable } = request;
  const { continues, generates } = request;
  const now = request.now && localTime(request.now);
  const renderer = createRenderer(
    tokenizer,
    { name: "default", template: chosen.text, templateKwargs, adaptMessages, mutable, now, validate: "template" },
    // What it would say is said by the notes.
    { onWarning() {} },
  );
  const { messages, tools } = conversation;
  return renderer.render(messages, { tools, addGenerationPrompt: generates, continueFinalMessage: continues });
}

function notes({ path, chosen, template, conversation }: RenderRequest): string[] {
  if (chosen.source === "fallback") return [`note: ${path} has no chat template; this is ChatML.`];
  const isDeaf = (conversation.tools?.length ?? 0) > 0 && !capabilities(template).supportsTools;
  return isDeaf ? ["note: the template does not write the tools."] : [];
}
