import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { modelInfo } from "../../src/models/index.ts";

const TOKEN = "hf_secret-Token.42";
const chatml =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const describes = `{% for tool in tools %}{{ tool | tojson }}{% endfor %}${chatml}`;
const both = `${describes}{% for m in messages %}{% for c in m.tool_calls %}<tool_call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</tool_call>{% endfor %}{% endfor %}`;

/** What the hub read from a model's header, by the model's id. */
const models: Readonly<Record<string, unknown>> = {
  "acme/plain": { chat_template: chatml, architecture: "llama", context_length: 2048, total: 1_234_567 },
  "acme/describes": { chat_template: describes, eos_token: "<|im_end|>", bos_token: "<s>" },
  "acme/both": { chat_template: both },
  "acme/silent": { architecture: "llama", chat_template: null },
  "acme/broken": { chat_template: "{% for %}" },
  "acme/none": null,
  "Qwen/Qwen3-8B": { chat_template: both, architecture: "qwen3" },
};

const asked: { readonly url: string; readonly token: string | undefined }[] = [];
let server: Server;
let endpoint: string;
beforeAll(async () => {
  server = createServer(({ url = "", headers }, response) => {
    asked.push({ url, token: headers.authorization });
    const { pathname } = new URL(url, "http://hub.test");
    const id = /^\/api\/models\/([^/]+\/[^/]+)/.exec(pathname)?.[1] ?? "";
    const isKnown = id in models;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { id, gguf: models[id] } : { error: "no such model" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("HF_TOKEN", "");
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
});

describe("a hub's model is told of before any download", () => {
  test("with one question, marked as a hint", async () => {
    expect(await modelInfo("acme/plain", { endpoint })).toEqual({
      type: "model_info",
      supports_tools: false,
      caps: expect.objectContaining({ supports_tools: false, supports_tool_calls: false, supports_system_role: true }),
      chat_format: "Content-only",
      has_tool_use_template: null,
      architecture: "llama",
      n_params: 1_234_567,
      context_length: 2048,
      tokenizer: {
        model: null,
        pre: null,
        vocab_size: null,
        bos_token: null,
        bos_token_id: null,
        eos_token: null,
        eos_token_id: null,
      },
      renderer: { family: null, by: null, code: "unknown_model", message: expect.stringContaining("acme/plain") },
      heuristic: true,
    });
    expect(asked.map(({ url }) => url)).toEqual(["/api/models/acme/plain?expand=gguf"]);
  });

  test.each([
    ["acme/plain", [false, false]],
    ["acme/describes", [true, false]],
    ["acme/both", [true, true]],
    ["acme/silent", [false, false]],
  ] as const)("%s: its template decides about tools", async (id, [tools, calls]) => {
    const { caps, supports_tools } = await modelInfo(id, { endpoint });
    expect([caps.supports_tools, caps.supports_tool_calls, supports_tools]).toEqual([tools, calls, tools && calls]);
  });

  test("a known name has its family", async () => {
    const { renderer } = await modelInfo("Qwen/Qwen3-8B", { endpoint });
    expect(renderer).toEqual({ family: "qwen3", by: "name" });
  });

  test("special tokens, a revision and a token are passed on", async () => {
    const { tokenizer } = await modelInfo("acme/describes", { endpoint, revision: "v1.0", token: TOKEN });
    expect(tokenizer).toMatchObject({ bos_token: "<s>", eos_token: "<|im_end|>" });
    expect(asked).toEqual([{ url: "/api/models/acme/describes/revision/v1.0?expand=gguf", token: `Bearer ${TOKEN}` }]);
  });

  test.each([
    ["acme/none", "model_file_missing"],
    ["acme/unknown", "hub_not_found"],
    ["acme/broken", "template_syntax"],
  ])("%s: %s", async (id, code) => {
    const error = await modelInfo(id, { endpoint, token: TOKEN }).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "TitoError", code });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(TOKEN);
  });

  test.each(["acme", "acme/models/tiny", "../tiny", "acme/tiny.gguf", ""])("%o is no hub's model", async (name) => {
    await expect(modelInfo(name, { endpoint })).rejects.toMatchObject({ code: "file_not_found" });
    expect(asked).toEqual([]);
  });
});
