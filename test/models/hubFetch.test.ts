import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FetchProgress, fetchModel } from "../../src/models/hub/index.ts";
import { digest } from "../support/fakeHub.ts";
import { failureOf, modelBytes, templates, withHub } from "./hubSetup.ts";

const ID = "org/model-GGUF";
const FILE = "model-Q4_K_M.gguf";
const whole = modelBytes(templates.both, 4000);

/** All files of a cache, without what waits in `partial`. */
const filesIn = (directory: string, kind = "files"): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(directory, name)).isFile() && name.includes(`/${kind}/`))
    .map((name) => name.slice(name.indexOf(`/${kind}/`) + kind.length + 2));

async function withModel(data = whole, settings = {}) {
  const setup = await withHub();
  const commit = setup.hub.publish(ID, { "README.md": "# model", [FILE]: data, "model-Q8_0.gguf": "other" }, settings);
  return { ...setup, commit };
}

describe("fetching a model", () => {
  it("gives its path, size, checksum and commit", async () => {
    const { options, commit, hub } = await withModel();
    const fetched = await fetchModel(ID, options);
    const { path, ...facts } = fetched;
    const sha256 = digest("sha256", whole);
    expect(facts).toEqual({
      id: ID,
      revision: "main",
      commit,
      file: FILE,
      size: whole.length,
      sha256,
      isCached: false,
    });
    expect(path.endsWith(join(commit, FILE))).toBe(true);
    expect(readFileSync(path)).toEqual(whole);
    expect(filesIn(options.cacheDir, "partial")).toEqual([]);
    expect(hub.downloads("hub").map(({ path }) => path)).toEqual([`/${ID}/resolve/main/${FILE}`]);
  });

  it("asks the hub once about a model that it has, and downloads nothing", async () => {
    const { options, hub } = await withModel();
    const { path } = await fetchModel(ID, options);
    hub.requests.length = 0;
    expect(await fetchModel(ID, options)).toMatchObject({ path, isCached: true });
    expect(hub.requests.map((seen) => seen.path)).toEqual([`/api/models/${ID}?blobs=true`]);
  });

  it("follows a branch, and needs no request for a commit that it knows", async () => {
    const { options, hub, commit } = await withModel();
    const old = await fetchModel(ID, options);
    const newer = modelBytes(templates.both, 10, 2);
    const next = hub.publish(ID, { [FILE]: newer });
    const now = await fetchModel(ID, options);
    expect([now.commit, readFileSync(now.path)]).toEqual([next, newer]);
    hub.requests.length = 0;
    expect((await fetchModel(ID, { ...options, revision: commit })).path).toBe(old.path);
    expect(hub.requests).toEqual([]);
  });

  it("does not download a content again that came with another commit", async () => {
    const { options, hub } = await withModel();
    await fetchModel(ID, options);
    hub.publish(ID, { "README.md": "# more words", [FILE]: whole });
    hub.requests.length = 0;
    const again = await fetchModel(ID, options);
    expect([again.isCached, readFileSync(again.path)]).toEqual([true, whole]);
    expect(hub.downloads()).toEqual([]);
  });

  it("takes branches with a slash, files in folders and names that a URL must not hold", async () => {
    const { options, hub } = await withHub();
    const name = "sub dir/m#1?50%.Q8_0.gguf";
    hub.publish(ID, { [name]: whole }, {}, "refs/pr/1");
    const { path } = await fetchModel(ID, { ...options, revision: "refs/pr/1" });
    expect(readFileSync(path)).toEqual(whole);
  });

  it("replaces a file that has been cut short on disk", async () => {
    const { options } = await withModel();
    const { path } = await fetchModel(ID, options);
    writeFileSync(path, "short");
    expect(readFileSync((await fetchModel(ID, options)).path)).toEqual(whole);
  });

  it("reports progress that only grows, to the end", async () => {
    const { options } = await withModel(modelBytes(templates.both, 100_000));
    const seen: FetchProgress[] = [];
    const { size } = await fetchModel(ID, { ...options, onProgress: (one) => seen.push(one) });
    const received = seen.map((one) => one.received);
    expect(received).toEqual([...received].sort((a, b) => a - b));
    expect([received[0], received.at(-1)]).toEqual([0, size]);
    expect(new Set(seen.map(({ file, total }) => `${file} ${total}`))).toEqual(new Set([`${FILE} ${size}`]));
  });

  it("works with a hub that names no commit and lists neither sizes nor checksums", async () => {
    const { options, hub } = await withModel(whole, { namesCommit: false, listsBlobs: false, links: false });
    const first = await fetchModel(ID, options);
    expect(first).toMatchObject({ commit: null, sha256: null, isCached: false });
    expect(await fetchModel(ID, options)).toMatchObject({ path: first.path });
    hub.publish(ID, {
      "README.md": "# model",
      [FILE]: modelBytes(templates.both, 4000, 2),
      "model-Q8_0.gguf": "other",
    });
    const changed = await fetchModel(ID, options);
    expect(readFileSync(changed.path)).toEqual(modelBytes(templates.both, 4000, 2));
  });

  it("takes size and checksum from the answer where the listing has none", async () => {
    const { options, hub } = await withModel(whole, { listsBlobs: false });
    hub.faults.push({ on: /./, host: "cdn", times: 9, body: Buffer.alloc(whole.length, 7) });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("download_corrupt");
    expect(filesIn(options.cacheDir)).toEqual([]);
  });

  it("names a file that leaves the cache, and it is not there", async () => {
    const { options, hub, cacheDir } = await withHub();
    hub.publish(ID, { "README.md": "x" }, { ghosts: ["../../../evil.gguf", "/etc/evil.gguf", "a\\..\\evil.gguf"] });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("model_file_missing");
    expect((await failureOf(fetchModel(ID, { ...options, file: "../evil.gguf" }))).code).toBe("invalid_hub_name");
    expect(readdirSync(cacheDir, { recursive: true }).filter((name) => String(name).includes("evil"))).toEqual([]);
  });
});

describe("a download that is cut", () => {
  it("goes on where it ended, wherever that was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 3 }), async (cuts) => {
        const { options, hub } = await withModel();
        for (const cutAfter of cuts) hub.faults.push({ on: /./, host: "cdn", cutAfter });
        const { path } = await fetchModel(ID, options);
        expect(readFileSync(path)).toEqual(whole);
        const starts = hub.downloads().map(({ headers }) => Number(/\d+/.exec(headers.range ?? "0")![0]));
        expect(starts).toEqual([...starts].sort((a, b) => a - b));
        expect(starts).toHaveLength(cuts.length + 1);
      }),
      { numRuns: 8 },
    );
  });

  it("goes on in a later call, if it is still the same file", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", drip: 20 });
    const control = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ received }: FetchProgress) => {
      seen.push(received);
      if (received > 0) control.abort();
    };
    const failure = await failureOf(fetchModel(ID, { ...options, onProgress, signal: control.signal }));
    expect(failure.code).toBe("aborted");
    expect(filesIn(options.cacheDir)).toEqual([]);
    expect(filesIn(options.cacheDir, "partial").filter((name) => name.endsWith(".lock"))).toEqual([]);
    const there = seen.at(-1)!;
    expect(there).toBeGreaterThan(0);
    await fetchModel(ID, { ...options, onProgress });
    expect(seen[seen.indexOf(there) + 1]).toBe(there);
    const range = { range: `bytes=${there}-`, "if-range": `"cdn-${digest("sha256", whole).slice(0, 8)}"` };
    expect(hub.downloads().at(-1)!.headers).toMatchObject(range);
  });

  it("is an error of its own when it is cut for good", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", cutAfter: 4000 });
    const failure = await failureOf(fetchModel(ID, { ...options, retries: 0 }));
    expect(failure).toMatchObject({ code: "download_interrupted", details: { id: ID, file: FILE } });
    expect(filesIn(options.cacheDir)).toEqual([]);
  });

  it("starts again where the server knows no ranges", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", cutAfter: 4000 }, { on: /./, host: "cdn", ignoresRange: true });
    expect(readFileSync((await fetchModel(ID, options)).path)).toEqual(whole);
    expect(hub.downloads()).toHaveLength(2);
  });

  it("starts again where what is on disk is not the file's beginning", async () => {
    const { options, hub } = await withModel();
    const broken = Buffer.from(whole).fill(0, 100, 200);
    hub.faults.push({ on: /./, host: "cdn", cutAfter: 4000, body: broken });
    expect((await failureOf(fetchModel(ID, { ...options, retries: 0 }))).code).toBe("download_interrupted");
    expect(readFileSync((await fetchModel(ID, options)).path)).toEqual(whole);
  });

  it("does not join two files where the hub lists no checksum and the file changes in between", async () => {
    const plain = { namesCommit: false, listsBlobs: false, links: false };
    const { options, hub } = await withModel(whole, plain);
    const other = modelBytes(templates.both, 4000, 2);
    const change = () => void hub.publish(ID, { "README.md": "# model", [FILE]: other, "model-Q8_0.gguf": "other" });
    hub.faults.push({ on: /./, host: "cdn", cutAfter: 4000 });
    expect((await failureOf(fetchModel(ID, { ...options, retries: 0 }))).code).toBe("download_interrupted");
    change();
    expect(readFileSync((await fetchModel(ID, options)).path)).toEqual(other);
  });

  it("fetches the listed commit where the branch moves between listing and download", async () => {
    const { options, hub, commit } = await withModel();
    const before = () => void hub.publish(ID, { [FILE]: modelBytes(templates.both, 4000, 2) });
    hub.faults.push({ on: /resolve\/main/, before });
    const fetched = await fetchModel(ID, options);
    expect([fetched.commit, readFileSync(fetched.path)]).toEqual([commit, whole]);
    expect(hub.downloads("hub").map(({ path }) => path.split("/")[4])).toEqual(["main", commit]);
  });

  it("gives up after as many attempts without a byte as are allowed", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", times: 99, cutAfter: 0 });
    const { code, message } = await failureOf(fetchModel(ID, options));
    expect(code).toBe("download_interrupted");
    expect(message).toContain("broke again and again");
    expect(hub.downloads()).toHaveLength(options.retries + 1);
  });

  it("counts a connection that says nothing as cut", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", drip: 3000 });
    expect(readFileSync((await fetchModel(ID, { ...options, stallTimeout: 1000 })).path)).toEqual(whole);
    expect(hub.downloads().length).toBeGreaterThan(1);
  });
});

describe("what is not what was announced", () => {
  const lies: Record<string, Parameters<typeof Object.assign>[1]> = {
    "other bytes": { body: Buffer.from(whole).reverse() },
    "a shorter file": { body: whole.subarray(0, 5000) },
    "a longer file": { body: Buffer.concat([whole, whole]) },
    "a page of HTML": { body: Buffer.from("<html>sign in</html>") },
  };
  it.each(Object.entries(lies))("%s is refused and not kept", async (_, lie) => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", times: 9, ...lie });
    const { code, message } = await failureOf(fetchModel(ID, options));
    expect(code).toBe("download_corrupt");
    expect(message).toContain(FILE);
    expect([...filesIn(options.cacheDir), ...filesIn(options.cacheDir, "partial")]).toEqual([]);
  });

  it("no room: nothing is written", async () => {
    const { options, hub } = await withHub();
    hub.publish(ID, { [FILE]: whole }, { listsBlobs: false, links: false });
    hub.faults.push({
      on: /resolve/,
      status: 302,
      headers: { location: `${hub.endpoint}/nowhere`, "x-linked-size": String(2 ** 49) },
    });
    hub.faults.push({ on: /nowhere/, status: 200, headers: { "content-length": String(2 ** 49) } });
    const { code, details } = await failureOf(fetchModel(ID, options));
    expect([code, details.needed]).toEqual(["disk_full", 2 ** 49]);
    expect([...filesIn(options.cacheDir), ...filesIn(options.cacheDir, "partial")]).toEqual([]);
  });

  it("a cache that is no folder", async () => {
    const { options, cacheDir } = await withModel();
    writeFileSync(join(cacheDir, "file"), "");
    const { code, message } = await failureOf(fetchModel(ID, { ...options, cacheDir: join(cacheDir, "file") }));
    expect(code).toBe("cache_unusable");
    expect(message).toContain("TITO_CACHE");
  });
});

describe("what a hub refuses", () => {
  it.each([
    [401, "hub_unauthorized", "HF_TOKEN"],
    [403, "hub_forbidden", "accept its licence"],
    [404, "hub_not_found", "Check"],
    [418, "hub_protocol", "Check the endpoint"],
  ] as const)("%i is %s, and is not asked again", async (status, code, words) => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /resolve/, status, times: 9 });
    const failure = await failureOf(fetchModel(ID, options));
    expect(failure).toMatchObject({ code, details: { status, id: ID, file: FILE } });
    expect(failure.message).toContain(words);
    expect(hub.downloads("hub")).toHaveLength(1);
  });

  it.each([
    [429, "hub_rate_limited"],
    [500, "hub_unavailable"],
    [503, "hub_unavailable"],
  ] as const)("%i is asked again, and is %s in the end", async (status, code) => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /resolve/, status, times: 2 });
    await fetchModel(ID, options);
    expect(hub.downloads("hub")).toHaveLength(3);
    hub.publish(ID, { [FILE]: modelBytes(templates.both, 5) });
    hub.requests.length = 0;
    hub.faults.push({ on: /resolve/, status, times: 99 });
    expect((await failureOf(fetchModel(ID, options))).code).toBe(code);
    expect(hub.downloads("hub")).toHaveLength(options.retries + 1);
  });

  it("a host that the hub sends to speaks for itself", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /./, host: "cdn", status: 403, times: 9 });
    const { code, message } = await failureOf(fetchModel(ID, options));
    expect(code).toBe("hub_protocol");
    expect(message).not.toMatch(/licence|signature/);
  });

  it("the pause that a server names is kept, in seconds or as a date", async () => {
    const { options, hub } = await withModel();
    const past = new Date(0).toUTCString();
    hub.faults.push({ on: /resolve/, status: 429, headers: { "retry-after": "0" } });
    hub.faults.push({ on: /resolve/, status: 503, headers: { "retry-after": past } });
    hub.faults.push({ on: /resolve/, status: 429, headers: { ratelimit: '"api";r=0;t=0' } });
    // Without what the server says, the first pause would be an hour.
    await fetchModel(ID, { ...options, retryDelay: 3_600_000 });
    expect(hub.downloads("hub")).toHaveLength(4);
  });

  it("a pause that is too long is left to the caller", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /resolve/, status: 429, headers: { "retry-after": "3600" }, times: 9 });
    const { code, message } = await failureOf(fetchModel(ID, options));
    expect(code).toBe("hub_rate_limited");
    expect(message).toContain("Wait 3600 s");
    expect(hub.downloads("hub")).toHaveLength(1);
  });

  it("a hub that is not there, unknown models and revisions", async () => {
    const { options, hub } = await withModel();
    expect((await failureOf(fetchModel("org/other", options))).code).toBe("hub_not_found");
    const revision = await failureOf(fetchModel(ID, { ...options, revision: "v2" }));
    expect(revision).toMatchObject({ code: "hub_not_found", message: expect.stringContaining('no revision "v2"') });
    await hub[Symbol.asyncDispose]();
    const gone = await failureOf(fetchModel("org/other", options));
    expect(gone).toMatchObject({ code: "hub_unavailable", details: { reason: "ECONNREFUSED" } });
  });

  it("redirects that turn in circles, or lead to no web address", async () => {
    const { options, hub } = await withModel();
    hub.faults.push({ on: /resolve/, status: 302, headers: { location: `/${ID}/resolve/main/${FILE}` }, times: 50 });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("hub_protocol");
    hub.faults.splice(0, 9, { on: /resolve/, status: 302, headers: { location: "file:///etc/passwd" } });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("hub_protocol");
  });

  it.each([{ gated: "manual" }, { gated: "auto" }] as const)("a gated model needs a token: %j", async (settings) => {
    const { options, hub } = await withModel(whole, settings);
    hub.tokens.add("hf_known").add("hf_stranger");
    hub.strangers.add("hf_stranger");
    const early = await failureOf(fetchModel(ID, options));
    expect(early).toMatchObject({ code: "hub_gated", message: expect.stringContaining("HF_TOKEN") });
    expect(hub.downloads("hub")).toEqual([]);
    expect((await failureOf(fetchModel(ID, { ...options, token: "hf_wrong" }))).code).toBe("hub_unauthorized");
    expect((await failureOf(fetchModel(ID, { ...options, token: "hf_stranger" }))).code).toBe("hub_forbidden");
    expect(await fetchModel(ID, { ...options, token: "hf_known" })).toMatchObject({ isCached: false });
    // What has been fetched is there without a token, too.
    expect(await fetchModel(ID, options)).toMatchObject({ isCached: true });
  });

  it("a private model is none to those without a token", async () => {
    const { options, hub } = await withModel(whole, { private: true });
    hub.tokens.add("hf_known");
    expect((await failureOf(fetchModel(ID, options))).code).toBe("hub_unauthorized");
    expect(await fetchModel(ID, { ...options, token: "hf_known" })).toMatchObject({ file: FILE });
  });
});

describe("the environment", () => {
  it("says where the hub and the cache are, and whether to ask", async () => {
    const { options, hub, cacheDir } = await withModel();
    vi.stubEnv("HF_ENDPOINT", `${hub.endpoint}/`);
    vi.stubEnv("TITO_CACHE", cacheDir);
    vi.stubEnv("HF_TOKEN", "");
    vi.stubEnv("HF_HUB_OFFLINE", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { path } = await fetchModel(ID);
    expect(path.startsWith(cacheDir)).toBe(true);
    expect(await fetchModel(ID, options)).toMatchObject({ path, isCached: true });
    hub.requests.length = 0;
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect(await fetchModel(ID)).toMatchObject({ path });
    expect(hub.requests).toEqual([]);
    await fetchModel(ID, { offline: false });
    expect(hub.requests).toHaveLength(1);
  });
});

describe("offline", () => {
  it("takes what is there, and makes no request", async () => {
    const { options, hub } = await withModel();
    const offline = { ...options, offline: true };
    expect((await failureOf(fetchModel(ID, offline))).code).toBe("hub_offline");
    const { path } = await fetchModel(ID, options);
    hub.requests.length = 0;
    expect(await fetchModel(ID, offline)).toMatchObject({ path, isCached: true });
    const other = await failureOf(fetchModel(ID, { ...offline, file: "model-Q8_0.gguf" }));
    expect(other).toMatchObject({ code: "hub_offline", details: { file: "model-Q8_0.gguf" } });
    expect(hub.requests).toEqual([]);
  });

  it("takes what is there where the hub cannot be reached, and says so", async () => {
    const { options, hub, warnings, commit } = await withModel();
    const { path } = await fetchModel(ID, options);
    await hub[Symbol.asyncDispose]();
    expect(await fetchModel(ID, options)).toMatchObject({ path, isCached: true });
    expect(warnings).toMatchObject([{ code: "hub_unreachable", details: { commit } }]);
    const other = await failureOf(fetchModel(ID, { ...options, file: "model-Q8_0.gguf" }));
    expect(other.code).toBe("hub_unavailable");
  });

  it("does not take the cache for an answer that the hub has given", async () => {
    const { options, hub } = await withModel();
    await fetchModel(ID, options);
    hub.faults.push({ on: /api/, status: 404 });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("hub_not_found");
  });
});
