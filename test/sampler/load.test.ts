import { mkdtemp, open as openFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSampler } from "../../src/sampler/index.ts";
import { importNative } from "../../src/sampler/native.ts";
import { endOfTurn, errorOf, modelPath, open, vocabSize } from "./fixture.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tito-sampler-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function startOfModel(bytes: number): Promise<Buffer> {
  const model = await openFile(modelPath);
  try {
    return (await model.read(Buffer.alloc(bytes), 0, bytes, 0)).buffer;
  } finally {
    await model.close();
  }
}

describe("files that are no model", () => {
  it("a missing file", async () => {
    const error = await errorOf(() => loadSampler(join(folder, "absent.gguf")));
    expect(error.code).toBe("file_not_found");
    expect(error.message).toContain("absent.gguf");
  });

  it.each([
    ["empty", "", "empty"],
    ["something else", "PK\u0003\u0004 and more bytes than a header has", 'starts with "PK'],
    ["a web page", "<!DOCTYPE html><html><body>Not found", "web page"],
    ["a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"],
    ["a bare header", "GGUF\u0003\u0000\u0000\u0000", "ends within the header"],
    ["an unknown version", "GGUF\u0099\u0001\u0000\u0000".padEnd(64, "\0"), "GGUF version"],
  ])("%s", async (name, content, reason) => {
    const path = await file(`${name}.gguf`, Buffer.from(content, "latin1"));
    const error = await errorOf(() => loadSampler(path));
    expect(error.code).toBe("model_load_failed");
    expect(error.message).toContain(reason);
  });

  it("a directory", async () => {
    const error = await errorOf(() => loadSampler(folder));
    expect(error).toMatchObject({ code: "model_load_failed" });
    expect(error.message).toContain("directory");
  });

  it.each([
    ["within the metadata", 500_000, "key-value pairs"],
    ["within the tensors", 8_000_000, "not within the file bounds"],
  ])("a file cut off %s", async (name, bytes, reason) => {
    const path = await file(`cut ${name}.gguf`, await startOfModel(bytes));
    const error = await errorOf(() => loadSampler(path, { threads: 1 }));
    expect(error.code).toBe("model_load_failed");
    expect(error.message).toContain("damaged or incomplete");
    expect(error.message).toContain(reason);
    expect(error.details.log).toContainEqual(expect.stringContaining(reason));
  });
});

describe("options", () => {
  it.each([
    ...[{ threads: 0 }, { threads: 1.5 }, { contextSize: -1 }, { sequences: 0 }, { sequences: 257 }, { batchSize: 0 }],
    ...[{ batching: "never" }, { gpu: "tpu" }, { mmap: true }, { contextSize: 1e9 }],
  ])("refuses %o", async (options) => {
    const error = await errorOf(() => loadSampler(modelPath, { threads: 1, ...options } as object));
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain(Object.keys(options)[0]);
  });

  it("rounds the context size up, and tells what the file says", async () => {
    await using sampler = await open({ contextSize: 100, sequences: 3 });
    expect(sampler).toMatchObject({ contextSize: 256, sequences: 3, threads: 1 });
    expect(sampler.model).toMatchObject({ architecture: "qwen3", vocabSize, eosId: endOfTurn, bosId: undefined });
    expect(sampler.model.eogIds).toContain(endOfTurn);
    expect(sampler.model.chatTemplate).toContain("im_start");
    expect(sampler.model.trainContextSize).toBeGreaterThanOrEqual(256);
  });

  it("keeps other samplers of the process alive when one is closed", async () => {
    await using kept = await open();
    const closed = await open();
    await closed.close();
    await using session = await kept.session();
    expect((await session.complete([endOfTurn], { maxTokens: 2, stop: [] })).ids).toHaveLength(2);
  });

  it("loads nothing when the signal has fired", async () => {
    const error = await errorOf(() => loadSampler(modelPath, { signal: AbortSignal.abort() }));
    expect(error.code).toBe("aborted");
  });
});

describe("node-llama-cpp", () => {
  it("missing: the error says how to install it", async () => {
    const missing = Object.assign(new Error("Cannot find package 'node-llama-cpp'"), { code: "ERR_MODULE_NOT_FOUND" });
    const error = await errorOf(() => importNative(() => Promise.reject(missing)));
    expect(error.code).toBe("sampler_missing");
    expect(error.message).toContain("npm install node-llama-cpp");
    expect(error.cause).toBe(missing);
  });

  it("broken: so does another failure to load it", async () => {
    const error = await errorOf(() => importNative(() => Promise.reject(new Error("bad binary"))));
    expect(error).toMatchObject({ code: "sampler_missing", cause: new Error("bad binary") });
  });
});
