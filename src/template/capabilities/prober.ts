import type { JsonInput, Message, ToolSpec } from "../../messages/index.ts";
import type { ChatTemplate } from "../template.ts";
import { flatTools, type Manner, tools, words } from "./conversations.ts";
import { type Observation, observe } from "./observe.ts";
import { ProbeVariables } from "./variables.ts";

export type Variables = Readonly<Record<string, JsonInput>>;

/** Speaks to a template in one manner. */
export interface Prober {
  readonly manner: Manner;
  /** null: the template raises. */
  render(messages: readonly Message[], variables?: Variables): Observation | null;
  /** Does the template ask for any of these variables? */
  asksFor(names: readonly string[], messages: readonly Message[], variables?: Variables): boolean;
}

export function prober(template: ChatTemplate, manner: Manner): Prober {
  const context = (messages: readonly Message[], variables: Variables) =>
    new ProbeVariables(
      {
        bos_token: "<s>",
        eos_token: "</s>",
        tools: manner.tools ? asJson(tools) : null,
        documents: null,
        add_generation_prompt: true,
        ...variables,
        messages: asJson(messages),
      },
      manner.filled ? words.variable : null,
    );
  return {
    manner,
    render: (messages, variables = {}) => observe(template, context(messages, variables)),
    asksFor(names, messages, variables = {}) {
      const given = context(messages, variables);
      observe(template, given);
      return names.some((name) => given.asked.has(name));
    },
  };
}

export function asJson(value: readonly Message[] | readonly ToolSpec[]): JsonInput {
  return value as unknown as JsonInput;
}

/** The name of the first tool is written. */
export function writesTools(seen: Observation, given: readonly ToolSpec[]): boolean {
  const path = given === flatTools ? ["name"] : ["function", "name"];
  return seen.writes(["tools", 0, ...path], words.tools[0]);
}
