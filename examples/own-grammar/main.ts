/*
 * A grammar of one's own: GBNF, from the first id on, or asleep until a trigger.
 *
 *   npx tsx examples/own-grammar/main.ts
 *
 * A grammar speaks of text; `preservedTokens` are the markers that are meant as tokens in it. A lazy one lets the model say what it
 * likes until the trigger, whose text is its beginning.
 */
import { createRenderer, loadTokenizer, type Message } from "../../src/index.ts";
import { type GrammarOptions, loadSampler } from "../../src/sampler/index.ts";
import { calculatorTools as tools } from "../calculator/environment.ts";
import { embeddedModel } from "../embeddedModel.ts";

/** An answer in a fixed form. */
export const verdict: GrammarOptions = {
  gbnf: String.raw`
root   ::= "{\"larger\": " answer "}"
answer ::= "true" | "false"`,
};

/** A call of the calculator that multiplies, whatever was asked for. */
export const onlyTimes: GrammarOptions = {
  lazy: true,
  triggers: [{ word: "<tool_call>" }],
  preservedTokens: ["<tool_call>", "</tool_call>"],
  gbnf: String.raw`
root   ::= "<tool_call>\n{\"name\": \"calculator\", \"arguments\": {\"expression\": \"" number " * " number "\"}}\n</tool_call>"
number ::= "0" | [1-9] [0-9]{0,2}`,
};

export interface OwnGrammarOptions {
  readonly model?: string;
  readonly print?: (text: string) => void;
}

export async function main({ model = embeddedModel, print = console.log }: OwnGrammarOptions = {}) {
  const tokenizer = await loadTokenizer(model);
  await using sampler = await loadSampler(model, { threads: 1, contextSize: 512 });
  const session = await sampler.session();

  const held = async (question: string, enableThinking: boolean, grammar: GrammarOptions) => {
    const renderer = createRenderer(tokenizer, { name: "qwen3", enableThinking });
    const messages: Message[] = [{ role: "user", content: question }];
    const prompt = renderer.renderIds(messages, { tools, addGenerationPrompt: true });
    const options = { grammar, stop: renderer.stopTokenIds, maxTokens: 96, temperature: 0.7, topK: 50, seed: 3 };
    const completion = await session.complete(prompt, options);
    const text = tokenizer.decode(completion.ids);
    const forced = completion.forcedMask.reduce((sum, one) => sum + one, 0);
    print(`${question}\n${text}`);
    print(`  grammar ${completion.grammar}; ${forced} of ${completion.ids.length} ids had no alternative\n`);
    return { text, completion, parsed: renderer.parseResponse(completion.ids, { prompt, tools }) };
  };

  const fromTheFirst = await held("Is 17 larger than 40?", false, verdict);
  const lazy = await held("What is 17 + 25?", true, onlyTimes);
  return { fromTheFirst, lazy };
}

if (process.argv[1] === import.meta.filename) await main();
