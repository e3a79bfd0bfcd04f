/**
 * Model files: what they are, and where they come from.
 * @module
 */

export * from "./gguf/index.ts";
export * from "./hub/index.ts";
export * from "./info/index.ts";
