import { TitoError } from "../errors.ts";
import { type Gbnf, jsonSchemaToGbnf, lowerGbnf, matches, parseGbnf, printGbnf, whyNot } from "../gbnf/index.ts";
import { type JsonInput, parseJson } from "../messages/index.ts";
import type { RecordedCase } from "./cases.ts";
import { languageDifference } from "./languageDifference.ts";
import { failed, type Outcome, passed, skipped } from "./outcome.ts";

/** Handlers of llama.cpp's own checks of grammars, by kind. */
export const grammarKinds: Readonly<Record<string, (recorded: RecordedCase) => Outcome>> = {
  verify_parsing: runLowered,
  verify_failure: runBuildFailure,
  build_fails: runBuildFailure,
  grammar: (recorded) => runTexts(recorded, parseGbnf(recorded.plain.grammar)),
  schema: (recorded) => runTexts(recorded, jsonSchemaToGbnf(schemaOf(recorded))),
  schema_grammar: runSchemaGrammar,
};

/** A schema is recorded as JSON text, which keeps the order of its keys. */
function schemaOf(recorded: RecordedCase): JsonInput {
  const schema = recorded.lossless("schema");
  return typeof schema === "string" ? parseJson(schema) : (schema as JsonInput);
}

/** A grammar's symbols and elements, as llama.cpp holds them. */
function runLowered({ plain }: RecordedCase): Outcome {
  const lowered = lowerGbnf(parseGbnf(plain.grammar));
  const symbols = [...lowered.symbols].sort(([a], [b]) => (a < b ? -1 : 1));
  const actual = { symbols, rules_flat: lowered.rules.flat() };
  for (const field of ["symbols", "rules_flat"] as const) {
    if (JSON.stringify(actual[field]) !== JSON.stringify(plain[field])) return failed(`${field} differ`, actual);
  }
  return passed("expect", actual);
}

function runBuildFailure({ plain }: RecordedCase): Outcome {
  const error = refusalOf(() => parseGbnf(plain.grammar));
  return error === null ? failed("expected a refusal", { refused: false }) : passed("refused", { error });
}

/** Texts that must match, and texts that must not. Raw 0xFF bytes were lost in recording: texts with U+FFFD are left out. */
function runTexts({ plain }: RecordedCase, gbnf: Gbnf): Outcome {
  const usable = (texts: readonly string[]) => texts.filter((text) => !text.includes("\ufffd"));
  const [pass, fail] = [usable(plain.pass), usable(plain.fail)];
  const lost = plain.pass.length + plain.fail.length - pass.length - fail.length;
  if (lost > 0 && pass.length + fail.length === 0) return skipped(`all ${lost} texts hold U+FFFD for a lost byte`);
  const actual = {
    pass: pass.filter((text) => matches(gbnf, text)),
    fail: fail.filter((text) => !matches(gbnf, text)),
  };
  const refused = pass.find((text) => !actual.pass.includes(text));
  if (refused !== undefined) {
    return failed(`must match ${JSON.stringify(refused)}: ${whyNot(gbnf, refused)?.message}`, actual);
  }
  const taken = fail.find((text) => !actual.fail.includes(text));
  if (taken !== undefined) return failed(`must not match ${JSON.stringify(taken)}`, actual);
  return passed(lost === 0 ? "expect" : `expect, ${lost} texts with U+FFFD left out`, actual);
}

/** The grammar of a schema has the recorded one's language; its text may be another. */
function runSchemaGrammar(recorded: RecordedCase): Outcome {
  const { plain } = recorded;
  if (plain.expect !== "SUCCESS") {
    const error = refusalOf(() => jsonSchemaToGbnf(schemaOf(recorded)));
    return error === null ? failed("expected a refusal", { refused: false }) : passed("refused", { error });
  }
  const gbnf = jsonSchemaToGbnf(schemaOf(recorded));
  const actual = { grammar: printGbnf(gbnf) };
  const expected = parseGbnf(plain.expected_grammar);
  const difference = languageDifference(
    { gbnf, root: "root" },
    { gbnf: expected, root: schemaRoot(expected) },
    `${plain.name}`,
  );
  return difference === null ? passed("same language", actual) : failed(difference, actual);
}

/** A property named "" takes the name `root` for its own rule in llama.cpp; the schema's is then `root0`. */
const schemaRoot = ({ rules }: Gbnf): string => (rules.some(({ name }) => name === "root0") ? "root0" : "root");

function refusalOf(build: () => unknown): { readonly code: string; readonly message: string } | null {
  try {
    build();
    return null;
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return { code: error.code, message: error.message };
  }
}
