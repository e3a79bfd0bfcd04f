/*
 * DeepSeek V4 (DSML calls)
 *
 *   <｜begin▁of▁sentence｜>{effort prompt}{system}⏎⏎## Tools … ⏎⏎## Response Format: … {schema}
 *   <｜User｜>{text}<｜Assistant｜><think>{reasoning}</think>{content}⏎⏎<｜DSML｜tool_calls>⏎…⏎</｜DSML｜tool_calls><｜end▁of▁sentence｜>
 *   <｜User｜><tool_result>{result}</tool_result>⏎⏎<tool_result>…</tool_result>⏎⏎{text}<｜Assistant｜></think>{content}<｜end▁of▁sentence｜>
 *   <｜latest_reminder｜>{text}
 *
 * (No line breaks but ⏎.) Calls: src/format/dsml.ts. `</think>` behind `<｜Assistant｜>` opens an answer without thinking: all
 * of them with `enableThinking: false`, else those before the last query, unless there are tools or `dropThinking` is false.
 * Where thinking is dropped, developer messages before the last query are, too.
 *
 * Tool results are part of the user's turn, in the order of their calls. Tools follow the first developer message, else the
 * first system message, else they stand alone. A developer is a user with a turn of its own. A `task` of the last message
 * puts its token where the answer begins; `wo_eos` leaves out a turn's end, `response_format` asks for JSON.
 *
 * `patched`: JSON values of arguments that come as text stay to the letter.
 *
 * Differs from the published Jinja templates, which are not the model's encoder: system messages stay in their places, a
 * reminder, tasks and the response format of a message are written, parts of content are joined by an empty line, results
 * are sorted, and the empty line before the tools stands also where no system text does.
 */
import { type DeepseekV4Config, deepseekV4Config } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { dsmlCalls, writeDsmlCalls } from "../format/dsml.ts";
import { type Family, markers, spokenCall, toolValue, unknownRole, type WireFormat } from "../format/index.ts";
import {
  type Conversation,
  type ConversationMessage,
  type JsonInput,
  pythonJson,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { SpokenResponse } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { EFFORT_PROMPTS, RESPONSE_FORMAT_HEAD, TOOLS_HEAD, TOOLS_TAIL } from "./deepseekV4Prompts.ts";
import {
  type DeepseekV4Turn,
  deepseekV4Reasoning,
  deepseekV4Text,
  deepseekV4Turns,
  fieldsOf,
  isQuery,
} from "./deepseekV4Turns.ts";

const ROLES = ["system", "developer", "user", "latest_reminder", "assistant", "tool"];
const TASKS = ["action", "query", "authority", "domain", "title", "read_url"] as const;

export const deepseekV4: Family<DeepseekV4Config> = {
  config: deepseekV4Config,
  bind(tokenizer, { enableThinking, dropThinking, reasoningEffort, patched }): WireFormat {
    const token = markers(tokenizer, "deepseek-v4", {
      begin: "<｜begin▁of▁sentence｜>",
      end: "<｜end▁of▁sentence｜>",
      user: "<｜User｜>",
      assistant: "<｜Assistant｜>",
      reminder: "<｜latest_reminder｜>",
      thinkOpen: "<think>",
      thinkClose: "</think>",
      dsml: "｜DSML｜",
      action: "<｜action｜>",
      query: "<｜query｜>",
      authority: "<｜authority｜>",
      domain: "<｜domain｜>",
      title: "<｜title｜>",
      read_url: "<｜read_url｜>",
    });

    /** An assistant's turn after what opens it. */
    function spell({ reasoning, content, toolCalls }: SpokenResponse): string {
      const thinking = reasoning === null ? "" : `${reasoning}${token.thinkClose.text}`;
      return `${thinking}${content}${writeDsmlCalls(toolCalls, { exact: patched })}`;
    }

    /** The turns that are written, and which of their answers think. */
    function plan({ messages, tools = [] }: Conversation) {
      const drops = dropThinking && tools.length === 0;
      const all = deepseekV4Turns(messages);
      const query = all.findLastIndex(isQuery);
      const turns = enableThinking && drops ? all.filter(({ role }, at) => role !== "developer" || at >= query) : all;
      const lastQuery = turns.findLastIndex(isQuery);
      return { turns, thinks: (at: number) => enableThinking && (!drops || at >= lastQuery) };
    }

    function writeTools(out: SpanWriter, tools: readonly ToolSpec[]): void {
      out.scaffold(`\n\n${TOOLS_HEAD}`);
      tools.forEach((tool, at) => {
        out.scaffold(at > 0 ? "\n" : "").foreign(pythonJson(toolFunction(toolValue(tool) as ToolSpec) as JsonInput));
      });
      out.scaffold(TOOLS_TAIL);
    }

    /** What stands in a turn of the user, the developer, the system, or in a reminder. */
    function writeBody(out: SpanWriter, { role, message, blocks }: DeepseekV4Turn): void {
      if (isQuery({ role })) out.token(token.user.id);
      if (role === "latest_reminder") out.token(token.reminder.id);
      for (const [at, block] of blocks.entries()) {
        out.at(block.index).scaffold(at > 0 ? "\n\n" : "");
        if (block.role === "tool")
          out.scaffold("<tool_result>").sharedBody(deepseekV4Text(block)).scaffold("</tool_result>");
        else out.sharedBody(deepseekV4Text(block));
      }
      out.at(message.index);
    }

    /** Opens the answer to a turn, where something asks for one. */
    function writeAnswerOpening(out: SpanWriter, turn: DeepseekV4Turn, thinks: boolean): void {
      const { task } = turn;
      if (task === null ? !isQuery(turn) : task !== "action") {
        if (task !== null) out.token(token[task as (typeof TASKS)[number]].id);
        return;
      }
      const isOpen = task === null ? thinks : enableThinking;
      out.token(token.assistant.id).token(isOpen ? token.thinkOpen.id : token.thinkClose.id);
      if (task !== null) out.token(token.action.id);
    }

    return {
      roles: ROLES,
      grammar: {
        kind: "tagged",
        stops: [token.end.id],
        turnStart: token.assistant.id,
        reasoning: {
          open: token.thinkOpen,
          close: token.thinkClose,
          padding: "",
          separator: "",
          whenUnknown: enableThinking ? "open" : "closed",
          endedByCall: "at once",
          opensAtTurnStart: true,
          repeats: true,
        },
        calls: dsmlCalls(token.dsml),
        spell: (response, opened) =>
          `${opened || response.reasoning === null ? "" : token.thinkOpen.text}${spell(response)}`,
      },
      turn: { close: token.end.id, separator: "" },
      isPrefixStable: false,
      startsQuery: isQuery,

      writeOpening(out, { messages, tools = [] }) {
        out.at(-1).token(token.begin.id);
        if (enableThinking) out.scaffold(EFFORT_PROMPTS[reasoningEffort]);
        if (tools.length > 0 && !messages.some(({ role }) => role === "developer" || role === "system"))
          writeTools(out, tools);
      },

      writeMessages(out, conversation) {
        const { tools = [], continues, messages } = conversation;
        const host =
          messages.find(({ role }) => role === "developer") ?? messages.find(({ role }) => role === "system");
        const { turns, thinks } = plan(conversation);
        for (const [at, turn] of turns.entries()) {
          const { role, message } = turn;
          const problem = problemOf(message);
          if (problem) throw problem;
          out.at(message.index);
          if (role === "assistant") {
            const keeps = thinks(at) && (turns[at - 1]?.task ?? null) === null;
            const reasoning = keeps ? deepseekV4Reasoning(message) : null;
            const toolCalls = message.toolCalls.map(spokenCall);
            out.sharedSampled(spell({ reasoning, content: deepseekV4Text(message), toolCalls }));
            if (!fieldsOf(message).wo_eos) out.sampledToken(token.end.id);
          } else writeBody(out, turn);
          if (message === host && tools.length > 0 && !continues) writeTools(out, tools);
          const format = fieldsOf(message).response_format ?? null;
          if (format !== null && (role === "system" || role === "developer"))
            out.scaffold(`\n\n${RESPONSE_FORMAT_HEAD}`).foreign(pythonJson(format));
          const next = turns[at + 1]?.role;
          if (next === "assistant" || next === "latest_reminder") {
            let answer = at + 1;
            while (answer < turns.length && turns[answer].role !== "assistant") answer++;
            writeAnswerOpening(out.at(turns[answer]?.message.index ?? -1), turn, thinks(at));
          } else if (next === undefined && turn.task !== null) {
            writeAnswerOpening(out.at(-1), turn, thinks(at));
          }
        }
      },

      writeGenerationPrompt(out, conversation) {
        const { turns, thinks } = plan(conversation);
        const last = turns.at(-1);
        if (last?.task === null) writeAnswerOpening(out, last, thinks(turns.length - 1));
      },

      refuse({ conversation: { messages } }) {
        const problem = messages.map(problemOf).find((found) => found !== null);
        if (problem) return { reason: "content_not_rendered", message: problem.message };
        if (messages.filter(({ role }) => role === "tool").length < 2) return null;
        return {
          reason: "tool_order_unknown",
          message:
            "This format sorts tool results by the order of their calls, which a bridge does not read. " +
            "Render the conversation anew where a turn has several calls.",
        };
      },
    };
  },
};

/** Why the format cannot write a message. */
function problemOf(message: ConversationMessage): TitoError | null {
  const { index, role } = message;
  if (!ROLES.includes(role)) return unknownRole(message, ROLES);
  const fail = (field: string, expected: string, actual: unknown, remedy: string) =>
    new TitoError("invalid_message", `messages[${index}].${field}: expected ${expected}. ${remedy}`, {
      details: { message: index, field, expected, actual },
    });
  if (role === "developer" && deepseekV4Text(message) === "")
    return fail("content", "text in a developer message", "", "Leave the message out if it says nothing.");
  const task = role === "tool" ? null : (fieldsOf(message).task ?? null);
  if (task !== null && !(TASKS as readonly string[]).includes(task))
    return fail("task", `one of ${TASKS.join(", ")}`, task, "Correct the task, or leave it out.");
  return null;
}
