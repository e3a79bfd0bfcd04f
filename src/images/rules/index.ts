export { type GemmaImageOptions, gemmaImages } from "./gemma.ts";
export { type InklingImageOptions, inklingImages } from "./inkling.ts";
export { type KimiImageOptions, kimiImages } from "./kimi.ts";
export { type NemotronImageOptions, nemotronImages } from "./nemotron.ts";
export { type QwenImageOptions, qwenImages } from "./qwen.ts";
