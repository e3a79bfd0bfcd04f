import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pythonLiteral } from "../messages/index.ts";
import { functionXmlBody, functionXmlCalls, writeFunctionXml } from "./functionXml.ts";

const body = (call: string): string => call.slice("<tool_call>".length, -"</tool_call>".length);

const tools = (properties: Record<string, unknown>) =>
  new Map([["f", { name: "f", parameters: { type: "object", properties } as never }]]);

const read = (text: string, properties: Record<string, unknown> | null = null) =>
  functionXmlBody({ literal: pythonLiteral })({ text, atoms: [] }, properties && tools(properties));

const { endsInside } = functionXmlCalls({
  open: { text: "<tool_call>", id: 0 },
  close: { text: "</tool_call>", id: 1 },
  separator: "\n",
});

const tags = [
  "</parameter>",
  "</function>",
  "<parameter=x>",
  "<function=f>",
  "</tool_call>",
  "<tool_call>",
  "\n",
  " ",
  "a",
  ">",
];
const anyText = fc.array(fc.constantFrom(...tags), { maxLength: 12 }).map((pieces) => pieces.join(""));
/** What follows a closing tag by the letter would be taken for the call's own. */
const value = anyText.filter((text) => !/\n<\/parameter>\n<parameter=[^\n]*>\n/.test(`${text}\n`));
const key = fc.constantFrom("x", "y z", "2", "a>b", "<parameter=", "é");

describe("a written call", () => {
  it("is read as it was, whatever tags its values hold", () => {
    const entries = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 4 });
    fc.assert(
      fc.property(entries, (given) => {
        const strings = Object.fromEntries(given.map(([name]) => [name, { type: "string" }]));
        const reading = read(body(writeFunctionXml("f", given)), strings);
        expect(reading.status).toBe("ok");
        expect(reading.arguments).toEqual(Object.fromEntries(given));
      }),
    );
  });

  it("goes on where a closing marker stands inside a value, and nowhere else", () => {
    fc.assert(
      fc.property(fc.tuple(key, value), fc.tuple(key, value), (first, last) => {
        const before = body(writeFunctionXml("f", [first]));
        const open = `${before.slice(0, -"</function>\n".length)}<parameter=${last[0]}>\n${last[1].replaceAll("\n</parameter>", "")}`;
        expect(endsInside?.({ text: open, atoms: [] })).toBe(true);
        expect(endsInside?.({ text: before, atoms: [] })).toBe(false);
      }),
    );
  });
});

describe("any text", () => {
  it("has a reading, whose arguments are all that was said or null", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const reading = read(text);
        if (reading.status === "malformed_structure") expect(reading.arguments).toBe(null);
        else expect(text).toContain("<function=");
      }),
    );
  });

  it.each([
    ["tags without newlines", "<function=f><parameter=x>1</parameter><parameter=y>a</parameter></function>"],
    [
      "tags with more newlines",
      "\n\n<function=f>\n\n<parameter=x>\n1\n</parameter>\n\n<parameter=y>a</parameter> </function>\n\n",
    ],
    ["no closing function tag", "\n<function=f>\n<parameter=x>\n1\n</parameter>\n<parameter=y>\na\n</parameter>\n"],
  ])("is lenient about %s", (_, text) => {
    const reading = read(text, { x: { type: "integer" }, y: { type: "string" } });
    expect(reading).toMatchObject({ name: "f", arguments: { x: 1, y: "a" }, status: "ok" });
  });

  it.each([
    ["text before the call", "\nI call <function=f>\n</function>\n", null],
    ["text between parameters", "\n<function=f>\n<parameter=x>\n1\n</parameter>\nand\n</function>\n", "f"],
    ["a second call", "\n<function=f>\n</function>\n<function=g>\n</function>\n", "f"],
    ["a parameter without an end", "\n<function=f>\n<parameter=x>\n1\n</function>\n", "f"],
    ["no call", "\nhello\n", null],
    ["JSON", '{"name": "f", "arguments": {}}', null],
    ["a name without an end", "\n<function=f\n", null],
  ])("loses nothing silently: %s", (_, text, name) => {
    expect(read(text)).toEqual({ name, arguments: null, argumentsText: null, id: null, status: "malformed_structure" });
  });

  it("misses a name", () => {
    expect(read("\n<function=>\n</function>\n").status).toBe("missing_name");
  });
});

describe("a value", () => {
  const one = (text: string, schema?: unknown) =>
    read(body(writeFunctionXml("f", [["x", text]])), schema ? { x: schema } : null);

  it("loses one newline on each side", () => {
    for (const text of ["", "\n", "\n\n", " a ", "\na\n", "\ttwo\nlines\n"])
      expect(one(text, { type: "string" }).arguments).toEqual({ x: text });
  });

  it.each([
    ["True", { type: "boolean" }, "true"],
    ["None", { type: ["integer", "null"] }, "null"],
    ["1e+16", { type: "number" }, "1e+16"],
    ["12345678901234567890", { type: "integer" }, "12345678901234567890"],
    ['{"b": [1.0]}', { type: "object" }, '{"b": [1.0]}'],
    ["{'b': None}", { type: "object" }, '{"b": null}'],
    ["42", { type: "string" }, '"42"'],
    ["True", { type: "string" }, '"True"'],
  ])("%s of %j is %s", (text, schema, json) => {
    expect(one(text, schema)).toMatchObject({ argumentsText: `{"x": ${json}}`, status: "ok" });
  });

  it("is ambiguous without a schema where it could be two things", () => {
    expect(one("42")).toMatchObject({ arguments: { x: 42 }, status: "ambiguous_arguments" });
    expect(one("None")).toMatchObject({ arguments: { x: null }, status: "ambiguous_arguments" });
    expect(one("some text")).toMatchObject({ arguments: { x: "some text" }, status: "ok" });
  });

  it("that its schema does not have is said to be no JSON", () => {
    expect(one("many", { type: "integer" })).toMatchObject({ arguments: { x: "many" }, status: "invalid_json" });
  });
});
