import { type DefaultConfig, familyConfig, type RendererConfig } from "../configs/index.ts";

/** The template's variables that a config stands for; what it leaves open is left to the template. */
export function templateVariables(config: RendererConfig): Readonly<Record<string, unknown>> {
  if (config.name === "default") return (config as DefaultConfig).templateKwargs;
  const fields = Object.entries(familyConfig(config.name)?.templateFields ?? {});
  const values = config as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    fields.map(([variable, field]) => [variable, values[field]] as const).filter(([, value]) => value !== undefined),
  );
}
