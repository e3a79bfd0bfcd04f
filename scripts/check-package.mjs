// What a user would get: packs the package, lints the tarball, installs it in an empty project and renders with it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "tito-package-"));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], ...options });

try {
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], { cwd: root }),
  );
  console.log(
    `${packed.filename}: ${packed.files.length} files, ${Math.round(packed.size / 1024)} kB packed, ${Math.round(packed.unpackedSize / 1024)} kB unpacked`,
  );
  const stray = packed.files.filter(
    ({ path }) =>
      !/^(dist\/|docs\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path) || /\.test\./.test(path),
  );
  if (stray.length > 0)
    throw new Error(`files that do not belong in the package: ${stray.map(({ path }) => path).join(", ")}`);
  run("npx", ["publint", "run", join(project, packed.filename), "--strict"], { cwd: root, stdio: "inherit" });

  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", join(project, packed.filename)]);
  cpSync(join(root, "embedded-model", "tito-calculator-qwen3.gguf"), join(project, "model.gguf"));
  writeFileSync(
    join(project, "smoke.mjs"),
    `import { createRenderer, loadTokenizer } from "tito-rl";
const renderer = createRenderer(await loadTokenizer("model.gguf"), { name: "qwen3" });
const ids = renderer.renderIds([{ role: "user", content: "hi" }], { addGenerationPrompt: true });
const parsed = renderer.parseResponse(renderer.tokenizer.encode("<think>\\nhm\\n</think>\\n\\nhello<|im_end|>"), { prompt: ids });
const { createRendererPool } = await import("tito-rl/pool");
const pool = await createRendererPool(renderer.tokenizer, { config: { name: "qwen3" }, size: 1, inlineBelow: 0 });
const pooled = await pool.renderIds([{ role: "user", content: "hi" }], { addGenerationPrompt: true });
await pool.close();
const family = await import("tito-rl/family");
const { analyze } = await import("tito-rl/autoparser");
const { matches, parseGbnf } = await import("tito-rl/gbnf");
const analysis = analyze("{% for m in messages %}<{{ m.role }}>{{ m.content }}<end>{% endfor %}");
const { modelInfo } = await import("tito-rl/models");
const alone = await createRenderer("model.gguf");
const info = await modelInfo("model.gguf");
const sampler = await import("tito-rl/sampler").then(({ loadSampler }) => loadSampler("model.gguf")).catch((error) => error);
console.log(JSON.stringify({ text: renderer.tokenizer.decode(ids), content: parsed.content, pooled: pooled.join() === ids.join(), family: typeof family.markers, stop: analysis.stops[0], gbnf: matches(parseGbnf('root ::= "a"'), "a"), info: [info.architecture, info.renderer.family], alone: alone.renderIds([{ role: "user", content: "hi" }], { addGenerationPrompt: true }).join() === ids.join(), sampler: sampler.code }));
`,
  );
  const seen = JSON.parse(run(process.execPath, ["smoke.mjs"]));
  const expected = {
    text: "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
    content: "hello",
    pooled: true,
    family: "function",
    stop: "<end>",
    gbnf: true,
    info: ["qwen3", "qwen3"],
    alone: true,
    sampler: "sampler_missing",
  };
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`the installed package gave ${JSON.stringify(seen)}`);

  writeFileSync(
    join(project, "types.ts"),
    `import { createRenderer, type RenderedTokens, type Tokenizer } from "tito-rl";
import type { WireFormat } from "tito-rl/family";
import type { RendererPool } from "tito-rl/pool";
import type { Completion } from "tito-rl/sampler";
export const roles = ({ roles }: WireFormat): readonly string[] => roles;
export const slots = ({ size }: RendererPool): number => size;
export const render = (tokenizer: Tokenizer): RenderedTokens => createRenderer(tokenizer, { name: "qwen3" }).render([]);
export const ids = ({ ids }: Completion): Int32Array => ids;
// @ts-expect-error a renderer does not give text
export const wrong: string = createRenderer({} as Tokenizer).renderIds([]);
`,
  );
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  run(process.execPath, [compiler, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "types.ts"], {
    stdio: "inherit",
  });

  const help = run("npx", ["tito", "--help"]);
  if (!help.includes("conform")) throw new Error(`tito --help printed ${help}`);
  console.log("installs, renders, parses, has types, and says what the sampler needs");
} finally {
  rmSync(project, { recursive: true, force: true });
}
