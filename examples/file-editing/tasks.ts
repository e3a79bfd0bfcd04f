export type Files = Readonly<Record<string, string>>;

export interface Task {
  readonly instruction: string;
  readonly files: Files;
  /** Each is worth its share. A path that is not among these may not change. */
  readonly checks: Readonly<Record<string, (text: string) => boolean>>;
}

const has =
  (wanted: string, unwanted?: string) =>
  (text: string): boolean =>
    text.includes(wanted) && !(unwanted !== undefined && text.includes(unwanted));

export const tasks: readonly Task[] = [
  {
    instruction: "Requests should time out after 30 seconds. Change the constant, and what the README says about it.",
    files: {
      "README.md": "# Fetcher\n\nA request is given up after 10 seconds, and tried again 3 times.\n",
      "src/config.ts": "export const TIMEOUT_SECONDS = 10;\nexport const RETRIES = 3;\n",
    },
    checks: {
      "README.md": has("30 seconds", "10 seconds"),
      "src/config.ts": has("TIMEOUT_SECONDS = 30;\nexport const RETRIES = 3;"),
    },
  },
  {
    instruction: "The function totl is misspelled: call it total, where it is defined and where it is used.",
    files: {
      "src/total.ts": "export const totl = (items: number[]) => items.reduce((sum, item) => sum + item, 0);\n",
      "src/bill.ts":
        'import { totl } from "./total.ts";\n\nexport const due = (items: number[]) => 1.2 * totl(items);\n',
      "src/list.ts": "export const items = [3, 4, 5];\n",
    },
    checks: {
      "src/total.ts": has("const total = (items", "totl"),
      "src/bill.ts": (text) => has("import { total }", "totl")(text) && text.includes("1.2 * total(items)"),
    },
  },
  {
    instruction: "range(1, 3) gives [1, 2], and should give [1, 2, 3]. Fix it.",
    files: {
      "src/range.ts":
        "export function range(from: number, to: number) {\n  const all = [];\n  for (let i = from; i < to; i++) all.push(i);\n  return all;\n}\n",
      "test/range.ts": "assert.deepEqual(range(1, 3), [1, 2, 3]);\n",
    },
    checks: {
      "src/range.ts": (text) => /for \(let i = from; i (<= to|< to \+ 1); (i\+\+|\+\+i)\) all\.push\(i\);/.test(text),
    },
  },
];
