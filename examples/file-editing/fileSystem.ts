import type { ToolSpec } from "../../src/index.ts";
import type { Files } from "./tasks.ts";

const tools: Readonly<Record<string, { readonly description: string; readonly fields: readonly string[] }>> = {
  list_files: { description: "The paths of all files.", fields: [] },
  read_file: { description: "A file's text.", fields: ["path"] },
  replace_text: { description: "Replaces a text that the file has exactly once.", fields: ["path", "old", "new"] },
};

export const fileTools: readonly ToolSpec[] = Object.entries(tools).map(([name, { description, fields }]) => {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties, required: fields } },
  };
});

export interface FileSystem {
  /** As the files are now. */
  readonly files: ReadonlyMap<string, string>;
  /** What a tool says; what is wrong with a call is said in words. */
  call(name: string, args: unknown): string;
}

/** Files in memory, and the tools that read and change them. */
export function fileSystem(from: Files): FileSystem {
  const files = new Map(Object.entries(from));

  function act(name: string, [path, old, text]: readonly string[]): string {
    if (name === "list_files") return [...files.keys()].join("\n");
    const current = files.get(path);
    if (current === undefined) return `Error: there is no file ${path}. list_files tells which there are.`;
    if (name === "read_file") return current;
    const found = old === "" ? 0 : current.split(old).length - 1;
    if (found !== 1) return `Error: ${path} has the old text ${found} times; it must be there once.`;
    // A text in place of the function would be a pattern, with `$&` and such.
    files.set(
      path,
      current.replace(old, () => text),
    );
    return "Done.";
  }

  return {
    files,
    call(name, args) {
      if (!Object.hasOwn(tools, name)) return `Error: there is no tool ${name}.`;
      const { fields } = tools[name];
      const values = fields.map((field) => (args as Readonly<Record<string, unknown>> | null)?.[field]);
      const missing = fields.find((_, i) => typeof values[i] !== "string");
      if (missing !== undefined) return `Error: ${name} needs ${missing}, a text.`;
      return act(name, values as readonly string[]);
    },
  };
}
