import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { fetchModel } from "../../src/models/hub/index.ts";
import { withLock } from "../../src/models/hub/lock.ts";
import { failureOf, modelBytes, templates, withHub } from "./hubSetup.ts";

function lockPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "tito-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "some", "file.lock");
}

const options = { timeout: 20_000, signal: undefined, what: "a file" };

/** A process id that was somebody's and is nobody's now. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid!;
}

/** A lock of another holder at a new path. */
async function heldBy(holder: object | string, ageSeconds = 0): Promise<string> {
  const path = lockPath();
  await withLock(path, options, async () => undefined);
  writeFileSync(path, typeof holder === "string" ? holder : JSON.stringify(holder));
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(path, then, then);
  return path;
}

describe("the lock of a file", () => {
  it("lets one work at a time, and everybody in the end", async () => {
    const path = lockPath();
    let inside = 0;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        withLock(path, options, async () => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setTimeout(resolve, 2));
          inside--;
          return index;
        }),
      ),
    );
    expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(existsSync(path)).toBe(false);
  });

  it("is given back when the work fails", async () => {
    const path = lockPath();
    const work = withLock(path, options, () => Promise.reject(new Error("no")));
    await expect(work).rejects.toThrow("no");
    expect(existsSync(path)).toBe(false);
  });

  it("of a dead process is taken over, and so is one that has been silent", async () => {
    const dead = await heldBy({ pid: await deadProcess(), host: hostname(), nonce: "a" });
    expect(await withLock(dead, { ...options, timeout: 0 }, async () => "mine")).toBe("mine");
    const silent = await heldBy({ pid: 1, host: "elsewhere", nonce: "a" }, 3600);
    expect(await withLock(silent, { ...options, timeout: 0 }, async () => "mine")).toBe("mine");
    const damaged = await heldBy("{", 3600);
    expect(await withLock(damaged, { ...options, timeout: 0 }, async () => "mine")).toBe("mine");
  });

  it("of a living process, or of another machine, is waited for, up to a limit", async () => {
    for (const holder of [
      { pid: process.pid, host: hostname(), nonce: "a" },
      { pid: await deadProcess(), host: "elsewhere", nonce: "a" },
    ]) {
      const path = await heldBy(holder);
      const { code, details } = await failureOf(withLock(path, { ...options, timeout: 5 }, async () => "mine"));
      expect([code, details.pid]).toEqual(["cache_locked", holder.pid]);
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(holder);
    }
  });

  it("is not waited for any longer when the signal says so", async () => {
    const path = await heldBy({ pid: process.pid, host: hostname(), nonce: "a" });
    const control = new AbortController();
    const waiting = withLock(path, { ...options, signal: control.signal }, async () => "mine");
    control.abort();
    expect((await failureOf(waiting)).code).toBe("aborted");
  });
});

describe("several that fetch the same file", () => {
  const ID = "org/model-GGUF";

  it("in one process: one download", async () => {
    const { hub, options } = await withHub();
    hub.publish(ID, { "model.gguf": modelBytes(templates.both) });
    const fetched = await Promise.all([1, 2, 3].map(() => fetchModel(ID, options)));
    expect(new Set(fetched.map(({ path }) => path)).size).toBe(1);
    expect(hub.downloads()).toHaveLength(1);
  });

  it("in two processes: one download, and the same path for both", async () => {
    const { hub, options, cacheDir } = await withHub();
    const data = modelBytes(templates.both, 50_000);
    hub.publish(ID, { "model.gguf": data });
    hub.faults.push({ on: /./, host: "cdn", drip: 150 });
    const cli = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
    const args = ["model", "fetch", ID, "--endpoint", options.endpoint, "--cache-dir", cacheDir, "--json"];
    const answers = await Promise.all(
      [1, 2].map(async () => {
        const child = spawn(process.execPath, ["--import", "tsx", cli, ...args]);
        let output = "";
        child.stdout.on("data", (text) => {
          output += text;
        });
        const [code] = await once(child, "close");
        return { code, ...(JSON.parse(output) as { path: string; isCached: boolean }) };
      }),
    );
    expect(answers.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(answers.map(({ path }) => path)).size).toBe(1);
    expect(readFileSync(answers[0]!.path)).toEqual(data);
    expect(answers.map(({ isCached }) => isCached).sort()).toEqual([false, true]);
    expect(hub.downloads()).toHaveLength(1);
  });

  it("a download is taken over from a process that was killed in its middle", async () => {
    const { hub, options, cacheDir } = await withHub();
    const data = modelBytes(templates.both, 50_000);
    hub.publish(ID, { "model.gguf": data });
    hub.faults.push({ on: /./, host: "cdn", drip: 10_000 });
    const cli = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
    const args = ["model", "fetch", ID, "--endpoint", options.endpoint, "--cache-dir", cacheDir];
    const child = spawn(process.execPath, ["--import", "tsx", cli, ...args]);
    // The first tenth is said when the first piece is on disk.
    for await (const text of child.stderr) if (/: 10 %/.test(String(text))) break;
    child.kill("SIGKILL");
    await once(child, "close");
    const seen: number[] = [];
    const fetched = await fetchModel(ID, { ...options, onProgress: ({ received }) => seen.push(received) });
    expect(seen[0]).toBeGreaterThan(0);
    expect(readFileSync(fetched.path)).toEqual(data);
  });
});
