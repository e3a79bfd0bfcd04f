import fc from "fast-check";
import type { JsonInput, ToolSpec } from "../messages/index.ts";

/** A tool with typed parameters, and arguments that fit them. */
export interface ToolUse {
  readonly tool: ToolSpec;
  readonly name: string;
  readonly arguments: Readonly<Record<string, JsonInput>>;
}

/** Values that formats are known to lose: edge white space, texts that look like other types, closing tags, nothing. */
export const awkwardStrings = [
  "",
  " ",
  "\n",
  "  padded  ",
  "\nlines\n\n",
  "true",
  "True",
  "None",
  "null",
  "42",
  "4.0",
  "1e5",
  '"quoted"',
  "{}",
  '{"a": 1}',
  "[1, 2]",
  "</parameter>",
  "a</parameter>b",
  "</function>",
  "</tool_call>",
  "</arg_value>",
  "</invoke>",
  "<arg_key>x",
  "```",
  "\n```\n",
  "it's",
  'a "b" \\ c',
  "<b>&amp;</b>",
  "\u0085",
  "\u2028",
] as const;

const names = ["city", "path", "query", "n", "flag", "opts", "items", "content"] as const;

/** Tools of three names whose parameters have every JSON type, and calls of them with arguments that fit. */
export function toolUses(strings: fc.Arbitrary<string>): fc.Arbitrary<ToolUse> {
  const argument = fc.constantFrom(...types).chain((type) => values(type, strings).map((value) => ({ type, value })));
  return fc
    .record({
      name: fc.constantFrom("search", "run_code", "get_weather"),
      arguments: fc.uniqueArray(fc.record({ key: fc.constantFrom(...names), argument }), {
        selector: (one) => one.key,
        maxLength: 4,
      }),
    })
    .map(({ name, arguments: given }) => ({
      name,
      tool: {
        type: "function",
        function: {
          name,
          description: `Does ${name}.`,
          parameters: {
            type: "object",
            properties: Object.fromEntries(given.map(({ key, argument: { type } }) => [key, { type }])),
          },
        },
      } as const,
      arguments: Object.fromEntries(given.map(({ key, argument: { value } }) => [key, value])),
    }));
}

const types = ["string", "integer", "number", "boolean", "object", "array", "null"] as const;

function values(type: (typeof types)[number], strings: fc.Arbitrary<string>): fc.Arbitrary<JsonInput> {
  switch (type) {
    case "string":
      return fc.oneof(fc.constantFrom(...awkwardStrings), strings);
    case "integer":
      return fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }));
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(nested(strings), { maxLength: 3 });
    case "object":
      return fc.dictionary(fc.constantFrom("a", "b", "key with space"), nested(strings), {
        maxKeys: 3,
        noNullPrototype: true,
      });
  }
}

function nested(strings: fc.Arbitrary<string>): fc.Arbitrary<JsonInput> {
  return fc.letrec<{ value: JsonInput }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<JsonInput>(null, true, false, "", " x ", "true"),
      fc.integer(),
      strings,
      fc.array(tie("value"), { maxLength: 2 }),
    ),
  })).value;
}
