import { type ConversationMessage, type JsonInput, pythonJson, pythonStrip, type ToolSpec } from "../messages/index.ts";
import {
  type CallBody,
  type CallGrammar,
  endsInJsonString,
  jsonArguments,
  knownStatus,
  type Marker,
  type ResponseGrammar,
  type SpokenCall,
  type SpokenResponse,
} from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";
import type { OtherPartText } from "./contentPieces.ts";
import { markers, textMarker } from "./markers.ts";
import { toolValue } from "./toolValue.ts";

/*
 * What the formats of Kimi share:
 *
 *   <|im_user|>user<|im_middle|>{text}<|im_end|>      also <|im_system|>{role or name}, <|im_assistant|>assistant
 *   <|im_system|>{name}<|im_middle|>## Return of {call id}⏎{result}<|im_end|>
 *   … <|tool_calls_section_begin|><|tool_call_begin|>{id}<|tool_call_argument_begin|>{JSON}<|tool_call_end|> …
 *     <|tool_calls_section_end|>
 *
 * A call's name stands in its id alone: `functions.{name}:{number}`.
 */

export interface Kimi {
  readonly turnEnd: number;
  readonly thinkOpen: Marker;
  readonly thinkClose: Marker;
  /** `<|im_user|>{name}<|im_middle|>`; the tag is the role's, and every role but two has the system's. */
  open(out: SpanWriter, role: string, name?: string): SpanWriter;
  close(out: SpanWriter): SpanWriter;
  /** What a tool's result begins with. */
  resultHead(out: SpanWriter, message: ConversationMessage): SpanWriter;
  /** An assistant's turn after its role; null reasoning writes no thinking block. */
  spell(response: SpokenResponse): string;
  /** `spell`: the turn as the family writes it, after a generation prompt that opens no thinking. */
  grammar(options: {
    readonly stops?: readonly number[] | undefined;
    readonly spell: (response: SpokenResponse) => string;
  }): ResponseGrammar;
}

/** @throws TitoError `token_missing` */
export function kimi(tokenizer: Tokenizer, family: string): Kimi {
  const token = markers(tokenizer, family, {
    user: "<|im_user|>",
    assistant: "<|im_assistant|>",
    system: "<|im_system|>",
    middle: "<|im_middle|>",
    turnEnd: "<|im_end|>",
    sectionOpen: "<|tool_calls_section_begin|>",
    sectionClose: "<|tool_calls_section_end|>",
    callOpen: "<|tool_call_begin|>",
    argumentsOpen: "<|tool_call_argument_begin|>",
    callClose: "<|tool_call_end|>",
  });
  const tags: ReadonlyMap<string, number> = new Map([
    ["user", token.user.id],
    ["assistant", token.assistant.id],
  ]);
  const thinkOpen = textMarker(tokenizer, "<think>");
  const thinkClose = textMarker(tokenizer, "</think>");
  const calls: CallGrammar = {
    open: token.callOpen,
    close: token.callClose,
    section: { open: token.sectionOpen, close: token.sectionClose },
    separator: "",
    atoms: [token.argumentsOpen.id],
    body: readCall,
    endsInside: ({ text, atoms: [atom] }) => atom !== undefined && endsInJsonString(text.slice(atom.end)),
    unclosed: (call) => {
      const { name, id } = readCall(call, null);
      return call.atoms.length > 0 ? { name, id } : { status: "malformed_structure" };
    },
    form: {
      inside: [{ kind: "id", namesFunction: true }, { kind: "text", text: token.argumentsOpen.text }, { kind: "json" }],
      between: "",
    },
  };

  function spellCalls(spoken: readonly SpokenCall[]): string {
    if (spoken.length === 0) return "";
    let text = token.sectionOpen.text;
    for (const { id = "", argumentsText } of spoken)
      text += token.callOpen.text + id + token.argumentsOpen.text + argumentsText + token.callClose.text;
    return text + token.sectionClose.text;
  }

  return {
    turnEnd: token.turnEnd.id,
    thinkOpen,
    thinkClose,
    open: (out, role, name = role) =>
      out
        .token(tags.get(role) ?? token.system.id)
        .foreign(name)
        .token(token.middle.id),
    close: (out) => out.token(token.turnEnd.id),
    resultHead: (out, { toolCallId = "" }) => out.scaffold("## Return of ").foreign(toolCallId).scaffold("\n"),
    spell({ reasoning, content, toolCalls }) {
      const thinking = reasoning === null ? "" : thinkOpen.text + reasoning + thinkClose.text;
      return thinking + content + spellCalls(toolCalls);
    },
    grammar: ({ stops = [token.turnEnd.id], spell }) => ({
      kind: "tagged",
      stops,
      turnStart: token.assistant.id,
      reasoning: { open: thinkOpen, close: thinkClose, padding: "", separator: "", whenUnknown: "closed" },
      calls,
      spell(response, opened) {
        const text = spell(response);
        return opened && text.startsWith(thinkOpen.text) ? text.slice(thinkOpen.text.length) : text;
      },
    }),
  };
}

const readCall: CallBody = ({ text, atoms: [atom] }, tools) => {
  if (!atom) return { name: null, arguments: null, argumentsText: null, id: null, status: "malformed_structure" };
  const id = pythonStrip(text.slice(0, atom.start));
  const name = nameInId(id);
  const read = jsonArguments(text.slice(atom.end));
  const call = { ...read, id: id || null, name: name || null };
  if (name === "") return { ...call, status: "missing_name" };
  return read.status === "ok" ? { ...call, status: knownStatus(name, tools) } : call;
};

/** The name in `functions.{name}:{number}`; an id of another kind is all name, up to a colon. */
function nameInId(id: string): string {
  const [path] = id.split(":", 1);
  return path.slice(path.indexOf(".") + 1);
}

/** Thinking parts in their tags; other parts that are no text are left out. */
export const taggedThinking: OtherPartText = (part) => {
  const thinking = thinkingPart(part);
  return thinking === null ? "" : `<think>${thinking}</think>`;
};

/** The thinking of a part; null if the part is another. */
export function thinkingPart(part: unknown): string | null {
  const { type, thinking } = part as { readonly type?: unknown; readonly thinking?: unknown };
  return type === "thinking" && typeof thinking === "string" ? thinking : null;
}

/** Tools as one line of JSON with sorted keys. */
export function sortedToolsJson(tools: readonly ToolSpec[]): string {
  return pythonJson(tools.map(toolValue) as JsonInput, { separators: [",", ":"], sortKeys: true });
}
