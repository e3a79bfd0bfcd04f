import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fetchTokenizerFiles } from "../../src/models/hub/index.ts";
import { loadTokenizer } from "../../src/tokenizer/index.ts";
import { toyJson } from "../tokenizer/toy.ts";
import { failureOf, modelBytes, templates, withHub } from "./hubSetup.ts";

const ID = "org/model";
const json = JSON.stringify(toyJson({}));
const files = {
  "tokenizer.json": json,
  "tokenizer_config.json": JSON.stringify({ name_or_path: "elsewhere/model", chat_template: "old" }),
  "chat_template.jinja": templates.both,
  "additional_chat_templates/rag.jinja": "rag",
  "special_tokens_map.json": "{}",
  "model.safetensors": "not asked for",
  "tokenizer.model": "not asked for",
};

async function withTokenizer() {
  const setup = await withHub();
  return { ...setup, commit: setup.hub.publish(ID, files) };
}

describe("a tokenizer by its id", () => {
  it("is that of its files, and is called by its id", async () => {
    const { options, hub } = await withTokenizer();
    const directory = mkdtempSync(join(tmpdir(), "tito-tokenizer-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    mkdirSync(join(directory, "additional_chat_templates"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const local = await loadTokenizer(directory);
    const remote = await loadTokenizer(ID, options);
    expect([local.nameOrPath, remote.nameOrPath]).toEqual(["elsewhere/model", ID]);
    expect([...remote.chatTemplates].sort()).toEqual([...local.chatTemplates].sort());
    expect(remote.chatTemplates.get("rag")).toBe("rag");
    expect(remote.vocabSize).toBe(local.vocabSize);
    expect(remote.encode("hello there")).toEqual(local.encode("hello there"));
    const asked = hub.requests.map(({ path }) => path).join("\n");
    expect(asked).not.toMatch(/safetensors|tokenizer\.model/);
    expect((await loadTokenizer(ID, { ...options, nameOrPath: "Qwen/Qwen3-8B" })).nameOrPath).toBe("Qwen/Qwen3-8B");
  });

  it("costs one request when it is in the cache, and none offline or for a known commit", async () => {
    const { options, hub, commit } = await withTokenizer();
    await loadTokenizer(ID, options);
    hub.requests.length = 0;
    await loadTokenizer(ID, options);
    expect(hub.requests.map(({ path }) => path)).toEqual([`/api/models/${ID}?blobs=true`]);
    hub.requests.length = 0;
    await loadTokenizer(ID, { ...options, offline: true });
    await loadTokenizer(ID, { ...options, revision: commit });
    expect(hub.requests).toEqual([]);
  });

  it("is asked for by each file's ETag where the hub names neither commit nor checksums", async () => {
    const { options, hub } = await withHub();
    const bare = { namesCommit: false, listsBlobs: false, links: false };
    const small = { "chat_template.jinja": "one", "tokenizer.json": json };
    hub.publish(ID, small, bare);
    await loadTokenizer(ID, options);
    hub.requests.length = 0;
    expect((await loadTokenizer(ID, options)).chatTemplates.get("default")).toBe("one");
    const conditions = hub
      .downloads("hub")
      .map(({ path, headers }) => [path.split("/").at(-1), headers["if-none-match"]]);
    expect(conditions.sort()).toEqual([
      ["chat_template.jinja", expect.stringMatching(/^"[0-9a-f]{40}"$/)],
      ["tokenizer.json", expect.any(String)],
    ]);
    hub.publish(ID, { ...small, "chat_template.jinja": "two" });
    hub.requests.length = 0;
    expect((await loadTokenizer(ID, options)).chatTemplates.get("default")).toBe("two");
    expect(hub.downloads("hub")).toHaveLength(3);
  });

  it("follows its branch, and does not mix commits", async () => {
    const { options, hub } = await withTokenizer();
    const old = await fetchTokenizerFiles(ID, options);
    const { "additional_chat_templates/rag.jinja": _, ...fewer } = files;
    hub.publish(ID, { ...fewer, "chat_template.jinja": "new" });
    expect(await fetchTokenizerFiles(ID, options)).not.toBe(old);
    expect([...(await loadTokenizer(ID, options)).chatTemplates]).toEqual([["default", "new"]]);
  });

  it("comes from the cache where the hub cannot be reached", async () => {
    const { options, hub, warnings } = await withTokenizer();
    await loadTokenizer(ID, options);
    hub.faults.push({ on: /./, status: 503, times: 99 });
    expect((await loadTokenizer(ID, options)).nameOrPath).toBe(ID);
    expect(warnings).toMatchObject([{ code: "hub_unreachable" }]);
  });

  it("a damaged file is not kept", async () => {
    const { options, hub } = await withTokenizer();
    hub.faults.push({ on: /tokenizer_config/, times: 9, body: Buffer.from("{}") });
    expect(await failureOf(loadTokenizer(ID, options))).toMatchObject({
      code: "download_corrupt",
      details: { file: "tokenizer_config.json" },
    });
    hub.faults.length = 0;
    expect((await loadTokenizer(ID, options)).nameOrPath).toBe(ID);
  });

  it("a folder or a file of this name comes first", async () => {
    const directory = mkdtempSync(join(tmpdir(), "tito-tokenizer-"));
    const before = process.cwd();
    onTestFinished(() => {
      process.chdir(before);
      rmSync(directory, { recursive: true });
    });
    mkdirSync(join(directory, ID), { recursive: true });
    writeFileSync(join(directory, ID, "tokenizer.json"), json);
    const { options, hub } = await withTokenizer();
    process.chdir(directory);
    expect((await loadTokenizer(ID, options)).chatTemplates.size).toBe(0);
    expect(hub.requests).toEqual([]);
  });

  it("says what is missing", async () => {
    const { options, hub } = await withHub();
    const unknown = await failureOf(loadTokenizer("models/nowhere", options));
    expect(unknown).toMatchObject({
      code: "hub_not_found",
      message: expect.stringContaining("directory models/nowhere"),
    });
    hub.publish("org/m-GGUF", { "m.gguf": modelBytes(templates.both) });
    const ggufs = await failureOf(loadTokenizer("org/m-GGUF", options));
    expect(ggufs).toMatchObject({ code: "file_not_found", message: expect.stringContaining("tito model fetch") });
    hub.publish("org/gated", files, { gated: "auto" });
    expect((await failureOf(loadTokenizer("org/gated", options))).code).toBe("hub_gated");
    hub.tokens.add("hf_known");
    await loadTokenizer("org/gated", { ...options, token: "hf_known" });
    expect((await loadTokenizer("org/gated", options)).nameOrPath).toBe("org/gated");
    expect((await failureOf(loadTokenizer("models", options))).code).toBe("file_not_found");
    const control = new AbortController();
    control.abort();
    expect((await failureOf(loadTokenizer(ID, { ...options, signal: control.signal }))).code).toBe("aborted");
  });
});
