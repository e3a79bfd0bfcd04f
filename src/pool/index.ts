/**
 * Renderers on worker threads: large conversations and batches without stalling the event loop.
 * @module
 */
export { createRendererPool } from "./createRendererPool.ts";
export type {
  AsyncParser,
  AsyncRenderer,
  CallOptions,
  ParseRequest,
  PooledRenderer,
  PoolWarning,
  RendererPool,
  RendererPoolOptions,
} from "./types.ts";
