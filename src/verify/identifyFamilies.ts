/*
 * Which families write what a model's own template writes.
 *
 * Names prove nothing, and neither does a template's text: a revision may change a comment or the whole format. So each
 * family whose markers the vocabulary has is tried on the quick probes, against the template without any variables, as
 * `apply_chat_template` calls it. Texts are compared first, and most families are out after the first probe; of those that
 * are left, the ids.
 *
 * A family whose defaults are not the template's own is brought into line by one field, if one is enough: a switch, a choice,
 * or a text (the date that the template prints, the name that it gives the model). Then each variable of the family is tried:
 * a family with one that does something else in the template, or nothing, is another family that has the same defaults.
 */
import { boundedCache } from "../boundedCache.ts";
import { checkConfig, type FamilyConfig, type RendererConfig, type RendererConfigInput } from "../configs/index.ts";
import { families as familyConfigs } from "../configs/rendererConfig.ts";
import type { WireFormat } from "../format/index.ts";
import { familyByName } from "../renderers/registerFamily.ts";
import { bindRenderer } from "../renderers/renderer.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { familyText } from "./familyText.ts";
import { hashOf, numberOf, tokenizerFingerprint } from "./fingerprint.ts";
import { familyKnobs, type VariableKnob, variableKnobs } from "./knobs.ts";
import { attempt, probeContext, probedTemplate } from "./probedTemplate.ts";
import { quickProbes } from "./quickProbes.ts";
import { templateVariables } from "./templateVariables.ts";
import type { FamilyMatch } from "./types.ts";

type Variables = Readonly<Record<string, unknown>>;

/** A text that no template writes. */
const MARK = "\u{e000}tito\u{e001}";

/** Fewer probes than these that a template renders prove nothing. */
const FEWEST = 6;

const cached = boundedCache<readonly FamilyMatch[]>(32);

/**
 * The families that render the model's own template identically, best first: those without other variables, then those whose defaults
 * are the template's own, then those with most variables in common, then as the list of families has them. A template that
 * cannot be run has none.
 */
export function identifyFamilies(tokenizer: Tokenizer): readonly FamilyMatch[] {
  const all = [...familyConfigs.keys()].map((name) => familyByName(name)).filter((family) => family !== undefined);
  // A template may print the date.
  const key = hashOf([tokenizerFingerprint(tokenizer), all.map(numberOf), new Date().toDateString()]);
  return cached(key, () => {
    const writes = templateTexts(tokenizer);
    if (writes === null) return [];
    const matches = all.flatMap(({ config }) => matchOf(tokenizer, config, writes) ?? []);
    return matches.sort(byFitness);
  });
}

const byFitness = (a: FamilyMatch, b: FamilyMatch): number =>
  Number(a.otherVariables.length > 0) - Number(b.otherVariables.length > 0) ||
  Object.keys(a.config).length - Object.keys(b.config).length ||
  b.sameVariables.length - a.sameVariables.length;

/** What the template writes for a probe; null: it refuses it. */
type TemplateTexts = (variables: Variables, probe: number) => string | null;

/** Null: there is no template, or none that runs. */
function templateTexts(tokenizer: Tokenizer): TemplateTexts | null {
  const templates = attempt(() => [false, true].map((tools) => probedTemplate(tokenizer, {}, tools)));
  if (!templates.ok) return null;
  const [plain, withTools] = templates.value;
  if (!plain || !withTools) return null;
  const texts = new Map<string, string | null>();
  const write: TemplateTexts = (variables, index) => {
    const key = JSON.stringify([variables, index]);
    const known = texts.get(key);
    if (known !== undefined) return known;
    const probe = quickProbes[index]!;
    const { template } = probe.tools.length > 0 ? withTools : plain;
    const rendered = attempt(() => template.render(probeContext(tokenizer, probe, variables)));
    const text = rendered.ok ? rendered.value : null;
    texts.set(key, text);
    return text;
  };
  return quickProbes.filter((_, index) => write({}, index) !== null).length < FEWEST ? null : write;
}

/** A family bound with some values of its fields. */
interface Trial {
  readonly config: RendererConfig;
  readonly format: WireFormat;
}

function trial(tokenizer: Tokenizer, name: string, fields: Variables): Trial | null {
  const bound = attempt(() => {
    const config = checkConfig({ name, ...fields } as RendererConfigInput) as RendererConfig;
    return { config, format: familyByName(name)!.bind(tokenizer, config) };
  });
  return bound.ok ? bound.value : null;
}

function matchOf(tokenizer: Tokenizer, family: FamilyConfig, writes: TemplateTexts): FamilyMatch | null {
  const { name } = family;
  const plain = trial(tokenizer, name, {});
  if (plain === null) return null;
  const bind = (fields: Variables) => trial(tokenizer, name, fields);
  const text = ({ format }: Trial, index: number) => {
    const written = attempt(() => familyText(format, tokenizer, quickProbes[index]!));
    return written.ok ? written.value : null;
  };
  const agrees = (one: Trial, variables: Variables) =>
    quickProbes.every((_, index) => {
      const expected = writes(variables, index);
      return expected === null || expected === text(one, index);
    });

  /** Else no single field helps, and none is tried. */
  const agreesAnywhere = (one: Trial) =>
    [{}, templateVariables(one.config)].some((variables) =>
      quickProbes.some((_, index) => {
        const written = text(one, index);
        return written !== null && writes(variables, index) === written;
      }),
    );

  function fieldsAsInTemplate(): Variables | null {
    if (agrees(plain!, {})) return {};
    if (!agreesAnywhere(plain!)) return null;
    for (const { field, values } of familyKnobs(family)) {
      for (const value of values ?? printedText(field)) {
        const one = bind({ [field]: value });
        if (one !== null && agrees(one, {})) return { [field]: value };
      }
    }
    return null;
  }

  /** The text that the template prints where the family prints a field; none, or one. */
  function printedText(field: string): string[] {
    const marked = bind({ [field]: MARK });
    for (const index of marked === null ? [] : quickProbes.keys()) {
      const [before, after, ...more] = text(marked!, index)?.split(MARK) ?? [];
      const printed = writes({}, index);
      if (after === undefined || more.length > 0 || printed === null) continue;
      const fits = printed.startsWith(before!) && printed.endsWith(after);
      return fits ? [printed.slice(before!.length, printed.length - after.length)] : [];
    }
    return [];
  }

  const fields = fieldsAsInTemplate();
  const found = fields && bind(fields);
  if (!found || !sameIds(tokenizer, found, writes)) return null;

  /** Whether a variable does the same on both sides; null: it does nothing in the family. */
  function doesTheSame({ variable, field, values }: VariableKnob): boolean | null {
    let matters = false;
    for (const value of values ?? [MARK]) {
      const other = bind({ ...fields, [field]: value });
      if (other === null) continue;
      if (!agrees(other, { [variable]: value })) return false;
      matters ||= quickProbes.some((_, index) => text(other, index) !== text(found!, index));
    }
    return matters || null;
  }

  const tried = variableKnobs(family).map((knob) => [knob.variable, doesTheSame(knob)] as const);
  const named = (outcome: boolean) => tried.filter(([, same]) => same === outcome).map(([variable]) => variable);
  return {
    family: name,
    config: { name, ...fields } as RendererConfigInput,
    sameVariables: named(true),
    otherVariables: named(false),
  };
}

function sameIds(tokenizer: Tokenizer, { config, format }: Trial, writes: TemplateTexts): boolean {
  const renderer = bindRenderer(tokenizer, config, format);
  return quickProbes.every(({ messages, tools, addGenerationPrompt }, index) => {
    const expected = writes({}, index);
    if (expected === null) return true;
    const rendered = attempt(() =>
      renderer.renderIds(messages, { tools: tools.length > 0 ? tools : undefined, addGenerationPrompt }),
    );
    if (!rendered.ok) return false;
    const ids = tokenizer.encode(expected);
    return ids.length === rendered.value.length && ids.every((id, at) => rendered.value[at] === id);
  });
}
