import type { Message } from "../../messages/index.ts";
import type { TemplateTrace } from "../../template/index.ts";
import { counterExample } from "./counterExample.ts";
import { nextMessages, probesOf } from "./probes.ts";
import type { ProbedTemplate, ProbeRenderer } from "./prover.ts";
import { historyAgreement, turnAgreement } from "./sameHistory.ts";
import { fieldOf, firstSpecial, isThought, turnPlace } from "./turnPlace.ts";
import type { BoundaryCertificate, BoundaryVerdict, CounterExample, LastTurn } from "./types.ts";

export interface Boundary {
  readonly last: LastTurn;
  readonly next: readonly string[];
  readonly tools: boolean;
  readonly thinking: boolean;
}

type Finding = Pick<BoundaryCertificate, "verdict" | "raised" | "counterExample"> & { readonly length: number };

/** The turn of a probe that its prompt lets think. */
export type MayThink = (tools: boolean) => boolean;

/**
 * Renders many histories with and without the new messages. In front of the boundary the text has to be the prompt that the
 * turn was sampled from and the turn as it was finished; behind it, always the same.
 */
export function proveBoundary(
  template: ProbedTemplate,
  render: ProbeRenderer,
  mayThink: MayThink,
  { last, next, tools, thinking }: Boundary,
): BoundaryCertificate {
  const shape = template.shape(tools);
  const added = nextMessages(next);
  const findings: Finding[] = [];
  const comparing = { thinking: shape.thinking, hasThoughts: thinking };
  let behind: { readonly text: string; readonly messages: readonly Message[] } | null = null;
  let emptyThinking = false;
  let probes = 0;
  const find = (messages: readonly Message[], verdict: BoundaryVerdict, rest: Partial<Finding> = {}) =>
    void findings.push({ verdict, length: JSON.stringify(messages).length, ...rest });
  const differ = (messages: readonly Message[], verdict: BoundaryVerdict, expected: string, actual: string) =>
    find(messages, verdict, { counterExample: counterExample(messages, expected, actual) });
  const place = (trace: TemplateTrace, turn: number) => {
    const found = turnPlace(trace, turn, { shape, tokens: template.tokens });
    return found && { front: trace.text.slice(0, found.end), isMarked: found.isMarked };
  };

  const mayTurnThink = thinking && mayThink(tools);
  for (const { history, turn } of probesOf(last, next, thinking, mayTurnThink)) {
    const prompt = render(history, { tools, addGenerationPrompt: true });
    const finished = render([...history, turn], { tools, addGenerationPrompt: false });
    // A history that the template does not take is none that could be bridged from. Some take no calls without results.
    if (!prompt.ok || (!finished.ok && last === "answer")) continue;
    const messages = [...history, turn, ...added];
    const whole = render(messages, { tools, addGenerationPrompt: true });
    probes++;
    if (!whole.ok) {
      find(messages, "refuses", { raised: whole.raised });
      continue;
    }
    const { text } = whole.trace;
    if (added.some((_, index) => !isWritten(whole.trace, history.length + 1 + index))) {
      find(messages, "omits");
      continue;
    }
    const followed = place(whole.trace, history.length);
    const alone = finished.ok ? place(finished.trace, history.length) : followed;
    const fromPrompt = historyAgreement(prompt.trace.text, followed?.front ?? text, { ...comparing, isPrefix: true });
    if (fromPrompt === "none") {
      differ(messages, "rewrites", prompt.trace.text, text);
      continue;
    }
    if (followed === null || alone === null) {
      // The turn has left nothing in the text.
      differ(messages, "rewrites", alone?.front ?? prompt.trace.text, text);
      continue;
    }
    const fromTurn = turnAgreement(alone, followed, { ...comparing, turnEnd: shape.turnEnd });
    if (fromTurn === "none") {
      differ(messages, "rewrites", alone.front, text);
      continue;
    }
    if (mayTurnThink && !whole.trace.pieces.some((piece) => isThought(piece, history.length))) {
      find(messages, "rewrites");
      continue;
    }
    if (!followed.isMarked) {
      find(messages, "unmarked");
      continue;
    }
    emptyThinking ||= fromPrompt !== "exact" || fromTurn !== "exact";
    const rest = text.slice(followed.front.length);
    behind ??= { text: rest, messages };
    if (behind.text !== rest) differ(messages, "depends", behind.text, rest);
  }
  const worst = worstOf(findings);
  const separator = behind === null ? null : behind.text.slice(0, firstSpecial(behind.text, template.tokens) ?? 0);
  const nothing: Finding = { verdict: "refuses", raised: "The template takes no such history.", length: 0 };
  const {
    verdict,
    raised,
    counterExample: example,
  } = probes === 0 ? nothing : (worst ?? { verdict: "appends" as const });
  return {
    last,
    next,
    tools,
    thinking,
    verdict,
    emptyThinking: verdict === "appends" && emptyThinking,
    separator,
    probes,
    ...optional(raised, example),
  };
}

function optional(raised: string | undefined, example: CounterExample | undefined) {
  return { ...(raised !== undefined && { raised }), ...(example !== undefined && { counterExample: example }) };
}

function isWritten({ pieces }: TemplateTrace, message: number): boolean {
  return pieces.some(({ source }) => source?.message === message && fieldOf(source) === "content");
}

const order: readonly BoundaryVerdict[] = ["rewrites", "depends", "unmarked", "omits", "refuses"];

/** The strongest objection, shown by the shortest conversation. */
function worstOf(findings: readonly Finding[]): Finding | undefined {
  for (const verdict of order) {
    const found = findings.filter((one) => one.verdict === verdict).sort((a, b) => a.length - b.length);
    if (found.length > 0) return found[0];
  }
  return undefined;
}
