/*
 * gpt-oss (Harmony: messages with channels and recipients)
 *
 *   <|start|>system<|message|>{identity}⏎Knowledge cutoff: …⏎Current date: …⏎⏎Reasoning: medium⏎⏎[# Tools …⏎⏎]# Valid channels: …<|end|>
 *   <|start|>developer<|message|># Instructions⏎⏎{system text}⏎⏎# Tools⏎⏎## functions⏎⏎namespace functions {…}<|end|>
 *   <|start|>user<|message|>{text}<|end|>
 *   <|start|>assistant<|channel|>analysis<|message|>{reasoning}<|end|>
 *   <|start|>assistant<|channel|>final<|message|>{content}<|return|>
 *   <|start|>assistant to=functions.{name}<|channel|>commentary<|message|>{arguments}<|call|>
 *   <|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{result}<|end|>
 *
 * A turn is several messages. The model samples all of it after the first `<|start|>assistant`, the headers of its messages
 * included. Analysis stays with tool calls until a final answer follows; with final answers it is never kept, unless
 * `autoDropAnalysis` is off. A final answer ends with `<|return|>` where it is the last message, elsewhere with `<|end|>`,
 * which the model has not sampled and is not trained on. Text never becomes a control token, whatever `contentSpecials` says.
 *
 * `patched`: messages as the model itself writes them: ` to=` stands after the channel, arguments are `<|constrain|>json`,
 * what is said beside calls is a preamble on the commentary channel, and empty analysis stays.
 *
 * The format is what the Harmony encoder writes; how messages of chat are cut into Harmony's is the published renderer's
 * choice: the first system message is the developer message. A result without `name` is named after its call; with
 * `validate: "template"` it is `functions.unknown`, as there. The published template puts a blank line behind the
 * instructions, JSON quotes around results, and ` json` into the headers of calls, which the encoder does not.
 */
import { type GptOssConfig, gptOssConfig } from "../configs/index.ts";
import {
  answeredTools,
  channelIn,
  type Family,
  functionsNamespace,
  type HarmonyMessage,
  harmonyBuiltins,
  harmonyTokens,
  harmonyTools,
  harmonyTurns,
  recipientIn,
  spokenCall,
  templateReasoning,
  type WireFormat,
  type WriteContext,
} from "../format/index.ts";
import type { ConversationMessage } from "../messages/index.ts";
import type { SpokenResponse } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const IDENTITY = "You are ChatGPT, a large language model trained by OpenAI.";
const KNOWLEDGE_CUTOFF = "2024-06";
const CHANNELS = "# Valid channels: analysis, commentary, final. Channel must be included for every message.";
const FUNCTIONS_CHANNEL = "Calls to these tools must go to the commentary channel: 'functions'.";

export const gptOss: Family<GptOssConfig> = {
  config: gptOssConfig,
  bind(tokenizer, config): WireFormat {
    const token = harmonyTokens(tokenizer);
    const date = config.conversationStartDate ?? today();
    const { headerLoss } = config;
    const resolves = config.validate === "strict";
    const turns = harmonyTurns(token, config);
    const { said, messagesOf } = turns;

    /** `sampled`: the model writes the header, and its header counts. */
    function writeHeader(out: SpanWriter, header: HarmonyMessage["header"], sampled: boolean): SpanWriter {
      for (const piece of header) {
        if (typeof piece === "string") sampled ? out.sampled(piece) : out.scaffold(piece);
        else sampled ? out.sampledToken(piece.id) : out.token(piece.id);
      }
      return out;
    }

    function writeTurn(out: SpanWriter, response: SpokenResponse, isLast: boolean): void {
      const messages = messagesOf(response);
      messages.forEach(({ header, body, end }, i) => {
        const isPrefilled = i === 0 && config.forceAnalysis && header[1] === "analysis";
        writeHeader(out, [token.start, "assistant"], headerLoss && i > 0);
        writeHeader(out, header, headerLoss && !isPrefilled).sampled(body);
        if (i < messages.length - 1 || end === token.call) out.sampledToken(end.id);
        else if (isLast) out.sampledToken(token.return.id);
        else headerLoss ? out.token(end.id) : out.sampledToken(end.id);
      });
    }

    const open = (out: SpanWriter, author: string) => out.token(token.start.id).scaffold(author);
    const close = (out: SpanWriter) => out.token(token.end.id);
    const writeBody = (out: SpanWriter, text: string) => close(out.token(token.message.id).body(text));

    function writeInstructions(out: SpanWriter, text: string | null, tools: string): void {
      open(out, "developer").token(token.message.id);
      const heading = "# Instructions\n\n";
      const gap = text !== null && tools !== "" ? "\n\n" : "";
      if (text === null) out.scaffold(tools);
      else if (headerLoss)
        out
          .scaffold(heading)
          .body(text)
          .scaffold(gap + tools);
      // A renderer that compares with and without instructions takes all between the number signs for their body.
      else if (tools === "") out.body(heading + text);
      else
        out
          .scaffold("#")
          .body(`${heading.slice(1)}${text}${gap}#`)
          .scaffold(tools.slice(1));
      close(out);
    }

    /** For each result the name that it answers to; recorded conversations are named as they say themselves. */
    const namesOf = (messages: readonly ConversationMessage[], { response }: WriteContext): (string | null)[] =>
      resolves ? answeredTools(messages, response) : messages.map((message) => message.name || null);

    const builtins = [...config.builtinTools].sort().map((name) => harmonyBuiltins[name]);
    const system = (hasTools: boolean): string =>
      [
        `${config.modelIdentity ?? IDENTITY}\nKnowledge cutoff: ${config.knowledgeCutoff ?? KNOWLEDGE_CUTOFF}\nCurrent date: ${date}`,
        `Reasoning: ${config.reasoningEffort}`,
        ...(builtins.length > 0 ? [harmonyTools(builtins)] : []),
        hasTools ? `${CHANNELS}\n${FUNCTIONS_CHANNEL}` : CHANNELS,
      ].join("\n\n");

    return {
      roles: ["system", "developer", "user", "assistant", "tool"],
      grammar: turns.grammar,
      turn: {
        close: token.end.id,
        separator: "",
        writeClose(out, { openMessage }) {
          if (!openMessage) return;
          const { header, part } = openMessage;
          const channel = channelIn(header);
          if (part === null) {
            if (header === "") out.scaffold("assistant");
            if (channel === undefined) out.token(token.channel.id);
            if (!channel) out.scaffold(recipientIn(header) === null ? "final" : "commentary");
            out.token(token.message.id);
          }
          close(out);
        },
      },
      isPrefixStable: false,
      ordinaryText: true,
      startsQuery: (message) => message.role === "user",

      writeOpening(out, { messages, tools = [] }) {
        const first = messages.find((message) => message.role === "system");
        out.at(first?.index ?? -1);
        const hasTools = tools.length > 0;
        if (config.useSystemPrompt) close(open(out, "system").token(token.message.id).scaffold(system(hasTools)));
        const declared = hasTools ? harmonyTools([functionsNamespace(tools)]) : "";
        if (first || hasTools) writeInstructions(out, first?.text || null, declared);
      },

      writeMessages(out, { messages, continues }, context) {
        const opening = continues ? -1 : messages.findIndex((message) => message.role === "system");
        const lastAnswer = messages.findLastIndex(isAnswer);
        const names = namesOf(messages, context);
        messages.forEach((message, index) => {
          if (index === opening) return;
          out.at(index);
          switch (message.role) {
            case "user":
              writeBody(open(out, "user"), message.text);
              return;
            case "assistant": {
              const keeps = !config.autoDropAnalysis || (message.toolCalls.length > 0 && lastAnswer < index);
              const reasoning = keeps ? templateReasoning(message, config.validate) : null;
              const response = { reasoning, content: message.text, toolCalls: message.toolCalls.map(spokenCall) };
              writeTurn(out, response, index === messages.length - 1 && !context.generates);
              return;
            }
            case "tool": {
              const name = names[index] ?? "unknown";
              open(out, `${turns.recipientOf(name)} to=assistant`)
                .token(token.channel.id)
                .scaffold(turns.toolChannel(name));
              writeBody(out, message.text);
              return;
            }
            default:
              writeInstructions(out, message.text, "");
          }
        });
      },

      writeGenerationPrompt(out) {
        open(out, "assistant");
        if (config.forceAnalysis) writeHeader(out, said("analysis", "").header, false);
      },

      refuse({ conversation: { messages }, context }) {
        if (!resolves) return null;
        const names = namesOf(messages, context);
        const index = messages.findIndex(({ role }, i) => role === "tool" && names[i] === null);
        if (index < 0) return null;
        return {
          reason: "unresolved_tool_name",
          message: `New message ${index} does not name the tool that it answers, and the turn has not just one. Set its name.`,
        };
      },
    };
  },
};

const isAnswer = ({ role, toolCalls, text }: ConversationMessage): boolean =>
  role === "assistant" && toolCalls.length === 0 && text !== "";

/** The local date, as `2026-01-15`. */
function today(): string {
  const now = new Date();
  const two = (value: number) => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
