export type { CacheOptions } from "./cache.ts";
export { QUANTISATIONS } from "./chooseFile.ts";
export type { FetchProgress, ProgressHandler } from "./download.ts";
export { type FetchedModel, type FetchModelOptions, fetchModel } from "./fetchModel.ts";
export { type HubModel, type HubModelOptions, type HubSibling, hubModel } from "./hubModel.ts";
export { isHubId } from "./names.ts";
export type { FetchOptions } from "./repo.ts";
export { DEFAULT_ENDPOINT, type HubOptions } from "./settings.ts";
export { fetchTokenizerFiles } from "./tokenizerFiles.ts";
