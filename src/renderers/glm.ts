/*
 * GLM: role markers without an end of turn, calls with argument tags. `·` is the variant's line, ⏎ in GLM-4.5 and else nothing.
 *
 *   [gMASK]<sop><|system|>⏎# Tools … <tools>⏎{tool}⏎</tools> …<|system|>·{system}
 *   <|user|>·{text}
 *   <|assistant|>·<think>{reasoning}</think>·{content}·<tool_call>{name}·<arg_key>{key}</arg_key>·<arg_value>{text}</arg_value>·</tool_call>
 *   <|observation|>·<tool_response>·{result}·</tool_response>·<tool_response>·…·</tool_response>
 *
 * A turn ends where the next one begins: the model samples `<|user|>` or `<|observation|>` (or `<|endoftext|>`), so that
 * such a marker after an assistant's turn is that turn's own. Thinking stays in the turns after the last user message, and
 * with `clearThinking: false` in all; a turn without it has an empty block or a lone `</think>`.
 *
 * With thinking off, `<think>` in a response is content: its prompt has closed the block.
 *
 * `patched`: edge white space of reasoning and content stays; a turn that keeps its thinking has a whole block also where
 * that is empty, as the response had it after its prompt; values of arguments that come as JSON text are printed by the
 * letter; content that is null is nothing.
 *
 * Differs from the published templates: parts of a tool's result are joined as all others are (GLM-5's prints each as a
 * Python dictionary, in a response of its own).
 */
import {
  type ArgTagLayout,
  argTagCalls,
  argTagTexts,
  argumentTexts,
  lastQueryIndex,
  markers,
  splitThinking,
  toolValue,
  type WireFormat,
  writeArgTags,
} from "../format/index.ts";
import {
  type ConversationMessage,
  type ConversationToolCall,
  type JsonInput,
  messageError,
  objectEntries,
  pythonJson,
  pythonStrip,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";

/** What a GLM does in its own way, under one config. */
export interface GlmVariant {
  readonly family: string;
  /** Stands after role markers, between the parts of a turn and between a call's tags. */
  readonly line: "" | "\n";
  /** A system turn before everything else. */
  readonly preamble?: string | undefined;
  /** Stands after each user message that does not end with it. */
  readonly userSuffix?: string | undefined;
  readonly thinks: boolean;
  /** Drop the thinking of turns before the last user message. */
  readonly clearsThinking: boolean;
  /** What the generation prompt writes after `<|assistant|>`. */
  readonly prefill: string;
  /** Beginnings of an assistant's turn that are scaffold; the first one that fits is taken. */
  readonly scaffolds: readonly string[];
  /** The turns without thinking that have an empty block and not a lone `</think>`. */
  readonly emptyBlocks: "all" | "afterLastUser" | "none";
  /** The reasoning field keeps its edge white space. */
  readonly exactReasoning: boolean;
  /** What stands for content that is null or missing. */
  readonly noContent: { readonly null: string; readonly missing: string };
  /** Arguments that are no JSON object: an error, or none. */
  readonly badArguments: "error" | "none";
  toolSpec(tool: ToolSpec): string;
  /** The order in which results are written that answer these calls: indices into `results`. */
  resultOrder?(results: readonly ConversationMessage[], calls: readonly ConversationToolCall[]): readonly number[];
  readonly patched: boolean;
}

const TOOLS_HEAD =
  "\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
  "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n";
const TOOLS_TAIL =
  "</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n";
const EXAMPLE = [1, 2].map((n) => [`{arg-key-${n}}`, `{arg-value-${n}}`] as const);

export function bindGlm(tokenizer: Tokenizer, variant: GlmVariant): WireFormat {
  const token = markers(tokenizer, variant.family, {
    mask: "[gMASK]",
    begin: "<sop>",
    system: "<|system|>",
    user: "<|user|>",
    assistant: "<|assistant|>",
    observation: "<|observation|>",
    endOfText: "<|endoftext|>",
    thinkOpen: "<think>",
    thinkClose: "</think>",
    callOpen: "<tool_call>",
    callClose: "</tool_call>",
    ...argTagTexts(),
  });
  const { line, thinks, patched } = variant;
  const layout: ArgTagLayout = { tags: token, glue: line };
  const trim = patched ? (text: string) => text : (text: string) => pythonStrip(text);
  const trimReasoning = variant.exactReasoning ? (text: string) => text : trim;

  /** The thinking of a turn that keeps it or does not; `isCurrent`: no user message follows. */
  function block(reasoning: string, { keeps, isCurrent }: { readonly keeps: boolean; readonly isCurrent: boolean }) {
    const isEmptyBlock =
      variant.emptyBlocks === "all" ||
      (thinks && ((variant.emptyBlocks === "afterLastUser" && isCurrent) || (patched && keeps)));
    if (keeps && reasoning !== "") return `<think>${trimReasoning(reasoning)}</think>`;
    return isEmptyBlock ? "<think></think>" : "</think>";
  }

  /** What follows the thinking. Calls stand in a line of their own each; behind content, which has its own, all in one. */
  function speech(content: string, calls: readonly string[]): string {
    const said = trim(content);
    const marked = calls.map((call) => `<tool_call>${call}</tool_call>`);
    if (said === "") return marked.map((call) => `${line}${call}`).join("");
    return [`${line}${said}`, ...(calls.length > 0 ? [marked.join("")] : [])].join(line);
  }

  const grammar: ResponseGrammar = {
    kind: "tagged",
    stops: [token.endOfText.id, token.user.id, token.observation.id],
    turnStart: token.assistant.id,
    reasoning: thinks
      ? {
          open: token.thinkOpen,
          close: token.thinkClose,
          padding: "",
          separator: line,
          whenUnknown: "open",
          implied: line,
          repeats: true,
          exact: patched,
        }
      : null,
    lead: line,
    calls: argTagCalls(layout, { open: token.callOpen, close: token.callClose, separator: line }),
    spell({ reasoning, content, toolCalls }, opened) {
      const calls = toolCalls.map(({ name, argumentsText }) =>
        writeArgTags(layout, name, argumentTexts({ arguments: argumentsText }, { exact: patched }) ?? []),
      );
      const said = speech(content, calls);
      if (reasoning === null) return said;
      if (opened) return `${trimReasoning(reasoning)}</think>${said}`;
      return `${line}${block(reasoning, { keeps: true, isCurrent: true })}${said}`;
    },
  };

  function visible({ content, text }: ConversationMessage): string {
    if (content !== null && content !== undefined) return text;
    if (patched) return "";
    return content === null ? variant.noContent.null : variant.noContent.missing;
  }

  /** Only `reasoning_content` counts; without it thinking may stand in the content. */
  function spoken(message: ConversationMessage): { readonly reasoning: string; readonly content: string } {
    const { reasoning_content: field } = message.raw;
    const reasoning = typeof field === "string" ? field : null;
    const split = splitThinking({ reasoning, text: visible(message) });
    const isExact = reasoning !== null || !variant.exactReasoning;
    return isExact ? split : { ...split, reasoning: trim(split.reasoning) };
  }

  function writeCall(message: ConversationMessage, call: ConversationToolCall, at: number): string {
    const entries = argumentTexts(call, { exact: patched });
    if (entries === null && variant.badArguments === "error") throw badArguments(message, call, at);
    return writeArgTags(layout, call.name, entries ?? []);
  }

  function writeAssistant(out: SpanWriter, message: ConversationMessage, lastUser: number): void {
    const { reasoning, content } = spoken(message);
    const isCurrent = message.index > lastUser;
    const keeps = isCurrent || !variant.clearsThinking;
    const calls = message.toolCalls.map((call, at) => writeCall(message, call, at));
    const text = `${line}${block(reasoning, { keeps, isCurrent })}${speech(content, calls)}`;
    const scaffold = variant.scaffolds.find((beginning) => text.startsWith(beginning)) ?? "";
    out.token(token.assistant.id).scaffold(scaffold).sampled(text.slice(scaffold.length));
  }

  return {
    roles: ["system", "user", "assistant", "tool"],
    grammar,
    turn: {
      close: token.endOfText.id,
      separator: "",
      writeClose(out, { reasoningOpen }) {
        if (reasoningOpen) out.token(token.thinkClose.id);
        out.token(token.endOfText.id);
      },
    },
    isPrefixStable: !variant.clearsThinking && !(variant.emptyBlocks === "afterLastUser" && thinks),
    startsQuery: ({ role }) => role === "user",

    writeOpening(out, { tools = [] }) {
      out.token(token.mask.id).token(token.begin.id);
      if (variant.preamble !== undefined) out.token(token.system.id).scaffold(variant.preamble);
      if (tools.length === 0) return;
      out.token(token.system.id).scaffold(TOOLS_HEAD);
      for (const tool of tools) out.foreign(variant.toolSpec(tool)).scaffold("\n");
      out.scaffold(`${TOOLS_TAIL}<tool_call>${writeArgTags(layout, "{function-name}", EXAMPLE)}...${line}</tool_call>`);
    },

    writeMessages(out, { messages }, { closedBy }) {
      const lastUser = lastQueryIndex(messages, ({ role }) => role === "user", -1);

      /** The marker that opens a turn and closes the assistant's before it, which may have been sampled already. */
      function open(index: number, id: number): void {
        if (messages[index - 1]?.role === "assistant") out.at(index - 1).sampledToken(id);
        else if (index > 0 || closedBy !== id) out.at(index).token(id);
      }

      function writeResults(start: number): void {
        const end = messages.findIndex(({ role }, index) => index > start && role !== "tool");
        const results = messages.slice(start, end < 0 ? undefined : end);
        const order = variant.resultOrder?.(results, messages[start - 1]?.toolCalls ?? []) ?? results.keys();
        open(start, token.observation.id);
        for (const at of order) {
          const result = results[at];
          out.at(result.index).scaffold(`${line}<tool_response>${line}`).body(visible(result));
          out.scaffold(`${line}</tool_response>`);
        }
      }

      messages.forEach((message, index) => {
        out.at(index);
        switch (message.role) {
          case "system":
            out.token(token.system.id).scaffold(line).body(visible(message));
            return;
          case "user": {
            const text = visible(message);
            open(index, token.user.id);
            out.at(index).scaffold(line).body(text);
            if (variant.userSuffix !== undefined && !text.endsWith(variant.userSuffix))
              out.scaffold(variant.userSuffix);
            return;
          }
          case "assistant":
            writeAssistant(out, message, lastUser);
            return;
          case "tool":
            if (messages[index - 1]?.role !== "tool") writeResults(index);
        }
      });
    },

    writeGenerationPrompt(out) {
      out.token(token.assistant.id).scaffold(variant.prefill);
    },
  };
}

/** A tool as it was given. */
export const givenToolSpec = (tool: ToolSpec): string => pythonJson(toolValue(tool));

/** A tool without its envelope, and without the fields that are not the model's business. */
export function innerToolSpec(tool: ToolSpec): string {
  const fields = objectEntries(toolValue(toolFunction(tool)) as ReadonlyMap<string, JsonInput>);
  return pythonJson(new Map(fields.filter(([name]) => name !== "defer_loading" && name !== "strict")));
}

const badArguments = (message: ConversationMessage, call: ConversationToolCall, at: number) =>
  messageError({
    code: "invalid_arguments",
    index: message.index,
    field: `messages[${message.index}].tool_calls[${at}].function.arguments`,
    expected: "a JSON object, as a value or as text, which is all that this model's template prints",
    actual: call.arguments,
    remedy: "Pass {} for a call without arguments.",
  });
