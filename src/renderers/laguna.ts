/*
 * Laguna (blocks of tags, calls with argument tags). `·` is the variant's line: ⏎ in XS.2 and M.1, else nothing.
 *
 *   〈|EOS|〉<system>··{system}⏎⏎### Tools … <available_tools>⏎{tool}⏎…</available_tools>…·</system>⏎
 *   <user>·{text}·</user>⏎
 *   <assistant>·<think>·{reasoning}·</think>·{content}·
 *     <tool_call>{name}·<arg_key>{key}</arg_key>·<arg_value>{text}</arg_value>·</tool_call>·</assistant>⏎
 *   <assistant>·</think>·{content}·</assistant>⏎
 *   <tool_response>·{result}·</tool_response>⏎
 *
 * (No line break but ⏎ and `·`.)
 *
 * `<assistant>`, the thinking and the call's outer tags are tokens, all other tags are text. `</think>` alone opens a turn
 * without thinking; the generation prompt writes `<think>` or `</think>`, and the line after it is the model's. Which
 * turns have thinking depends on no other message.
 *
 * With lines, white space at the edges of reasoning and content goes, and empty content has no line. Without them, tags hug
 * their bodies, nothing is trimmed, and a token that holds parts of both is the body's.
 *
 * `patched`: JSON values of arguments that come as text stay to the letter. With lines also that white space stays, content
 * that holds `</think>` beside a reasoning field is whole, and a turn whose reasoning is empty but not missing has a block.
 *
 * Differs from the published templates: parts of text are joined (the templates write nothing for content that is a list),
 * arguments that come as JSON text are read, and those that are no object are none (the templates raise on both).
 */
import {
  type ArgTagLayout,
  type ArgTags,
  argTagCalls,
  argTagTexts,
  argumentTexts,
  markers,
  splitThinking,
  textMarker,
  thinkingPart,
  toolValue,
  type WireFormat,
  writeArgTags,
} from "../format/index.ts";
import {
  type ConversationMessage,
  type ConversationToolCall,
  pythonJson,
  pythonRstrip,
  pythonStrip,
} from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";

/** What one Laguna does otherwise than another, under one config. */
export interface LagunaVariant {
  readonly family: string;
  readonly line: "" | "\n";
  /** The system text of conversations that have none. */
  readonly defaultSystem: string;
  /** The system block stands also where it holds nothing. */
  readonly keepsEmptySystem: boolean;
  /** What follows the list of tools. */
  readonly toolsTail: string;
  /** The generation prompt opens thinking. */
  readonly thinks: boolean;
  /** Has a turn a thinking block? Reasoning that is missing is null. */
  hasBlock(reasoning: string | null): boolean;
  /** A message's reasoning as its fields say it. */
  reasoningField(message: ConversationMessage): string | null;
  /** Thinking parts of the content stand for a reasoning field. */
  readonly thinkingParts: boolean;
  /** Thinking in the content, up to its closing tag, is told apart from it. */
  readonly inlineThinking: boolean;
  /** Write assistant messages as they are, and add only the outer tags that are missing. */
  readonly raw: boolean;
  /** A bridge begins with the newline behind a turn; false: only behind a close of its own. */
  readonly newlineAfterTurn: boolean;
  readonly patched: boolean;
}

export const POOLSIDE_SYSTEM =
  "You are a helpful, conversationally-fluent assistant made by Poolside. " +
  "You are here to be helpful to users through natural language conversations.";

const TOOLS_HEAD =
  "### Tools\n\nYou may call functions to assist with the user query.\n" +
  "All available function signatures are listed below:\n<available_tools>\n";
const TAGS: Readonly<Record<string, string>> = { system: "system", user: "user", tool: "tool_response" };

/** The field that newer templates prefer; an empty one counts, too. */
export const preferredReasoning = ({ raw, reasoning }: ConversationMessage): string | null =>
  typeof raw.reasoning === "string" ? raw.reasoning : reasoning;

export function bindLaguna(tokenizer: Tokenizer, variant: LagunaVariant): WireFormat {
  const token = markers(tokenizer, variant.family, {
    begin: "〈|EOS|〉",
    turnStart: "<assistant>",
    turnEnd: "</assistant>",
    thinkOpen: "<think>",
    thinkClose: "</think>",
    callOpen: "<tool_call>",
    callClose: "</tool_call>",
  });
  const { line, thinks, patched } = variant;
  const tags = Object.entries(argTagTexts()).map(([name, text]) => [name, textMarker(tokenizer, text)]);
  const layout: ArgTagLayout = { tags: Object.fromEntries(tags) as ArgTags, glue: line };
  const hugs = line === "";
  const trim = hugs || patched ? (text: string) => text : (text: string) => pythonStrip(text);
  const implied = thinks && !hugs ? line : undefined;

  /** The thinking with the line after it. */
  function block(reasoning: string | null): string {
    return variant.hasBlock(reasoning)
      ? `<think>${line}${trim(reasoning ?? "")}${line}</think>${line}`
      : `</think>${line}`;
  }

  function speech(content: string, calls: readonly Pick<ConversationToolCall, "name" | "arguments">[]): string {
    const said = trim(content);
    const texts = calls.map(
      (call) =>
        `<tool_call>${writeArgTags(layout, call.name, argumentTexts(call, { exact: patched }) ?? [])}</tool_call>${line}`,
    );
    return `${said === "" ? "" : `${said}${line}`}${texts.join("")}`;
  }

  const grammar: ResponseGrammar = {
    kind: "tagged",
    stops: [token.turnEnd.id, token.begin.id],
    turnStart: token.turnStart.id,
    reasoning: {
      open: token.thinkOpen,
      close: token.thinkClose,
      padding: line,
      samplesPadding: true,
      separator: line,
      whenUnknown: "closed",
      endedByCall: false,
      exact: hugs || patched,
      implied,
    },
    lead: variant.raw ? "" : line,
    trail: line,
    calls: argTagCalls(layout, { open: token.callOpen, close: token.callClose, separator: line }),
    spell({ reasoning, content, toolCalls }, opened) {
      if (variant.raw) return `${content}${line}`;
      const calls = toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }));
      const said = speech(content, calls);
      if (reasoning === null) return line + said;
      const thinking = block(reasoning);
      if (!opened) return `${implied ?? ""}${thinking}${said}`;
      return `${thinking.startsWith("<think>") ? thinking.slice("<think>".length) : thinking}${said}`;
    },
  };

  function spoken(message: ConversationMessage): { readonly reasoning: string | null; readonly content: string } {
    const field = variant.reasoningField(message) ?? (variant.thinkingParts ? partsThinking(message) : null);
    const { text } = message;
    if (!variant.inlineThinking || !text.includes("</think>") || (patched && field !== null)) {
      return { reasoning: field, content: text };
    }
    const inline = splitThinking({ reasoning: null, text });
    return { reasoning: field || inline.reasoning, content: inline.content };
  }

  function writeAssistant(out: SpanWriter, message: ConversationMessage): void {
    out.token(token.turnStart.id).scaffold(line);
    const { reasoning, content } = spoken(message);
    const thinking = block(reasoning);
    const opening = thinking.startsWith("<think>") ? "<think>" : "</think>";
    // Tags that hug are the prompt's, also where it would have written the other one.
    const prefilled = hugs || (opening === "<think>") === thinks ? opening : "";
    const text = thinking + speech(content, message.toolCalls);
    out.scaffold(prefilled).sampled(text.slice(prefilled.length)).sampledToken(token.turnEnd.id).scaffold("\n");
  }

  function writeRaw(out: SpanWriter, { text }: ConversationMessage): void {
    const opening = thinks ? "<think>" : "</think>";
    out.token(token.turnStart.id).scaffold(line + (text.startsWith(opening) ? "" : opening));
    out.sampled(text);
    if (!/<\/assistant>\n?$/.test(text)) out.scaffold(line).sampledToken(token.turnEnd.id);
    out.scaffold("\n");
  }

  /** A body that hugs its tags shares tokens with them. */
  const body = (out: SpanWriter, text: string) => (hugs ? out.huggedBody(text) : out.body(text));

  return {
    roles: ["system", "user", "assistant", "tool"],
    grammar,
    turn: {
      close: token.turnEnd.id,
      separator: variant.newlineAfterTurn ? "\n" : "",
      separatorAfterClose: "\n",
      separatorLeads: hugs,
    },
    isPrefixStable: true,
    startsQuery: ({ role }) => role === "user",

    writeOpening(out, { messages, tools = [] }) {
      out.at(-1).token(token.begin.id);
      const system = messages[0].role === "system" ? messages[0] : undefined;
      const text = system ? pythonRstrip(system.text) : variant.defaultSystem;
      if (text === "" && tools.length === 0 && !variant.keepsEmptySystem) return;
      out.scaffold(`<system>${line}`);
      if (text !== "") {
        out.scaffold(line);
        if (system) body(out.at(0), text);
        else out.scaffold(text);
      }
      if (tools.length > 0) {
        out.at(-1).scaffold(hugs && text === "" ? TOOLS_HEAD : `\n\n${TOOLS_HEAD}`);
        for (const tool of tools) out.foreign(pythonJson(toolValue(tool))).scaffold("\n");
        out.scaffold(`</available_tools>${variant.toolsTail}`);
      }
      out.at(-1).scaffold(`${line}</system>\n`);
    },

    writeMessages(out, { messages, continues }) {
      for (const message of messages) {
        const { role, index } = message;
        out.at(index);
        if (role === "assistant") {
          if (variant.raw) writeRaw(out, message);
          else writeAssistant(out, message);
        } else if (Object.hasOwn(TAGS, role) && (role !== "system" || index > 0 || continues)) {
          body(out.scaffold(`<${TAGS[role]}>${line}`), message.text).scaffold(`${line}</${TAGS[role]}>\n`);
        }
      }
    },

    writeGenerationPrompt(out) {
      out.token(token.turnStart.id).scaffold(line);
      out.token(thinks ? token.thinkOpen.id : token.thinkClose.id);
    },
  };
}

/** What thinking parts of the content say; null if there are none. */
function partsThinking({ content }: ConversationMessage): string | null {
  if (!Array.isArray(content)) return null;
  const thoughts = content.flatMap((part) => thinkingPart(part) ?? []);
  return thoughts.length > 0 ? thoughts.join("") : null;
}
