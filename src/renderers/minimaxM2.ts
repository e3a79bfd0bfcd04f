/*
 * MiniMax M2 (calls in XML within a section)
 *
 *   ]~!b[]~b]system⏎{system}[⏎⏎# Tools … <tools>⏎<tool>{tool}</tool>⏎…</tools> …][e~[⏎
 *   ]~b]user⏎{text}[e~[⏎
 *   ]~b]ai⏎<think>⏎{reasoning}⏎</think>⏎⏎{content}⏎<minimax:tool_call>⏎<invoke name="{name}">⏎
 *     <parameter name="{key}">{text}</parameter>⏎ … </invoke>⏎ … </minimax:tool_call>[e~[⏎
 *   ]~b]tool⏎<response>{result}</response>⏎<response>…</response>[e~[⏎
 *
 * (A line break is written where ⏎ stands, and nowhere else.) Without a system text there is `modelIdentity`;
 * `current_date` and `current_location` of the system message follow it. The generation prompt opens thinking; thinking that
 * is not empty stays in the turns after the last user message, others have no block. Parts of a tool's result are responses
 * of their own, closed in a line of their own.
 *
 * `patched`: turns after the last user message have a block also for empty reasoning, content in which thinking stands
 * keeps its edge newlines, content that is null is nothing (the template writes `None`), and JSON values of arguments that
 * come as text stay to the letter.
 *
 * Differs from the published template: system messages after the first are refused (with `validate: "template"` left out,
 * as the template does; a bridge writes them), arguments that come as JSON text are read, those that are no object are none,
 * and a tool's result may stand without its call (the template raises on these).
 */
import { type MinimaxM2Config, minimaxM2Config } from "../configs/index.ts";
import {
  argumentTexts,
  type Family,
  lastQueryIndex,
  markers,
  misplacedSystem,
  splitThinking,
  type Thinking,
  templateReasoning,
  toolValue,
  type WireFormat,
} from "../format/index.ts";
import { invokeXmlCalls, writeInvokeXml } from "../format/invokeXml.ts";
import {
  type ConversationMessage,
  type ConversationToolCall,
  type JsonInput,
  pythonJson,
  pythonRstrip,
  pythonStr,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const PREFILL = "<think>\n";
const EXAMPLE = ["1", "2"].map((n) => [`param-key-${n}`, `param-value-${n}`] as const);
const TOOLS_HEAD =
  "\n\n# Tools\nYou may call one or more tools to assist with the user query.\n" +
  "Here are the tools available in JSONSchema format:\n\n<tools>\n";
const TOOLS_TAIL =
  "</tools>\n\nWhen making tool calls, use XML format to invoke tools and pass parameters:\n\n<minimax:tool_call>\n" +
  `${writeInvokeXml("tool-name-1", EXAMPLE).replace("</invoke>", "...\n</invoke>")}\n</minimax:tool_call>`;

export const minimaxM2: Family<MinimaxM2Config> = {
  config: minimaxM2Config,
  bind(tokenizer, { modelIdentity, patched, validate }): WireFormat {
    const token = markers(tokenizer, "minimax-m2", {
      begin: "]~!b[",
      turnStart: "]~b]",
      turnEnd: "[e~[",
      thinkOpen: "<think>",
      thinkClose: "</think>",
      callsOpen: "<minimax:tool_call>",
      callsClose: "</minimax:tool_call>",
    });

    const open = (out: SpanWriter, role: string) => out.token(token.turnStart.id).scaffold(`${role}\n`);
    const close = (out: SpanWriter) => out.token(token.turnEnd.id).scaffold("\n");

    /** Empty reasoning has no block, except where that shall read back as it was. */
    const hasBlock = (reasoning: string | null): reasoning is string =>
      reasoning !== null && (patched || reasoning !== "");

    /** An assistant's turn after its role. */
    function write(reasoning: string | null, content: string, calls: readonly CallText[]): string {
      const thinking = hasBlock(reasoning) ? `${PREFILL}${reasoning}\n</think>\n\n` : "";
      if (calls.length === 0) return thinking + content;
      const invokes = calls.map(
        (call) => `${writeInvokeXml(call.name, argumentTexts(call, { exact: patched }) ?? [])}\n`,
      );
      return `${thinking}${content}\n<minimax:tool_call>\n${invokes.join("")}</minimax:tool_call>`;
    }

    /** What the prompt has written of that: the block's opening; before lone calls a line break, in one token with the role's. */
    function prefilled(reasoning: string | null, content: string, calls: readonly CallText[]): string {
      if (hasBlock(reasoning)) return PREFILL;
      return content === "" && calls.length > 0 && reasoning === null ? "\n" : "";
    }

    const grammar: ResponseGrammar = {
      kind: "tagged",
      stops: [token.turnEnd.id],
      turnStart: token.turnStart.id,
      reasoning: {
        open: token.thinkOpen,
        close: token.thinkClose,
        padding: "\n",
        separator: "\n\n",
        whenUnknown: "closed",
        exact: patched,
      },
      calls: invokeXmlCalls({
        section: { open: token.callsOpen, close: token.callsClose, keepsCut: true },
        separator: "\n",
      }),
      spell({ reasoning, content, toolCalls }, opened) {
        const calls = toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }));
        const text = write(reasoning, content, calls);
        return opened || reasoning === null ? text.slice(prefilled(reasoning, content, calls).length) : text;
      },
    };

    function visible({ content, text }: ConversationMessage): string {
      if (content === null) return patched ? "" : "None";
      return Array.isArray(content) ? content.map(partText).join("") : text;
    }

    function thinkingOf(message: ConversationMessage): Thinking & { readonly isNamed: boolean } {
      const reasoning = templateReasoning(message, validate);
      const text = visible(message);
      const split = splitThinking({ reasoning, text });
      const isInline = reasoning === null && text !== split.content;
      const content = isInline && !patched ? pythonRstrip(split.content, "\n") : split.content;
      return { ...split, content, isNamed: reasoning !== null || isInline };
    }

    function writeAssistant(out: SpanWriter, message: ConversationMessage, lastUser: number): void {
      const { reasoning, content, isNamed } = thinkingOf(message);
      const kept = message.index > lastUser && isNamed ? reasoning : null;
      const text = write(kept, content, message.toolCalls);
      const prefill = prefilled(hasBlock(kept) ? kept : null, content, message.toolCalls);
      open(out, "ai").scaffold(prefill).sampled(text.slice(prefill.length));
      out.sampledToken(token.turnEnd.id).scaffold("\n");
    }

    function writeResults(out: SpanWriter, messages: readonly ConversationMessage[], index: number): void {
      const { content, text } = messages[index];
      const followsResult = messages[index - 1]?.role === "tool";
      if (!followsResult) out.token(token.turnStart.id).scaffold("tool");
      const results = Array.isArray(content)
        ? content.map((part) => ({ text: resultText(part), end: "\n</response>" }))
        : [{ text, end: "</response>" }];
      results.forEach((result, at) => {
        // The line break between two results is the earlier one's.
        const line = at === 0 && followsResult ? "" : "\n";
        out.scaffold(`${line}<response>`).huggedBody(result.text).scaffold(result.end);
      });
      if (messages[index + 1]?.role === "tool") out.scaffold("\n");
      else close(out);
    }

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: false,
      startsQuery: ({ role }) => role === "user",

      writeOpening(out, { messages, tools = [] }) {
        const system = messages[0].role === "system" ? messages[0] : undefined;
        open(out.at(system ? 0 : -1).token(token.begin.id), "system");
        if (system?.content?.length) out.body(visible(system));
        else out.scaffold(modelIdentity);
        for (const [field, label] of NOTES) {
          const note = (system?.raw as { readonly [field: string]: unknown } | undefined)?.[field];
          if (typeof note === "string" && note !== "") out.scaffold(`\n${label}: `).foreign(note);
        }
        if (tools.length > 0) {
          out.scaffold(TOOLS_HEAD);
          for (const tool of tools) out.scaffold("<tool>").foreign(toolText(tool)).scaffold("</tool>\n");
          out.scaffold(TOOLS_TAIL);
        }
        close(out);
      },

      writeMessages(out, { messages, continues }) {
        const lastUser = lastQueryIndex(messages, ({ role }) => role === "user", -1);
        messages.forEach((message, index) => {
          out.at(index);
          switch (message.role) {
            case "system":
              if (continues) close(open(out, "system").body(visible(message)));
              else if (index > 0 && validate === "strict") throw misplacedSystem(message);
              return;
            case "user":
              close(open(out, "user").body(visible(message)));
              return;
            case "assistant":
              writeAssistant(out, message, lastUser);
              return;
            case "tool":
              writeResults(out, messages, index);
          }
        });
      },

      writeGenerationPrompt(out) {
        open(out, "ai").scaffold(PREFILL);
      },
    };
  },
};

type CallText = Pick<ConversationToolCall, "name" | "arguments">;

/** Fields of a system message that the template prints. */
const NOTES = [
  ["current_date", "Current date"],
  ["current_location", "Current location"],
] as const;

const toolText = (tool: ToolSpec): string => pythonJson(toolFunction(toolValue(tool) as ToolSpec) as JsonInput);

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : "";
}

/** A part of a tool's result: its `output`, or else its text, or else the part as Python prints it. */
function resultText(part: unknown): string {
  if (typeof part === "string") return part;
  const { output, type, text } = (part ?? {}) as { readonly [field: string]: JsonInput | undefined };
  if (output !== undefined) return pythonStr(output);
  return pythonStr(type === "text" && text !== undefined ? text : (part as JsonInput));
}
