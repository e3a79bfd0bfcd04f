import type { JsonInput } from "../../src/messages/json/index.ts";
import type { Random } from "./random.ts";
import { type Context, float, randomInteger, TEXTS } from "./values.ts";

type Field = readonly [string, JsonInput];

const object = (...fields: readonly (Field | readonly Field[] | null)[]): ReadonlyMap<string, JsonInput> =>
  new Map(fields.flatMap((field) => (field === null ? [] : isField(field) ? [field] : [...field])));

const isField = (field: Field | readonly Field[]): field is Field => typeof field[0] === "string";

/** A field that is there three times in four, or as often as said. */
const maybe = (random: Random, name: string, make: () => JsonInput, oneIn = 4): Field | null =>
  random.oneIn(oneIn) ? null : [name, make()];

const rarely = (random: Random, name: string, make: () => JsonInput, oneIn = 4): Field | null =>
  random.oneIn(oneIn) ? [name, make()] : null;

/** What a chat template is given: a conversation, mostly one that it can expect, and variables of its own. */
export function randomConversation(random: Random): Context {
  const messages = random.oneIn(8) ? random.several(0, 5, () => strayMessage(random)) : turns(random, random.oneIn(2));
  return object(
    ["messages", messages],
    maybe(random, "add_generation_prompt", () => !random.oneIn(4), 10),
    maybe(random, "bos_token", () => random.pick(["<s>", "<|begin_of_text|>", ""]), 12),
    maybe(random, "eos_token", () => random.pick(["</s>", "<|im_end|>"]), 12),
    maybe(
      random,
      "tools",
      () => (random.oneIn(4) ? random.pick([null, []]) : random.several(1, 3, () => tool(random))),
      3,
    ),
    rarely(random, "documents", () =>
      random.oneIn(5) ? random.pick([null, []]) : random.several(1, 2, (i) => document(random, i)),
    ),
    maybe(random, "datetime", () => "2024-07-26"),
    ...KNOBS.map(([name, values]) =>
      rarely(random, name, () => random.pick(values), name === "enable_thinking" || name === "functions" ? 2 : 9),
    ),
  );
}

/** Variables that templates read, with values that they know and some that they do not. */
const KNOBS: readonly (readonly [string, readonly JsonInput[]])[] = [
  ["enable_thinking", [true, false, true, false, null]],
  ["thinking", [true, false]],
  ["reasoning_effort", ["low", "medium", "high", "max", "none", null]],
  ["thinking_mode", ["thinking", "chat"]],
  ["thinking_budget", [0, 512, 2048, -1]],
  ["reasoning_mode", ["/think", "/no_think"]],
  ["preserve_thinking", [true, false]],
  ["keep_past_thinking", [true, false]],
  ["clear_thinking", [true, false]],
  ["drop_thinking", [true, false]],
  ["truncate_history_thinking", [true, false]],
  ["continue_final_message", [true, false]],
  ["tools_in_user_message", [true, false]],
  ["custom_tools", [null, []]],
  ["builtin_tools", [["code_interpreter"], ["browser", "python"], []]],
  ["date_string", ["26 Jul 2024"]],
  ["model_identity", ["You are a made-up model."]],
  ["system_message", ["A system message of the caller."]],
  ["response_format", [null, object(["type", "json_object"])]],
  ["enable_citations", [true, false]],
  ["developer_preamble", ["Preamble."]],
  ["safety_mode", ["NONE", "STRICT", "CONTEXTUAL"]],
  ["add_vision_id", [true, false]],
  ["tool_choice", ["auto", "required", "none"]],
  ["controls", [object(["length", "long"]), object()]],
  ["knowledge_cutoff", ["2024-06"]],
  ["functions", ["[]", "none"]],
  ["low_effort", [true]],
  ["medium_effort", [true]],
];

const WORDS = [
  "What's",
  "the",
  "weather",
  "in",
  "Zürich?",
  "2 + 2",
  "<b>&",
  "Ünïcödé",
  "🏔️",
  "请问",
  "\n",
  "\n\n",
  "  ",
  '"quoted"',
  "it's",
  "{{ x }}",
  "null",
];

function prose(random: Random): string {
  if (random.oneIn(6)) return random.pick(TEXTS);
  const text = random.several(1, 8, () => random.pick(WORDS)).join(" ");
  return random.oneIn(6) ? `\n ${text} \n` : text;
}

/**
 * System, then questions, each with calls and their results before its answer. A plain one has text in every message and
 * roles in turn, which the strictest templates take.
 */
function turns(random: Random, plain: boolean): JsonInput[] {
  const messages: JsonInput[] = [];
  const content = () => (plain ? prose(random) : anyContent(random));
  let calls = 0;
  if (random.oneIn(2)) messages.push(message(random, !plain && random.oneIn(6) ? "developer" : "system", content()));
  for (let i = random.below(4); i >= 0; i--) {
    messages.push(message(random, "user", content()));
    if (i === 0 && random.oneIn(2)) break;
    for (let rounds = random.oneIn(plain ? 4 : 2) ? random.below(3) : 0; rounds > 0; rounds--) {
      const made = random.several(1, 2, () => toolCall(random, calls++));
      const text = random.pick<JsonInput>(["", null, prose(random)]);
      messages.push(
        assistant(random, random.oneIn(6) ? undefined : text, ["tool_calls", made.map(({ call }) => call)]),
      );
      if (rounds === 1 && i === 0 && random.oneIn(4)) return messages;
      for (const { id, name } of made) messages.push(toolResult(random, id, name));
    }
    if (plain || !random.oneIn(8)) messages.push(assistant(random, content()));
  }
  return messages;
}

const message = (random: Random, role: string, text: JsonInput, ...fields: readonly (Field | null)[]): JsonInput =>
  object(
    ["role", role],
    ["content", text],
    rarely(random, "name", () => "someone", 16),
    ...fields,
  );

function assistant(random: Random, text: JsonInput | undefined, ...fields: readonly Field[]): JsonInput {
  const thought = (name: string, oneIn: number) =>
    rarely(random, name, () => random.pick([prose(random), prose(random), "", null]), oneIn);
  const open = random.pick(["<think>\n", "<think>", "[THINK]"]);
  const inside = typeof text === "string" && random.oneIn(6) ? `${open}${prose(random)}\n</think>\n\n${text}` : text;
  return object(
    ["role", "assistant"],
    inside === undefined ? null : ["content", inside],
    thought("reasoning_content", 3),
    thought("reasoning", 12),
    thought("thinking", 12),
    rarely(random, "tool_plan", () => prose(random), 16),
    ...fields,
  );
}

function anyContent(random: Random): JsonInput {
  if (!random.oneIn(4)) return prose(random);
  if (random.oneIn(8)) return null;
  return random.several(0, 3, () => part(random));
}

function part(random: Random): JsonInput {
  return random.pick<() => JsonInput>([
    () => object(["type", "text"], ["text", prose(random)]),
    () => object(["type", "text"], ["text", prose(random)]),
    () => object(["type", "text"], ["text", prose(random)]),
    () => object(["type", "image"]),
    () => object(["type", "image_url"], ["image_url", object(["url", "http://a.example/x.png"])]),
    () =>
      random.pick([
        object(["type", "video"]),
        object(["type", "audio"]),
        object(["type", "thinking"], ["thinking", prose(random)]),
        prose(random),
      ]),
  ])();
}

const TOOLS = ["get_weather", "bash", "search.web", "f"];

function toolCall(random: Random, index: number): { id: string; name: string; call: JsonInput } {
  const name = random.pick(TOOLS);
  const id = random.pick([
    `call${String(index).padStart(5, "0")}`,
    `functions.${name}:${index}`,
    `call${String(index).padStart(5, "0")}`,
  ]);
  const args = random.oneIn(3)
    ? random.pick(['{"location": "Zürich"}', '{"a": 1.0}', "{}", "", "not json", '{"x": [1, null]}'])
    : random.oneIn(16)
      ? random.pick<JsonInput>([null, [], 3])
      : argumentsOf(random);
  const called: Field[] = [
    ["name", name],
    ["arguments", args],
  ];
  const call = random.oneIn(6)
    ? object(
        maybe(random, "id", () => id),
        called,
      )
    : object(
        maybe(random, "id", () => id, 10),
        maybe(random, "type", () => "function", 10),
        ["function", object(called)],
      );
  return { id, name, call };
}

function argumentsOf(random: Random): JsonInput {
  return new Map(
    random.several(
      0,
      3,
      () =>
        [
          random.pick(["location", "unit", "command", "n", "nested", "2", "größe"]),
          random.pick<() => JsonInput>([
            () => prose(random),
            () => randomInteger(random),
            () => float(random.pick(["1.0", "0.1", "1e16", "1e-7", "-0.0"])),
            () => random.oneIn(2),
            () => null,
            () => [1, "b", null],
            () => object(["deep", [object(["er", prose(random)])]]),
            () => object(),
          ])(),
        ] as const,
    ),
  );
}

function toolResult(random: Random, id: string, name: string): JsonInput {
  const result = random.pick<() => JsonInput>([
    () => prose(random),
    () => prose(random),
    () => '{"temperature": 21.5}',
    () => [object(["type", "text"], ["text", prose(random)])],
    () => object(["temperature", float("21.0")], ["ok", true]),
    () => "",
  ])();
  return object(
    ["role", "tool"],
    maybe(random, "tool_call_id", () => id, 8),
    maybe(random, "name", () => name, 2),
    ["content", result],
  );
}

/** What no conversation should hold. */
function strayMessage(random: Random): JsonInput {
  return object(
    maybe(
      random,
      "role",
      () => random.pick(["system", "user", "assistant", "tool", "developer", "ipython", "critic", ""]),
      20,
    ),
    maybe(random, "content", () => anyContent(random), 8),
    rarely(
      random,
      "tool_calls",
      () => random.pick<() => JsonInput>([() => [], () => null, () => [toolCall(random, 0).call]])(),
      3,
    ),
    rarely(random, "reasoning_content", () => prose(random), 3),
    rarely(random, "tool_call_id", () => "call00000", 3),
  );
}

function tool(random: Random): JsonInput {
  const described = object(
    ["name", random.pick(TOOLS)],
    maybe(random, "description", () => prose(random), 10),
    maybe(random, "parameters", () => schema(random, 2), 10),
    rarely(random, "return", () => object(["type", "string"], ["description", "what it gives"]), 5),
    rarely(random, "strict", () => true, 10),
  );
  return random.oneIn(8) ? described : object(["type", "function"], ["function", described]);
}

function schema(random: Random, depth: number): JsonInput {
  if (random.oneIn(12)) return random.pick<JsonInput>([object(), null, object(["type", "object"])]);
  const names = ["location", "unit", "command", "n", "nested"].filter(() => random.oneIn(2));
  return object(
    ["type", "object"],
    ["properties", new Map(names.map((name) => [name, property(random, depth)]))],
    maybe(random, "required", () => names.filter(() => random.oneIn(2)), 3),
    rarely(random, "additionalProperties", () => random.pick<JsonInput>([false, object(["type", "string"])]), 6),
    rarely(random, "$defs", () => object(["X", object(["type", "string"])]), 12),
  );
}

function property(random: Random, depth: number): JsonInput {
  const described = maybe(random, "description", () => prose(random));
  return random.pick<() => JsonInput>([
    () =>
      object(
        ["type", "string"],
        described,
        rarely(random, "enum", () => ["celsius", "fahrenheit"], 3),
      ),
    () =>
      object(
        ["type", "integer"],
        described,
        rarely(random, "minimum", () => 0),
        rarely(random, "default", () => 5),
      ),
    () =>
      object(
        ["type", "number"],
        described,
        rarely(random, "maximum", () => float("1.5")),
      ),
    () =>
      object(
        ["type", "boolean"],
        described,
        rarely(random, "default", () => false),
      ),
    () =>
      object(
        ["type", "array"],
        described,
        maybe(random, "items", () => (depth > 0 ? property(random, depth - 1) : object(["type", "string"]))),
      ),
    () => (depth > 0 ? schema(random, depth - 1) : object(["type", "object"])),
    () =>
      object(
        ["type", ["string", "null"]],
        described,
        rarely(random, "nullable", () => true),
      ),
    () =>
      object([random.pick(["anyOf", "oneOf"]), [object(["type", "string"]), object(["type", "integer"])]], described),
  ])();
}

function document(random: Random, index: number): JsonInput {
  return object(
    maybe(random, "title", () => prose(random), 6),
    maybe(random, "text", () => prose(random), 6),
    rarely(random, "doc_id", () => index + 1),
    rarely(random, "snippet", () => prose(random)),
  );
}
