/*
 * Hy3 (Tencent Hunyuan): one header for all system messages, calls with argument tags in a section. Each marker carries the
 * suffix `:opensource`, left out here; `▸…◂` stands for `<｜hy_…｜>`.
 *
 *   ▸begin_of_sentence◂{system}{system}…[# Tools … <tools>⏎{tool}⏎…⏎</tools> …]<｜reasoning_mode｜>reasoning_effort:{effort}
 *   ▸User◂{text}
 *   ▸Assistant◂<think>{reasoning}</think>{content}▸eos◂
 *   ▸Assistant◂<think>{reasoning}</think>{content}<tool_calls>⏎<tool_call>{name}<tool_sep>⏎
 *     <arg_key>{key}</arg_key>⏎<arg_value>{text}</arg_value>⏎ … </tool_call>⏎ … </tool_calls>▸eos◂
 *   <tool_responses>⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response>⏎</tool_responses>
 *
 * With `reasoningEffort: "no_think"` the generation prompt closes an empty block, else it opens one. Thinking stays in the
 * turns after the last user message, with `preservedThinking` (default: if there are tools) or `isTraining` in all; an empty
 * block stands for it elsewhere. A last turn without calls has no `▸eos◂` but with `isTraining`; with `rawLastAssistant` it is
 * its content alone. `<tool_responses>` opens again only after a turn with calls, as the template has it.
 *
 * `patched`: values of arguments that come as JSON text are printed by the letter. All else the format keeps as it is.
 *
 * Differs from the published template: arguments that come as JSON text are read, and those that are no object are none (the
 * template raises on both).
 */
import { type Hy3Config, hy3Config } from "../configs/index.ts";
import {
  type ArgTagLayout,
  argTagCalls,
  argTagTexts,
  argumentTexts,
  type Family,
  lastQueryIndex,
  markers,
  toolValue,
  type WireFormat,
  writeArgTags,
} from "../format/index.ts";
import { type ConversationMessage, pythonJson } from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const SUFFIX = ":opensource";
const EXAMPLE = [1, 2].map((n) => [`{arg-key-${n}}`, `{arg-value-${n}}`] as const);

export const hy3: Family<Hy3Config> = {
  config: hy3Config,
  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "hy3", {
      begin: `<｜hy_begin_of_sentence${SUFFIX}｜>`,
      turnEnd: `<｜hy_eos${SUFFIX}｜>`,
      user: `<｜hy_User${SUFFIX}｜>`,
      assistant: `<｜hy_Assistant${SUFFIX}｜>`,
      reasoningMode: `<｜reasoning_mode${SUFFIX}｜>`,
      thinkOpen: `<think${SUFFIX}>`,
      thinkClose: `</think${SUFFIX}>`,
      callsOpen: `<tool_calls${SUFFIX}>`,
      callsClose: `</tool_calls${SUFFIX}>`,
      callOpen: `<tool_call${SUFFIX}>`,
      callClose: `</tool_call${SUFFIX}>`,
      nameEnd: `<tool_sep${SUFFIX}>`,
      resultsOpen: `<tool_responses${SUFFIX}>`,
      resultsClose: `</tool_responses${SUFFIX}>`,
      resultOpen: `<tool_response${SUFFIX}>`,
      resultClose: `</tool_response${SUFFIX}>`,
      ...argTagTexts(SUFFIX),
    });
    const { thinkOpen, thinkClose, callsOpen, callsClose, callOpen, callClose } = token;
    const layout: ArgTagLayout = { tags: token, nameEnd: token.nameEnd, glue: "\n" };
    const isRetry = config.fallbackStrategy === "reasoning_toolcall_retry";
    const effort = isRetry ? "high" : config.reasoningEffort;
    const thinks = effort !== "no_think";
    const effortText = `reasoning_effort:${effort}`;
    const writeCall = (name: string, entries: Iterable<readonly [string, string]>) =>
      `${callOpen.text}${writeArgTags(layout, name, entries)}${callClose.text}\n`;

    /** What follows the thinking, without the end of the turn. */
    function speech(content: string, calls: readonly string[]): string {
      return calls.length > 0 ? `${content}${callsOpen.text}\n${calls.join("")}${callsClose.text}` : content;
    }

    const grammar: ResponseGrammar = {
      kind: "tagged",
      stops: [token.turnEnd.id],
      turnStart: token.assistant.id,
      opensTurn: isRetry,
      reasoning: {
        open: thinkOpen,
        close: thinkClose,
        padding: "",
        separator: "",
        whenUnknown: "closed",
        endedByCall: false,
        exact: true,
      },
      calls: argTagCalls(layout, {
        open: callOpen,
        close: callClose,
        section: { open: callsOpen, close: callsClose, optional: true },
        sectionSpace: "\n",
        separator: "",
      }),
      spell({ reasoning, content, toolCalls }, opened) {
        const calls = toolCalls.map(({ name, argumentsText }) =>
          writeCall(name, argumentTexts({ arguments: argumentsText }, { exact: config.patched }) ?? []),
        );
        const thinking = reasoning === null ? "" : `${opened ? "" : thinkOpen.text}${reasoning}${thinkClose.text}`;
        return `${isRetry ? token.assistant.text : ""}${thinking}${speech(content, calls)}`;
      },
    };

    function writeTools(out: SpanWriter, tools: readonly string[], isFirst: boolean): void {
      out.scaffold(
        `${isFirst ? "" : "\n\n"}# Tools\n\nYou may call one or more functions to assist with the user query.`,
      );
      out.scaffold("\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n");
      tools.forEach((tool, at) => void out.scaffold(at > 0 ? "\n" : "").foreign(tool));
      out.scaffold(
        `\n</tools>\n\nFor function call returns, you should first print ${callsOpen.text}\n` +
          "For each function call, you should return object like:\n" +
          `${callOpen.text}${writeArgTags(layout, "{function-name}", EXAMPLE)}...\n${callClose.text}\n` +
          `At the end of function call returns, you should print ${callsClose.text}`,
      );
    }

    function writeAssistant(out: SpanWriter, message: ConversationMessage, options: AssistantOptions): void {
      out.token(token.assistant.id);
      const { toolCalls, text } = message;
      const isOpenEnded = options.isLast && toolCalls.length === 0;
      if (isOpenEnded && config.rawLastAssistant) {
        out.sampled(text);
        return;
      }
      out.token(thinkOpen.id);
      const thinking = `${options.keeps ? (message.reasoning ?? "") : ""}${thinkClose.text}`;
      const calls = toolCalls.map((call) => writeCall(call.name, argumentTexts(call, { exact: config.patched }) ?? []));
      if (thinks) out.sampled(thinking);
      else out.scaffold(thinking);
      out.sampled(speech(text, calls));
      if (!isOpenEnded || config.isTraining) out.sampledToken(token.turnEnd.id);
    }

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "" },
      isPrefixStable: !config.rawLastAssistant && (config.isTraining || config.preservedThinking === true),
      startsQuery: ({ role }) => role === "user",

      refuse({ conversation, completionIds, end }) {
        if (completionIds.length === 0 && !end.reasoningOpen) {
          return {
            reason: "empty_completion",
            message:
              "The completion has no ids: whether a turn was to follow here, the prompt does not tell. Render anew.",
          };
        }
        const system = conversation.messages.findIndex(({ role }) => role === "system");
        if (system < 0) return null;
        return {
          reason: "role_not_rendered",
          message: `New message ${system} is a system message: this format has them all before the first turn. Render anew.`,
        };
      },

      writeOpening(out, { messages, tools = [] }) {
        out.token(token.begin.id);
        const systems = messages.filter(({ role }) => role === "system");
        for (const { index, text } of systems) out.at(index).body(text);
        out.at(-1);
        if (tools.length > 0) {
          const isFirst = systems.every(({ text }) => text === "");
          writeTools(
            out,
            tools.map((tool) => pythonJson(toolValue(tool))),
            isFirst,
          );
        }
        out.token(token.reasoningMode.id).scaffold(effortText);
      },

      writeMessages(out, { messages, tools }) {
        const lastUser = lastQueryIndex(messages, ({ role }) => role === "user", -1);
        const keepsAll = config.isTraining || (config.preservedThinking ?? (tools?.length ?? 0) > 0);
        let inResults = false;
        let opensResults = true;
        messages.forEach((message, index) => {
          out.at(index);
          const { role } = message;
          if (inResults && (role === "user" || role === "assistant")) {
            out.token(token.resultsClose.id);
            inResults = false;
          }
          if (role === "user") out.token(token.user.id).body(message.text);
          else if (role === "assistant") {
            const isLast = index === messages.length - 1;
            writeAssistant(out, message, { isLast, keeps: keepsAll || index > lastUser });
            opensResults ||= message.toolCalls.length > 0;
          } else if (role === "tool") {
            if (opensResults) out.token(token.resultsOpen.id).scaffold("\n");
            out.token(token.resultOpen.id).scaffold("\n").body(message.text);
            out.scaffold("\n").token(token.resultClose.id).scaffold("\n");
            inResults = true;
            opensResults = false;
          }
        });
        if (inResults) out.at(-1).token(token.resultsClose.id);
      },

      writeGenerationPrompt(out, { messages }) {
        if (isRetry || messages.at(-1)?.role === "assistant") return;
        out.token(token.assistant.id).token(thinkOpen.id);
        if (!thinks) out.token(thinkClose.id);
      },
    };
  },
};

interface AssistantOptions {
  readonly isLast: boolean;
  /** Does the turn keep its thinking? */
  readonly keeps: boolean;
}
