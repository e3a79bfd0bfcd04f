/*
 * Pidgin, a format of our own on the tokens of ChatML
 *
 *   <|im_start|>system⏎{system}⏎⏎tools:⏎{tool}⏎{tool}<|im_end|>⏎
 *   <|im_start|>user⏎{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎<think>{reasoning}</think>{content}<tool_call>{"call": "…", "with": {…}}</tool_call><|im_end|>⏎
 *   <|im_start|>tool⏎{result}<|im_end|>⏎
 *
 * Thinking stays in every turn, so that a bridge is always possible. `terse` opens no thinking block.
 */
import { z } from "zod";
import {
  type ConversationMessage,
  defineFamilyConfig,
  endsInJsonString,
  type Family,
  familySchema,
  jsonCallBody,
  markers,
  pythonJson,
  type ResponseGrammar,
  type SpokenResponse,
  spokenCall,
  toolValue,
  type WireFormat,
} from "../../src/family.ts";

const schema = familySchema("pidgin", {
  /** The generation prompt opens no thinking block. */
  terse: z.boolean().default(false),
});

type PidginConfig = Readonly<z.output<typeof schema>>;

declare module "../../src/index.ts" {
  interface CustomFamilies {
    pidgin: { input: Readonly<z.input<typeof schema>>; output: PidginConfig };
  }
}

export const pidgin: Family<PidginConfig> = {
  config: defineFamilyConfig({
    name: "pidgin",
    schema,
    templateFields: { terse: "terse" },
    impliedRetention: () => undefined,
    templateRetention: () => "all",
  }),

  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "pidgin", {
      turnStart: "<|im_start|>",
      turnEnd: "<|im_end|>",
      thinkOpen: "<think>",
      thinkClose: "</think>",
      callOpen: "<tool_call>",
      callClose: "</tool_call>",
    });

    /** What the model says after its role, written and checked by the same lines. */
    function spell({ reasoning, content, toolCalls }: SpokenResponse): string {
      const calls = toolCalls.map(
        (call) => `<tool_call>{"call": ${pythonJson(call.name)}, "with": ${call.argumentsText}}</tool_call>`,
      );
      return `${reasoning === null ? "" : `<think>${reasoning}</think>`}${content}${calls.join("")}`;
    }

    const grammar: ResponseGrammar = {
      kind: "tagged",
      stops: [token.turnEnd.id],
      turnStart: token.turnStart.id,
      reasoning: { open: token.thinkOpen, close: token.thinkClose, padding: "", separator: "", whenUnknown: "closed" },
      calls: {
        open: token.callOpen,
        close: token.callClose,
        separator: "",
        body: jsonCallBody({ nameField: "call", argumentsField: "with" }),
        endsInside: ({ text }) => endsInJsonString(text),
      },
      spell: (response, opened) => spell(response).slice(opened ? "<think>".length : 0),
    };

    const prefill = config.terse ? "" : "<think>";

    function assistantText(message: ConversationMessage): string {
      const toolCalls = message.toolCalls.map(spokenCall);
      const reasoning = message.reasoning ?? (config.terse ? null : "");
      return spell({ reasoning, content: message.text, toolCalls });
    }

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: true,
      startsQuery: ({ role }) => role === "user",

      writeOpening(out, { messages, tools = [] }) {
        const system = messages[0].role === "system" ? messages[0] : undefined;
        if (!system && tools.length === 0) return;
        out
          .at(system ? 0 : -1)
          .token(token.turnStart.id)
          .scaffold("system\n")
          .body(system?.text ?? "");
        if (tools.length > 0) out.scaffold("\n\ntools:");
        for (const tool of tools) out.scaffold("\n").foreign(pythonJson(toolValue(tool)));
        out.token(token.turnEnd.id).scaffold("\n");
      },

      writeMessages(out, { messages, continues }) {
        for (const [index, message] of messages.entries()) {
          if (index === 0 && message.role === "system" && !continues) continue;
          out.at(index).token(token.turnStart.id).scaffold(`${message.role}\n`);
          if (message.role !== "assistant") out.body(message.text).token(token.turnEnd.id);
          else {
            const text = assistantText(message);
            const prefilled = text.startsWith(prefill) ? prefill : "";
            out.scaffold(prefilled).sampled(text.slice(prefilled.length)).sampledToken(token.turnEnd.id);
          }
          out.scaffold("\n");
        }
      },

      writeGenerationPrompt(out) {
        out.token(token.turnStart.id).scaffold(`assistant\n${prefill}`);
      },
    };
  },
};
