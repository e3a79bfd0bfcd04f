import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type AsyncImageProcessor,
  imageResolver,
  type LoadImagesOptions,
  loadImages,
  qwenImages,
} from "../../src/images/index.ts";
import { dataUri, errorOf, plainPng } from "./fixtures.ts";

const png = plainPng(64, 32);
const messagesOf = (...images: unknown[]) => [
  { role: "user", content: images.map((image) => ({ type: "image", image })) },
];
const load = (image: unknown, options: LoadImagesOptions) => loadImages(messagesOf(image), options);

describe("files", () => {
  let folder: string;
  let root: string;
  let outside: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tito-images-"));
    root = join(folder, "root");
    outside = join(folder, "root-and-more", "secret.png");
    mkdirSync(join(root, "deep"), { recursive: true });
    mkdirSync(join(folder, "root-and-more"));
    writeFileSync(join(root, "deep", "a.png"), png);
    writeFileSync(join(root, "text.png"), "no image");
    writeFileSync(outside, png);
    symlinkSync(outside, join(root, "link.png"));
    symlinkSync(join(root, "deep", "a.png"), join(folder, "into.png"));
    symlinkSync(root, join(folder, "root-link"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("inside an allowed folder are loaded, by path and by URL, links followed", async () => {
    const paths = [
      join(root, "deep", "a.png"),
      pathToFileURL(join(root, "deep", "a.png")).href,
      join(folder, "into.png"),
    ];
    for (const roots of [[root], [join(folder, "root-link")], [join(folder, "none"), root]]) {
      const store = await loadImages(messagesOf(...paths), { allow: { files: roots } });
      expect(store.size).toBe(3);
      const images = imageResolver({ processor: qwenImages(), store });
      for (const path of paths)
        expect(images.resolve({ type: "image", image: path })).toMatchObject({ width: 64, height: 32 });
    }
    expect((await load(outside, { allow: { files: true } })).size).toBe(1);
  });

  test("outside of it are refused, however the path is written", async () => {
    const paths = [outside, join(root, "link.png"), `${root}/../root-and-more/secret.png`, pathToFileURL(outside).href];
    for (const path of paths) {
      const error = await errorOf(() => load(path, { allow: { files: [root] } }));
      expect(error, path).toMatchObject({ code: "image_load_refused" });
    }
  });

  test("are refused where no files are allowed", async () => {
    for (const allow of [undefined, {}, { hosts: true } as const, { files: [] }]) {
      expect(await errorOf(() => load(outside, { allow }))).toMatchObject({ code: "image_load_refused" });
    }
  });

  test("that are none, too large, no image, or no regular file", async () => {
    const allow = { files: [root] };
    const fifo = join(root, "fifo");
    execFileSync("mkfifo", [fifo]);
    expect(await errorOf(() => load(join(root, "none.png"), { allow }))).toMatchObject({ code: "image_load_failed" });
    expect(await errorOf(() => load(join(root, "nul\0.png"), { allow }))).toMatchObject({ code: "image_load_failed" });
    expect(await errorOf(() => load(join(root, "text.png"), { allow }))).toMatchObject({ code: "invalid_image" });
    expect(await errorOf(() => load(root, { allow: { files: [folder] } }))).toMatchObject({ code: "invalid_image" });
    expect(await errorOf(() => load(fifo, { allow }))).toMatchObject({ code: "invalid_image" });
    const path = join(root, "deep", "a.png");
    expect(await errorOf(() => load(path, { allow, maxBytes: png.length - 1 }))).toMatchObject({
      code: "image_load_failed",
    });
    expect((await load(path, { allow, maxBytes: png.length })).size).toBe(1);
  });
});

describe("URLs", () => {
  const servers: Server[] = [];
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  const answer: RequestListener = (_, response) => response.end(png);

  test("of a named host are loaded, once each", async () => {
    const asked: string[] = [];
    const host = await serve((request, response) => {
      asked.push(request.url!);
      answer(request, response);
    });
    const urls = [`http://${host}/a.png?b`, `http://${host}/c.png`, `http://${host}/a.png?b`];
    const store = await loadImages(messagesOf(...urls), { allow: { hosts: [host.toUpperCase()] } });
    expect(store.size).toBe(2);
    expect(asked.sort()).toEqual(["/a.png?b", "/c.png"]);
    expect(imageResolver({ processor: qwenImages(), store }).resolve({ type: "image", image: urls[0] }).width).toBe(64);
  });

  test("a name that leads to a private address is followed only if it is in the list", async () => {
    let asked = 0;
    const port = (
      await serve((request, response) => {
        asked++;
        answer(request, response);
      })
    ).split(":")[1];
    const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
    const url = `http://pictures.example:${port}/a.png`;
    expect(await errorOf(() => load(url, { allow: { hosts: true }, lookup }))).toMatchObject({
      code: "image_load_failed",
      message: expect.stringContaining("PRIVATE_ADDRESS"),
    });
    expect(asked).toBe(0);
    expect((await load(url, { allow: { hosts: [`pictures.example:${port}`] }, lookup })).size).toBe(1);
  });

  test.each([
    "http://127.0.0.1/a",
    "http://2130706433/a",
    "http://0x7f.1/a",
    "http://0/a",
    "http://10.1.2.3/a",
    "http://169.254.169.254/latest/meta-data",
    "http://172.31.0.1/a",
    "http://192.168.1.1/a",
    "http://100.64.0.1/a",
    "http://[::1]/a",
    "http://[::ffff:127.0.0.1]/a",
    "http://[fd00::1]/a",
    "http://[fe80::1]/a",
    "http://[64:ff9b::7f00:1]/a",
    "http://[2002:7f00:1::]/a",
    "http://localhost/a",
    "http://x.localhost./a",
  ])("%s is no public place", async (url) => {
    const fetch = vi.fn(async () => new Response(new Uint8Array(png)));
    expect(await errorOf(() => load(url, { allow: { hosts: true }, fetch }))).toMatchObject({
      code: "image_load_refused",
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("public addresses are no private ones", async () => {
    const fetch = vi.fn(async () => new Response(new Uint8Array(png)));
    for (const url of [
      "http://1.1.1.1/a",
      "http://172.32.0.1/a",
      "http://[2606:4700::1111]/a",
      "https://example.com/a",
    ]) {
      expect((await load(url, { allow: { hosts: true }, fetch })).size).toBe(1);
    }
  });

  test("of another host or port are refused", async () => {
    const fetch = vi.fn(async () => new Response(new Uint8Array(png)));
    for (const url of ["https://example.com:8443/a", "https://sub.example.com/a", "https://example.com.evil.test/a"]) {
      const error = await errorOf(() => load(url, { allow: { hosts: ["example.com"] }, fetch }));
      expect(error).toMatchObject({ code: "image_load_refused" });
    }
    for (const allow of [undefined, { files: true } as const, { hosts: [] }]) {
      expect(await errorOf(() => load("https://example.com/a", { allow, fetch }))).toMatchObject({
        code: "image_load_refused",
      });
    }
    expect(fetch).not.toHaveBeenCalled();
  });

  test("a redirect is followed to an allowed host, and to no other", async () => {
    const goal = await serve(answer);
    const start = await serve((request, response) => {
      const to = new URL(request.url!, "http://x").searchParams.get("to")!;
      response.writeHead(302, { location: to }).end();
    });
    const via = (to: string) => `http://${start}/r?to=${encodeURIComponent(to)}`;
    expect((await load(via(`http://${goal}/a`), { allow: { hosts: [start, goal] } })).size).toBe(1);
    expect(await errorOf(() => load(via(`http://${goal}/a`), { allow: { hosts: [start] } }))).toMatchObject({
      code: "image_load_refused",
      message: expect.stringContaining(goal),
    });
    for (const to of ["file:///etc/passwd", "data:image/png;base64,AAAA", "http://", "/r?to=%2F"]) {
      const code = "image_load_failed";
      expect(await errorOf(() => load(via(to), { allow: { hosts: [start] } })), to).toMatchObject({ code });
    }
  });

  test("that answer with an error, too much, no image, or not at all", async () => {
    const host = await serve((request, response) => {
      if (request.url === "/none") response.writeHead(404).end(png);
      else if (request.url === "/text") response.end("<html>");
      else if (request.url === "/cut")
        response.writeHead(200, { "content-length": "9999" }).write(png, () => response.destroy());
      else if (request.url === "/endless") {
        const more = () => void response.write(png, (error) => error || setImmediate(more));
        more();
      }
    });
    const allow = { hosts: [host] };
    const of = (path: string, options: LoadImagesOptions = {}) =>
      errorOf(() => load(`http://${host}${path}`, { allow, ...options }));
    expect(await of("/none")).toMatchObject({ code: "image_load_failed", message: expect.stringContaining("404") });
    expect(await of("/text")).toMatchObject({ code: "invalid_image" });
    expect(await of("/cut")).toMatchObject({ code: "image_load_failed" });
    expect(await of("/endless", { maxBytes: 10_000 })).toMatchObject({
      code: "image_load_failed",
      message: expect.stringContaining("10000 bytes"),
    });
    expect(await of("/silent", { timeout: 50 })).toMatchObject({
      code: "image_load_failed",
      message: expect.stringContaining("50 ms"),
    });
    expect(await errorOf(() => load("http://127.0.0.1:1/a", { allow: { hosts: ["127.0.0.1:1"] } }))).toMatchObject({
      code: "image_load_failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test("an abort ends loading, before and during it", async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const host = await serve(() => arrive());
    const url = `http://${host}/a`;
    const controller = new AbortController();
    const loading = errorOf(() => load(url, { allow: { hosts: [host] }, signal: controller.signal }));
    await arrived;
    controller.abort();
    expect(await loading).toMatchObject({ code: "aborted" });
    expect(await errorOf(() => load(url, { allow: { hosts: [host] }, signal: AbortSignal.abort() }))).toMatchObject({
      code: "aborted",
    });
  });

  test("no error repeats a secret of a URL", async () => {
    const host = await serve((request, response) => {
      if (request.url!.startsWith("/move"))
        response.writeHead(302, { location: `http://k:s3cret@other.test/?s3cret` }).end();
      else response.writeHead(500).end();
    });
    const failing: typeof fetch = async (url) => {
      throw new TypeError(`cannot fetch ${url}`);
    };
    const urls: [string, LoadImagesOptions][] = [
      [`http://user:s3cret@${host}/a?token=s3cret#s3cret`, {}],
      [`http://user:s3cret@${host}/a?token=s3cret`, { allow: { hosts: [host] } }],
      [`http://user:s3cret@${host}/move?token=s3cret`, { allow: { hosts: [host] } }],
      [`http://user:s3cret@${host}/a?token=s3cret`, { allow: { hosts: [host] }, fetch: failing }],
      ["http://user:s3cret@exa mple/?s3cret", { allow: { hosts: true } }],
    ];
    for (const [url, options] of urls) {
      const error = await errorOf(() => load(url, options));
      expect(error.code).toMatch(/^image_load_/);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("s3cret");
      expect(String(error) + JSON.stringify(error.details)).not.toContain("s3cret");
    }
  });
});

describe("a processor", () => {
  const processor: AsyncImageProcessor = {
    name: "waits",
    process: async ({ width, height }) => ({ tokens: width + height, values: { width } }),
  };

  test("sees every image, data and bytes too, once for each", async () => {
    const process = vi.fn(processor.process);
    const parts = [dataUri(png), png, dataUri(png), dataUri(plainPng(3, 4))];
    const store = await loadImages(messagesOf(...parts), { processor: { name: "waits", process } });
    expect(process).toHaveBeenCalledTimes(3);
    const images = imageResolver({ store });
    expect(parts.map((image) => images.resolve({ type: "image", image }).tokens)).toEqual([96, 96, 96, 7]);
  });

  test("is not needed for messages without places", async () => {
    expect((await loadImages(messagesOf(dataUri(png), png))).size).toBe(0);
    const text = [{ role: "user", content: "x" }, { role: "assistant", content: null }, { role: "tool" }];
    expect((await loadImages(text, { processor })).size).toBe(0);
  });

  test("that fails, or is out of its bounds, ends loading with an error that names it and the part", async () => {
    const bad = { name: "bad", process: () => Promise.reject(new Error("x")) };
    expect(await errorOf(() => load(png, { processor: bad }))).toMatchObject({
      code: "image_processor_failed",
      message: expect.stringMatching(/messages\[0\]\.content\[0\].*bad/),
    });
    const none = { name: "none", process: async () => ({ tokens: 0 }) };
    expect(await errorOf(() => load(png, { processor: none }))).toMatchObject({ code: "image_processor_failed" });
  });

  test("no more images are under way than allowed, and the first error stops the rest", async () => {
    let [running, most, started] = [0, 0, 0];
    const slow: AsyncImageProcessor = {
      name: "slow",
      process: async ({ width }) => {
        started++;
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        if (width === 3) throw new Error("three");
        return { tokens: 1 };
      },
    };
    const images = Array.from({ length: 20 }, (_, i) => plainPng(i + 10, 1));
    await loadImages(messagesOf(...images), { processor: slow, concurrency: 3 });
    expect([most, started]).toEqual([3, 20]);
    started = 0;
    await errorOf(() => loadImages(messagesOf(plainPng(3, 1), ...images), { processor: slow, concurrency: 1 }));
    expect(started).toBe(1);
  });
});

test.each([{ concurrency: 0 }, { maxBytes: -1 }, { timeout: Number.NaN }])(
  "options out of range: %j",
  async (options) => {
    expect(await errorOf(() => loadImages([], options))).toMatchObject({ code: "invalid_config" });
  },
);
