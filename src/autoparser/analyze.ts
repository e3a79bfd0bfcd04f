import { boundedCache } from "../boundedCache.ts";
import type { ResponseLayout } from "../parse/layout/layout.ts";
import {
  type ChatTemplate,
  type CompileOptions,
  capabilities,
  compileTemplate,
  type TemplateCapabilities,
} from "../template/index.ts";
import { checkProbes, randomProbes } from "./check/checkProbes.ts";
import { type Limit, limitsOf } from "./check/limits.ts";
import { type SelfCheck, selfCheck } from "./check/selfCheck.ts";
import { candidates, type LayoutCandidate } from "./findings/findLayout.ts";
import type { Hypothesis } from "./findings/hypothesis.ts";
import { applyOverrides, checkOverrides, type LayoutOverrides } from "./findings/overrides.ts";
import { preservedTokens } from "./findings/preservedTokens.ts";
import { type Prefill, prefillOf } from "./findings/reasoning.ts";
import { hypothesesVersion } from "./findings/registry.ts";
import { type ProbeLog, prober } from "./probe/prober.ts";
import type { Manner } from "./probe/speaker.ts";
import type { Opened } from "./probe/types.ts";
import { type TemplateView, viewOf } from "./probe/view.ts";
import type { ReaderKind } from "./readers.ts";

export interface AnalyzeOptions extends CompileOptions {
  /** The model's special tokens by the names under which templates see them. Default: `<s>` and `</s>`. */
  readonly specialTokens?: ReadonlyMap<string, string> | undefined;
  /** Texts of special tokens that may end a turn. Default: the end-of-sequence token. */
  readonly ends?: readonly string[] | undefined;
  /** Variables of the template's own. */
  readonly templateKwargs?: Readonly<Record<string, unknown>> | undefined;
  /** Findings that are known better; they are checked as the found ones are. */
  readonly overrides?: LayoutOverrides | undefined;
  /** Formats to try before the built-in ones. */
  readonly hypotheses?: readonly Hypothesis[] | undefined;
  /** Told of every render. */
  readonly log?: ((entry: ProbeLog) => void) | undefined;
}

/** What was found out about a template. */
export interface TemplateAnalysis {
  readonly layout: ResponseLayout;
  /** What reads responses. */
  readonly reader: ReaderKind;
  /** The hypothesis by which calls are written; null: no format of calls was found. */
  readonly hypothesis: string | null;
  /** The text that opens an assistant's turn in a prompt, without what opens reasoning. */
  readonly header: string;
  /** What prompts write behind it. */
  readonly opened: Opened;
  readonly prefill: { readonly plain: Prefill; readonly on: Prefill; readonly off: Prefill };
  /** Texts that end a turn; the first one ends a turn of content. */
  readonly stops: readonly string[];
  /** Markers, which a sampler must not spell in pieces. */
  readonly preservedTokens: readonly string[];
  readonly capabilities: TemplateCapabilities;
  /** How the template had to be spoken to. */
  readonly manner: Manner;
  readonly check: SelfCheck;
  /** What the layout cannot do, or what could not be proven of it. */
  readonly limits: readonly Limit[];
}

const known = boundedCache<TemplateAnalysis>(64);

/**
 * Finds out how a chat template writes responses, by rendering short conversations and looking at where each piece of the output
 * comes from; then has the template write a set of responses and reads them with what was found. A template's format that is not
 * understood is a limit of the result, never an error.
 *
 * @throws TitoError `template_syntax` for a text that is no template, `invalid_config` for an override of what is no finding
 * @example
 * analyze(template).layout.reasoning?.open; // "<think>\n"
 */
export function analyze(template: ChatTemplate | string, options: AnalyzeOptions = {}): TemplateAnalysis {
  const { mutable = true, specialTokens, ends, templateKwargs, overrides, hypotheses, log } = options;
  const compiled = typeof template === "string" ? compileTemplate(template, { mutable }) : template;
  checkOverrides(overrides);
  if (log !== undefined || hypotheses !== undefined) return analyzed(compiled, options);
  const asked = [mutable, [...(specialTokens ?? [])], ends, templateKwargs, overrides];
  const key = JSON.stringify([hypothesesVersion(), asked, compiled.source]);
  return known(key, () => analyzed(compiled, options));
}

function analyzed(template: ChatTemplate, options: AnalyzeOptions): TemplateAnalysis {
  const { specialTokens, templateKwargs, overrides, hypotheses, log } = options;
  const probe = prober(template, { specialTokens, variables: templateKwargs, log });
  const view = viewOf(probe, options.ends ?? [specialTokens?.get("eos_token") ?? "</s>"]);
  const found = readByFamily(view, best(view, hypotheses, overrides));
  const { layout, header, opened, hypothesis, stops, reader } = found.candidate;
  const caps = capabilities(template);
  return {
    layout,
    reader,
    hypothesis,
    header,
    opened,
    prefill: {
      plain: prefillOf(opened.plain, layout.reasoning),
      on: prefillOf(opened.on, layout.reasoning),
      off: prefillOf(opened.off, layout.reasoning),
    },
    stops,
    preservedTokens: preservedTokens(layout),
    capabilities: caps,
    manner: view.speaker.manner,
    check: found.check,
    limits: limitsOf(found.candidate, found.check, caps),
  };
}

/** Messages with channels have headers in many forms, of which a render shows but one: Harmony's own rules read them all. */
function readByFamily(view: TemplateView, found: Checked): Checked {
  const text = view.turn("content")?.text ?? "";
  if (!text.includes("<|channel|>") || !text.includes("<|message|>")) return found;
  const candidate: LayoutCandidate = { ...found.candidate, reader: "harmony" };
  const check = selfCheck(view, candidate, probesFor(candidate));
  return check.failed <= found.check.failed ? { candidate, check } : found;
}

const RANDOM_PROBES = 6;

const probesFor = ({ layout }: LayoutCandidate) => [...checkProbes(layout), ...randomProbes(layout, RANDOM_PROBES)];

interface Checked {
  readonly candidate: LayoutCandidate;
  readonly check: SelfCheck;
}

/** The first candidate without a fault, or else the one that read most. */
function best(
  view: TemplateView,
  own: readonly Hypothesis[] | undefined,
  overrides: LayoutOverrides | undefined,
): Checked {
  let leading: Checked | null = null;
  for (const proposed of candidates(view, own)) {
    const candidate = applyOverrides(proposed, overrides);
    // What the template shows is worth more than what its words tell, and calls that are read now and then more than none.
    const isBetter = leading === null || (!candidate.told && candidate.hypothesis !== null);
    if (!isBetter && score(leading!.check) >= FAIR) continue;
    const check = selfCheck(view, candidate, probesFor(candidate));
    if (check.failed === 0 && isBetter) return { candidate, check };
    if (leading === null || score(check) > score(leading.check)) leading = { candidate, check };
  }
  return leading!;
}

/** The share of probes that a format must read to be kept where another is only told of, or there is none. */
const FAIR = 0.5;

const score = ({ probes, failed }: SelfCheck): number => (probes.length - failed) / Math.max(1, probes.length);
