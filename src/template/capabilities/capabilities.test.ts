import { describe, expect, test } from "vitest";
import { compileTemplate } from "../template.ts";
import { capabilities } from "./capabilities.ts";
import type { TemplateCapabilities } from "./types.ts";

const nothing: TemplateCapabilities = {
  supportsTools: false,
  supportsToolCalls: false,
  supportsParallelToolCalls: false,
  supportsObjectArguments: false,
  supportsSystemRole: false,
  supportsStringContent: false,
  supportsTypedContent: false,
  supportsPreserveReasoning: false,
  supportsReasoningEffort: false,
  requiresNonnullContent: false,
};

const plain = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
const plainCapabilities: TemplateCapabilities = {
  ...nothing,
  supportsStringContent: true,
  supportsSystemRole: true,
  requiresNonnullContent: true,
};

/** A template whose messages are written as usual, with `calls` for an assistant's calls. */
function withCalls(calls: string, content = "{{ m.content or '' }}"): string {
  return `{% for m in messages %}<{{ m.role }}>${content}${calls}{% endfor %}`;
}

const eachCall = (call: string) => withCalls(`{% for c in m.tool_calls or [] %}${call}{% endfor %}`);

describe("capabilities", () => {
  test("of the plainest template", () => {
    expect(capabilities(plain)).toEqual(plainCapabilities);
  });

  test("a template that refuses everything, or writes nothing, supports nothing", () => {
    expect(capabilities("{{ raise_exception('no') }}")).toEqual(nothing);
    expect(capabilities("hello")).toEqual(nothing);
    expect(capabilities("")).toEqual(nothing);
    expect(capabilities("{% for i in range(10 ** 7) %}{% for j in range(10 ** 7) %}{% endfor %}{% endfor %}")).toEqual(
      nothing,
    );
  });

  test("wrong syntax is an error", () => {
    expect(() => capabilities("{% if %}")).toThrow(expect.objectContaining({ code: "template_syntax" }));
  });

  test("they are found once for a template", () => {
    const template = compileTemplate(plain);
    expect(capabilities(template)).toBe(capabilities(template));
  });

  test("only lists that are appended to tell the two sandboxes apart", () => {
    const template = `{% set l = [] %}{% for m in messages %}{% set _ = l.append(m.content) %}{% endfor %}{{ l | join }}`;
    expect(capabilities(template).supportsStringContent).toBe(true);
    expect(capabilities(template, { mutable: false }).supportsStringContent).toBe(false);
    expect(capabilities(compileTemplate(template)).supportsStringContent).toBe(false);
  });
});

describe("content", () => {
  test.each([
    ["the string", "{{ m.content }}", true, false],
    ["either", "{% if m.content is string %}{{ m.content }}{% else %}{{ m.content[0].text }}{% endif %}", true, true],
    ["the first part", "{{ m.content[0].text }}", false, true],
    ["every part", "{% for p in m.content %}{{ p['text'] }}{% endfor %}", false, true],
    [
      "parts of a type",
      "{{ m.content | selectattr('type', 'equalto', 'text') | map(attribute='text') | join }}",
      false,
      true,
    ],
    ["a list as JSON", "{{ m.content | tojson }}", true, false],
    [
      "strings alone",
      "{% if m.content is string %}{{ m.content }}{% else %}{{ raise_exception('no') }}{% endif %}",
      true,
      false,
    ],
    ["trimmed", "{{ m.content | trim }}", true, false],
  ])("%s: string %s %s", (_, content, string, typed) => {
    const found = capabilities(`{% for m in messages %}${content}\n{% endfor %}`);
    expect([found.supportsStringContent, found.supportsTypedContent]).toEqual([string, typed]);
  });
});

describe("a system message", () => {
  test("is refused", () => {
    const template = `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}${plain}`;
    expect(capabilities(template)).toEqual({ ...plainCapabilities, supportsSystemRole: false });
  });

  test("is left out", () => {
    const template = "{% for m in messages if m.role != 'system' %}{{ m.content }}{% endfor %}";
    expect(capabilities(template).supportsSystemRole).toBe(false);
  });

  test("is needed", () => {
    const template = `{% if messages[0].role != 'system' %}{{ raise_exception('no') }}{% endif %}${eachCall("{{ c.function.name }}")}`;
    expect(capabilities(template)).toMatchObject({
      supportsStringContent: true,
      supportsSystemRole: true,
      supportsToolCalls: true,
    });
  });

  test("goes into the user's turn", () => {
    const template = `{% if messages[0].role == 'system' %}{% set head = messages[0].content %}{% set messages = messages[1:] %}{% endif %}
{% for m in messages %}{{ (head + '\n' if loop.first and head else '') + m.content }}{% endfor %}`;
    expect(capabilities(template).supportsSystemRole).toBe(true);
  });
});

describe("tools", () => {
  test.each([
    ["as JSON", "{{ tools | tojson }}"],
    ["one by one", "{% for t in tools or [] %}{{ t.function.name }}{% endfor %}"],
    ["without envelopes", "{% for t in tools or [] %}{{ t.name }}{% endfor %}"],
    [
      "by a macro",
      "{% macro show(t) %}- {{ t.function.name }}{% endmacro %}{% for t in tools or [] %}{{ show(t) }}{% endfor %}",
    ],
  ])("%s", (_, tools) => {
    expect(capabilities(tools + plain)).toEqual({ ...plainCapabilities, supportsTools: true });
  });

  test("a template that only counts them does not tell of them", () => {
    expect(capabilities(`{% if tools %}{{ tools | length }} tools{% endif %}${plain}`).supportsTools).toBe(false);
  });

  test("a template that works only with tools", () => {
    const template = `{% for t in tools %}{{ t.function.name }}{% endfor %}${eachCall("{{ c.function.name }}")}`;
    expect(() => compileTemplate(template).render({ messages: [], tools: null })).toThrow();
    expect(capabilities(template)).toMatchObject({
      supportsTools: true,
      supportsStringContent: true,
      supportsSystemRole: true,
      supportsToolCalls: true,
    });
  });

  test("a template that refuses tools may write calls", () => {
    const template = `{% if tools %}{{ raise_exception('no') }}{% endif %}${eachCall("{{ c.function.name }}")}`;
    expect(capabilities(template)).toMatchObject({ supportsTools: false, supportsToolCalls: true });
  });

  test("a template with variables of its own", () => {
    const template = `{{ 'Functions: ' + functions + ', today ' + date }}${plain}`;
    expect(capabilities(template)).toEqual(plainCapabilities);
  });
});

describe("tool calls", () => {
  const of = (template: string) => {
    const found = capabilities(template);
    return {
      calls: found.supportsToolCalls,
      parallel: found.supportsParallelToolCalls,
      object: found.supportsObjectArguments,
    };
  };

  test.each([
    ["as JSON", "{{ c | tojson }}", true],
    ["arguments as JSON", "{{ c.function.name }}{{ c.function.arguments | tojson }}", true],
    [
      "arguments one by one",
      "{{ c.function.name }}{% for k, v in c.function.arguments | items %}{{ k }}={{ v }}{% endfor %}",
      true,
    ],
    ["arguments alone", "{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }}{% endfor %}", true],
    [
      "either",
      "{{ c.function.name }}{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}",
      true,
    ],
    ["text joined", "{{ c.function.name + c.function.arguments }}", false],
    ["text printed", "{{ c.function.name }}{{ c.function.arguments }}", false],
    ["names alone", "{{ c.function.name }}", false],
    ["names of arguments alone", "{{ c.function.name }}{% for k in c.function.arguments %}{{ k }}{% endfor %}", false],
    ["without envelopes", "{{ c.name }}{{ c.arguments | tojson }}", true],
  ])("%s", (_, call, object) => {
    expect(of(eachCall(call))).toEqual({ calls: true, parallel: true, object });
  });

  test("ids alone, or none at all", () => {
    expect(of(eachCall("{{ c.id }}"))).toEqual({ calls: false, parallel: false, object: false });
    expect(of(plain)).toEqual({ calls: false, parallel: false, object: false });
  });

  test("the first alone, or refused in pairs", () => {
    const first = withCalls("{% if m.tool_calls %}{{ m.tool_calls[0].function.name }}{% endif %}");
    expect(of(first)).toEqual({ calls: true, parallel: false, object: false });
    const refused = withCalls(
      "{% if m.tool_calls %}{% if m.tool_calls | length != 1 %}{{ raise_exception('one') }}{% endif %}{{ m.tool_calls[0] | tojson }}{% endif %}",
    );
    expect(of(refused)).toEqual({ calls: true, parallel: false, object: true });
  });

  test("ids of nine letters and digits", () => {
    const template = eachCall(
      "{% if c.id | length != 9 %}{{ raise_exception('id') }}{% endif %}{{ c.function.name }}{{ c.function.arguments | tojson }}",
    );
    expect(of(template)).toEqual({ calls: true, parallel: true, object: true });
  });

  test("turns that alternate, without a role for results", () => {
    const template = `{% for m in messages %}{% if m.role not in ['user', 'assistant'] %}{{ raise_exception('role') }}{% endif %}
{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}{% endfor %}${eachCall("{{ c | tojson }}")}`;
    expect(capabilities(template)).toMatchObject({ supportsSystemRole: false });
    expect(of(template)).toEqual({ calls: true, parallel: true, object: true });
  });

  test("beside null alone", () => {
    const template = `{% for m in messages %}{% if m.content is none %}{{ m.tool_calls | tojson }}{% else %}{{ m.content }}{% endif %}{% endfor %}`;
    expect(of(template)).toEqual({ calls: true, parallel: true, object: true });
    expect(capabilities(template).requiresNonnullContent).toBe(false);
  });

  test("only in the turn that goes on", () => {
    const template = withCalls("{% if loop.last and m.tool_calls %}{{ m.tool_calls | tojson }}{% endif %}");
    expect(of(template)).toEqual({ calls: true, parallel: true, object: true });
  });
});

describe("null content", () => {
  test.each([
    ["is an error", "{{ '>' + m.content }}", true],
    ["is printed", "{{ m.content }}", true],
    ["is printed as JSON", "{{ m.content | tojson }}", true],
    ["is left out", "{{ m.content or '' }}", false],
    ["is left out by a filter", "{{ m.content | default('', true) }}", false],
  ])("%s", (_, content, requires) => {
    expect(capabilities(withCalls("{{ m.tool_calls | tojson if m.tool_calls }}", content)).requiresNonnullContent).toBe(
      requires,
    );
    expect(capabilities(withCalls("", content)).requiresNonnullContent).toBe(requires);
  });

  test("loses the calls", () => {
    const template = `{% for m in messages %}{% if m.content is none %}-{% else %}{{ m.content }}{{ m.tool_calls | tojson if m.tool_calls }}{% endif %}{% endfor %}`;
    expect(capabilities(template)).toMatchObject({ supportsToolCalls: true, requiresNonnullContent: true });
  });
});

describe("reasoning", () => {
  const reasoned = (condition: string) =>
    `{% for m in messages %}{% if m.reasoning_content and (${condition}) %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% endfor %}`;

  test.each([
    ["always", "true", true],
    ["when it is asked for", "preserve_thinking", true],
    ["unless it is to be cleared", "not clear_thinking", true],
    ["in the last turn alone", "loop.index0 == messages | length - 2", false],
    ["never", "false", false],
  ])("kept %s", (_, condition, kept) => {
    expect(capabilities(reasoned(condition)).supportsPreserveReasoning).toBe(kept);
  });

  test.each([
    ["is written", "{{ reasoning_effort }}", true],
    ["chooses a text", "{% if reasoning_effort == 'max' %}Think hard.{% endif %}", true],
    ["is checked", "{% if reasoning_effort not in ['low', 'high'] %}{{ raise_exception('effort') }}{% endif %}", true],
    ["has another name", "{{ reasoning_strength }}", true],
    ["is looked at without effect", "{% if reasoning_effort is defined %}{% endif %}", false],
    ["is not looked at", "", false],
  ])("effort %s", (_, effort, obeys) => {
    expect(capabilities(effort + plain).supportsReasoningEffort).toBe(obeys);
  });
});
