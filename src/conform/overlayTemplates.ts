/** The chat template that belongs to a recorded tokenizer, where the fixtures have it. */
export const overlayTemplates: Readonly<Record<string, string | undefined>> = {
  default: "Qwen-Qwen3-0.6B.jinja",
  qwen3: "Qwen-Qwen3-0.6B.jinja",
  "qwen3.5": "Qwen3.5-4B.jinja",
  "glm-5": "GLM-4.7-Flash.jinja",
  "minimax-m2": "MiniMax-M2.jinja",
  "nemotron-3": "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.jinja",
  "llama-3": "meta-llama-Llama-3.2-3B-Instruct.jinja",
  "laguna-xs.2": "poolside-Laguna-XS.2.jinja",
  "laguna-xs-2.1": "poolside-Laguna-XS-2.1.jinja",
  "laguna-s-2.1": "poolside-Laguna-S-2.1.jinja",
  hy3: "tencent-Hy3.jinja",
  "kimi-k2": "moonshotai-Kimi-K2.jinja",
  "gpt-oss": "openai-gpt-oss-120b.jinja",
  gemma4: "google-gemma-4-31B-it.jinja",
  "deepseek-v4": "deepseek-ai-DeepSeek-V4.jinja",
};
