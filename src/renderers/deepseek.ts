/*
 * What DeepSeek V3 and R1 share: everything but the prefilled thinking and what stays of an earlier turn's content.
 *
 *   <｜begin▁of▁sentence｜>{system}⏎⏎{system}<｜User｜>{text}<｜Assistant｜>{content}<｜end▁of▁sentence｜>
 *   <｜User｜>{text}<｜Assistant｜>{content}<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}⏎
 *   ```json⏎{arguments}⏎```<｜tool▁call▁end｜><｜tool▁call▁begin｜>…<｜tool▁calls▁end｜><｜end▁of▁sentence｜>
 *   <｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>{result}<｜tool▁output▁end｜>…<｜tool▁outputs▁end｜>{content}<｜end▁of▁sentence｜>
 *
 * (No line breaks but ⏎.) A turn that follows tool results has no `<｜Assistant｜>`. System messages at the beginning are one
 * text, later ones are user turns. Tools are not written: whoever wants them puts them into the system text.
 */
import { markers, spokenCall, textMarker, type WireFormat } from "../format/index.ts";
import { type ConversationMessage, pythonStrip } from "../messages/index.ts";
import {
  type CallGrammar,
  type CallReading,
  type CallText,
  endsInJsonString,
  jsonArguments,
  knownStatus,
  type SpokenResponse,
  type TokenMarker,
} from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

export interface DeepseekVariant {
  readonly family: string;
  /** What the generation prompt ends with. */
  readonly prefill: string;
  /** What an assistant's turn says as part of the history. */
  said(message: ConversationMessage): string;
  readonly patched: boolean;
}

/** The format of DeepSeek V3 and R1. */
export function deepseekFormat(tokenizer: Tokenizer, { family, prefill, said, patched }: DeepseekVariant): WireFormat {
  const token = markers(tokenizer, family, {
    begin: "<｜begin▁of▁sentence｜>",
    end: "<｜end▁of▁sentence｜>",
    user: "<｜User｜>",
    assistant: "<｜Assistant｜>",
    callsOpen: "<｜tool▁calls▁begin｜>",
    callsClose: "<｜tool▁calls▁end｜>",
    callOpen: "<｜tool▁call▁begin｜>",
    callClose: "<｜tool▁call▁end｜>",
    separator: "<｜tool▁sep｜>",
    resultsOpen: "<｜tool▁outputs▁begin｜>",
    resultsClose: "<｜tool▁outputs▁end｜>",
    resultOpen: "<｜tool▁output▁begin｜>",
    resultClose: "<｜tool▁output▁end｜>",
  });

  /** An assistant's words and calls; the format has no place for the thinking of an earlier turn. */
  function spell({ content, toolCalls }: Omit<SpokenResponse, "reasoning">): string {
    if (toolCalls.length === 0) return content;
    const calls = toolCalls.map(({ name, argumentsText }) => {
      const body = `function${token.separator.text}${name}\n\`\`\`json\n${argumentsText}\n\`\`\``;
      return `${token.callOpen.text}${body}${token.callClose.text}`;
    });
    return `${content}${token.callsOpen.text}${calls.join("")}${token.callsClose.text}`;
  }

  return {
    roles: ["system", "user", "assistant", "tool"],
    grammar: {
      kind: "tagged",
      stops: [token.end.id],
      turnStart: token.assistant.id,
      reasoning: {
        open: textMarker(tokenizer, "<think>"),
        close: textMarker(tokenizer, "</think>"),
        padding: "\n",
        separator: "\n\n",
        whenUnknown: "closed",
        endedByCall: false,
        opensAtTurnStart: true,
        exact: patched,
      },
      calls: {
        open: token.callOpen,
        close: token.callClose,
        section: { open: token.callsOpen, close: token.callsClose },
        separator: "",
        ...fencedCalls(token.separator),
      },
      spell: (response, opened) => {
        const thinking = opened && response.reasoning !== null ? `${response.reasoning}\n</think>\n\n` : "";
        return thinking + spell(response);
      },
    },
    turn: { close: token.end.id, separator: "" },
    isPrefixStable: true,
    startsQuery: ({ role }) => role === "user",

    writeOpening(out, { messages }) {
      out.at(-1).token(token.begin.id);
      const system = messages.slice(0, leadingSystem(messages)).map((message) => message.text);
      out.at(0).body(system.join("\n\n"));
    },

    writeMessages(out, { messages, continues }) {
      for (let index = continues ? 0 : leadingSystem(messages); index < messages.length; index++) {
        const message = messages[index];
        const followsResult = messages[index - 1]?.role === "tool";
        out.at(index);
        switch (message.role) {
          case "system":
          case "user":
            out.token(token.user.id).body(message.text);
            break;
          case "assistant":
            if (!followsResult) out.token(token.assistant.id);
            out.sampled(spell({ content: said(message), toolCalls: message.toolCalls.map(spokenCall) }));
            out.sampledToken(token.end.id);
            break;
          case "tool":
            if (!followsResult) out.token(token.resultsOpen.id);
            out.token(token.resultOpen.id).body(message.text).token(token.resultClose.id);
            if (messages[index + 1]?.role !== "tool") out.token(token.resultsClose.id);
        }
      }
    },

    writeGenerationPrompt(out, { messages }) {
      if (messages.at(-1)?.role !== "tool") out.token(token.assistant.id);
      out.scaffold(prefill);
    },
  };
}

/** How many system messages the conversation begins with. */
function leadingSystem(messages: readonly ConversationMessage[]): number {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first < 0 ? messages.length : first;
}

function withoutFence(text: string): string {
  const isFenced = text.length >= 6 && text.startsWith("```") && text.endsWith("```");
  return isFenced ? pythonStrip(text.slice(text.startsWith("json", 3) ? 7 : 3, -3)) : text;
}

/** Calls as `function<｜tool▁sep｜>{name}⏎` and arguments in a fence; the fence may be missing. */
function fencedCalls(separator: TokenMarker): Pick<CallGrammar, "atoms" | "body" | "endsInside" | "unclosed" | "form"> {
  /** Name and arguments; null where the separator is missing. */
  function parts({ text, atoms }: CallText): { readonly name: string; readonly rest: string } | null {
    const atom = atoms.find(({ id }) => id === separator.id);
    if (!atom) return null;
    const words = pythonStrip(text.slice(atom.end));
    const newline = words.indexOf("\n");
    if (newline < 0) return { name: words, rest: "" };
    return { name: pythonStrip(words.slice(0, newline)), rest: pythonStrip(words.slice(newline + 1)) };
  }

  function body(call: CallText, tools: Parameters<CallGrammar["body"]>[1]): CallReading {
    const found = parts(call);
    if (!found) return { name: null, arguments: null, argumentsText: null, id: null, status: "malformed_structure" };
    const read = jsonArguments(withoutFence(found.rest) || "{}");
    const name = found.name || null;
    const known = name === null ? "missing_name" : knownStatus(name, tools);
    return { ...read, name, id: null, status: name !== null && read.status !== "ok" ? read.status : known };
  }

  return {
    atoms: [separator.id],
    body,
    endsInside: (call) => endsInJsonString(parts(call)?.rest ?? ""),
    unclosed: (call) => {
      const found = parts(call);
      return found ? { name: found.name || null } : { status: "malformed_structure" };
    },
    form: {
      inside: [
        { kind: "text", text: `function${separator.text}` },
        { kind: "name" },
        { kind: "text", text: "\n```json\n" },
        { kind: "json" },
        { kind: "text", text: "\n```" },
      ],
      between: "",
    },
  };
}
