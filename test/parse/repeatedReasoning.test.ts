import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonCallBody, type ParserState, parserFactory, type TaggedGrammar } from "../../src/parse/index.ts";
import { familyTokenizer } from "../support/families.ts";

const tokenizer = familyTokenizer("", ["<end>", "<turn>", "<a>", "</a>", "<call>", "</call>"]);
const marker = (text: string) => ({ text, id: tokenizer.tokenToId(text) as number });
const label = "thought\n";

const grammar: TaggedGrammar = {
  kind: "tagged",
  stops: [marker("<end>").id],
  turnStart: marker("<turn>").id,
  reasoning: {
    open: marker("<a>"),
    close: marker("</a>"),
    label,
    padding: "",
    closing: "\n",
    separator: "",
    whenUnknown: "closed",
    exact: true,
    repeats: true,
  },
  calls: {
    open: marker("<call>"),
    close: marker("</call>"),
    separator: "",
    body: jsonCallBody({ nameField: "name", argumentsField: "arguments" }),
  },
  spell({ reasoning, content, toolCalls }, opened) {
    const thought = reasoning === null ? "" : `${opened ? "" : `<a>${label}`}${reasoning}\n</a>`;
    const calls = toolCalls.map((call) => `<call>{"name": "${call.name}", "arguments": ${call.argumentsText}}</call>`);
    return thought + calls.join("") + content;
  },
};

const parsers = parserFactory(grammar, tokenizer);
type Opening = "open" | "closed" | "unknown";

function parse(text: string, reasoning: Opening = "closed") {
  const parser = parsers({ prompt: { reasoning }, tools: null });
  parser.push(tokenizer.encode(text));
  return parser.end().response;
}

const thoughts = fc
  .array(fc.constantFrom("ab", " ", "\n", "\n\n", "thought", "thought\n", "é🤔", "."), { maxLength: 5 })
  .map((parts) => parts.join(""));
const words = fc.constantFrom("one", "two words", "drei.", "四");
const part = fc.oneof(
  thoughts.map((text) => ({ kind: "thought", text }) as const),
  words.map((text) => ({ kind: "words", text }) as const),
  fc.constant({ kind: "call" } as const),
);
type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never;

function textOf(parts: readonly Part[]): string {
  const pieces = parts.map((one) => {
    if (one.kind === "call") return '<call>{"name": "f", "arguments": {}}</call>';
    return one.kind === "words" ? one.text : `<a>${label}${one.text}\n</a>`;
  });
  return pieces.join("");
}

describe("reasoning that opens again", () => {
  test("is told from words and calls, wherever it stands", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const { content, reasoning, toolCalls } = parse(textOf(parts));
        const said = parts.flatMap((one) => (one.kind === "words" ? [one.text] : []));
        const thought = parts.flatMap((one) => (one.kind === "thought" ? [one.text] : []));
        const joined = thought.reduce((before, one) => (before === "" ? one : `${before}\n${one}`), "");
        expect(content).toBe(said.join(""));
        expect(reasoning).toEqual(thought.length === 0 ? null : { text: joined, complete: true });
        expect(toolCalls.length).toBe(parts.filter((one) => one.kind === "call").length);
      }),
    );
  });

  test("reads the same however it is cut", () => {
    const noise = fc.constantFrom(
      "<a>",
      "</a>",
      "<call>",
      "</call>",
      "thou",
      "\n",
      "x",
      '{"name": "f"}',
      label,
      "<turn>",
    );
    const text = fc.tuple(fc.array(part, { maxLength: 4 }), fc.array(noise, { maxLength: 8 }), fc.boolean());
    const opening = fc.constantFrom<Opening>("open", "closed", "unknown");
    fc.assert(
      fc.property(text, opening, fc.array(fc.nat(4), { maxLength: 40 }), ([parts, more, isFirst], reasoning, cuts) => {
        const ids = tokenizer.encode(isFirst ? more.join("") + textOf(parts) : textOf(parts) + more.join(""));
        const request = { prompt: { reasoning }, tools: null };
        const whole = parsers(request);
        const events = whole.push(ids);
        const last = whole.end();
        let state: ParserState | undefined;
        const pieces = [];
        for (let at = 0; at < ids.length; at += 1 + (cuts[at % Math.max(1, cuts.length)] ?? 0)) {
          const parser = parsers({ ...request, state });
          const end = at + 1 + (cuts[at % Math.max(1, cuts.length)] ?? 0);
          pieces.push(...parser.push(ids.subarray(at, end)));
          state = JSON.parse(JSON.stringify(parser.state)) as ParserState;
        }
        const end = parsers({ ...request, state }).end();
        expect(end.response).toEqual(last.response);
        const said = (all: typeof events, kind: string) =>
          all.map((event) => (event.kind === kind && "text" in event ? event.text : "")).join("");
        for (const kind of ["reasoning", "content"] as const) {
          expect(said([...pieces, ...end.events], kind)).toBe(said([...events, ...last.events], kind));
        }
        expect(said([...pieces, ...end.events], "reasoning")).toBe(last.response.reasoning?.text ?? "");
      }),
    );
  });

  test("one thought and its calls are canonical, more are not", () => {
    expect(parse(`${textOf([{ kind: "thought", text: "\n a\n" }, { kind: "call" }])}hi<end>`).canonical).toBe(true);
    expect(parse(`<a>${label}x\n</a>one<a>${label}y\n</a><end>`)).toMatchObject({
      content: "one",
      reasoning: { text: "x\ny", complete: true },
      canonical: false,
    });
  });
});

describe("a label", () => {
  test.each([
    ["whole", "<a>thought\nhm\n</a>x", "hm", true],
    ["and nothing else", "<a>thought\n</a>x", "", true],
    ["without its end", "<a>thou</a>x", "thou", true],
    ["cut short", "<a>thought", "thought", false],
    ["not even begun", "<a>", "", false],
    ["another", "<a>plan\nhm\n</a>x", "plan\nhm", true],
    ["twice", "<a>thought\nthought\nhm\n</a>x", "thought\nhm", true],
    ["before a call that ends the reasoning", '<a>thou<call>{"name": "f"}</call>', "thou", true],
    ["of a thought that is not closed", "<a>thought\nx\n</a>y<a>thought\nz", "x\nz", false],
  ])("%s", (_, text, reasoning, complete) => {
    expect(parse(text).reasoning).toEqual({ text: reasoning, complete });
  });

  test("is the prompt's where the prompt has opened the reasoning, and may be written again", () => {
    expect(parse("thought\nhm\n</a>x", "open")).toMatchObject({ content: "x", reasoning: { text: "thought\nhm" } });
    expect(parse("<a>thought\nhm\n</a>x<end>", "open")).toMatchObject({
      content: "x",
      reasoning: { text: "hm", complete: true },
      canonical: false,
    });
    expect(parse("hm<a>thought\n</a>x", "open").reasoning?.text).toBe("hm<a>thought");
  });

  test("tells a prompt's marker from the same marker in a text", () => {
    const opens = (text: string) => {
      const parser = parsers({ prompt: tokenizer.encode(text), tools: null });
      parser.push(tokenizer.encode("x"));
      return parser.end().response.reasoning !== null;
    };
    expect(opens("<turn><a>thought\n")).toBe(true);
    expect(opens("<turn><a>thought\n\nhm")).toBe(true);
    expect(opens("<turn><a>")).toBe(true);
    expect(opens("<turn>a typed <a> here")).toBe(false);
    expect(opens("<turn><a>thought\n</a>")).toBe(false);
  });
});
