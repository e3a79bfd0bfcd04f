import { pythonLstrip } from "../../messages/index.ts";
import type { CallList, CallReading, SpokenCall, SpokenResponse, TaggedGrammar } from "../grammar.ts";
import type { KnownTool } from "../types.ts";

type Tools = ReadonlyMap<string, KnownTool> | null;

/** The same format with a block as if it were one call, whose `argumentsText` is the block's text. */
export function blockGrammar(grammar: TaggedGrammar, list: CallList, tools: Tools): TaggedGrammar {
  const calls = grammar.calls && {
    ...grammar.calls,
    body: ({ text }: { readonly text: string }) => asBlock(text),
    unclosed: ({ text }: { readonly text: string }) => ({ argumentsText: text }),
  };
  return { ...grammar, calls, spell: (response, opened) => grammar.spell(withCalls(response, list, tools), opened) };
}

function asBlock(text: string): CallReading {
  return { name: null, arguments: null, argumentsText: text, id: null, status: "ok" };
}

/** What was said, with the calls in place of their blocks. */
function withCalls(response: SpokenResponse, list: CallList, tools: Tools): SpokenResponse {
  const { content, toolCalls: blocks } = response;
  const read = (text: string): SpokenCall[] | undefined =>
    list.read(text, tools)?.map(({ reading: { name, argumentsText, id } }) => ({
      name: name ?? "",
      argumentsText: argumentsText ?? "",
      id: id ?? undefined,
    }));
  if (blocks.length > 0) return { ...response, toolCalls: blocks.flatMap((block) => read(block.argumentsText) ?? []) };
  const toolCalls = mayBeList(content, list) === "yes" ? read(content) : undefined;
  return toolCalls && toolCalls.length > 0 ? { ...response, content: "", toolCalls } : response;
}

/** Does a content that begins so begin as a list without markers? `"undecided"`: more text must tell. */
export function mayBeList(text: string, { openings = [] }: CallList): "yes" | "no" | "undecided" {
  const said = pythonLstrip(text);
  if (said !== "" && openings.some((opening) => said.startsWith(opening))) return "yes";
  return openings.some((opening) => opening.startsWith(said)) ? "undecided" : "no";
}
