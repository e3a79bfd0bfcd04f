import { boundedCache } from "../../boundedCache.ts";
import type { TemplateRetention } from "../../configs/index.ts";
import { answer, calls, histories } from "./probes.ts";
import { type Boundary, proveBoundary } from "./proveBoundary.ts";
import { type ProbedTemplate, type ProbeRenderer, probeRenderer } from "./prover.ts";
import { fieldOf, isThought } from "./turnPlace.ts";
import type { BoundaryCertificate, BridgeCertificate } from "./types.ts";

/** What is known of a template so far; each boundary is proven when it is first asked for. */
export interface BridgeProof {
  boundary(boundary: Boundary): BoundaryCertificate;
  /** The template writes the thoughts of the turn in front. */
  writesThinking(tools: boolean): boolean;
  /** Thinking is off because variables say so, and there is none to lose. */
  isTurnedOff(tools: boolean): boolean;
  /** What becomes of earlier thinking. */
  retention(tools: boolean): TemplateRetention;
  /** Closes a turn that was cut in its thoughts, without the token that ends it. */
  closeOfThoughts(tools: boolean): string | null;
  /** The whole matrix. */
  readonly certificate: BridgeCertificate;
}

const proofs = boundedCache<BridgeProof>(64);

/** The proof for a template, kept by its hash. Nothing is rendered before something is asked. */
export function bridgeProof(template: ProbedTemplate): BridgeProof {
  return proofs(template.hash, () => prove(template));
}

/** What may follow an answer, and what may follow calls. */
const matrix: readonly Pick<Boundary, "last" | "next">[] = [
  { last: "answer", next: ["user"] },
  { last: "answer", next: ["system"] },
  { last: "answer", next: ["system", "user"] },
  { last: "calls", next: ["tool"] },
  { last: "calls", next: ["tool", "tool"] },
  { last: "calls", next: ["tool", "user"] },
  { last: "calls", next: ["user"] },
];

function prove(template: ProbedTemplate): BridgeProof {
  const render = probeRenderer(template);
  const known = new Map<string, BoundaryCertificate>();
  const facts = new Map<boolean, ThinkingFacts>();
  let certificate: BridgeCertificate | undefined;

  function thinkingFacts(tools: boolean): ThinkingFacts {
    const seen = facts.get(tools) ?? readThinking(template, render, tools);
    facts.set(tools, seen);
    return seen;
  }

  function boundary(asked: Boundary): BoundaryCertificate {
    const key = JSON.stringify([asked.last, asked.next, asked.tools, asked.thinking]);
    const seen = known.get(key) ?? proveBoundary(template, render, (tools) => !thinkingFacts(tools).isClosed, asked);
    known.set(key, seen);
    return seen;
  }

  const writesThinking = (tools: boolean) => thinkingFacts(tools).isWritten;
  const isTurnedOff = (tools: boolean) => thinkingFacts(tools).isTurnedOff;

  function retention(tools: boolean): TemplateRetention {
    const judge = (last: Boundary["last"], role: string) => {
      const asked = { last, next: [role], tools };
      const plain = boundary({ ...asked, thinking: false }).verdict;
      if (plain !== "appends" || !writesThinking(tools) || isTurnedOff(tools)) return plain;
      return boundary({ ...asked, thinking: true }).verdict;
    };
    const [user, tool] = [judge("answer", "user"), judge(template.writesCalls(tools) ? "calls" : "answer", "tool")];
    // A template without tools has no boundary there that it could rewrite.
    const keepsCycle = tool === "appends" || tool === "refuses" || tool === "omits";
    if (user === "appends") return keepsCycle ? "all" : "template";
    return tool === "appends" ? "tool_cycle" : "template";
  }

  function wholeCertificate(): BridgeCertificate {
    // A template that is for tools alone may fail without any.
    const tools = !render(histories(false)[0]!, { tools: false, addGenerationPrompt: true }).ok;
    const shape = template.shape(tools);
    const { open = null, close = null } = shape.thinking ?? {};
    const boundaries = [false, true].flatMap((withTools) =>
      matrix.flatMap((one) =>
        (writesThinking(withTools) ? [false, true] : [false]).map((thinking) =>
          boundary({ ...one, tools: withTools, thinking }),
        ),
      ),
    );
    return {
      version: 1,
      hash: template.hash,
      turn: {
        close: shape.turnEnd,
        nextTurn: shape.nextTurn,
        generationPrompt: shape.generationPrompt,
        cutContent: shape.turnEnd,
        cutReasoning: thinkingFacts(tools).closing,
      },
      thinking: {
        open,
        close,
        written: writesThinking(tools),
        turnedOff: isTurnedOff(tools),
        withoutTools: retention(false),
        withTools: retention(true),
      },
      boundaries,
    };
  }

  return {
    boundary,
    writesThinking,
    isTurnedOff,
    retention,
    closeOfThoughts: (tools) => thinkingFacts(tools).closing,
    get certificate() {
      certificate ??= wholeCertificate();
      return certificate;
    },
  };
}

interface ThinkingFacts {
  readonly isWritten: boolean;
  /** The generation prompt closes thinking. */
  readonly isClosed: boolean;
  readonly isTurnedOff: boolean;
  readonly closing: string | null;
}

function readThinking(template: ProbedTemplate, render: ProbeRenderer, tools: boolean): ThinkingFacts {
  const shape = template.shape(tools);
  const { thinking, generationPrompt } = shape;
  const isClosed = thinking !== null && closes(generationPrompt, thinking.close);
  const question = histories(false)[0]!;
  const turn = question.length;
  const finished = [answer({ thinking: true, count: 1 }), calls({ thinking: true, count: 1 }, 1)].map((said) =>
    render([...question, said], { tools, addGenerationPrompt: false }),
  );
  // Some templates write what led to calls alone.
  const thought = finished.find(
    (one): one is Finished => one.ok && one.trace.pieces.some((piece) => isThought(piece, turn)),
  );
  return {
    isWritten: thought !== undefined,
    isClosed,
    isTurnedOff: isClosed && !closes(template.plainPrompt(), thinking!.close),
    closing: thought === undefined ? null : closingOf(thought.trace, turn),
  };
}

const closes = (prompt: string, close: string): boolean => prompt.trimEnd().endsWith(close);

type Finished = Extract<ReturnType<ProbeRenderer>, { ok: true }>;

/** What the template writes between a turn's thoughts and its words; null: its words do not follow them. */
function closingOf({ pieces }: Finished["trace"], turn: number): string | null {
  const last = pieces.findLastIndex((piece) => isThought(piece, turn));
  const next = pieces.findIndex(({ source }, at) => at > last && source !== null && source.message >= 0);
  if (next < 0 || fieldOf(pieces[next]!.source!) !== "content") return null;
  return pieces
    .slice(last + 1, next)
    .map((piece) => piece.text)
    .join("");
}
