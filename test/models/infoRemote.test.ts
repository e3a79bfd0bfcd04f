import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { TitoError } from "../../src/errors.ts";
import { fetchGgufHeader, modelInfo, readGgufHeader } from "../../src/models/index.ts";
import { byteLevelVocabulary } from "../support/tinyVocabulary.ts";
import { ggufBytes, tinyModelBytes } from "../support/writeGguf.ts";

const TOKEN = "hf_secret-Token.42";
const vocabulary = byteLevelVocabulary({ special: ["<|im_end|>"], eos: "<|im_end|>" });
const template = "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}";
const model = tinyModelBytes({ vocabulary, template });
const folder = mkdtempSync(join(tmpdir(), "tito-remote-"));
const modelPath = join(folder, "model.gguf");
writeFileSync(modelPath, model);
afterAll(() => rmSync(folder, { recursive: true }));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A host of its own; gives its address, and what it was asked. */
async function host(answer: Answer) {
  const asked: { readonly range: string | undefined; readonly token: string | undefined; readonly url: string }[] = [];
  const server = createServer((request, response) => {
    const { range, authorization: token } = request.headers;
    asked.push({ range, token, url: request.url ?? "" });
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

interface Serving {
  readonly etag?: () => string;
  /** At most so many bytes an answer. */
  readonly most?: number;
}

const ranges =
  (bytes: Buffer, { etag = () => '"1"', most = Number.POSITIVE_INFINITY }: Serving = {}): Answer =>
  (request, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const from = Number(first);
    const end = Math.min(Number(last) + 1, bytes.length, from + most);
    if (from >= bytes.length) response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
    else {
      const head = { "content-range": `bytes ${from}-${end - 1}/${bytes.length}`, etag: etag() };
      response.writeHead(206, { ...head, "content-length": end - from }).end(bytes.subarray(from, end));
    }
  };

const moved =
  (location: string): Answer =>
  (_, response) =>
    void response.writeHead(302, { location }).end();

async function failure(run: Promise<unknown>): Promise<TitoError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toMatchObject({ name: "TitoError" });
  const all = `${String(error)} ${(error as Error).stack} ${JSON.stringify(error)} ${JSON.stringify((error as TitoError).details)}`;
  expect(all).not.toContain(TOKEN);
  return error as TitoError;
}

describe("ranges", () => {
  test("are of the front, and of as much as the header takes", async () => {
    const large = Buffer.concat([
      ggufBytes({ metadata: { "general.architecture": "llama", filling: "x".repeat(5 << 20) } }),
      Buffer.alloc(24 << 20),
    ]);
    const { url, asked } = await host(ranges(large));
    const { metadata } = await fetchGgufHeader(`${url}/a.gguf`);
    expect(metadata.get("general.architecture")).toBe("llama");
    expect(asked[0]!.range).toBe("bytes=0-1048575");
    const ends = asked.map(({ range }) => Number(range!.split("-")[1]) + 1);
    expect(ends.at(-1)).toBeLessThan(8 << 20);
    // Nothing is asked for twice.
    expect(asked.map(({ range }) => Number(/\d+/.exec(range!)![0]))).toEqual([0, ...ends.slice(0, -1)]);
  });

  test("give what the file gives, however the server cuts them", async () => {
    const whole = readGgufHeader(modelPath);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 9000 }), async (most) => {
        const { url } = await host(ranges(model, { most }));
        expect(await fetchGgufHeader(`${url}/m.gguf`)).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });

  test("modelInfo reads no more than them", async () => {
    const { url, asked } = await host(ranges(Buffer.concat([model, Buffer.alloc(8 << 20)])));
    expect(await modelInfo(`${url}/m.gguf`)).toMatchObject({
      type: "model_info",
      architecture: "qwen3",
      tokenizer: { eos_token: "<|im_end|>" },
    });
    expect(asked.map(({ range }) => range)).toEqual(["bytes=0-1048575"]);
  });

  test("a server that knows none is stopped after the header", async () => {
    let sent = 0;
    const connections: Promise<unknown>[] = [];
    const block = Buffer.alloc(1 << 20);
    const { url, asked } = await host((_, response) => {
      response.writeHead(200, { "content-length": model.length + 1000 * block.length });
      response.write(model);
      const more = (): void => {
        while (!response.destroyed && sent < 1000) {
          sent++;
          if (!response.write(block)) return void response.once("drain", more);
        }
      };
      connections.push(once(response, "close"));
      more();
    });
    expect(await modelInfo(`${url}/m.gguf`)).toMatchObject({ architecture: "qwen3" });
    await Promise.all(connections);
    expect(sent).toBeLessThan(200);
    expect(asked).toHaveLength(1);
  });

  test("a server that knows none and says no length", async () => {
    const { url } = await host((_, response) => void response.writeHead(200).end(model));
    expect(await modelInfo(`${url}/m.gguf`)).toMatchObject({ architecture: "qwen3" });
    const short = await host((_, response) => void response.writeHead(200).end(model.subarray(0, 500)));
    expect((await failure(modelInfo(`${short.url}/m.gguf`))).code).toBe("invalid_gguf");
  });
});

describe("what is no model", () => {
  test.each([
    ["cut short", model.subarray(0, 700), "cut short"],
    ["empty", Buffer.alloc(0), "empty"],
    ["a web page", Buffer.from("<!DOCTYPE html>".padEnd(100)), 'begin with "GGUF"'],
  ])("%s", async (_, bytes, reason) => {
    const { url } = await host(ranges(bytes));
    const error = await failure(modelInfo(`${url}/m.gguf?key=${TOKEN}`));
    expect([error.code, error.message]).toEqual(["invalid_gguf", expect.stringContaining(reason)]);
  });

  test.each([
    [401, "token"],
    [403, "token"],
    [404, "Check the URL"],
    [500, "status 500"],
  ])("an answer with status %d", async (status, remedy) => {
    const { url } = await host((_, response) => void response.writeHead(status).end("no"));
    const error = await failure(modelInfo(`${url}/m.gguf?key=${TOKEN}`, { token: TOKEN }));
    expect(error).toMatchObject({ code: "model_unreachable", details: { status, url: `${url}/m.gguf` } });
    expect(error.message).toContain(remedy);
  });

  test("a file that changes while it is read", async () => {
    let version = 0;
    const { url } = await host(ranges(model, { most: 300, etag: () => `"${version++}"` }));
    expect((await failure(modelInfo(`${url}/m.gguf`))).message).toContain("changed while it was read");
  });

  test("a range that was not asked for", async () => {
    const { url } = await host((_, response) => {
      response.writeHead(206, { "content-range": `bytes 5-99/${model.length}` }).end(model.subarray(5, 100));
    });
    expect((await failure(modelInfo(`${url}/m.gguf`))).code).toBe("model_unreachable");
  });

  test("a connection that breaks, and a host that is not there", async () => {
    const { url } = await host((request) => void request.socket.destroy());
    expect((await failure(modelInfo(`${url}/m.gguf?key=${TOKEN}`))).code).toBe("model_unreachable");
    expect((await failure(modelInfo(`http://127.0.0.1:1/m.gguf?key=${TOKEN}`))).code).toBe("model_unreachable");
  });

  test("a server that never answers, with a limit and with a signal", async () => {
    const { url } = await host(() => {});
    expect((await failure(modelInfo(`${url}/m.gguf`, { timeoutMs: 50 }))).message).toContain("50 ms");
    const stop = new AbortController();
    const reading = modelInfo(`${url}/m.gguf`, { signal: stop.signal });
    stop.abort();
    expect((await failure(reading)).code).toBe("aborted");
  });

  test.each(["ftp://example.com/m.gguf", "file:///m.gguf", "https://user:secret@example.com/m.gguf", "https://"])(
    "the address %s",
    async (url) => {
      const error = await failure(modelInfo(url));
      expect(error.code).toBe("model_unreachable");
      expect(error.message).not.toContain("secret");
    },
  );
});

describe("the token", () => {
  test("goes to the URL's host, and not where it redirects to", async () => {
    const store = await host(ranges(model));
    const front = await host((request, response) =>
      request.url === "/m.gguf"
        ? moved("/moved.gguf")(request, response)
        : moved(`${store.url}/stored?signature=1`)(request, response),
    );
    const found = await modelInfo(`${front.url}/m.gguf`, { token: TOKEN });
    expect(found.architecture).toBe("qwen3");
    expect(front.asked.map(({ url, token }) => [url, token])).toEqual([
      ["/m.gguf", `Bearer ${TOKEN}`],
      ["/moved.gguf", `Bearer ${TOKEN}`],
    ]);
    expect(store.asked.map(({ url, token }) => [url, token])).toEqual([["/stored?signature=1", undefined]]);
  });

  test("of the environment is for the hub alone", async () => {
    const hub = await host(ranges(model));
    const other = await host(ranges(model));
    vi.stubEnv("HF_TOKEN", TOKEN);
    vi.stubEnv("HF_ENDPOINT", hub.url);
    await modelInfo(`${hub.url}/org/name/resolve/main/m.gguf`);
    await modelInfo(`${other.url}/org/name/resolve/main/m.gguf`);
    expect([hub.asked[0]!.token, other.asked[0]!.token]).toEqual([`Bearer ${TOKEN}`, undefined]);
  });

  test("that could not be sent is not shown", async () => {
    const error = await failure(fetchGgufHeader("https://example.com/m.gguf", { token: `${TOKEN}\n` }));
    expect(error.code).toBe("invalid_config");
  });

  /** Answers by URL, without a network: for hosts that a test cannot have. */
  const clientOf = (locations: Readonly<Record<string, string>>) => {
    const asked: (readonly [url: string, token: string | null])[] = [];
    const client = (async (url: string, { headers }: RequestInit) => {
      asked.push([url, new Headers(headers).get("authorization")]);
      const location = locations[url];
      if (location !== undefined) return new Response(null, { status: 302, headers: { location } });
      return new Response(new Uint8Array(model), { status: 200 });
    }) as typeof fetch;
    return { client, asked };
  };

  test.each([
    ["https to http", "http://hub.test/m.gguf"],
    ["another scheme", "ftp://hub.test/m.gguf"],
    ["a password", "https://user:password@hub.test/m.gguf"],
    ["nothing", "https://"],
  ])("a redirect is not followed from https to %s", async (_, location) => {
    const { client, asked } = clientOf({ "https://hub.test/m.gguf": location });
    const error = await failure(modelInfo("https://hub.test/m.gguf", { token: TOKEN, fetch: client }));
    expect(error.code).toBe("model_unreachable");
    expect(asked).toHaveLength(1);
  });

  test("goes to the host again when a redirect comes back to it, and redirects have an end", async () => {
    const { client, asked } = clientOf({
      "https://hub.test/a": "https://cdn.test/b",
      "https://cdn.test/b": "https://hub.test/c",
    });
    await modelInfo("https://hub.test/a", { token: TOKEN, fetch: client });
    expect(asked).toEqual([
      ["https://hub.test/a", `Bearer ${TOKEN}`],
      ["https://cdn.test/b", null],
      ["https://hub.test/c", `Bearer ${TOKEN}`],
    ]);
    const circle = clientOf({ "https://hub.test/a": "https://hub.test/a" });
    await failure(modelInfo("https://hub.test/a", { token: TOKEN, fetch: circle.client }));
    expect(circle.asked.length).toBeLessThan(10);
  });
});
