import { fileURLToPath } from "node:url";

/** A tiny model with Qwen3's vocabulary and format. It knows one game, the calculator's. */
export const embeddedModel = fileURLToPath(new URL("../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));
