import type { RendererConfig, RendererConfigInput } from "../configs/index.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { TemplateSource } from "../template/index.ts";

/** How much is compared: some eight conversations, or some sixty. */
export type VerifyLevel = "quick" | "full";

/** A conversation that a renderer and a template are compared on. */
export interface VerifyProbe {
  /** What it is about: `"tools, call and result"`. */
  readonly name: string;
  readonly messages: readonly Message[];
  /** Empty: the conversation has none. */
  readonly tools: readonly ToolSpec[];
  readonly addGenerationPrompt: boolean;
}

/** A place in the ids of one side. */
export interface MismatchPlace {
  /** Null: this side has ended. */
  readonly id: number | null;
  /** The token's text; what follows it is in the context. */
  readonly text: string;
  /**
   * Where the token comes from. The template's side: `"template line 12, column 3"`, or a path into the conversation and who
   * printed it: `"messages[1].content, printed by template line 9, column 12"`. The renderer's side: `"messages[1], assistant,
   * sampled"`, or `"scaffold of no message"`.
   */
  readonly origin: string;
}

/** The first token in which both sides differ. */
export interface IdMismatch {
  readonly kind: "ids";
  readonly probe: VerifyProbe;
  /** Index of the token. */
  readonly index: number;
  /** What the template gives. */
  readonly expected: MismatchPlace;
  /** What the renderer gives. */
  readonly actual: MismatchPlace;
  /** The text that both have before the place, and what each has from there on, cut to a few tokens. */
  readonly context: { readonly before: string; readonly expected: string; readonly actual: string };
}

/** The renderer refuses what the template renders. */
export interface RefusalMismatch {
  readonly kind: "refused";
  readonly probe: VerifyProbe;
  /** Code and message of the renderer's error. */
  readonly error: { readonly code: string; readonly message: string };
}

export type VerifyMismatch = IdMismatch | RefusalMismatch;

/** A probe that the template itself refuses. */
export interface VerifySkip {
  readonly probe: VerifyProbe;
  /** The template's error. */
  readonly error: { readonly code: string; readonly message: string };
}

export interface VerifyReport {
  /** No difference was found; and something was compared, if there is a template. */
  readonly ok: boolean;
  readonly level: VerifyLevel;
  /** Name of the renderer's config: a family or `"default"`. */
  readonly renderer: string;
  /** What it was compared with; null: the model has no template, and nothing was compared. */
  readonly template: { readonly names: readonly string[]; readonly source: TemplateSource } | null;
  /** The template's variables as they follow from the renderer's config. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** How many probes were compared. */
  readonly compared: number;
  /** How many the template refused. */
  readonly skipped: number;
  readonly skips: readonly VerifySkip[];
  /** At most one for each probe. */
  readonly mismatches: readonly VerifyMismatch[];
}

export interface VerifyProgress {
  readonly done: number;
  readonly total: number;
}

export interface VerifyOptions {
  /** Default `"quick"`. */
  readonly level?: VerifyLevel | undefined;
  /** Jinja source to compare with. Default: the one that the renderer's model came with. */
  readonly template?: string | undefined;
  /** Called after each probe. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** A family that renders a model's own template identically on the quick probes. */
export interface FamilyMatch {
  readonly family: string;
  /** The family as the template has it when no variables are given: `{ name: "qwen3.5", enableThinking: false }`. */
  readonly config: RendererConfigInput;
  /** Template variables that do in the template what they do in the family. */
  readonly sameVariables: readonly string[];
  /** Those that do something else, or nothing. A family with any is never chosen. */
  readonly otherVariables: readonly string[];
}

/** What `createRenderer` takes for a tokenizer, and what there is beside it. */
export interface RendererResolution {
  /** With its defaults filled in. */
  readonly config: RendererConfig;
  /**
   * Why: the config names it; the model's exact name is known; a family renders the model's template identically
   * (`identify: true`); none of these.
   */
  readonly by: "config" | "model" | "identified" | "default";
  /** The family that renders the model's template identically, the best one of `candidates`. */
  readonly identical: FamilyMatch | null;
  /** All families that do so, best first. */
  readonly candidates: readonly FamilyMatch[];
}
