import type { InklingConfig } from "../configs/index.ts";
import { callArguments } from "../format/index.ts";
import { type JsonInput, pythonJson, pythonStrip } from "../messages/index.ts";
import {
  type CallReading,
  type FramedGrammar,
  jsonCallBody,
  knownStatus,
  type ResponseLayout,
  type SpokenCall,
  type SpokenResponse,
  type TokenMarker,
} from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

export type InklingTokens = Readonly<
  Record<
    "system" | "user" | "model" | "tool" | "text" | "thinking" | "callJson" | "callText" | "end" | "stop",
    TokenMarker
  >
>;

export interface InklingTurns {
  readonly grammar: FramedGrammar;
  /** A turn after its first role marker; what the assistant says may come in several parts. */
  turnText(response: SpokenResponse, contents: readonly string[]): string;
}

const readJson = jsonCallBody({ nameField: "name", argumentsField: "args" });

/** Which blocks a turn of Inkling has, and what is read out of them. */
export function inklingTurns(tokenizer: Tokenizer, token: InklingTokens, { patched }: InklingConfig): InklingTurns {
  const endOfText = tokenizer.tokenToId("<|endoftext|>");

  function callText({ name, argumentsText }: SpokenCall): string {
    const args = patched ? argumentsText : sortedJson(callArguments({ arguments: argumentsText }));
    return `${name}${token.callJson.text}{"name":${pythonJson(name)},"args":${args}}`;
  }

  function turnText({ reasoning, toolCalls }: SpokenResponse, contents: readonly string[]): string {
    const thinks = patched ? reasoning !== null : Boolean(reasoning);
    const isSpoken = (text: string) => !patched || text !== "" || (!thinks && toolCalls.length === 0);
    const blocks = [
      ...(thinks ? [`${token.thinking.text}${reasoning}`] : []),
      ...contents.filter(isSpoken).map((text) => token.text.text + text),
      ...toolCalls.map(callText),
    ];
    return blocks.map((block) => block + token.end.text).join(token.model.text);
  }

  const grammar: FramedGrammar = {
    kind: "framed",
    stops: endOfText === undefined ? [token.stop.id] : [token.stop.id, endOfText],
    turnStart: token.model.id,
    starts: [token.model.id, token.user.id, token.system.id, token.tool.id],
    bodies: [token.text.id, token.thinking.id, token.callJson.id, token.callText.id],
    callBodies: [token.callJson.id],
    ends: [token.end.id],
    whenUnknown: "header",
    layout: turnLayout(token, patched),
    classify(_, body) {
      if (body === token.text.id) return "content";
      return body === token.thinking.id ? "reasoning" : "call";
    },
    strayText: (header) => header,
    readCall(header, call, tools): CallReading {
      const reading = readJson(call, tools);
      const name = pythonStrip(header);
      if (reading.name !== null || name === "") return reading;
      return {
        ...reading,
        name,
        status: reading.status === "missing_name" ? knownStatus(name, tools) : reading.status,
      };
    },
    spell(response, opened) {
      const text = turnText(response, [response.content]);
      return opened && text.startsWith(token.thinking.text) ? text.slice(token.thinking.text.length) : text;
    },
  };

  return { grammar, turnText };
}

function turnLayout({ model, text, thinking, callJson, end }: InklingTokens, patched: boolean): ResponseLayout {
  return {
    reasoning: { mode: "tag_based", open: thinking.text, close: end.text + model.text },
    content: { mode: "always_wrapped", open: text.text, close: end.text, wrapsEmpty: !patched },
    calls: {
      lead: model.text,
      section: null,
      separator: model.text,
      call: [
        { kind: "name" },
        { kind: "text", text: callJson.text },
        {
          kind: "object",
          name: ["name"],
          arguments: ["args"],
          id: null,
          order: [{ key: "name" }, { key: "args" }],
          style: { itemSeparator: ",", keySeparator: ":", indent: null },
        },
        { kind: "text", text: end.text },
      ],
      parallel: true,
    },
    end: "",
    glue: [model.text],
  };
}

export function sortedJson(value: JsonInput): string {
  return pythonJson(value, { sortKeys: true, separators: [",", ":"] });
}
