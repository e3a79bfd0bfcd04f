/** Every family that has a name here, whether or not this version renders it. */
export const familyNames: readonly string[] = [
  "qwen3",
  "prime-qwen3",
  "qwen3.5",
  "qwen3.6",
  "qwen3.8",
  "qwen3-vl",
  "gemma4",
  "glm-5",
  "glm-5.1",
  "glm-5.3",
  "glm-4.5",
  "gpt-oss",
  "hy3",
  "inkling",
  "kimi-k2",
  "kimi-k2.5",
  "laguna-xs.2",
  "laguna-m.1",
  "laguna-xs-2.1",
  "laguna-s-2.1",
  "llama-3",
  "minimax-m2",
  "nemotron-3",
  "nemotron-3-ultra",
  "nemotron-3.5",
  "deepseek-v3",
  "deepseek-r1",
  "deepseek-v4",
];

export function isFamilyName(name: string): boolean {
  return familyNames.includes(name);
}
