import { isAbsolute, join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repoCache } from "../../src/models/hub/cache.ts";
import { chooseFile, QUANTISATIONS } from "../../src/models/hub/chooseFile.ts";
import { fetchModel, hubModel, isHubId } from "../../src/models/hub/index.ts";
import { isFileName } from "../../src/models/hub/names.ts";
import type { RepoFile } from "../../src/models/hub/repo.ts";
import { failureOf, withHub } from "./hubSetup.ts";

const files = (...names: string[]): RepoFile[] => names.map((name) => ({ name, size: 1, checksum: null }));
const choose = (names: string[], name?: string) => chooseFile("o/m", files(...names), name).name;
const refusal = (names: string[], name?: string) => failureOf((async () => choose(names, name))());

const hostile = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc
    .array(fc.constantFrom("..", ".", "/", "\\", "a", "C:", "~", "\0", "%2e", "model.gguf", "é"), { maxLength: 8 })
    .map((parts) => parts.join("")),
  fc.array(fc.constantFrom("..", ".", "", "a", "b.gguf"), { maxLength: 6 }).map((parts) => parts.join("/")),
);

describe("names of a hub", () => {
  it("nothing that is taken for a file's name leaves the cache", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        if (!isFileName(name)) return;
        const { directory, file } = repoCache("/cache", "https://hub.example", "org/name");
        const inside = relative(directory("c"), file("c", name));
        expect(isAbsolute(inside) || inside === "" || inside.split(/[/\\]/).includes("..")).toBe(false);
        expect(join(directory("c"), inside)).toBe(file("c", name));
      }),
    );
  });

  it("an id makes two steps of a path and no other", () => {
    fc.assert(
      fc.property(hostile, hostile, (org, name) => {
        const id = `${org}/${name}`;
        if (!isHubId(id)) return;
        expect(id).toMatch(/^[\w.-]+\/[\w.-]+$/);
        expect(id).not.toContain("..");
        expect(new URL(`https://hub.example/${id}`).pathname).toBe(`/${id}`);
      }),
    );
  });

  it.each(["Qwen/Qwen3-0.6B", "meta-llama/Llama-3.2-1B-Instruct", "o/m", "unsloth/gpt-oss-20b-GGUF", "01-ai/Yi_1.5"])(
    "%s is an id",
    (id) => expect(isHubId(id)).toBe(true),
  );

  it.each([
    "m",
    "a/b/c",
    "../x",
    "a/..",
    "/a/b",
    "a\\b/c",
    "a/b c",
    "./a",
    "a/b.gguf",
    "dir/tokenizer.json",
    "a//b",
    "a/ b",
  ])("%j is none", (id) => expect(isHubId(id)).toBe(false));

  it("names are refused before a request is made", async () => {
    const { hub, options } = await withHub();
    const wrong = [
      fetchModel("../../etc/passwd", options),
      fetchModel("o/..", options),
      fetchModel("o/m", { ...options, revision: "../main" }),
      fetchModel("o/m", { ...options, revision: "a\nb" }),
      hubModel("o/m?x=1", options),
      hubModel("o/m", { ...options, revision: "" }),
    ];
    for (const one of wrong) expect((await failureOf(one)).code).toBe("invalid_hub_name");
    expect(hub.requests).toEqual([]);
  });

  it.each(["https://user:secret@hub.example", "ftp://hub.example", "hub.example", "https://hub.example/?a=1"])(
    "the endpoint %s is refused, and not repeated",
    async (endpoint) => {
      const { code, message } = await failureOf(hubModel("o/m", { endpoint, token: "" }));
      expect(code).toBe("invalid_config");
      expect(message).not.toContain("hub.example");
    },
  );
});

describe("which file is the model", () => {
  it("the first quantisation of the list, whatever the order and the case of the files", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...QUANTISATIONS, "IQ4_XS", "F16", "Q4_K_S", "Q6_K_L", "Q4_0_4_8"], { minLength: 2 }),
        fc.boolean(),
        (present, isLower) => {
          const names = present.map((name) => `m-${isLower ? name.toLowerCase() : name}.gguf`);
          const best = QUANTISATIONS.find((one) => present.includes(one));
          if (best === undefined) expect(() => choose(names)).toThrow(/^Several files/);
          else expect(choose(names)).toBe(names[present.indexOf(best)]);
        },
      ),
    );
  });

  it("the only one, whatever its name; projectors and measurements do not count", () => {
    expect(choose(["README.md", "weights.gguf"])).toBe("weights.gguf");
    expect(choose(["mmproj-F16.gguf", "m.imatrix.gguf", "imatrix_unsloth.gguf", "m-BF16.gguf"])).toBe("m-BF16.gguf");
    expect(choose(["m-00001-of-00001.gguf"])).toBe("m-00001-of-00001.gguf");
  });

  it("a quantisation may be the name of a folder", () => {
    expect(choose(["BF16/m.gguf", "Q8_0/m.gguf"])).toBe("Q8_0/m.gguf");
  });

  it("refuses to guess, with the list", async () => {
    const { code, message, details } = await refusal(["a-F16.gguf", "b-IQ4_XS.gguf"]);
    expect(code).toBe("model_ambiguous");
    expect(message).toContain("a-F16.gguf, b-IQ4_XS.gguf");
    expect(details).toEqual({ id: "o/m", files: ["a-F16.gguf", "b-IQ4_XS.gguf"] });
    expect((await refusal(["a-Q4_K_M.gguf", "b-Q4_K_M.gguf", "a-Q8_0.gguf"])).details.files).toEqual([
      "a-Q4_K_M.gguf",
      "b-Q4_K_M.gguf",
    ]);
  });

  it("says that there is none", async () => {
    expect((await refusal(["config.json", "mmproj.gguf"])).code).toBe("model_file_missing");
    expect((await refusal([])).code).toBe("model_file_missing");
  });

  it("refuses a model in parts, and says what else there is", async () => {
    const parts = ["m-Q4_K_M-00001-of-00002.gguf", "m-Q4_K_M-00002-of-00002.gguf"];
    for (const one of [await refusal(parts), await refusal(parts, parts[1])]) {
      expect(one).toMatchObject({ code: "model_split", details: { parts: 2, files: [] } });
    }
    const { message, details } = await refusal([...parts, "m-Q8_0.gguf"]);
    expect(message).toContain("m-Q8_0.gguf");
    expect(details.files).toEqual(["m-Q8_0.gguf"]);
    expect(choose([...parts, "m-Q8_0.gguf"], "m-Q8_0.gguf")).toBe("m-Q8_0.gguf");
  });

  it("takes what is named, if it is there", async () => {
    const names = ["a-Q4_K_M.gguf", "sub/b.gguf", "mmproj.gguf", "config.json"];
    expect(choose(names, "sub/b.gguf")).toBe("sub/b.gguf");
    expect(choose(names, "mmproj.gguf")).toBe("mmproj.gguf");
    expect(await refusal(names, "c.gguf")).toMatchObject({ code: "model_file_missing", details: { file: "c.gguf" } });
    expect((await refusal(names, "config.json")).code).toBe("model_file_missing");
    expect((await refusal(names, "../a.gguf")).code).toBe("invalid_hub_name");
  });
});
