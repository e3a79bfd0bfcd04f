import type { Family } from "../format/index.ts";
import { deepseekR1 } from "./deepseekR1.ts";
import { deepseekV3 } from "./deepseekV3.ts";
import { deepseekV4 } from "./deepseekV4.ts";
import { gemma4 } from "./gemma4.ts";
import { glm5 } from "./glm5.ts";
import { glm45 } from "./glm45.ts";
import { glm51 } from "./glm51.ts";
import { glm53 } from "./glm53.ts";
import { gptOss } from "./gptOss.ts";
import { hy3 } from "./hy3.ts";
import { inkling } from "./inkling.ts";
import { kimiK2 } from "./kimiK2.ts";
import { kimiK25 } from "./kimiK25.ts";
import { lagunaM1 } from "./lagunaM1.ts";
import { lagunaS21 } from "./lagunaS21.ts";
import { lagunaXs2 } from "./lagunaXs2.ts";
import { lagunaXs21 } from "./lagunaXs21.ts";
import { llama3 } from "./llama3.ts";
import { minimaxM2 } from "./minimaxM2.ts";
import { nemotron3 } from "./nemotron3.ts";
import { nemotron3Ultra } from "./nemotron3Ultra.ts";
import { nemotron35 } from "./nemotron35.ts";
import { primeQwen3 } from "./primeQwen3.ts";
import { qwen3 } from "./qwen3.ts";
import { qwen3Vl } from "./qwen3Vl.ts";
import { qwen35 } from "./qwen35.ts";
import { qwen36 } from "./qwen36.ts";
import { qwen38 } from "./qwen38.ts";

// biome-ignore lint/suspicious/noExplicitAny: a family is only ever bound to a config of its own name
export type AnyFamily = Family<any>;

const all: readonly AnyFamily[] = [
  deepseekV3,
  deepseekR1,
  deepseekV4,
  gemma4,
  glm45,
  glm5,
  glm51,
  glm53,
  gptOss,
  hy3,
  inkling,
  kimiK2,
  kimiK25,
  lagunaXs2,
  lagunaM1,
  lagunaXs21,
  lagunaS21,
  llama3,
  minimaxM2,
  nemotron3,
  nemotron3Ultra,
  nemotron35,
  primeQwen3,
  qwen3,
  qwen3Vl,
  qwen35,
  qwen36,
  qwen38,
];

/** The families of this package, by name. */
export const families: ReadonlyMap<string, AnyFamily> = new Map(all.map((family) => [family.config.name, family]));

export const familyIsBuilt = (name: string): boolean => families.has(name);
