import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { fetchModel, hubModel } from "../../src/models/hub/index.ts";
import type { ToolRequirement } from "../../src/models/info/requireTools.ts";
import { loadTokenizer } from "../../src/tokenizer/loaders/files.ts";
import { failureOf, modelBytes, templates, withHub } from "./hubSetup.ts";

const ID = "org/model-GGUF";
const FILE = "model.gguf";

async function withTemplate(template: Parameters<typeof modelBytes>[0], shown?: string) {
  const setup = await withHub();
  const gguf = shown === undefined ? null : { chat_template: shown };
  setup.hub.publish(ID, { [FILE]: modelBytes(template) }, { gguf });
  return setup;
}

/** Whether anything in a cache can be used under the model's name. */
const isUsable = (cacheDir: string): boolean =>
  readdirSync(cacheDir, { recursive: true, encoding: "utf8" }).some((name) => name.endsWith(FILE));

describe("tools that are required of a fetched model", () => {
  const levels: [ToolRequirement | undefined, keyof typeof templates, boolean][] = [
    [undefined, "both", true],
    [undefined, "describe", false],
    [undefined, "none", false],
    ["both", "describe", false],
    ["describe", "describe", true],
    ["describe", "none", false],
    ["none", "none", true],
  ];
  it.each(levels)("%s of a template with %s: %s", async (requireTools, template, isTaken) => {
    const { options, cacheDir } = await withTemplate(templates[template]);
    const fetched = fetchModel(ID, { ...options, requireTools });
    if (isTaken) {
      expect(readFileSync((await fetched).path)).toEqual(modelBytes(templates[template]));
      return;
    }
    const { code, message, details } = await failureOf(fetched);
    expect(code).toBe("tools_unsupported");
    expect(details).toMatchObject({ required: requireTools ?? "both", missing: expect.any(Array) });
    expect(message).toContain(String(details.quarantined));
    expect(existsSync(String(details.quarantined))).toBe(true);
    expect(isUsable(cacheDir)).toBe(false);
  });

  it("a refused model stays refused, and can be had without another download", async () => {
    const { options, hub, cacheDir } = await withTemplate(templates.none);
    await failureOf(fetchModel(ID, options));
    expect((await failureOf(fetchModel(ID, options))).code).toBe("tools_unsupported");
    expect((await failureOf(fetchModel(ID, { ...options, offline: true }))).code).toBe("tools_unsupported");
    expect(isUsable(cacheDir)).toBe(false);
    const taken = await fetchModel(ID, { ...options, requireTools: "none" });
    expect([taken.isCached, existsSync(taken.path), hub.downloads().length]).toEqual([true, true, 1]);
  });

  it("a model that was taken without tools is moved aside when they are required", async () => {
    const { options, cacheDir } = await withTemplate(templates.none);
    const { path } = await fetchModel(ID, { ...options, requireTools: "none" });
    const { details } = await failureOf(fetchModel(ID, options));
    expect([details.quarantined, existsSync(path), isUsable(cacheDir)]).toEqual([`${path}.quarantined`, false, false]);
  });

  it("what is no GGUF, and a template with a wrong syntax, are moved aside, too", async () => {
    const { options, hub, cacheDir } = await withHub();
    hub.publish(ID, { [FILE]: "<html></html>" });
    const noGguf = await failureOf(fetchModel(ID, { ...options, requireTools: "none" }));
    expect(noGguf).toMatchObject({ code: "invalid_gguf", details: { quarantined: expect.any(String) } });
    hub.publish(ID, { [FILE]: modelBytes("{% if %}") });
    expect((await failureOf(fetchModel(ID, options))).code).toBe("template_syntax");
    expect(isUsable(cacheDir)).toBe(false);
    expect(await fetchModel(ID, { ...options, requireTools: "none" })).toMatchObject({ file: FILE });
  });

  it("a level that does not exist comes before any request", async () => {
    const { options, hub } = await withTemplate(templates.both);
    const wrong = fetchModel(ID, { ...options, requireTools: "some" as ToolRequirement });
    expect((await failureOf(wrong)).code).toBe("invalid_config");
    expect(hub.requests).toEqual([]);
  });
});

describe("what the hub shows of a template", () => {
  it("warns, and the file decides: tools in the template for tools", async () => {
    const { options, warnings } = await withTemplate(
      { default: templates.none, tool_use: templates.both },
      templates.none,
    );
    expect(await fetchModel(ID, options)).toMatchObject({ file: FILE });
    expect(warnings).toMatchObject([{ code: "tools_unlikely", details: { id: ID } }]);
    await fetchModel(ID, options);
    expect(warnings).toHaveLength(1);
  });

  it("decides nothing where it has tools and the file has none", async () => {
    const { options, warnings } = await withTemplate(templates.none, templates.both);
    expect((await failureOf(fetchModel(ID, options))).code).toBe("tools_unsupported");
    expect(warnings).toEqual([]);
  });

  it("is not asked for where no tools are required, and its failure is none", async () => {
    const { options, hub, warnings } = await withTemplate(templates.both, templates.none);
    hub.faults.push({ on: /expand/, status: 500, times: 9 });
    await fetchModel(ID, options);
    expect(hub.requests.filter(({ path }) => path.includes("expand"))).toHaveLength(1);
    hub.publish(ID, { [FILE]: modelBytes(templates.none, 5) });
    hub.requests.length = 0;
    await fetchModel(ID, { ...options, requireTools: "none" });
    expect(hub.requests.filter(({ path }) => path.includes("expand"))).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("the token", () => {
  const TOKEN = "hf_SeCrEt0123456789";

  it("goes to the hub alone, and is in no message, warning or file", async () => {
    const { options, hub, cacheDir, warnings } = await withHub();
    const settings = { gated: "manual", gguf: { chat_template: "" } } as const;
    hub.tokens.add(TOKEN);
    hub.publish(ID, { [FILE]: modelBytes(templates.both), "tokenizer.json": "{}" }, settings);
    const known = { ...options, token: TOKEN };
    const said: unknown[] = [warnings];
    const attempt = async (work: Promise<unknown>) => said.push(await work.catch((error: unknown) => error));
    for (const status of [401, 403, 404, 418, 429, 500]) {
      hub.faults.push({ on: /resolve/, status, times: 4 });
      await attempt(fetchModel(ID, known));
      hub.faults.length = 0;
    }
    hub.faults.push({ on: /./, host: "cdn", times: 4, cutAfter: 10 });
    await attempt(fetchModel(ID, known));
    await attempt(fetchModel("org/unknown", known));
    await attempt(fetchModel(ID, { ...known, token: `${TOKEN}\n${TOKEN}` }));
    await attempt(fetchModel(ID, { ...known, endpoint: `http://me:${TOKEN}@hub.example` }));
    await attempt(hubModel(ID, known));
    await attempt(loadTokenizer(ID, known));
    await attempt(fetchModel(ID, known));
    expect(said.at(-1)).toMatchObject({ file: FILE });

    const shown = inspect(said, { depth: 20, showHidden: true }) + JSON.stringify(said);
    expect(shown).toContain("hub_forbidden");
    expect(shown).not.toContain(TOKEN);
    const kept = readdirSync(cacheDir, { recursive: true, encoding: "utf8" });
    for (const name of kept) {
      expect(name).not.toContain(TOKEN);
      const path = join(cacheDir, name);
      if (statSync(path).isFile()) expect(readFileSync(path, "latin1")).not.toContain(TOKEN);
    }
    expect(kept.length).toBeGreaterThan(3);
    const asked = hub.requests.filter(({ host }) => host === "hub");
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(asked.map(() => `Bearer ${TOKEN}`));
    const elsewhere = hub.requests.filter(({ host }) => host === "cdn");
    expect(elsewhere.length).toBeGreaterThan(0);
    for (const { headers } of elsewhere) expect(JSON.stringify(headers)).not.toContain(TOKEN);
  });

  it("is that of the environment unless one is given, and the empty one is none", async () => {
    const { options, hub } = await withHub();
    hub.publish(ID, { [FILE]: modelBytes(templates.both) });
    const before = process.env.HF_TOKEN;
    process.env.HF_TOKEN = `${TOKEN}\n`;
    try {
      for (const token of [undefined, "", "hf_other"]) await hubModel(ID, { ...options, token });
    } finally {
      if (before === undefined) delete process.env.HF_TOKEN;
      else process.env.HF_TOKEN = before;
    }
    const sent = hub.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${TOKEN}`, undefined, "Bearer hf_other"]);
  });
});
