import { qwen3Config } from "./qwen3.ts";

/** Every family that this version renders: the one list to extend. */
export const familyConfigs = [qwen3Config] as const;
