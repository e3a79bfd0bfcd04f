// Random templates and random conversations through this package and Jinja2; prints the first that come out otherwise.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { fixturesFolder } from "../../src/conform/locate.ts";
import { pythonJson } from "../../src/messages/json/index.ts";
import { randomConversation } from "./conversations.ts";
import { damage, shorterTemplates } from "./damage.ts";
import { alike, type Case, Jinja, jinjaPython, ours, type Rendered, sameError } from "./engines.ts";
import { fewerStatements, type Piece, print, smallerExpressions } from "./piece.ts";
import { random } from "./random.ts";
import { randomContext } from "./scope.ts";
import { shrink, smallerJson } from "./shrink.ts";
import { randomTemplate } from "./statements.ts";
import type { Context } from "./values.ts";

const HELP = `npx tsx bench/oracle/main.ts [options]

Compares this package's templates with Jinja2's, set up as transformers has it: the same text, or an error of both. Prints
the first differences, made small, and exits with 1 if there is one.

  --count N        random templates (default 20000)
  --conversations N  random conversations for each chat template (default 100)
  --mutations N    damaged copies of each chat template (default 50)
  --templates DIR  chat templates: *.jinja; default those of TITO_FIXTURES or ../shared
  --only TEXT      only chat templates whose name contains TEXT, and no random ones
  --seed N         default: from the clock, and printed
  --at N           only the case of this index: what a report names
  --show N         differences to show of each part (default 5)
  --errors         show errors of another class than Python's, too
  --help           this text

TITO_BENCH_PYTHON names an interpreter with Jinja2, otherwise that of bench/.venv is used; without one nothing is compared.`;

const BATCH = 200;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "20000" },
    conversations: { type: "string", default: "100" },
    mutations: { type: "string", default: "50" },
    templates: { type: "string", multiple: true },
    only: { type: "string" },
    seed: { type: "string" },
    at: { type: "string" },
    show: { type: "string", default: "5" },
    errors: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** A case that can be made smaller. */
interface Trial extends Case {
  readonly name: string;
  readonly piece: Piece | null;
}

if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
  const python = jinjaPython(console.log);
  if (!python) return;
  const seed = Number(values.seed ?? Date.now() % 1e9);
  console.log(`seed ${seed}`);
  await using jinja = new Jinja(python);
  let differences = 0;
  if (values.only === undefined) {
    differences += await compare("random templates", jinja, range(Number(values.count)), (index) =>
      snippet(seed, index),
    );
  }
  const templates = templateFiles().filter((file) => basename(file).includes(values.only ?? ""));
  if (templates.length === 0) console.log("No chat templates: set TITO_FIXTURES, or pass --templates.");
  const conversations = conversationsOf(templates, Number(values.conversations));
  differences += await compare(`${templates.length} chat templates`, jinja, conversations, ({ text, name, index }) => {
    const context = randomConversation(random(seed ^ hash(name), index));
    return { name: `${name} ${index}`, template: text, context, piece: null };
  });
  const damaged = conversationsOf(templates, Number(values.mutations));
  differences += await compare("damaged chat templates", jinja, damaged, ({ text, name, index }) => {
    const choices = random(seed ^ hash(`damaged ${name}`), index);
    const context = randomConversation(choices);
    return { name: `damaged ${name} ${index}`, template: damage(choices, text), context, piece: null };
  });
  if (differences > 0) {
    console.log(`${differences} cases differ; seed ${seed}`);
    process.exitCode = 1;
  }
}

function conversationsOf(files: readonly string[], count: number) {
  return files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return range(count).map((index) => ({ text, name: basename(file), index }));
  });
}

function range(count: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  return values.at === undefined ? all : all.filter((index) => index === Number(values.at));
}

function snippet(seed: number, index: number): Trial {
  const choices = random(seed, index);
  const piece = randomTemplate(choices);
  return { name: `random template ${index}`, template: print(piece), context: randomContext(choices), piece };
}

function templateFiles(): string[] {
  const fixtures = fixturesFolder();
  const folders = values.templates ?? (fixtures ? [join(fixtures, "templates")] : []);
  const inFolder = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
  return folders.flatMap((folder) =>
    inFolder(folder)
      .filter((file) => file.endsWith(".jinja"))
      .map((file) => join(folder, file)),
  );
}

/** FNV-1a: each template has conversations of its own. */
function hash(text: string): number {
  let hashed = 0x811c9dc5;
  for (const character of text) hashed = Math.imul(hashed ^ character.codePointAt(0)!, 0x01000193);
  return hashed;
}

/** Number of cases that differ. */
async function compare<T>(what: string, jinja: Jinja, seeds: readonly T[], make: (seed: T) => Trial): Promise<number> {
  let [equal, raised, folded, shown] = [0, 0, 0, 0];
  const classes = new Map<string, Trial>();
  const different: Trial[] = [];
  for (let from = 0; from < seeds.length; from += BATCH) {
    const trials = seeds.slice(from, from + BATCH).map((one) => make(one));
    const expected = await jinja.render(trials);
    for (const [i, trial] of trials.entries()) {
      const own = ours(trial);
      if (!alike(expected[i], own)) {
        const [unfolded] = await jinja.render([trial], { unfolded: true });
        if (alike(unfolded, own)) folded++;
        else different.push(trial);
      } else if ("text" in own) equal++;
      else {
        raised++;
        const { error } = expected[i] as { error: string };
        if (!sameError(error, own.error)) classes.set(`${error} is ${own.error}`, trial);
      }
    }
  }
  const counts = [`${equal} equal`, `${raised} raised by both`, `${different.length} different`];
  if (folded > 0) counts.push(`${folded} as without Jinja2's optimiser`);
  console.log(`${what}: ${counts.join(", ")}`);
  for (const [what, trial] of classes) {
    console.log(`   another class of error: ${what} (${trial.name})`);
    if (values.errors) await report(jinja, trial);
  }
  for (const trial of different) {
    if (shown++ >= Number(values.show)) break;
    await report(jinja, trial);
  }
  return different.length;
}

function differ(theirs: Rendered, own: Rendered): boolean {
  return !alike(theirs, own) || ("error" in theirs && "error" in own && !sameError(theirs.error, own.error));
}

async function report(jinja: Jinja, trial: Trial): Promise<void> {
  const outcomes = async (one: Case) => [(await jinja.render([one], { unfolded: true }))[0], ours(one)] as const;
  // A difference of texts stays one: an error on both sides, or on another one, is another story.
  const story = ([theirs, own]: readonly [Rendered, Rendered]) =>
    differ(theirs, own) ? [theirs, own].map((one) => ("error" in one ? one.error : "text")).join() : null;
  const whole = story(await outcomes(trial));
  if (whole === null) return console.log(`── ${trial.name}: as without Jinja2's optimiser`);
  const fails = async (one: Case) => story(await outcomes(one)) === whole;
  let { piece } = trial;
  for (const smaller of [fewerStatements, smallerExpressions]) {
    piece &&= await shrink(piece, smaller, (one) => fails({ ...trial, template: print(one) }));
  }
  let template = piece ? print(piece) : trial.template;
  if (trial.name.startsWith("damaged ")) {
    template = await shrink(template, shorterTemplates, (one) => fails({ ...trial, template: one }));
  }
  const context = await shrink(
    trial.context,
    (one) => smallerJson(one) as Iterable<Context>,
    (one) => fails({ template, context: one }),
  );
  const [theirs, own] = await outcomes({ template, context });
  console.log(`── ${trial.name}`);
  if (template !== trial.template || piece) console.log(`   template ${JSON.stringify(template)}`);
  console.log(`   context  ${pythonJson(context)}`);
  for (const line of difference(theirs, own)) console.log(`   ${line}`);
}

/** Both answers, where they are long from shortly before the first difference. */
function difference(theirs: Rendered, own: Rendered): string[] {
  let at = 0;
  if ("text" in theirs && "text" in own) while (theirs.text[at] === own.text[at] && at < theirs.text.length) at++;
  const show = (one: Rendered): string => {
    if ("error" in one) return `${one.error}: ${one.message}`;
    const from = Math.max(0, at - 60);
    return (from > 0 ? "… " : "") + JSON.stringify(one.text.slice(from, at + 120));
  };
  return [`expected ${show(theirs)}`, `actual   ${show(own)}`];
}
