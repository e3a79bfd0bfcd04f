import { readFileSync } from "node:fs";
import { TitoError } from "../errors.ts";
import {
  type JsonObject,
  type JsonValue,
  type Message,
  messagesFromJson,
  parseJson,
  type ToolSpec,
  toolsFromJson,
  toPlain,
} from "../messages/index.ts";

/** A recorded case: what to run, and what another system gave. Field names are the recorder's. */
export interface RecordedCase {
  readonly id: string;
  readonly kind: string;
  readonly family: string | undefined;
  readonly scenario: string;
  /** The whole record in plain JavaScript: fit for ids and flags. */
  // biome-ignore lint/suspicious/noExplicitAny: a record of foreign data, checked by the kind that reads it
  readonly plain: any;
  /** A field with number text and key order kept: fit for messages and tools. */
  lossless(field: string): JsonValue | undefined;
}

/** Cases of a file with one JSON object a line. */
export function readCases(file: string): RecordedCase[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new TitoError("file_not_found", `Cannot read the cases of ${file}. Give the path of a .jsonl file.`, {
      cause,
    });
  }
  const lines = text.split("\n");
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [readCase(line, `${file}:${index + 1}`)]));
}

function readCase(line: string, where: string): RecordedCase {
  const value = parseJson(line);
  if (!(value instanceof Map)) {
    throw new TitoError("invalid_json", `${where} is no JSON object. Each line of a case file is one.`);
  }
  const object = value as JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
  const plain = toPlain(value) as any;
  return {
    id: String(plain.id ?? where),
    kind: String(plain.kind ?? kindOfFields(object)),
    family: plain.family,
    scenario: plain.scenario ?? "",
    plain,
    lossless: (field) => object.get(field),
  };
}

/** Some records do not name their kind: what they hold says it. */
const kindOfFields = (object: JsonObject): string | undefined =>
  object.has("schema") && object.has("expected_grammar") ? "schema_grammar" : undefined;

export const messagesOf = (recorded: RecordedCase, field = "messages"): Message[] =>
  messagesFromJson(recorded.lossless(field) ?? []);

export function toolsOf(recorded: RecordedCase): ToolSpec[] | null {
  const tools = recorded.lossless("tools");
  return tools ? toolsFromJson(tools) : null;
}

/** `[[value, count], …]` as one value a token. */
export const fromRunLengths = (runs: readonly (readonly [number, number])[]): number[] =>
  runs.flatMap(([value, count]) => new Array<number>(count).fill(value));

export const fromBits = (bits: string): number[] => Array.from(bits, Number);

export const toBits = (mask: ArrayLike<number>): string => Array.from(mask).join("");

export function toRunLengths(values: ArrayLike<number>): [number, number][] {
  const runs: [number, number][] = [];
  for (const value of Array.from(values)) {
    const last = runs.at(-1);
    if (last && last[0] === value) last[1]++;
    else runs.push([value, 1]);
  }
  return runs;
}

export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A recorded config in the SDK's names; unset fields (null) are left out. */
export function toCamelFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[camel(name), value]])),
  );
}
