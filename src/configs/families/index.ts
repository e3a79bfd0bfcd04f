import { deepseekR1Config } from "./deepseekR1.ts";
import { deepseekV3Config } from "./deepseekV3.ts";
import { deepseekV4Config } from "./deepseekV4.ts";
import { gemma4Config } from "./gemma4.ts";
import { glm5Config } from "./glm5.ts";
import { glm45Config } from "./glm45.ts";
import { glm51Config } from "./glm51.ts";
import { glm53Config } from "./glm53.ts";
import { gptOssConfig } from "./gptOss.ts";
import { hy3Config } from "./hy3.ts";
import { inklingConfig } from "./inkling.ts";
import { kimiK2Config } from "./kimiK2.ts";
import { kimiK25Config } from "./kimiK25.ts";
import { lagunaM1Config } from "./lagunaM1.ts";
import { lagunaS21Config } from "./lagunaS21.ts";
import { lagunaXs2Config } from "./lagunaXs2.ts";
import { lagunaXs21Config } from "./lagunaXs21.ts";
import { llama3Config } from "./llama3.ts";
import { minimaxM2Config } from "./minimaxM2.ts";
import { nemotron3Config } from "./nemotron3.ts";
import { nemotron3UltraConfig } from "./nemotron3Ultra.ts";
import { nemotron35Config } from "./nemotron35.ts";
import { primeQwen3Config } from "./primeQwen3.ts";
import { qwen3Config } from "./qwen3.ts";
import { qwen3VlConfig } from "./qwen3Vl.ts";
import { qwen35Config } from "./qwen35.ts";
import { qwen36Config } from "./qwen36.ts";
import { qwen38Config } from "./qwen38.ts";

/** The config of every family: the one list to extend. */
export const familyConfigs = [
  qwen3Config,
  primeQwen3Config,
  qwen3VlConfig,
  qwen35Config,
  qwen36Config,
  qwen38Config,
  gemma4Config,
  glm45Config,
  glm5Config,
  glm51Config,
  glm53Config,
  gptOssConfig,
  hy3Config,
  inklingConfig,
  kimiK2Config,
  kimiK25Config,
  lagunaXs2Config,
  lagunaM1Config,
  lagunaXs21Config,
  lagunaS21Config,
  llama3Config,
  minimaxM2Config,
  nemotron3Config,
  nemotron3UltraConfig,
  nemotron35Config,
  deepseekV3Config,
  deepseekR1Config,
  deepseekV4Config,
] as const;
