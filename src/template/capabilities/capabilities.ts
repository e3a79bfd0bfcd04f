import { type ChatTemplate, type CompileOptions, compileTemplate } from "../template.ts";
import { flatTools, manners, message, opening, tools, words } from "./conversations.ts";
import { probeCalls } from "./probeCalls.ts";
import { asJson, type Prober, prober, type Variables, writesTools } from "./prober.ts";
import type { TemplateCapabilities } from "./types.ts";

const known = new WeakMap<ChatTemplate, TemplateCapabilities>();

/**
 * What a chat template supports. Some twenty small conversations are rendered, to see which parts of them are written; what the
 * template refuses is not supported. The answer is kept with the template. A text is compiled with `mutable`, so that a
 * template which appends to lists shows what it does where that is allowed.
 *
 * @throws TitoError `template_syntax` for a text that is no template
 * @example
 * capabilities("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}").supportsTools; // false
 */
export function capabilities(
  template: ChatTemplate | string,
  { mutable = true }: CompileOptions = {},
): TemplateCapabilities {
  const compiled = typeof template === "string" ? compileTemplate(template, { mutable }) : template;
  let found = known.get(compiled);
  if (found === undefined) {
    found = probe(compiled);
    known.set(compiled, found);
  }
  return found;
}

function probe(template: ChatTemplate): TemplateCapabilities {
  const speak = (typed: boolean) => manners(typed).map((manner) => prober(template, manner));
  const string = speak(false).find(isHeard);
  const typed = (string ? [prober(template, { ...string.manner, typed: true })] : speak(true)).find(isHeard);
  const heard = string ?? typed ?? speak(false)[0]!;
  const calls = probeCalls(heard);
  return {
    supportsTools: calls.describesTools || describesTools(heard),
    supportsToolCalls: calls.written !== null,
    supportsParallelToolCalls: calls.parallel,
    supportsObjectArguments: calls.written?.object ?? false,
    supportsSystemRole: writesSystem(heard),
    supportsStringContent: string !== undefined,
    supportsTypedContent: typed !== undefined,
    supportsPreserveReasoning: preservesReasoning(heard),
    supportsReasoningEffort: obeysEffort(heard),
    requiresNonnullContent: calls.needsContent,
  };
}

/** The template writes what the user says, and that alone: a part's text and not the part. */
function isHeard({ render, manner }: Prober): boolean {
  const messages = opening(manner);
  const path = ["messages", messages.length - 1, "content", ...(manner.typed ? [0, "text"] : [])];
  return render(messages)?.textAt(path).includes(words.user) ?? false;
}

function writesSystem({ render, manner }: Prober): boolean {
  return render(opening({ ...manner, system: true }))?.writes(["messages", 0, "content"], words.system) ?? false;
}

function describesTools({ render, manner }: Prober): boolean {
  return [tools, flatTools].some((given) => {
    const seen = render(opening(manner), { tools: asJson(given) });
    return seen !== null && writesTools(seen, given);
  });
}

/** What templates call the wish to keep the reasoning of earlier turns. */
const keepReasoning: Variables = {
  enable_thinking: true,
  thinking: true,
  preserve_thinking: true,
  clear_thinking: false,
  truncate_history_thinking: false,
  drop_thinking: false,
};

function preservesReasoning({ render, manner }: Prober): boolean {
  const before = opening(manner);
  const user = message("user", words.user, manner);
  const assistant = { ...message("assistant", words.assistant, manner), reasoning_content: words.reasoning };
  const seen = render([...before, assistant, user, assistant, user], keepReasoning);
  return seen?.writes(["messages", before.length, "reasoning_content"], words.reasoning) ?? false;
}

/** The last one is known to no template: it may be written as it is, or refused. */
const efforts = ["low", "medium", "high", "max", "none", "probe"];

function obeysEffort({ render, asksFor, manner }: Prober): boolean {
  const messages = opening(manner);
  const variables = (effort: string): Variables => ({
    enable_thinking: true,
    thinking: true,
    reasoning_effort: effort,
    reasoning_strength: effort,
  });
  if (!asksFor(["reasoning_effort", "reasoning_strength"], messages, variables("low"))) return false;
  return new Set(efforts.map((effort) => render(messages, variables(effort))?.text)).size > 1;
}
