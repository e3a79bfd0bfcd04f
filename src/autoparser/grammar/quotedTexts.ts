import type { StringSpelling } from "../../gbnf/index.ts";
import {
  alternatives,
  type GbnfBuilder,
  type GbnfExpression,
  literal,
  noneOf,
  oneOf,
  repeat,
  sequence,
} from "../../gbnf/index.ts";
import { jsonMember } from "../../gbnf/schema/characters.ts";
import { pythonRepr } from "../../messages/index.ts";
import {
  type Automaton,
  type AutomatonState,
  intersection,
  spellAutomaton,
  type TextPattern,
  withoutPatterns,
} from "./automaton.ts";

const controls = Array.from({ length: 0x20 }, (_, code) => code);
const hexDigits = "0123456789abcdefABCDEF";

/**
 * What stands between quotation marks where a backslash escapes. `codes`: the escapes that hexadecimal digits follow, and
 * how many.
 */
function escapedText(mark: string, escapes: string, codes: Readonly<Record<string, number>>): Automaton {
  const most = Math.max(...Object.values(codes));
  // 0: text, 1: behind a backslash, 1 + n: n hexadecimal digits are missing.
  const plain: AutomatonState = {
    accepts: true,
    edges: new Map([...controls.map((code) => [code, -1] as const), [mark.codePointAt(0)!, -1], [0x5c, 1]]),
    others: 0,
  };
  const escaped = new Map<number, number>([...escapes].map((one) => [one.codePointAt(0)!, 0]));
  for (const [one, digits] of Object.entries(codes)) escaped.set(one.codePointAt(0)!, 1 + digits);
  const digit = (next: number): AutomatonState => ({
    accepts: false,
    edges: new Map([...hexDigits].map((one) => [one.codePointAt(0)!, next])),
    others: -1,
  });
  const digits = Array.from({ length: most }, (_, index) => digit(index === 0 ? 0 : 1 + index));
  return { states: [plain, { accepts: false, edges: escaped, others: -1 }, ...digits] };
}

const jsonText = escapedText('"', '"\\/bfnrt', { u: 4 });
const pythonEscapes = { x: 2, u: 4, U: 8 };
const pythonSingle = escapedText("'", "\\'nrt", pythonEscapes);
const pythonDouble = escapedText('"', "\\nrt", pythonEscapes);

/** JSON strings in which, as they are written, no pattern occurs. */
export function jsonStrings(builder: GbnfBuilder, patterns: readonly TextPattern[]): StringSpelling {
  const hex = repeat(oneOf(hexDigits), { min: 4, max: 4 });
  const escaped = sequence(literal("\\"), alternatives(oneOf('"\\/bfnrt'), sequence(literal("u"), hex)));
  return {
    open: literal('"'),
    close: literal('"'),
    character: builder.rule(
      "json-char",
      alternatives(
        noneOf([
          [0, 0x1f],
          [0x22, 0x22],
          [0x5c, 0x5c],
        ]),
        escaped,
      ),
    ),
    body: within(builder, jsonText, patterns, "json-text"),
    spell: (text) => JSON.stringify(text).slice(1, -1),
    member: jsonMember,
  };
}

/** Strings as Python prints them; the quotation marks are part of the body. */
export function pythonStrings(builder: GbnfBuilder, patterns: readonly TextPattern[]): StringSpelling {
  const quoted = (mark: string, automaton: Automaton, name: string): GbnfExpression =>
    sequence(literal(mark), within(builder, automaton, patterns, name), literal(mark));
  return {
    open: literal(""),
    close: literal(""),
    character: noneOf("'"),
    body: alternatives(quoted("'", pythonSingle, "python-text"), quoted('"', pythonDouble, "python-text-2")),
    spell: (text) => pythonRepr(text),
  };
}

/**
 * Strings in a mark, within which nothing is escaped: the mark ends them where a value may be over. `meetsEnd` is called where
 * a pattern's characters may begin the mark.
 */
export function markedStrings(builder: GbnfBuilder, mark: string, meetsEnd: () => void): StringSpelling {
  const first = mark.codePointAt(0)!;
  return {
    open: literal(mark),
    close: literal(mark),
    character: noneOf([[first, first]]),
    body: spellAutomaton(builder, withoutPatterns([[...mark, null, ",]}):;"]]), "marked-text"),
    spell: (text) => text,
    member: (set) => {
      if (set.some(([from, to]) => from <= first && first <= to)) meetsEnd();
      return oneOf(set);
    },
  };
}

/** JSON strings in a JSON string: what is escaped is escaped twice. */
export function innerStrings(): StringSpelling {
  const hex = repeat(oneOf(hexDigits), { min: 4, max: 4 });
  const escaped = sequence(
    literal("\\\\"),
    alternatives(literal('\\"'), literal("\\\\"), oneOf("/bfnrt"), sequence(literal("u"), hex)),
  );
  return {
    open: literal('\\"'),
    close: literal('\\"'),
    character: alternatives(
      noneOf([
        [0, 0x1f],
        [0x22, 0x22],
        [0x5c, 0x5c],
      ]),
      escaped,
    ),
    spell: (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  };
}

const within = (
  builder: GbnfBuilder,
  automaton: Automaton,
  patterns: readonly TextPattern[],
  name: string,
): GbnfExpression =>
  spellAutomaton(builder, patterns.length === 0 ? automaton : intersection(automaton, withoutPatterns(patterns)), name);
