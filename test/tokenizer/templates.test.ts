import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createRendererPool } from "../../src/pool/index.ts";
import { chooseTemplate, readTemplates } from "../../src/template/sources/index.ts";
import { CHAR_OF_BYTE } from "../../src/tokenizer/bpe/byteAlphabet.ts";
import {
  adaptTransformersTokenizer,
  fromSharedTables,
  loadTokenizer,
  type SharedTokenizer,
  shareTables,
  type Tokenizer,
  tokenizerFromGguf,
  tokenizerFromJson,
  tokenizerFromKimi,
  tokenizerFromTiktoken,
} from "../../src/tokenizer/index.ts";
import { ggufFile, intArray, text, textArray, typed, u32 } from "./ggufFile.ts";
import { toyJson } from "./toy.ts";

const root = mkdtempSync(join(tmpdir(), "tito-templates-"));
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;
/** A directory with these files; values that are no text or bytes are written as JSON. */
function directory(files: Readonly<Record<string, unknown>>): string {
  const folder = join(root, `${folders++}`);
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const isRaw = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content));
  }
  return folder;
}

const json = toyJson({ added: ["<s>", "</s>", "<pad>"] });
const refusal = (code: string, details: object = {}) => ({ name: "TitoError", code, details });

interface Facts {
  readonly chatTemplates: ReadonlyMap<string, string>;
  readonly templateSources: ReadonlyMap<string, string>;
}

/** Name, text and source of every template, in the order of names. */
const listed = ({ chatTemplates, templateSources }: Facts) =>
  [...chatTemplates].map(([name, template]) => [name, template, templateSources.get(name)]).sort();

describe("a directory's templates", () => {
  const list = [
    { name: "default", template: "config" },
    { name: "tool_use", template: "config tools" },
  ];
  const fromList = [
    ["default", "config", "tokenizer_config.json"],
    ["tool_use", "config tools", "tokenizer_config.json"],
  ];
  const cases: [string, Record<string, unknown>, (string | undefined)[][]][] = [
    ["none", {}, []],
    ["no template in the config", { "tokenizer_config.json": { chat_template: null } }, []],
    [
      "a text in the config",
      { "tokenizer_config.json": { chat_template: "a" } },
      [["default", "a", "tokenizer_config.json"]],
    ],
    ["a list in the config", { "tokenizer_config.json": { chat_template: list } }, fromList],
    [
      "an object in the config",
      { "tokenizer_config.json": { chat_template: { tool_use: "config tools", default: "config" } } },
      fromList,
    ],
    [
      "a file stands for all of the config's",
      { "chat_template.jinja": "file\r\n", "tokenizer_config.json": { chat_template: list } },
      [["default", "file\r\n", "chat_template.jinja"]],
    ],
    [
      "named files beside a file",
      {
        "chat_template.jinja": "file",
        "additional_chat_templates/tool_use.jinja": "t",
        "chat_templates/rag.jinja": "r",
      },
      [
        ["default", "file", "chat_template.jinja"],
        ["rag", "r", "chat_templates"],
        ["tool_use", "t", "additional_chat_templates"],
      ],
    ],
    [
      "a named default stands before the file",
      { "chat_template.jinja": "file", "additional_chat_templates/default.jinja": "d" },
      [["default", "d", "additional_chat_templates"]],
    ],
    [
      "of two folders the first has a name",
      { "additional_chat_templates/rag.jinja": "a", "chat_templates/rag.jinja": "b" },
      [["rag", "a", "additional_chat_templates"]],
    ],
    [
      "files without a default are filled up",
      { "additional_chat_templates/tool_use.jinja": "t", "tokenizer_config.json": { chat_template: list } },
      [
        ["default", "config", "tokenizer_config.json"],
        ["tool_use", "t", "additional_chat_templates"],
      ],
    ],
    [
      "an older processor's file stands before the config",
      { "chat_template.json": { chat_template: "old" }, "tokenizer_config.json": { chat_template: list } },
      [["default", "old", "chat_template.json"]],
    ],
    [
      "and behind a file",
      { "chat_template.json": { chat_template: "old" }, "chat_template.jinja": "file" },
      [["default", "file", "chat_template.jinja"]],
    ],
    [
      "other files and folders are none",
      { "chat_templates/a.txt": "x", "chat_templates/.b.jinja": "x", "chat_templates/c.jinja/d": "x" },
      [],
    ],
  ];

  test.each(cases)("%s", async (_, files, expected) => {
    const folder = directory({ "tokenizer.json": json, ...files });
    const tokenizer = await loadTokenizer(folder);
    expect(listed(tokenizer)).toEqual(expected);
    expect(tokenizer.chatTemplate).toBe(tokenizer.chatTemplates.get("default"));
    for (const path of [folder, join(folder, "tokenizer.json")])
      expect(listed(await readTemplates(path))).toEqual(expected);
  });

  test("keep every character of their text", async () => {
    const sources = fc.array(fc.string({ unit: "grapheme" }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sources, async ([a, b, c]) => {
        const folder = directory({
          "tokenizer.json": json,
          "chat_template.jinja": a,
          "chat_templates/rag.jinja": b,
        });
        const other = directory({ "tokenizer_config.json": { chat_template: { default: c } } });
        const { chatTemplates } = await loadTokenizer(folder);
        expect([chatTemplates.get("default"), chatTemplates.get("rag")]).toEqual([a, b]);
        expect((await readTemplates(other)).chatTemplates.get("default")).toBe(c);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    [{ "tokenizer_config.json": { chat_template: 1 } }, "tokenizer_config.json: chat_template"],
    [
      { "tokenizer_config.json": { chat_template: [{ name: "a" }] } },
      "tokenizer_config.json: chat_template[0].template",
    ],
    [{ "chat_template.json": { chat_template: { rag: null } } }, "chat_template.json: chat_template.rag"],
    [{ "tokenizer_config.json": "{" }, "tokenizer_config.json"],
    [{ "tokenizer_config.json": "[]" }, "tokenizer_config.json"],
    [{ "special_tokens_map.json": "null" }, "special_tokens_map.json"],
    [{ "chat_template.jinja": Buffer.of(0x61, 0xff) }, "chat_template.jinja"],
  ])("that are malformed are refused by their place (%#)", async (files, field) => {
    const folder = directory({ "tokenizer.json": json, ...files });
    const refused = refusal("tokenizer_invalid", expect.objectContaining({ field }));
    await expect(loadTokenizer(folder)).rejects.toMatchObject(refused);
    await expect(readTemplates(folder)).rejects.toMatchObject(refused);
  });

  test("are not looked at where an option stands for them", async () => {
    const folder = directory({ "tokenizer.json": json, "tokenizer_config.json": { chat_template: 1 } });
    const option = await loadTokenizer(folder, { chatTemplate: "mine" });
    expect(listed(option)).toEqual([["default", "mine", "option"]]);
    for (const chatTemplate of [{ default: "d", rag: "r" }, new Map(Object.entries({ default: "d", rag: "r" }))]) {
      expect(listed(await loadTokenizer(folder, { chatTemplate }))).toEqual([
        ["default", "d", "option"],
        ["rag", "r", "option"],
      ]);
    }
    const filled = directory({ "tokenizer.json": json, "tokenizer_config.json": { chat_template: "c" } });
    expect(listed(await loadTokenizer(filled, { chatTemplate: { rag: "r" } }))).toEqual([
      ["default", "c", "tokenizer_config.json"],
      ["rag", "r", "option"],
    ]);
    await expect(loadTokenizer(filled, { chatTemplate: 1 as unknown as string })).rejects.toMatchObject(
      refusal("tokenizer_invalid", { field: "chatTemplate" }),
    );
  });
});

describe("special tokens", () => {
  test("are the config's, with options over them", async () => {
    const config = { bos_token: { content: "<s>" }, eos_token: "</s>", pad_token: "<pad>", sep_token: "<not there>" };
    const folder = directory({ "tokenizer.json": json, "tokenizer_config.json": config });
    const tokenizer = await loadTokenizer(folder, { eosToken: "<pad>", specialTokens: { mask_token: "<m>" } });
    expect([...tokenizer.specialTokens]).toEqual([
      ["bos_token", "<s>"],
      ["eos_token", "<pad>"],
      ["sep_token", "<not there>"],
      ["pad_token", "<pad>"],
      ["mask_token", "<m>"],
    ]);
    expect([tokenizer.bosTokenId, tokenizer.eosTokenId]).toEqual(
      ["<s>", "<pad>"].map((token) => tokenizer.tokenToId(token)),
    );
    expect(tokenizerFromJson(json, { specialTokens: { eos_token: "</s>" } }).eosTokenId).toBe(
      tokenizer.tokenToId("</s>"),
    );
    expect([...(await readTemplates(folder)).specialTokens.keys()]).toEqual([
      "bos_token",
      "eos_token",
      "sep_token",
      "pad_token",
    ]);
  });

  test("of a file of their own count where the config has no added_tokens_decoder", async () => {
    const files = {
      "tokenizer.json": json,
      "special_tokens_map.json": { bos_token: "<s>", eos_token: { content: "<pad>" } },
    };
    const older = directory({ ...files, "tokenizer_config.json": { eos_token: "</s>" } });
    const newer = directory({ ...files, "tokenizer_config.json": { eos_token: "</s>", added_tokens_decoder: {} } });
    expect([...(await loadTokenizer(older)).specialTokens.values()]).toEqual(["<s>", "<pad>"]);
    expect([...(await loadTokenizer(newer)).specialTokens.values()]).toEqual(["</s>"]);
  });
});

describe("a GGUF's templates", () => {
  const tokens = [...CHAR_OF_BYTE, "<s>", "</s>", "<pad>"];
  const key = (name: string) => `tokenizer.chat_template${name}`;
  const id = (role: string, token: number) => ({ [`tokenizer.ggml.${role}_token_id`]: typed(4, u32(token)) });
  const write = (over: Record<string, Buffer>) =>
    join(
      directory({
        "model.gguf": ggufFile({
          values: {
            "tokenizer.ggml.model": typed(8, text("gpt2")),
            "tokenizer.ggml.pre": typed(8, text("qwen2")),
            "tokenizer.ggml.tokens": textArray(tokens),
            "tokenizer.ggml.token_type": intArray(tokens.map((_, index) => (index < 256 ? 1 : 3))),
            "tokenizer.ggml.merges": textArray([]),
            ...over,
          },
        }),
      }),
      "model.gguf",
    );

  test("are the default one and those with a name, listed or not", async () => {
    const file = write({
      [key(".rag")]: typed(8, text("r é")),
      [key("s")]: textArray(["tool_use"]),
      [key(".tool_use")]: typed(8, text("t")),
      [key("")]: typed(8, text("d")),
    });
    const expected = [
      ["default", "d", "gguf"],
      ["rag", "r é", "gguf"],
      ["tool_use", "t", "gguf"],
    ];
    for (const facts of [tokenizerFromGguf(file), await loadTokenizer(file), await readTemplates(file)]) {
      expect(listed(facts)).toEqual(expected);
      expect(chooseTemplate(facts, { tools: true }).text).toBe("t");
    }
    expect(listed(tokenizerFromGguf(file, { chatTemplate: "mine" }))).toEqual([["default", "mine", "option"]]);
    expect(listed(tokenizerFromGguf(file, { chatTemplate: { rag: "mine" } }))[1]).toEqual(["rag", "mine", "option"]);
  });

  test("that are empty are none", async () => {
    expect(listed(await readTemplates(write({ [key("")]: typed(8, text("")) })))).toEqual([]);
    expect(chooseTemplate(tokenizerFromGguf(write({})), { tools: true }).source).toBe("fallback");
  });

  test.each([
    ["", { [key("")]: typed(4, u32(1)) }],
    [".rag", { [key(".rag")]: textArray(["a"]) }],
    ["s", { [key("s")]: typed(8, text("rag")) }],
    [".rag", { [key("s")]: textArray(["rag"]) }],
  ])("that are malformed are refused by their key (%#)", async (name, over) => {
    const refused = refusal("tokenizer_invalid", { field: key(name) });
    await expect(readTemplates(write(over))).rejects.toMatchObject(refused);
    expect(() => tokenizerFromGguf(write(over))).toThrow(expect.objectContaining(refused));
  });

  test("see the special tokens by their ids", async () => {
    const file = write({
      ...id("bos", 256),
      ...id("eos", 257),
      ...id("padding", 258),
      ...id("seperator", 256),
      ...id("mask", 999),
    });
    const expected = [
      ["bos_token", "<s>"],
      ["eos_token", "</s>"],
      ["sep_token", "<s>"],
      ["pad_token", "<pad>"],
    ];
    expect([...tokenizerFromGguf(file).specialTokens]).toEqual(expected);
    expect([...(await readTemplates(file)).specialTokens]).toEqual(expected);
    expect(tokenizerFromGguf(file, { eosToken: "<pad>" }).specialTokens.get("eos_token")).toBe("<pad>");
  });
});

describe("readTemplates", () => {
  const files = {
    "tokenizer_config.json": { chat_template: "config", eos_token: "</s>", bos_token: "<s>" },
    "chat_template.json": { chat_template: "old" },
    "chat_template.jinja": "file",
    "loose.txt": "loose",
  };

  test.each([
    ["tokenizer_config.json", ["default", "config", "tokenizer_config.json"]],
    ["chat_template.json", ["default", "old", "chat_template.json"]],
    ["chat_template.jinja", ["default", "file", "file"]],
    ["loose.txt", ["default", "loose", "file"]],
  ])("reads the file that is named: %s", async (name, expected) => {
    const facts = await readTemplates(join(directory(files), name));
    expect(listed(facts)).toEqual([expected]);
    expect(facts.specialTokens.get("bos_token")).toBe("<s>");
    const { "tokenizer_config.json": _, ...others } = files;
    const alone = name === "tokenizer_config.json" ? undefined : await readTemplates(join(directory(others), name));
    expect(alone?.specialTokens.size ?? 0).toBe(0);
  });

  test("refuses a JSON that holds no template", async () => {
    const folder = directory({ "config.json": { model_type: "x" }, "tokenizer_config.json": {} });
    await expect(readTemplates(join(folder, "config.json"))).rejects.toMatchObject(
      refusal("tokenizer_invalid", { field: "config.json: chat_template" }),
    );
    expect(listed(await readTemplates(join(folder, "tokenizer_config.json")))).toEqual([]);
  });

  test("says what is missing, and ends when told to", async () => {
    await expect(readTemplates(join(root, "none.jinja"))).rejects.toMatchObject({ code: "file_not_found" });
    await expect(readTemplates(directory({ "a.gguf": "PK" }).concat("/a.gguf"))).rejects.toMatchObject({
      code: "invalid_gguf",
    });
    const folder = directory(files);
    const signal = AbortSignal.abort();
    for (const path of [folder, join(folder, "loose.txt"), join(folder, "none")])
      await expect(readTemplates(path, { signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(loadTokenizer(folder, { signal })).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("every way to make a tokenizer", () => {
  const templates = { default: "d", tool_use: "t", rag: "r" };
  const options = { chatTemplate: templates, eosToken: "</s>", specialTokens: { pad_token: "<pad>" } };
  const expected = Object.entries(templates)
    .map(([name, template]) => [name, template, "option"])
    .sort();
  const known = (tokenizer: Tokenizer) => [listed(tokenizer), [...tokenizer.specialTokens], tokenizer.chatTemplate];
  const ranks = CHAR_OF_BYTE.map((_, byte) => `${Buffer.of(byte).toString("base64")} ${byte}`).join("\n");
  const end = {
    id: 256,
    content: "</s>",
    special: true,
    lstrip: false,
    rstrip: false,
    singleWord: false,
    normalized: false,
  };
  const tokenizer = tokenizerFromJson(json, options);

  test.each([
    ["tokenizer.json", () => tokenizer],
    ["tiktoken", () => tokenizerFromTiktoken(ranks, { pattern: "o200k", addedTokens: [end], ...options })],
    ["Kimi", () => tokenizerFromKimi(ranks, { chat_template: 1 }, { addedTokens: [end], ...options })],
    ["transformers.js", () => adaptTransformersTokenizer({ _tokenizerJSON: json }, options)],
    ["shared tables", () => fromSharedTables(cloned(shareTables(tokenizer)))],
    [
      "a tokenizer that is not ours",
      () => tokenizerFromJson(JSON.parse(JSON.stringify(json).replace("\\\\p{N}|", "[\\\\p{N}]|")) as object, options),
    ],
  ])("keeps templates and special tokens: %s", (_, make) => {
    expect(known(make())).toEqual([
      expected,
      [
        ["eos_token", "</s>"],
        ["pad_token", "<pad>"],
      ],
      "d",
    ]);
  });

  test("what a thread gets is what there was", async () => {
    const folder = directory({
      "tokenizer.json": json,
      "tokenizer_config.json": { bos_token: "<s>", chat_template: { default: "d" } },
      "additional_chat_templates/rag.jinja": "r",
    });
    const loaded = await loadTokenizer(folder);
    expect(known(fromSharedTables(cloned(shareTables(loaded))))).toEqual(known(loaded));
  });

  test("a pool opens its threads with them", async () => {
    const qwen = toyJson({
      added: ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"],
    });
    const chatTemplate = new Map(Object.entries(templates));
    const source = tokenizerFromJson(qwen, { chatTemplate, eosToken: "<|im_end|>" });
    await using pool = await createRendererPool(source, { config: { name: "qwen3" }, size: 1, inlineBelow: 0 });
    const ids = await pool.renderIds([{ role: "user", content: "hi" }]);
    expect(source.decode(ids)).toContain("user\nhi<|im_end|>");
    expect(pool.threads).toBe(1);
  });
});

describe("a transformers.js object's templates", () => {
  const config = { chat_template: [{ name: "default", template: "c" }], bos_token: "<s>" };

  test("are its own, else its config's", () => {
    const own = {
      config,
      _tokenizerJSON: json,
      chat_template: Object.assign(Object.create(null), { default: "o", rag: "r" }),
    };
    expect(listed(adaptTransformersTokenizer(own))).toEqual([
      ["default", "o", "transformers"],
      ["rag", "r", "transformers"],
    ]);
    expect(adaptTransformersTokenizer(own).specialTokens.get("bos_token")).toBe("<s>");
    expect(listed(adaptTransformersTokenizer({ ...own, chat_template: "text" }))).toEqual([
      ["default", "text", "transformers"],
    ]);
    expect(listed(adaptTransformersTokenizer({ ...own, chat_template: null }))).toEqual([
      ["default", "c", "transformers"],
    ]);
    expect(() => adaptTransformersTokenizer({ ...own, chat_template: 1 })).toThrow(
      expect.objectContaining({ code: "tokenizer_invalid" }),
    );
  });
});

/** What arrives in another thread. */
function cloned(shared: SharedTokenizer): SharedTokenizer {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(shared);
  const received = receiveMessageOnPort(port2);
  port1.close();
  return received?.message as SharedTokenizer;
}
