export type Modality = "image" | "audio";

/** Models that take more than text, and what they take. */
export const multimodalModels: Readonly<Record<string, readonly Modality[]>> = {
  "nvidia/NVIDIA-Nemotron-3.5-Super-EA-09112026": ["image"],
  "Qwen/Qwen3-VL-4B-Instruct": ["image"],
  "Qwen/Qwen3-VL-8B-Instruct": ["image"],
  "Qwen/Qwen3-VL-30B-A3B-Instruct": ["image"],
  "google/gemma-4-E2B-it": ["image"],
  "google/gemma-4-E4B-it": ["image"],
  "google/gemma-4-26B-A4B-it": ["image"],
  "google/gemma-4-31B-it": ["image"],
  "Qwen/Qwen3.5-0.8B": ["image"],
  "Qwen/Qwen3.5-2B": ["image"],
  "Qwen/Qwen3.5-4B": ["image"],
  "Qwen/Qwen3.5-9B": ["image"],
  "Qwen/Qwen3.5-35B-A3B": ["image"],
  "Qwen/Qwen3.5-122B-A10B": ["image"],
  "Qwen/Qwen3.5-397B-A17B": ["image"],
  "Qwen/Qwen3.6-35B-A3B": ["image"],
  "Qwen/Qwen3.8-27B": ["image"],
  "Qwen/Qwen3.8-Flash-Next": ["image"],
  "moonshotai/Kimi-K2.5": ["image"],
  "moonshotai/Kimi-K2.6": ["image"],
  "thinkingmachines/Inkling": ["audio", "image"],
  "thinkingmachines/Inkling-Small": ["audio", "image"],
};
