import type { TemplateRetention } from "../../configs/index.ts";
import type { Message } from "../../messages/index.ts";

/** The assistant's turn in front of a boundary: words, or calls. */
export type LastTurn = "answer" | "calls";

/**
 * What a template does with the history at a boundary:
 * - `appends`: it stays as it was, and the new text does not depend on it
 * - `rewrites`: earlier text changes
 * - `depends`: the new text depends on earlier messages
 * - `omits`: a new message leaves nothing in the text
 * - `unmarked`: no token ends the turn there, so that its end is not known by its ids
 * - `refuses`: the template raises
 */
export type BoundaryVerdict = "appends" | "rewrites" | "depends" | "omits" | "unmarked" | "refuses";

/** The shortest conversation that shows it, and the first place where two texts part that should be one. */
export interface CounterExample {
  readonly messages: readonly Message[];
  /** UTF-16 units that both have. */
  readonly at: number;
  /** The last of these. */
  readonly before: string;
  /** How the text goes on in the prompt, the finished turn or after another history. */
  readonly expected: string;
  /** How it goes on in the render with the new messages. */
  readonly actual: string;
}

/** One boundary: an assistant's turn, and what comes behind it. */
export interface BoundaryCertificate {
  readonly last: LastTurn;
  /** Roles of the new messages, of three and more of one kind in a row the first two. */
  readonly next: readonly string[];
  readonly tools: boolean;
  /** The history, and the turn itself where its prompt lets it think, has reasoning. */
  readonly thinking: boolean;
  readonly verdict: BoundaryVerdict;
  /** `appends` holds but for thinking blocks without thoughts in them. */
  readonly emptyThinking: boolean;
  /** What stands between the turn's end and the next control token; null: not known. */
  readonly separator: string | null;
  /** How many conversations were rendered and compared. */
  readonly probes: number;
  /** What the template says where it `refuses`. */
  readonly raised?: string;
  readonly counterExample?: CounterExample;
}

/** What a template's renders prove about bridges. Plain JSON. */
export interface BridgeCertificate {
  readonly version: 1;
  /** Of all that it depends on: the template, its variables, the tokens, the options. */
  readonly hash: string;
  readonly turn: {
    /** The token that closes an assistant's turn; null: the next turn's marker does. */
    readonly close: string | null;
    /** Markers of next turns, where they close the turn. */
    readonly nextTurn: readonly string[];
    readonly generationPrompt: string;
    /** A bridge closes a turn that was cut in its words with this. */
    readonly cutContent: string | null;
    /** … and one that was cut in its thoughts with this; null: the template writes no thoughts. */
    readonly cutReasoning: string | null;
  };
  readonly thinking: {
    readonly open: string | null;
    readonly close: string | null;
    /** The template writes `reasoning_content` of the turn in front. */
    readonly written: boolean;
    /** The generation prompt closes thinking because variables ask for that: there is none to keep. */
    readonly turnedOff: boolean;
    /** What becomes of earlier thinking. */
    readonly withoutTools: TemplateRetention;
    readonly withTools: TemplateRetention;
  };
  readonly boundaries: readonly BoundaryCertificate[];
}
