import type { RendererConfigInput } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { createRenderer, familyIsBuilt, type Renderer } from "../renderers/index.ts";
import {
  configOf,
  runAttribution,
  runConfig,
  runHelpers,
  runMeta,
  runModelMap,
  runMultimodalModels,
  runResolve,
  runTokenize,
  runToolNames,
} from "./api.ts";
import { runBridge } from "./bridge.ts";
import type { RecordedCase } from "./cases.ts";
import { runConfigSchema } from "./configSchema.ts";
import { applyDeviations, type Deviation } from "./deviations.ts";
import { grammarKinds } from "./gbnf.ts";
import { recordedProcessor, runImages } from "./images.ts";
import { failed, type Outcome, skipped } from "./outcome.ts";
import { runParse } from "./parse.ts";
import { readings } from "./readings.ts";
import { runRender, runTrajectory } from "./render.ts";
import { runTemplate } from "./template.ts";
import { runTemplateParse } from "./templateParse.ts";
import type { TokenizerShelf } from "./tokenizers.ts";

const withRenderer: Readonly<Record<string, (recorded: RecordedCase, renderer: Renderer) => Outcome>> = {
  meta: runMeta,
  render: runRender,
  trajectory: runTrajectory,
  parse: runParse,
  bridge: runBridge,
  mm_render: runImages,
  rendered_tokens_helpers: runHelpers,
};

const alone: Readonly<Record<string, (recorded: RecordedCase) => Outcome>> = {
  model_map: runModelMap,
  multimodal_models: runMultimodalModels,
  config_schema: runConfigSchema,
  config: runConfig,
  resolve: runResolve,
  extract_message_tool_names: runToolNames,
  ...grammarKinds,
};

/** Runs cases through the public API, keeping renderers between cases of one config. */
export class ConformRunner {
  readonly #shelf: TokenizerShelf;
  readonly #deviations: readonly Deviation[];
  readonly #fixtures: string;
  readonly #renderers = new Map<string, Renderer>();

  constructor(shelf: TokenizerShelf, deviations: readonly Deviation[], fixtures: string) {
    this.#shelf = shelf;
    this.#deviations = deviations;
    this.#fixtures = fixtures;
  }

  async run(recorded: RecordedCase): Promise<Outcome> {
    const { kind } = recorded;
    let renderer: Renderer | null = null;
    let outcome: Outcome;
    try {
      if (Object.hasOwn(alone, kind)) outcome = alone[kind](recorded);
      else if (kind === "template_render") outcome = runTemplate(recorded, this.#fixtures);
      else if (kind === "template_parse") outcome = runTemplateParse(recorded, this.#fixtures);
      else if (kind === "tokenize") outcome = runTokenize(recorded, await this.#shelf.base(recorded.plain.tok));
      else if (kind === "attribute_text_segments")
        outcome = runAttribution(recorded, await this.#shelf.overlay(recorded.plain.tok));
      else if (Object.hasOwn(withRenderer, kind)) {
        const config = recorded.plain.config ?? { name: recorded.plain.tok };
        if (config.name !== "default" && !familyIsBuilt(config.name))
          return skipped(`family "${config.name}" is not built`);
        renderer = await this.#renderer(recorded.plain.tok, config, recorded.plain.processor);
        outcome = withRenderer[kind](recorded, renderer);
      } else return skipped(`kind "${kind}" is not supported`);
    } catch (error) {
      if (error instanceof TitoError && error.code === "fixtures_missing") return skipped(error.message);
      outcome = failed(`threw ${error instanceof Error ? error.stack : error}`, { error: errorFields(error) });
    }
    return applyDeviations(this.#deviations, recorded, outcome, renderer);
  }

  async #renderer(tok: string, config: Record<string, unknown>, processor: string | undefined): Promise<Renderer> {
    const key = `${tok} ${JSON.stringify(config)} ${processor}`;
    const known = this.#renderers.get(key);
    if (known) return known;
    // Recorded with the template's reading of marker text and without strict checks.
    const settings = {
      ...readings[String(config.name)]?.settings,
      ...configOf(String(config.name), config),
      contentSpecials: "template",
      validate: "template",
    };
    const renderer = createRenderer(await this.#shelf.overlay(tok), settings as unknown as RendererConfigInput, {
      imageProcessor: processor === undefined ? undefined : recordedProcessor(processor),
      onWarning: () => {},
    });
    this.#renderers.set(key, renderer);
    return renderer;
  }
}

function errorFields(error: unknown) {
  return error instanceof TitoError
    ? { code: error.code, message: error.message }
    : { code: "unexpected", message: String(error) };
}
