import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Template } from "@huggingface/jinja";
import { packageRoot } from "../src/conform/locate.ts";
import { compileTemplate } from "../src/template/template.ts";
import type { Bench } from "./bench.ts";
import { toolTrajectory } from "./generated.ts";
import { type Contestant, type Cost, local } from "./measure.ts";
import { Jinja, jinjaPython, NOW } from "./oracle/engines.ts";

const QWEN3 = join(packageRoot(), "embedded-model", "chat_template.jinja");
const HUGGING_FACE = "@huggingface/jinja";
const WORDS = 150;

/** A template's variables in plain JavaScript, as both JavaScript engines take them. */
type Variables = Readonly<Record<string, never>>;

interface Conversation {
  readonly template: string;
  readonly context: Variables;
}

/** Qwen3's template on conversations of so many messages: warm, with the template compiled. */
export async function benchTemplates(bench: Bench, sizes: readonly number[]): Promise<void> {
  if (!bench.wantsSome("template ")) return;
  const template = readFileSync(QWEN3, "utf8");
  await using jinja = startJinja(bench);
  for (const size of sizes) {
    await benchRenders(bench, jinja, `Qwen3, ${size} messages`, [{ template, context: conversation(size) }]);
  }
  await benchGrowth(bench, template, sizes.at(-1)!);
  await benchCompile(bench, jinja, template);
}

/** All recorded renders of real templates, one after another; those that every engine renders alike. */
export async function benchRecordedTemplates(bench: Bench, fixtures: string): Promise<void> {
  const folder = join(fixtures, "llama-cpp", "render");
  if (!bench.wantsSome("template recorded ") || !existsSync(folder)) return;
  const read = (file: string) => readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  // biome-ignore lint/suspicious/noExplicitAny: foreign data, read as what the map of the fixtures says
  const cases: any[] = readdirSync(folder).flatMap((file) => read(file).map((line) => JSON.parse(line)));
  const alike: Conversation[] = [];
  for (const { template: name, context, expect } of cases) {
    if (expect.text === undefined) continue;
    const one = { template: readFileSync(join(fixtures, "templates", name), "utf8"), context };
    if (ours(one) === expect.text && theirs(one) === expect.text) alike.push(one);
  }
  const templates = new Set(alike.map(({ template }) => template)).size;
  await using jinja = startJinja(bench);
  await benchRenders(bench, jinja, `recorded (${templates} templates, ${alike.length} conversations)`, alike);
}

function startJinja(bench: Bench): Jinja | undefined {
  const python = jinjaPython(bench.note);
  return python === undefined ? undefined : new Jinja(python);
}

function conversation(size: number): Variables {
  const { messages, tools } = toolTrajectory({ turns: Math.ceil((size - 2) / 2), words: WORDS });
  return { messages: messages.slice(0, size), tools, add_generation_prompt: true } as unknown as Variables;
}

/** A text of parts, which JavaScript puts together no sooner than somebody reads it, as whoever renders will. */
function written(text: string): string {
  text.charCodeAt(0);
  return text;
}

const options = { now: new Date(NOW * 1000) };

async function benchRenders(
  bench: Bench,
  jinja: Jinja | undefined,
  what: string,
  conversations: readonly Conversation[],
): Promise<void> {
  const ready = conversations.map(({ template, context }) => ({ template: compileTemplate(template), context }));
  const render = () => ready.map(({ template, context }) => written(template.render(context, options)));
  const trace = () => ready.map(({ template, context }) => written(template.trace(context, options).text));
  const peer = conversations.map(({ template, context }) => ({ template: new Template(template), context }));
  const theirRender = () => peer.map(({ template, context }) => written(template.render(context)));

  const inPython = jinja && (await pythonRenders(jinja, conversations));
  if (inPython) {
    const same = sameTexts(bench, `template ${what}`, inPython.texts, render());
    const against = same ? inPython.contestant : undefined;
    await bench.measure({ name: `template ${what}, against Jinja2`, run: render, against });
  }
  const same = sameTexts(bench, `template ${what}`, theirRender(), render());
  const against = same ? local(HUGGING_FACE, theirRender) : undefined;
  await bench.measure({ name: `template ${what}, against ${HUGGING_FACE}`, run: render, against });
  await bench.measure({ name: `template ${what}, traced against ${HUGGING_FACE}`, run: trace, against });
  const other = { name: "untraced", run: render };
  await bench.measure({ name: `template ${what}, traced against untraced`, run: trace, other });
}

async function pythonRenders(jinja: Jinja, conversations: readonly Conversation[]) {
  const cases = conversations.map(({ template, context }) => ({ template, context: JSON.stringify(context) }));
  const { texts } = await jinja.ask<{ texts: string[] }>({ kind: "prepare", cases });
  return { texts, contestant: inPython(jinja) };
}

const inPython = (jinja: Jinja): Contestant => ({
  name: "Jinja2",
  sample: (times) => jinja.ask<Cost>({ kind: "run", times }),
});

function sameTexts(bench: Bench, what: string, peer: readonly string[], own: readonly string[]): boolean {
  if (peer.every((text, i) => text === own[i])) return true;
  bench.note(`${what}: the peer's text is another one, so it is not measured.`);
  return false;
}

/** A conversation four times as long against four conversations: 1 where the time grows with the length. */
async function benchGrowth(bench: Bench, source: string, size: number): Promise<void> {
  const template = compileTemplate(source);
  const [short, long] = [conversation(size), conversation(4 * size)];
  const four = () => [0, 1, 2, 3].map(() => written(template.render(short, options)));
  await bench.measure({
    name: `template Qwen3, ${4 * size} messages, against 4 times ${size}`,
    run: () => written(template.render(long, options)),
    other: { name: `4 × ${size} messages`, run: four },
  });
}

/** Every time another text, because compiled templates are kept. */
async function benchCompile(bench: Bench, jinja: Jinja | undefined, source: string): Promise<void> {
  let count = 0;
  const run = () => compileTemplate(`${source}{# ${count++} #}`);
  await jinja?.ask({ kind: "prepare_compile", template: source });
  const python = jinja && inPython(jinja);
  await bench.measure({ name: "template Qwen3, compile, against Jinja2", run, against: python });
  const other = { name: HUGGING_FACE, run: () => new Template(source) };
  await bench.measure({ name: `template Qwen3, compile, against ${HUGGING_FACE}`, run, other });
}

function ours({ template, context }: Conversation): string | undefined {
  try {
    return compileTemplate(template).render(context, options);
  } catch {
    return undefined;
  }
}

function theirs({ template, context }: Conversation): string | undefined {
  try {
    return new Template(template).render(context);
  } catch {
    return undefined;
  }
}
