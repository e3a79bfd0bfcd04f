import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanTurn } from "../../src/bridge/index.ts";
import type { ParsedResponse, ParserEvent, ParserState } from "../../src/index.ts";
import {
  type FramedGrammar,
  jsonArguments,
  type ParserFactory,
  parserFactory,
  type SpokenResponse,
} from "../../src/parse/index.ts";
import { cutInto } from "../support/arbitraries.ts";
import { familyTokenizer } from "../support/families.ts";

/*
 * Two small formats of messages: one whose headers are text before one body marker, and whose calls end with a stop; one
 * whose body markers tell what a body is, and whose turn ends with a stop of its own.
 *
 *   <start>{header}<body>{text}<end|call|return>
 *   <start>{name}<say|think|do>{text}<end> … <return>
 */
const marks = ["<start>", "<body>", "<say>", "<think>", "<do>", "<end>", "<call>", "<return>"] as const;
const tokenizer = familyTokenizer("framed", marks);
const id = (mark: (typeof marks)[number]): number => tokenizer.tokenToId(mark) as number;
const ids = (text: string): number[] => Array.from(tokenizer.encode(text));

const byHeader: FramedGrammar = {
  kind: "framed",
  stops: [id("<return>"), id("<call>")],
  turnStart: id("<start>"),
  starts: [id("<start>")],
  bodies: [id("<body>")],
  ends: [id("<end>"), id("<call>")],
  whenUnknown: "plain",
  classify: (header) => (header.startsWith("to ") ? "call" : header === "thought" ? "reasoning" : "content"),
  strayText: (header) => (header.startsWith("to ") || header === "thought" || header === "word" ? "" : header),
  readCall: (header, { text }) => ({ ...jsonArguments(text), name: header.slice(3) || null, id: null }),
  stopOf: ({ toolCalls }) => (toolCalls.length > 0 ? id("<call>") : id("<return>")),
  spell({ reasoning, content, toolCalls }, opened) {
    const messages = [
      ...(reasoning === null ? [] : [`thought<body>${reasoning}<end>`]),
      ...(content === "" && toolCalls.length > 0 ? [] : [`word<body>${content}<end>`]),
      ...toolCalls.map(({ name, argumentsText }) => `to ${name}<body>${argumentsText}<call>`),
    ];
    const text = messages.join("<start>").replace(/<(?:end|call)>$/, "");
    return opened ? text.slice("thought<body>".length) : text;
  },
};

const byMarker: FramedGrammar = {
  ...byHeader,
  stops: [id("<return>")],
  bodies: [id("<say>"), id("<think>"), id("<do>")],
  callBodies: [id("<do>")],
  ends: [id("<end>")],
  whenUnknown: "header",
  classify: (_, body) => (body === id("<say>") ? "content" : body === id("<do>") ? "call" : "reasoning"),
  strayText: (header) => header,
  readCall: (header, { text }) => ({ ...jsonArguments(text), name: header || null, id: null }),
  stopOf: () => id("<return>"),
  spell({ reasoning, content, toolCalls }, opened) {
    const messages = [
      ...(reasoning === null ? [] : [`<think>${reasoning}<end>`]),
      `<say>${content}<end>`,
      ...toolCalls.map(({ name, argumentsText }) => `${name}<do>${argumentsText}<end>`),
    ];
    return opened ? messages.join("<start>").slice("<think>".length) : messages.join("<start>");
  },
};

const grammars = { byHeader, byMarker } as const;
const factories: Record<keyof typeof grammars, ParserFactory> = {
  byHeader: parserFactory(byHeader, tokenizer),
  byMarker: parserFactory(byMarker, tokenizer),
};
const kinds = Object.keys(grammars) as (keyof typeof grammars)[];

type Prompt = string | { readonly reasoning: "open" | "closed" | "unknown" };

function parser(kind: keyof typeof grammars, prompt: Prompt = "<start>", state?: ParserState) {
  return factories[kind]({ prompt: typeof prompt === "string" ? ids(prompt) : prompt, tools: null, state });
}

function read(kind: keyof typeof grammars, completion: string | readonly number[], prompt?: Prompt): ParsedResponse {
  const one = parser(kind, prompt);
  one.push(typeof completion === "string" ? ids(completion) : completion);
  return one.end().response;
}

const words = fc
  .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 6 }), fc.constantFrom(" ", "\n", "中文", "🤔")), {
    maxLength: 5,
  })
  .map((parts) => tokenizer.normalize(parts.join("")))
  .filter((one) => !marks.some((mark) => one.includes(mark)));

const responses: fc.Arbitrary<SpokenResponse> = fc.record({
  reasoning: fc.option(words),
  content: words,
  toolCalls: fc.array(
    fc.record({
      name: fc.constantFrom("add", "run", "look"),
      argumentsText: fc.dictionary(fc.constantFrom("a", "b"), words).map((one) => JSON.stringify(one)),
      id: fc.constant(undefined),
    }),
    { maxLength: 3 },
  ),
});

/** Ids as a model may give them: mostly markers and words, some that no vocabulary has. */
const anyIds = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...marks.map(id)) },
    { weight: 3, arbitrary: fc.constantFrom(...ids('to add thought word {"a": 1} 中文 🤔')) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: tokenizer.vocabSize - 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(-1, tokenizer.vocabSize, 2 ** 31 - 1) },
  ),
  { maxLength: 50 },
);

const prompts = fc.constantFrom<Prompt>(
  "<start>",
  "<start>thought<body>",
  "<start>word<body>hi<end>",
  "<start>thou",
  "<start><think>",
  "nothing",
  { reasoning: "open" },
  { reasoning: "closed" },
  { reasoning: "unknown" },
);

describe.each(kinds)("%s", (kind) => {
  const grammar = grammars[kind];
  const stopOf = (response: SpokenResponse) => grammar.stopOf?.(response) ?? -1;

  test("what is spelled reads back, and is canonical", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const completion = [...ids(grammar.spell(response, false)), stopOf(response)];
        const parsed = read(kind, completion);
        expect(parsed.content).toBe(response.content);
        expect(parsed.reasoning).toEqual(
          response.reasoning === null ? null : { text: response.reasoning, complete: true },
        );
        expect(parsed.toolCalls.map(({ name, argumentsText, status }) => ({ name, argumentsText, status }))).toEqual(
          response.toolCalls.map(({ name, argumentsText }) => ({ name, argumentsText, status: "ok" })),
        );
        expect(parsed.stop).toEqual({ kind: "stop", id: stopOf(response), index: completion.length - 1 });
        expect(parsed.canonical).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("also behind a prompt that has opened the reasoning", () => {
    const opened = kind === "byHeader" ? "<start>thought<body>" : "<start><think>";
    fc.assert(
      fc.property(responses, (response) => {
        if (response.reasoning === null) return;
        const parsed = read(kind, [...ids(grammar.spell(response, true)), stopOf(response)], opened);
        expect(parsed.reasoning).toEqual({ text: response.reasoning, complete: true });
        expect(parsed.content).toBe(response.content);
        expect(parsed.canonical).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("any cutting reads the same, the state stored as JSON in between", () => {
    fc.assert(
      fc.property(anyIds, prompts, fc.array(fc.nat(4), { maxLength: 40 }), (completion, prompt, cuts) => {
        const whole = parser(kind, prompt);
        const events = whole.push(completion);
        const last = whole.end();
        let state: ParserState | undefined;
        const pieces: ParserEvent[] = [];
        for (const piece of cutInto(completion, cuts)) {
          const next = parser(kind, prompt, state);
          pieces.push(...next.push(piece));
          state = JSON.parse(JSON.stringify(next.state)) as ParserState;
        }
        const end = parser(kind, prompt, state).end();
        expect(end.response).toEqual(last.response);
        expect(joined([...pieces, ...end.events])).toEqual(joined([...events, ...last.events]));
      }),
      { numRuns: 400 },
    );
  });

  test("events say what the response says, and spans follow each other", () => {
    fc.assert(
      fc.property(anyIds, prompts, (completion, prompt) => {
        const one = parser(kind, prompt);
        const events = one.push(completion);
        const { events: rest, response } = one.end();
        const all = [...events, ...rest];
        const said = (part: "content" | "reasoning") =>
          all.map((event) => (event.kind === part ? event.text : "")).join("");
        expect(said("content")).toBe(response.content);
        expect(said("reasoning")).toBe(response.reasoning?.text ?? "");
        expect(all.flatMap((event) => (event.kind === "toolCallEnd" ? [event.call] : []))).toEqual(response.toolCalls);
        expect(all.filter((event) => event.kind === "stop")).toHaveLength(response.stop.kind === "stop" ? 1 : 0);
        let from = 0;
        for (const { tokenSpan } of response.toolCalls) {
          expect(tokenSpan[0]).toBeGreaterThanOrEqual(from);
          expect(tokenSpan[1]).toBeGreaterThan(tokenSpan[0]);
          from = tokenSpan[1];
        }
        expect(from).toBeLessThanOrEqual(completion.length);
      }),
      { numRuns: 400 },
    );
  });

  test("the bridge and the parser see one end of the turn", () => {
    fc.assert(
      fc.property(anyIds, (completion) => {
        const promptIds = ids("<start>");
        const turn = { grammar, parsers: factories[kind], tokenizer, promptIds, completionIds: completion };
        const end = scanTurn(turn);
        const { stop, reasoning } = read(kind, completion);
        expect(end.stop).toBe(stop.kind === "stop" ? stop.index : null);
        expect(end.reasoningOpen).toBe(reasoning?.complete === false);
        if (end.stop !== null) expect(end.openMessage).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

describe("a stop behind which the turn goes on", () => {
  const calls = 'to add<body>{"a": 1}<call><start>to run<body>{}<call>';

  test("ends a message only, and is reported once nothing follows", () => {
    const first = ids(calls).indexOf(id("<call>")) + 1;
    const one = parser("byHeader");
    expect(one.push(ids(calls)).filter((event) => event.kind === "stop")).toEqual([]);
    const { events, response } = one.end();
    expect(events).toEqual([{ kind: "stop", id: id("<call>"), index: ids(calls).length - 1 }]);
    expect(response.toolCalls.map(({ name, tokenSpan }) => [name, tokenSpan])).toEqual([
      ["add", [0, first]],
      ["run", [first, ids(calls).length]],
    ]);
    expect(response.canonical).toBe(true);
  });

  test("ends the turn when anything else follows", () => {
    const first = calls.slice(0, calls.indexOf("<start>"));
    const parsed = read("byHeader", `${first} and more<start>word<body>unread<return>`);
    expect(parsed.stop).toEqual({ kind: "stop", id: id("<call>"), index: ids(first).length - 1 });
    expect(parsed.content).toBe("");
  });

  test("a response with another stop than its format has is not canonical", () => {
    expect(read("byHeader", "word<body>hi<return>").canonical).toBe(true);
    expect(read("byHeader", "word<body>hi<call>").canonical).toBe(false);
    expect(read("byHeader", "to add<body>{}<return>").canonical).toBe(false);
  });
});

describe("what a prompt has opened", () => {
  test("a header goes on where the prompt left it", () => {
    expect(read("byHeader", "ght<body>hm<end><start>word<body>hi<return>", "<start>thou").reasoning).toEqual({
      text: "hm",
      complete: true,
    });
  });

  test("a body goes on, whatever it is", () => {
    expect(read("byHeader", "lo<return>", "<start>word<body>hel").content).toBe("lo");
  });

  test("behind a closed message none is open", () => {
    const state = parser("byHeader", "<start>word<body>hi<end>").state;
    expect(state).toMatchObject({ mode: "between", header: "" });
  });

  test("without any prompt a completion is content as it stands, unless it begins with a message", () => {
    const plain = { reasoning: "unknown" } as const;
    expect(read("byHeader", "thought<body>hm<end>x<return>", plain).content).toBe("thought<body>hm<end>x");
    expect(read("byHeader", "<start>thought<body>hm<end><start>word<body>x<return>", plain)).toMatchObject({
      content: "x",
      reasoning: { text: "hm", complete: true },
    });
    expect(read("byHeader", "said<call><start>word<body>x<return>", plain)).toMatchObject({
      content: "said",
      stop: { id: id("<call>") },
    });
  });
});

describe("damaged responses", () => {
  test("a header without a body is content as far as it is mere text", () => {
    expect(read("byHeader", "Hello there<return>").content).toBe("Hello there");
    expect(read("byHeader", "word<body>hi<end><start>to ad").content).toBe("hi");
  });

  test("words before a body are not lost", () => {
    expect(read("byMarker", "Well, <say>hello<end><return>").content).toBe("Well, hello");
  });

  test("a message that the next one cuts off: reasoning is over, a call is unclosed", () => {
    const parsed = read("byHeader", 'thought<body>hm<start>to add<body>{"a": 1}<start>word<body>hi<return>');
    expect(parsed.reasoning).toEqual({ text: "hm", complete: true });
    expect(parsed.toolCalls).toMatchObject([
      { name: "add", status: "unclosed_block", raw: '{"a": 1}', arguments: null },
    ]);
    expect(parsed.content).toBe("hi");
  });

  test("reasoning that a stop cuts off is open", () => {
    expect(read("byHeader", "thought<body>hm<return>").reasoning).toEqual({ text: "hm", complete: false });
    expect(read("byHeader", "thought<body>hm").reasoning).toEqual({ text: "hm", complete: false });
  });

  test("a call's marker inside open reasoning ends it, where the format says so", () => {
    const parsed = read("byMarker", "<think>hm<do>{}<end><return>");
    expect(parsed.reasoning).toEqual({ text: "hm", complete: true });
    expect(parsed.toolCalls).toMatchObject([{ status: "ok", raw: "{}", tokenSpan: [2, 5] }]);
    expect(read("byMarker", "<think>a<say>b<end><return>").reasoning?.text).toBe("a<say>b");
  });

  test("ends without a message and ids outside the vocabulary do no harm", () => {
    expect(read("byHeader", "<end><end><start>word<body>hi<return>").content).toBe("hi");
    const parsed = read("byHeader", [...ids("word<body>a"), tokenizer.vocabSize, -1, ...ids("b<return>")]);
    expect(parsed.content).toBe("a\uFFFD\uFFFDb");
  });

  test("a character that is cut waits for its rest, and stays cut where a marker comes first", () => {
    const bytes = ids("𓂀");
    expect(bytes.length).toBeGreaterThan(1);
    const one = parser("byHeader");
    one.push(ids("word<body>"));
    expect(one.push(bytes.slice(0, 1))).toEqual([]);
    expect(one.push(bytes.slice(1))).toEqual([{ kind: "content", text: "𓂀" }]);
    expect(read("byHeader", [...ids("word<body>"), bytes[0], id("<return>")]).content).toBe("\uFFFD");
  });
});

/** Neighbouring deltas of one kind as one. */
function joined(events: readonly ParserEvent[]): ParserEvent[] {
  const all: ParserEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last && "text" in last && "text" in event && last.kind === event.kind)
      all[all.length - 1] = { ...last, text: last.text + event.text } as ParserEvent;
    else all.push(event);
  }
  return all;
}
