/*
 * PrimeIntellect's Qwen3 (ChatML with tools and calls in XML)
 *
 *   <|im_start|>system⏎{system}⏎⏎# Tools … <tools>⏎<function>⏎…⏎</function>⏎</tools> … <|im_end|>⏎
 *   <|im_start|>{role}⏎{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎<think>{reasoning}</think>⏎{content}<|im_end|>⏎
 *   <|im_start|>assistant⏎{content}⏎⏎<tool_call>⏎<function={name}>⏎<parameter={key}>⏎{value}⏎</parameter>⏎…</function>⏎</tool_call>⏎
 *   <tool_call>⏎…⏎</tool_call><|im_end|>⏎
 *   <|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response>⏎<|im_end|>⏎
 *
 * A turn without calls has a thinking block if its message has `reasoning_content`, be it empty or null; a turn with calls
 * never has one. Only in these turns white space at the edges of reasoning and content goes.
 *
 * `patched`: that white space stays, and argument values that are no strings are JSON, so that a response renders to the
 * text that it was read from; thinking beside calls is dropped all the same.
 *
 * Differs from the published template: text parts are joined (the template takes strings only, and so does
 * `validate: "template"`); arguments that are no JSON object are left out there; a tool's result that begins the conversation
 * opens its user turn.
 */
import { type PrimeQwen3Config, primeQwen3Config } from "../configs/index.ts";
import {
  chatml,
  chatmlMarkers,
  contentWithoutImages,
  type Family,
  type FunctionListing,
  functionCallText,
  functionXmlCalls,
  refusePart,
  templateReasoning,
  type WireFormat,
  writeFunctionListing,
  writeToolResponse,
} from "../format/index.ts";
import {
  type ConversationMessage,
  type ConversationToolCall,
  messageError,
  pythonJson,
  pythonLiteral,
  pythonStrip,
} from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";

const DEFAULT_SYSTEM = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.";
const LISTING: FunctionListing = { parameterFields: [], schemaFields: [], json: (value) => pythonJson(value) };

export const primeQwen3: Family<PrimeQwen3Config> = {
  config: primeQwen3Config,
  bind(tokenizer, config): WireFormat {
    const token = chatmlMarkers(tokenizer, "prime-qwen3");
    const chat = chatml(token);
    const trim = config.patched ? (text: string) => text : (text: string) => pythonStrip(text);

    /** An assistant's turn after its role; null reasoning writes no thinking block. */
    function write(
      reasoning: string | null,
      content: string,
      calls: readonly Pick<ConversationToolCall, "name" | "arguments">[],
    ): string {
      const words = trim(content);
      if (calls.length > 0) {
        const texts = calls.map((call) => functionCallText(call, config.patched ? "exact" : "python"));
        return `${words}${words === "" ? "" : "\n\n"}${texts.join("\n")}`;
      }
      if (reasoning === null) return content;
      return `<think>${trim(reasoning)}</think>${words === "" ? "" : "\n"}${words}`;
    }

    const grammar: ResponseGrammar = {
      kind: "tagged",
      stops: [token.turnEnd.id, token.endOfText.id],
      turnStart: token.turnStart.id,
      reasoning: {
        open: token.thinkOpen,
        close: token.thinkClose,
        padding: "",
        separator: "\n",
        whenUnknown: "closed",
        exact: config.patched,
      },
      calls: functionXmlCalls({
        open: token.callOpen,
        close: token.callClose,
        separator: "\n\n",
        literal: pythonLiteral,
      }),
      spell({ reasoning, content, toolCalls }, opened) {
        const calls = toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }));
        const text = write(reasoning, content, calls);
        return opened && text.startsWith("<think>") ? text.slice("<think>".length) : text;
      },
    };

    const takesText = ({ content }: ConversationMessage) => config.validate === "strict" || !Array.isArray(content);

    function textOf(message: ConversationMessage): string {
      if (takesText(message)) return contentWithoutImages(message, refusePart);
      throw messageError({
        code: "unsupported_content",
        index: message.index,
        field: `messages[${message.index}].content`,
        expected: "a string",
        actual: message.content,
        remedy: 'This model\'s template takes strings only. Join the parts, or set validate: "strict".',
      });
    }

    function reasoningOf(message: ConversationMessage): string | null {
      return templateReasoning(message, config.validate) ?? (message.raw.reasoning_content === null ? "" : null);
    }

    return {
      roles: ["system", "developer", "user", "assistant", "tool"],
      otherRoles: true,
      grammar,
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: true,
      startsQuery: ({ role }) => role === "user",

      refuse({ conversation }) {
        const holder = conversation.messages.find((message) => !takesText(message));
        if (!holder) return null;
        const message = `The content of new message ${holder.index} is a list of parts, and this model's template takes strings only.`;
        return { reason: "content_not_rendered", message };
      },

      writeOpening(out, { messages, tools = [] }) {
        const system = messages[0].role === "system" ? messages[0] : undefined;
        if (!system && tools.length === 0) return;
        chat.open(out.at(system ? 0 : -1), "system");
        if (system) out.body(textOf(system));
        else out.scaffold(DEFAULT_SYSTEM);
        if (tools.length > 0) writeFunctionListing(out.scaffold("\n\n"), tools, LISTING);
        chat.close(out);
      },

      writeMessages(out, { messages, continues }) {
        messages.forEach((message, index) => {
          out.at(index);
          if (message.role === "assistant") {
            const text = write(reasoningOf(message), textOf(message), message.toolCalls);
            chat.closeSampled(chat.open(out, "assistant").sampled(text));
          } else if (message.role === "tool") {
            writeToolResponse(out, chat, messages, index, (body) => void body.body(textOf(message)));
          } else if (message.role !== "system" || index > 0 || continues) {
            chat.turn(out, message.role, textOf(message));
          }
        });
      },

      writeGenerationPrompt(out) {
        chat.open(out, "assistant");
      },
    };
  },
};
