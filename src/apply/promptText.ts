import { TitoError } from "../errors.ts";
import type { Conversation, Message, ToolSpec } from "../messages/index.ts";
import { normalise } from "../messages/index.ts";
import { beginningOf, type ResponseLayout } from "../parse/index.ts";
import { openFinalMessage } from "../renderers/default/openFinalMessage.ts";
import { templateContext } from "../renderers/default/templateContext.ts";
import { addedText } from "../renderers/default/turnShape.ts";
import { adaptMessages, type ChatTemplate, capabilities, type TemplateTrace } from "../template/index.ts";
import type { ApplyRequest } from "./types.ts";

export interface PromptText {
  readonly text: string;
  readonly generationPrompt: string;
  /** What stands behind the text that opens the turn. */
  readonly opened: string;
  /** The tools as the template takes them. */
  readonly tools: readonly ToolSpec[] | undefined;
  /**
   * What is written behind the prompt of the messages before the last one, where the template does not write what that one
   * thinks; else null.
   */
  readonly thoughts: string | null;
}

export interface PromptTextRequest extends Pick<ApplyRequest, "messages" | "tools" | "now"> {
  readonly specialTokens: ReadonlyMap<string, string>;
  readonly templateKwargs: Readonly<Record<string, unknown>>;
  /** The text that opens an assistant's turn. */
  readonly header: string;
  readonly layout: ResponseLayout;
  readonly generates: boolean;
  readonly continues: boolean;
}

/** The prompt as the template writes it, its messages changed into what the template supports. */
export function promptText(template: ChatTemplate, request: PromptTextRequest): PromptText {
  const { messages, tools, now, header, generates, continues } = request;
  const adapted = adaptMessages(messages as readonly Message[], capabilities(template)).messages;
  const conversation = toldTools(template, normalise(adapted, { tools }), request);
  const context = (prompts: boolean) => templateContext(conversation, request, prompts);
  const options = { now };
  if (continues && thinksAlone(conversation)) {
    const thinking = continuedThoughts(template, request);
    if (thinking !== null) return thinking;
  }
  const trace = template.trace(context(generates), options);
  const facts = { tools: conversation.tools, thoughts: null };
  if (continues) {
    const open = openFinalMessage(trace, conversation.messages);
    const last = conversation.messages.length - 1;
    const start = startOf(open, ({ source }) => source?.message === last && source.path()[2] !== "role");
    const { turn, opened } = turnFrom(open.text, header, start);
    return { text: open.text, generationPrompt: turn, opened, ...facts };
  }
  const { text } = trace;
  if (!generates) return { text, generationPrompt: "", opened: "", ...facts };
  const generationPrompt = addedText(template.render(context(false), options), text);
  if (generationPrompt !== "") return { text, generationPrompt, opened: behind(generationPrompt, header), ...facts };
  // The template prompts in any case, or it never does: behind what was said stands what opens the turn.
  const said = startOf(reversed(trace), ({ source }) => source !== null && source.message >= 0);
  const tail = text.slice(text.length - said);
  return {
    text,
    generationPrompt,
    opened: header !== "" && tail.includes(header) ? behind(tail, header) : "",
    ...facts,
  };
}

const thinksAlone = ({ messages }: Conversation): boolean => {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.text === "" && last.toolCalls.length === 0 && (last.reasoning ?? "") !== "";
};

/** Few templates write the thoughts of a message without words: the layout does it, behind a prompt. */
function continuedThoughts(template: ChatTemplate, request: PromptTextRequest): PromptText | null {
  const { messages, layout } = request;
  const { reasoning } = layout;
  if (reasoning === null || messages.length < 2) return null;
  const before = promptText(template, {
    ...request,
    messages: messages.slice(0, -1),
    generates: true,
    continues: false,
  });
  const beginning = beginningOf(layout, before.opened);
  if (beginning.in === "content" || (beginning.in === "start" && beginning.closed)) return null;
  const last = messages.at(-1)!;
  const said = last.reasoning_content ?? last.reasoning ?? "";
  const thoughts = beginning.in === "reasoning" ? said : reasoning.open + said;
  return {
    text: before.text + thoughts,
    generationPrompt: before.generationPrompt + thoughts,
    opened: before.opened + thoughts,
    tools: before.tools,
    thoughts,
  };
}

/** Templates for tools alone may fail where these are None, and do with a list that is empty. */
function toldTools(template: ChatTemplate, conversation: Conversation, request: PromptTextRequest): Conversation {
  if (conversation.tools !== undefined) return conversation;
  try {
    template.render(templateContext(conversation, request, request.generates), request);
    return conversation;
  } catch (error) {
    if (!(error instanceof TitoError) || error.code !== "template_error") throw error;
    return { ...conversation, tools: [] };
  }
}

const behind = (text: string, header: string): string => {
  const at = header === "" ? -1 : text.lastIndexOf(header);
  if (at >= 0) return text.slice(at + header.length);
  let shared = 0;
  while (shared < header.length && text[shared] === header[shared]) shared++;
  return text.slice(shared);
};

/** The turn that the text ends in: the last header before the message's first word. */
function turnFrom(text: string, header: string, start: number): { readonly turn: string; readonly opened: string } {
  const at = header === "" ? -1 : text.lastIndexOf(header, Math.max(0, start - header.length));
  if (at < 0) return { turn: text.slice(start), opened: text.slice(start) };
  return { turn: text.slice(at), opened: text.slice(at + header.length) };
}

/** Where the first such piece begins; the text's length if there is none. */
function startOf(
  { pieces }: Pick<TemplateTrace, "pieces">,
  is: (piece: TemplateTrace["pieces"][number]) => boolean,
): number {
  let at = 0;
  for (const piece of pieces) {
    if (is(piece)) return at;
    at += piece.text.length;
  }
  return at;
}

const reversed = ({ pieces }: TemplateTrace): Pick<TemplateTrace, "pieces"> => ({ pieces: pieces.toReversed() });
