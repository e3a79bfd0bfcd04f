import { type Tokenizer, tokenizerFromGguf } from "../../src/index.ts";
import { compileTemplate } from "../../src/template/index.ts";
import { modelFile } from "./qwen3.ts";

const FIRST_ADDED_ID = 151_643;

/** What looks like a control token in a chat template. */
const control =
  /<[|｜][^<>|｜\s{}'"]{1,60}[|｜]>|<\/?(?:s|bos|eos|start_of_turn|end_of_turn|seed:\w+)>|<\/?assistant>|<\|\w+>|<\w+\|>|\[\/?[A-Z_]{2,30}\]|\]~b\]|\[e~\[|\]~!b\[|<SPECIAL_\d+>|<sep>|<(?:beginning|end)_of_sentence>/g;

/** What looks like one, and is none that ends a turn. */
const markers = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

/** Some templates put their tokens together. */
function sample(chatTemplate: string): string {
  const [user, assistant] = ["user", "assistant"].map((role) => ({ role, content: "hi" }));
  const context = {
    messages: [user, assistant, user],
    add_generation_prompt: true,
    bos_token: "<s>",
    eos_token: "</s>",
  };
  try {
    return compileTemplate(chatTemplate).render(new Map(Object.entries(context)));
  } catch {
    return "";
  }
}

/** The embedded model's vocabulary with the tokens that a template speaks of, for templates whose tokenizers are not at hand. */
export function templateTokenizer(chatTemplate: string, nameOrPath = "someone/tuned"): Tokenizer {
  const texts = [chatTemplate, sample(chatTemplate)];
  const special = new Set([
    "<s>",
    "</s>",
    ...texts.flatMap((text) => [...text.matchAll(control)].map(([token]) => token)),
  ]);
  for (const marker of markers) special.delete(marker);
  const contents = [...special, ...markers];
  return tokenizerFromGguf(modelFile, {
    nameOrPath,
    chatTemplate,
    bosToken: "<s>",
    eosToken: "</s>",
    addedTokens: contents.map((content, index) => ({
      id: FIRST_ADDED_ID + index,
      content,
      special: index < special.size,
      lstrip: false,
      rstrip: false,
      singleWord: false,
      normalized: false,
    })),
  });
}
