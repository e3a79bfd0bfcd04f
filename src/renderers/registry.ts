import { qwen3 } from "./qwen3.ts";

/** The families that are built, by name. */
export const families = { qwen3 } as const;
