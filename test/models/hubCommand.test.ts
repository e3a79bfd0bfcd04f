import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { modelCommand } from "../../src/cli/model/command.ts";
import { modelBytes, templates, withHub } from "./hubSetup.ts";

const ID = "org/model-GGUF";

async function withCommand(template = templates.both) {
  const { hub, options, cacheDir } = await withHub();
  hub.publish(ID, { "m-Q4_K_M.gguf": modelBytes(template), "m-F16.gguf": modelBytes(template, 5) });
  const run = async (...args: string[]) => {
    const out: string[] = [];
    const notes: string[] = [];
    const io = { write: (text: string) => out.push(text), note: (line: string) => notes.push(line) };
    const known = ["--endpoint", options.endpoint, "--cache-dir", cacheDir];
    const code = await modelCommand(["fetch", ...args, ...known], {
      ...io,
      readStdin: () => "",
      isTty: false,
      colors: false,
    });
    return { code, out: out.join(""), notes };
  };
  return { hub, run, cacheDir };
}

describe("tito model fetch", () => {
  it("writes the path alone, and what happened beside it", async () => {
    const { run } = await withCommand();
    const { code, out, notes } = await run(ID);
    expect([code, existsSync(out.trim()), out.endsWith("m-Q4_K_M.gguf\n")]).toEqual([0, true, true]);
    expect(notes.at(-1)).toMatch(/^m-Q4_K_M\.gguf: .* MB, SHA-256 [0-9a-f]{64}, fetched$/);
    expect(notes[0]).toBe("m-Q4_K_M.gguf: 0 % of 0.0 MB");
    expect((await run(ID)).notes).toEqual([expect.stringMatching(/was in the cache$/)]);
  });

  it("gives JSON of what it has, and of errors", async () => {
    const { run, cacheDir } = await withCommand();
    const fetched = JSON.parse((await run(ID, "--file", "m-F16.gguf", "--json")).out);
    expect(fetched).toMatchObject({ type: "model_fetched", file: "m-F16.gguf", revision: "main", isCached: false });
    expect(fetched.path.startsWith(cacheDir)).toBe(true);
    const { code, out } = await run(ID, "--file", "m-Q2_K.gguf", "--json");
    expect([code, JSON.parse(out)]).toMatchObject([1, { type: "error", code: "model_file_missing" }]);
    expect(JSON.parse((await run(ID, "--revision", "v9", "--json")).out).code).toBe("hub_not_found");
  });

  it("refuses a model without tools, unless none are required", async () => {
    const { run } = await withCommand(templates.none);
    const refused = await run(ID);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.notes.at(-1)).toMatch(/supports_tools=false.*\.quarantined/);
    expect((await run(ID, "--require-tools", "none")).code).toBe(0);
  });

  it("passes on warnings, the token and offline", async () => {
    const { hub, run } = await withCommand();
    hub.publish(ID, {}, { gguf: { chat_template: "" }, gated: "auto" }, "other");
    hub.tokens.add("hf_known");
    const { code, notes } = await run(ID, "--token", "hf_known");
    expect([code, notes[0]]).toEqual([0, expect.stringContaining("has no tools")]);
    expect(hub.downloads("hub")[0]!.headers.authorization).toBe("Bearer hf_known");
    hub.requests.length = 0;
    expect((await run(ID, "--offline")).code).toBe(0);
    expect((await run("org/other", "--offline")).code).toBe(1);
    expect(hub.requests).toEqual([]);
  });

  it("says how it is used", async () => {
    const { run } = await withCommand();
    expect((await run("--help")).out).toContain("tito model fetch ORG/NAME");
    for (const wrong of [[], [ID, "more"], [ID, "--require-tools", "some"]]) {
      await expect(run(...wrong)).rejects.toMatchObject({ code: "usage" });
    }
    expect((await run("../evil")).notes.at(-1)).toContain("is no model id");
  });
});
