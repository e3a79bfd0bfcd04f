import fc from "fast-check";

/** Choices from which a chat template is written; every name in it is made up. */
export interface TemplateChoices {
  readonly word: string;
  readonly marker: "angle" | "pipe" | "square";
  readonly reasoning: "none" | "inline" | "lines";
  /** What the generation prompt does about reasoning. */
  readonly prompt: "plain" | "open";
  readonly content: "plain" | "wrapped";
  readonly calls: "none" | "object" | "nested" | "nameIsKey" | "tagJson" | "tagged" | "arguments";
  readonly section: "none" | "lines" | "list";
  readonly ids: boolean;
}

export const templateChoices: fc.Arbitrary<TemplateChoices> = fc.record({
  word: fc.constantFrom("zorp", "quim_x", "blerg", "Vont"),
  marker: fc.constantFrom("angle", "pipe", "square"),
  reasoning: fc.constantFrom("none", "inline", "lines"),
  prompt: fc.constantFrom("plain", "open"),
  content: fc.constantFrom("plain", "wrapped"),
  calls: fc.constantFrom("none", "object", "nested", "nameIsKey", "tagJson", "tagged", "arguments"),
  section: fc.constantFrom("none", "lines", "list"),
  ids: fc.boolean(),
});

/** The two markers around a part, as the choice of markers has them. */
export function markersFor(
  { marker, word }: Pick<TemplateChoices, "marker" | "word">,
  part: string,
): readonly [string, string] {
  const name = `${word}_${part}`;
  if (marker === "angle") return [`<${name}>`, `</${name}>`];
  if (marker === "square") return [`[${name.toUpperCase()}]`, `[/${name.toUpperCase()}]`];
  return [`<|${name}_start|>`, `<|${name}_end|>`];
}

const quoted = (text: string): string => `{{ ${JSON.stringify(text)} }}`;

export function writtenTemplate(choices: TemplateChoices): string {
  const [think, thinkEnd] = markersFor(choices, "think");
  const [say, sayEnd] = markersFor(choices, "say");
  const line = choices.reasoning === "lines" ? "\n" : "";
  const reasoning =
    choices.reasoning === "none"
      ? ""
      : `{% if m.reasoning_content %}${quoted(`${think}${line}`)}{{ m.reasoning_content }}${quoted(`${line}${thinkEnd}${line}`)}{% endif %}`;
  const content =
    choices.content === "plain"
      ? "{{ m.content }}"
      : `{% if m.content %}${quoted(say)}{{ m.content }}${quoted(sayEnd)}{% endif %}`;
  const opens = choices.prompt === "open" && choices.reasoning !== "none" ? quoted(`${think}${line}`) : "";
  return [
    "{% for m in messages %}{% if m.role == 'assistant' %}",
    quoted(`<|${choices.word}|>assistant\n`),
    reasoning,
    content,
    callsOf(choices),
    quoted(`<|end_${choices.word}|>\n`),
    "{% else %}",
    `${quoted(`<|${choices.word}|>`)}{{ m.role }}${quoted("\n")}{{ m.content }}${quoted(`<|end_${choices.word}|>\n`)}`,
    "{% endif %}{% endfor %}",
    `{% if add_generation_prompt %}${quoted(`<|${choices.word}|>assistant\n`)}${opens}{% endif %}`,
  ].join("");
}

function callsOf(choices: TemplateChoices): string {
  if (choices.calls === "none") return "";
  const [all, allEnd] = markersFor(choices, "calls");
  const [one, oneEnd] = markersFor(choices, "call");
  const list = choices.section === "list";
  const wraps = choices.section === "none" || !["object", "nested", "nameIsKey"].includes(choices.calls);
  const open = list ? `${all}[` : choices.section === "lines" ? `${all}\n` : "";
  const close = list ? `]${allEnd}` : choices.section === "lines" ? `\n${allEnd}` : "";
  const between = list ? ", " : "\n";
  const call = `${wraps ? quoted(one) : ""}${callOf(choices)}${wraps ? quoted(oneEnd) : ""}`;
  return [
    "{% if m.tool_calls %}",
    `{% if m.content %}${quoted("\n")}{% endif %}${quoted(open)}`,
    `{% for t in m.tool_calls %}${call}{% if not loop.last %}${quoted(between)}{% endif %}{% endfor %}`,
    `${quoted(close)}{% endif %}`,
  ].join("");
}

function callOf(choices: TemplateChoices): string {
  const name = "{{ t.function.name }}";
  const args = "{{ t.function.arguments | tojson }}";
  const id = choices.ids ? `, "id": "{{ t.id }}"` : "";
  switch (choices.calls) {
    case "object":
      return `{"name": "${name}", "arguments": ${args}${id}}`;
    case "nested":
      return `{"type": "function", "function": {"name": "${name}", "parameters": ${args}}${id}}`;
    case "nameIsKey":
      return `{"${name}": ${args}}`;
    case "tagJson":
      return `${name}${choices.ids ? `${quoted("[ID]")}{{ t.id }}` : ""}${quoted("[ARGS]")}${args}`;
    default: {
      const [key, keyEnd] = markersFor(choices, "key");
      const [value, valueEnd] = markersFor(choices, "value");
      const plain = `{% if v is string %}{{ v }}{% else %}{{ v | tojson }}{% endif %}`;
      const pair =
        choices.calls === "tagged"
          ? `${quoted(key)}{{ k }}${quoted(`${keyEnd}\n${value}`)}${plain}${quoted(`${valueEnd}\n`)}`
          : `${quoted(`<arg name="`)}{{ k }}${quoted(`">`)}${plain}${quoted("</arg>\n")}`;
      return `${name}${quoted("\n")}{% for k, v in t.function.arguments.items() %}${pair}{% endfor %}`;
    }
  }
}
