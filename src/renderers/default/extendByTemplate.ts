import {
  answer,
  type BoundaryCertificate,
  type BridgeProof,
  type CounterExample,
  firstSpecial,
  histories,
  type LastTurn,
  turnAgreement,
  turnPlace,
} from "../../bridge/certificate/index.ts";
import type { DefaultConfig } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import type { BridgeObjection, BridgeView, ProvenExtension } from "../../format/index.ts";
import { type Conversation, type Message, normalise } from "../../messages/index.ts";
import { capabilities, type TemplateTrace } from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { type Span, SpanWriter } from "../../tokens/index.ts";
import { type BridgeParts, fitting } from "./bindBridge.ts";
import type { BoundTemplate } from "./defaultFamily.ts";
import { type StubTurn, stubTurn } from "./stubTurn.ts";

export interface TemplateBridge {
  readonly tokenizer: Tokenizer;
  readonly config: DefaultConfig;
  readonly parts: BridgeParts;
  readonly proof: BridgeProof;
  /** Responses are read by this marker of thinking. */
  readsThinking(open: string): boolean;
}

/** A bridge at hand: its messages, and the template that writes them. */
interface Case extends TemplateBridge {
  readonly view: BridgeView;
  readonly bound: BoundTemplate;
  readonly tools: boolean;
  /** The new messages as the template gets them. */
  readonly added: Conversation;
  /** Thinking may stand in the history. */
  readonly thinks: boolean;
  readonly last: LastTurn;
}

/**
 * What the template writes behind a turn, where its certificate holds and the renders that give it show again, with these
 * messages and tools, that what stands in front stays as it was.
 */
export function extendByTemplate(bridge: TemplateBridge, view: BridgeView): BridgeObjection | ProvenExtension {
  const { conversation, context, completionIds } = view;
  const given = conversation.tools !== undefined;
  const bound = bridge.parts.templateFor(given);
  const { adapted, indices } = bridge.parts.adapt(conversation, bound.template);
  // An empty list asks for the template for tools, and is none to any other.
  const tools = (given && bound.template !== bridge.parts.templateFor(false).template) || !!conversation.tools?.length;
  const response = context.response!();
  const thought = response.reasoning !== null && response.reasoning.text.trim() !== "";
  const { proof } = bridge;
  if (thought && !proof.writesThinking(tools)) {
    return refuse("template_rewrites_history", "The response has reasoning, and the template writes none.");
  }
  const thinks = proof.writesThinking(tools) && !proof.isTurnedOff(tools);
  const end = { ...view.end, reasoningOpen: view.end.reasoningOpen || thoughtsAreOpen(bridge, view, bound.shape) };
  if (end.stop !== null && end.reasoningOpen) {
    return refuse(
      "unclosed_reasoning",
      "The model ended its turn inside its reasoning; no format has that in its history.",
    );
  }
  const base = { ...bridge, view: { ...view, end }, bound, tools, added: adapted, thinks };
  const one: Case = { ...base, last: lastTurn(adapted, bound, response.toolCalls.length > 0) };
  const objection = uncertified(one) ?? unopened(one);
  if (objection) return objection;
  if (end.stop === null && end.reasoningOpen && proof.closeOfThoughts(tools) === null) {
    return refuse("unclosed_reasoning", "The completion was cut in its reasoning, and the template closes none.");
  }
  const found = written(one, stubTurn(adapted.messages, response, one));
  if ("reason" in found) return found;
  const spans = relocated(found.spans, found.stub, indices);
  return finished(one, spans, found.text, completionIds);
}

/** Looks for the template's own markers of thinking, where responses are not read by them. */
function thoughtsAreOpen(
  { tokenizer, readsThinking }: TemplateBridge,
  { promptIds, completionIds, end }: BridgeView,
  { thinking, generationPrompt }: BoundTemplate["shape"],
): boolean {
  if (thinking === null || readsThinking(thinking.open)) return false;
  const said = tokenizer.decode(completionIds.slice(0, end.stop ?? undefined)).trimStart();
  if (said.includes(thinking.close)) return false;
  // As many ids as the prompt has characters spell all of it.
  const prompt = tokenizer.decode(promptIds.slice(-generationPrompt.length)).trimEnd();
  return prompt.endsWith(thinking.open) || said.startsWith(thinking.open);
}

function refuse(reason: BridgeObjection["reason"], message: string): BridgeObjection {
  return { reason, message };
}

/** What has results made calls, read or not; unless the template writes none, to which they are words. */
function lastTurn({ messages }: Conversation, { template }: BoundTemplate, hasCalls: boolean): LastTurn {
  if (hasCalls) return "calls";
  return messages[0]!.role === "tool" && capabilities(template).supportsToolCalls ? "calls" : "answer";
}

/** Does the certificate speak against it? */
function uncertified(one: Case): BridgeObjection | null {
  const { added, proof, tools, thinks, config, last } = one;
  const roles = added.messages.map(({ role }) => role);
  const next = roles.filter((role, at) => role !== roles[at - 1] || role !== roles[at - 2]);
  const asked = { last, next, tools } as const;
  const plain = proof.boundary({ ...asked, thinking: false });
  if (plain.verdict !== "appends") return objectionOf(plain);
  const query = roles.indexOf("user");
  const drops = thinks && proof.boundary({ ...asked, thinking: true }).verdict !== "appends";
  const isKept = !drops || (query >= 0 && keepsThoughts(one));
  if (query >= 0 && (!isKept || (config.thinkingRetention === "tool_cycle" && !drops))) {
    return refuse(
      "new_user_query",
      `New message ${query} is a user query, and the template drops earlier thinking there. Render the conversation anew.`,
    );
  }
  return isKept ? null : objectionOf(proof.boundary({ ...asked, thinking: true }));
}

/** These very messages start no query: thoughts in front of them stay. */
function keepsThoughts(one: Case): boolean {
  return histories(true).every((history) => {
    const turn = answer({ thinking: true, count: 9 });
    try {
      const alone = placed(one, history, turn, false);
      const whole = placed(one, history, turn, true);
      const { turnEnd } = one.bound.shape;
      return turnAgreement(alone, whole, { thinking: null, turnEnd, hasThoughts: true }) === "exact";
    } catch (error) {
      if (error instanceof TitoError) return true;
      throw error;
    }
  });
}

function objectionOf({ verdict, raised, counterExample, next, last }: BoundaryCertificate): BridgeObjection {
  const where = `behind ${last === "calls" ? "calls" : "an answer"}, before ${next.join(", ")}`;
  switch (verdict) {
    case "refuses":
      return refuse("template_refuses", `The template takes nothing ${where}: ${raised}`);
    case "omits":
      return refuse("role_not_rendered", `The template leaves out a new message ${where}.`);
    case "depends":
      return refuse(
        "depends_on_history",
        `What the template writes ${where} depends on earlier messages${shown(counterExample)}.`,
      );
    case "unmarked":
      return refuse("template_rewrites_history", `No token of the template ends the turn ${where}.`);
    default:
      return refuse(
        "template_rewrites_history",
        `The template changes earlier text ${where}${shown(counterExample)}. Render the conversation anew.`,
      );
  }
}

function shown(example: CounterExample | undefined): string {
  if (example === undefined) return "";
  const clip = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  return ` (${clip(example.expected)} becomes ${clip(example.actual)})`;
}

/** Behind an assistant's message some templates open no turn; then a completion without ids may be none. */
function unopened(one: Case): BridgeObjection | null {
  const { view, bound, parts } = one;
  if (view.completionIds.length > 0 || view.end.reasoningOpen || bound.shape.generationPrompt === "") return null;
  const messages = [...histories(false)[0]!, { role: "assistant", content: "Answer" }];
  const conversation = normalise(fitting(messages, bound.template), { tools: one.added.tools });
  const [plain, prompting] = [false, true].map((generates) => {
    try {
      return bound.template.render(parts.context(conversation, generates), parts.options);
    } catch (error) {
      if (error instanceof TitoError) return null;
      throw error;
    }
  });
  if (plain === null || plain !== prompting) return null;
  return refuse("empty_completion", "The completion has no ids: the prompt may have opened no turn. Render anew.");
}

interface Placed {
  readonly trace: TemplateTrace;
  readonly conversation: Conversation;
  readonly front: string;
  readonly behind: string;
  readonly isMarked: boolean;
  /** How many messages are not the new ones. */
  readonly stub: number;
}

/** A render of a history of our own, a turn, and the new messages or not. @throws TitoError where the template refuses */
function placed(one: Case, history: readonly Message[], turn: Message, isWhole: boolean): Placed {
  const { bound, parts, added, tokenizer } = one;
  const own = fitting([...history, turn], bound.template);
  const messages = isWhole ? [...own, ...added.messages.map(({ raw }) => raw)] : own;
  const conversation = normalise(messages, { tools: added.tools });
  const trace = bound.template.trace(parts.context(conversation, isWhole), parts.options);
  const place = turnPlace(trace, history.length, { shape: bound.shape, tokens: tokenizer.addedTokens });
  const { end, isMarked } = place ?? { end: 0, isMarked: false };
  const { text } = trace;
  return { trace, conversation, front: text.slice(0, end), behind: text.slice(end), isMarked, stub: own.length };
}

interface Written {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly stub: number;
}

/** The text behind the turn, after histories and turns that might have stood in front. */
function written(one: Case, { turn, others }: StubTurn): BridgeObjection | Written {
  const all = histories(one.thinks);
  const [short, long] = [all[0]!, all.at(-1)!];
  try {
    const found = placed(one, short, turn, true);
    if (!staysAsItWas(one, short, turn, found)) return rewritten;
    const richer = richCase(one, long, turn);
    if (richer !== null && !staysAsItWas(one, long, turn, richer)) return rewritten;
    if (richer !== null && richer.behind !== found.behind) {
      return refuse("depends_on_history", "What the template writes of the new messages depends on earlier ones.");
    }
    for (const other of others) {
      if (placed(one, short, other.turn, true).behind === found.behind) continue;
      return other.unknown === "name"
        ? refuse("unresolved_tool_name", "The template writes the name of a tool that answers, and nothing tells it.")
        : refuse(
            "tool_order_unknown",
            "The template sorts results by their calls, whose ids the response does not have.",
          );
    }
    const spans = one.parts.spansOf(found.trace, one.bound, found.conversation, true);
    return { text: found.behind, spans: spansBehind(spans, found.front.length), stub: found.stub };
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return refuse("template_refuses", error.message);
  }
}

const rewritten = refuse(
  "template_rewrites_history",
  "With these messages the template changes earlier text. Render the conversation anew.",
);

/** A history that the template does not take shows nothing. */
function richCase(one: Case, history: readonly Message[], turn: Message): Placed | null {
  try {
    placed(one, history, turn, false);
  } catch (error) {
    if (error instanceof TitoError) return null;
    throw error;
  }
  return placed(one, history, turn, true);
}

function staysAsItWas(one: Case, history: readonly Message[], turn: Message, whole: Placed): boolean {
  let alone: Placed;
  try {
    alone = placed(one, history, turn, false);
  } catch (error) {
    // Some templates take calls only with their results: then there is no finished turn to compare with.
    if (error instanceof TitoError) return whole.front !== "";
    throw error;
  }
  const { thinking, turnEnd } = one.bound.shape;
  return whole.front !== "" && turnAgreement(alone, whole, { thinking, turnEnd, hasThoughts: one.thinks }) !== "none";
}

/** Spans from a place of their text on. */
function spansBehind(spans: readonly Span[], place: number): Span[] {
  const rest: Span[] = [];
  let start = 0;
  for (const span of spans) {
    if (span.kind !== "text") continue;
    const end = start + span.text.length;
    if (start >= place) rest.push(span);
    else if (end > place) rest.push({ ...span, text: span.text.slice(place - start) });
    start = end;
  }
  return rest;
}

/** Messages counted from the new ones; a marker that would have ended the turn belongs to the first of them. */
function relocated(spans: readonly Span[], stub: number, indices: readonly number[]): Span[] {
  return spans.map((span) => {
    const { message, sampled } = span;
    if (message >= stub) return { ...span, message: indices[message - stub]! };
    return { ...span, message: sampled ? indices[0]! : -1, sampled: false, content: false };
  });
}

/** Leaves out what the completion has already, and closes what it has not. */
function finished(one: Case, spans: Span[], text: string, completionIds: BridgeView["completionIds"]) {
  const { tokenizer, bound, view, config } = one;
  const { stop } = view.end;
  const { turnEnd, nextTurn } = bound.shape;
  if (stop === null) {
    const closing = closeOf(one);
    return { ok: true, behind: "", closing: closing(new SpanWriter(config)), spans } as const;
  }
  const stopText = tokenizer.addedTokens.find(({ id }) => id === completionIds[stop])?.content ?? "";
  const sampled = turnEnd === null && nextTurn.includes(stopText) && text.startsWith(stopText) ? stopText.length : 0;
  const rest = spansBehind(spans, sampled);
  if (stop === completionIds.length - 1) return { ok: true, behind: stopText, closing: [], spans: rest } as const;
  // Engines that return the text after the stop token too return the template's own separator.
  const left = tokenizer.decode(completionIds.slice(stop + 1));
  const behind = text.slice(sampled);
  const separator = behind.slice(0, firstSpecial(behind, tokenizer.addedTokens) ?? 0);
  if (left !== separator) {
    return refuse(
      "tokens_after_stop",
      `The completion goes on for ${completionIds.length - stop - 1} ids after its stop at ${stop}; cut it there before bridging.`,
    );
  }
  return { ok: true, behind: "", closing: [], spans: spansBehind(rest, separator.length) } as const;
}

/** What a cut turn lacks. Where only the next turn's marker ends one, it ends with the end of all text. */
function closeOf({ tokenizer, bound, view, proof, tools }: Case): (out: SpanWriter) => readonly Span[] {
  const { end, completionIds, promptIds } = view;
  const eos = tokenizer.addedTokens.find(({ id }) => id === tokenizer.eosTokenId);
  const close = bound.shape.turnEnd ?? eos?.content ?? "";
  const thoughts = end.reasoningOpen ? (proof.closeOfThoughts(tools) ?? "") : "";
  const padding = thoughts.slice(0, thoughts.length - thoughts.trimStart().length);
  const last = completionIds.length > 0 ? completionIds[completionIds.length - 1] : promptIds[promptIds.length - 1];
  // White space that the model has already written is not written twice.
  const isPadded = padding !== "" && last !== undefined && tokenizer.decode([last]).endsWith(padding);
  return (out) => out.at(-1).scaffold((isPadded ? thoughts.slice(padding.length) : thoughts) + close).spans;
}
