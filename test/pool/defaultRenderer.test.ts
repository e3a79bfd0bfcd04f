import { afterAll, describe, expect, test } from "vitest";
import { createRenderer, type Message, registerToolParser } from "../../src/index.ts";
import type { RendererPool } from "../../src/pool/index.ts";
import type { TitoWarning } from "../../src/warnings.ts";
import { tokenizer } from "../support/qwen3.ts";
import { code, poolWith } from "./threads.ts";

const config = { name: "default", toolParser: "hermes", reasoningParser: "think" } as const;
const messages: Message[] = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "<|im_end|>?" },
  { role: "assistant", content: "Hello", reasoning_content: "A greeting." },
];
const pools: RendererPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

async function opened(...[options]: Parameters<typeof poolWith>) {
  const pool = await poolWith({ size: 1, threads: 1, ...options });
  pools.push(pool);
  return pool;
}

describe("a pool of default renderers", () => {
  test("renders by the template on a thread as in this one", async () => {
    const pool = await opened({ config });
    const plain = createRenderer(tokenizer, config);
    expect(await pool.render(messages)).toEqual(plain.render(messages));
    const given = { addGenerationPrompt: true };
    expect(await pool.renderIds(messages.slice(0, 2), given)).toEqual(plain.renderIds(messages.slice(0, 2), given));
    const completion = plain.tokenizer.encode("<think>\nHm.\n</think>\n\nHi<|im_end|>");
    const prompt = plain.renderIds(messages.slice(0, 2), given);
    expect(await pool.parseResponse(completion, { prompt })).toEqual(plain.parseResponse(completion, { prompt }));
  });

  test("takes a template of the config's, and gives its errors with their place", async () => {
    const template =
      "{% for m in messages %}\n{{ raise_exception('never') if m.content == 'x' else m.content }}{% endfor %}";
    const pool = await opened({ config: { name: "default", template } });
    const ids = await pool.renderIds([{ role: "user", content: "y" }]);
    expect(tokenizer.decode(ids)).toBe("y");
    await expect(pool.renderIds([{ role: "user", content: "x" }])).rejects.toMatchObject({
      ...code("template_raised"),
      details: { line: 2, raised: "never" },
    });
  });

  test("refuses at once what cannot be built", async () => {
    await expect(opened({ config: { name: "default", template: "{% if %}" } })).rejects.toMatchObject(
      code("template_syntax"),
    );
    await expect(opened({ config: { name: "default", toolParser: "nope" } })).rejects.toMatchObject(
      code("unknown_parser"),
    );
  });

  test("with a parser of one's own runs in the calling thread, and says so", async () => {
    const undo = registerToolParser("quiet", () => ({ kind: "calls", calls: null, write: () => "" }));
    const warnings: TitoWarning[] = [];
    const onWarning = (warning: TitoWarning) => warnings.push(warning);
    const pool = await opened({ config: { name: "default", toolParser: "quiet" }, onWarning });
    undo();
    expect(warnings.map((warning) => warning.code)).toEqual(["pool_inline"]);
    const plain = createRenderer(tokenizer, { name: "default" });
    expect(await pool.renderIds(messages)).toEqual(plain.renderIds(messages));
  });
});
