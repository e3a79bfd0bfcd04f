import type { RetentionRequest, TemplateRetention } from "./familyConfig.ts";
import { familyConfig, type RendererConfig } from "./rendererConfig.ts";

/**
 * What a bridge does with earlier turns' thinking: the explicit `thinkingRetention`, or else what the family's template
 * does under this config. `"template"`: the template rewrites earlier turns, so no bridge is possible.
 *
 * @param request what the conversation at hand has; without it, a conversation without tools
 */
export function effectiveRetention(
  config: RendererConfig,
  request: RetentionRequest = { tools: false },
): TemplateRetention {
  return config.thinkingRetention ?? familyConfig(config.name)?.templateRetention(config, request) ?? "template";
}
