import { gptOssConfig } from "../../configs/index.ts";
import { dsmlCalls, writeDsmlCalls } from "../../format/dsml.ts";
import {
  type ArgTagLayout,
  argTagCalls,
  argTagTexts,
  argumentTexts,
  functionCallText,
  functionXmlCalls,
  hermesCalls,
  kimi,
  markers,
  textMarker,
  writeArgTags,
  writeHermesCalls,
} from "../../format/index.ts";
import { invokeXmlCalls, writeInvokeXml } from "../../format/invokeXml.ts";
import { pythonLiteral } from "../../messages/index.ts";
import type { SpokenCall } from "../../parse/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { deepseekFormat } from "../deepseek.ts";
import { gptOss } from "../gptOss.ts";
import { deepseekV31 } from "./deepseekV31.ts";
import { bareJsonList } from "./jsonList.ts";
import { CALLS, mistralList } from "./mistralList.ts";
import { barePythonicList, pythonicList, writePythonic } from "./pythonicList.ts";
import type { CallsFormat, ToolParserFactory } from "./types.ts";

/** `<tool_call>⏎{"name": …, "arguments": {…}}⏎</tool_call>` */
const hermes: ToolParserFactory = ({ tokenizer }) => ({
  kind: "calls",
  calls: hermesCalls(toolCallMarkers(tokenizer)),
  write: (calls, { afterContent }) => writeHermesCalls(calls, afterContent),
});

/** `<tool_call>⏎<function={name}>⏎<parameter={key}>⏎{text}⏎</parameter>⏎</function>⏎</tool_call>` */
const functionXml: ToolParserFactory = ({ tokenizer }) => {
  const { callOpen: open, callClose: close } = toolCallMarkers(tokenizer);
  return {
    kind: "calls",
    calls: functionXmlCalls({ open, close, separator: "\n\n", literal: pythonLiteral }),
    write: joined({
      before: (afterContent) => (afterContent ? "\n\n" : ""),
      between: "\n",
      call: ({ name, argumentsText }) => functionCallText({ name, arguments: argumentsText }, "exact"),
    }),
  };
};

/** `<tool_call>{name}⏎<arg_key>{key}</arg_key>⏎<arg_value>{text}</arg_value>⏎</tool_call>`; `glue`: those line breaks. */
const glm =
  (glue: string): ToolParserFactory =>
  ({ tokenizer }) => {
    const { callOpen: open, callClose: close } = toolCallMarkers(tokenizer);
    const texts = argTagTexts();
    const layout: ArgTagLayout = {
      tags: {
        keyOpen: textMarker(tokenizer, texts.keyOpen),
        keyClose: textMarker(tokenizer, texts.keyClose),
        valueOpen: textMarker(tokenizer, texts.valueOpen),
        valueClose: textMarker(tokenizer, texts.valueClose),
      },
      glue,
    };
    return {
      kind: "calls",
      calls: argTagCalls(layout, { open, close, separator: glue }),
      write: joined({
        before: () => glue,
        between: glue,
        call: (call) => open.text + writeArgTags(layout, call.name, textsOf(call)) + close.text,
      }),
    };
  };

/** `<minimax:tool_call>⏎<invoke name="{name}">⏎<parameter name="{key}">{text}</parameter>⏎</invoke>⏎</minimax:tool_call>` */
const minimax: ToolParserFactory = ({ tokenizer }) => {
  const open = textMarker(tokenizer, "<minimax:tool_call>");
  const close = textMarker(tokenizer, "</minimax:tool_call>");
  const write = joined({
    before: () => `\n${open.text}\n`,
    between: "\n",
    call: (call) => writeInvokeXml(call.name, textsOf(call)),
    after: `\n${close.text}`,
  });
  return {
    kind: "calls",
    calls: invokeXmlCalls({ section: { open, close, keepsCut: true }, separator: "\n" }),
    write,
  };
};

/** See deepseek.ts. */
const deepseekV3: ToolParserFactory = ({ tokenizer, name }) => {
  const { grammar } = deepseekFormat(tokenizer, { family: name, prefill: "", said: ({ text }) => text, patched: true });
  return {
    kind: "calls",
    calls: grammar.kind === "tagged" ? grammar.calls : null,
    write: (toolCalls) => grammar.spell({ content: "", reasoning: null, toolCalls }, false),
  };
};

/** See dsml.ts. */
const deepseekV4: ToolParserFactory = ({ tokenizer, name }) => ({
  kind: "calls",
  calls: dsmlCalls(markers(tokenizer, name, { atom: "｜DSML｜" }).atom),
  write: (calls) => writeDsmlCalls(calls, { exact: true }),
});

/** See kimi.ts. */
const kimiCalls: ToolParserFactory = ({ tokenizer, name, stops }) => {
  const format = kimi(tokenizer, name);
  const grammar = format.grammar({ stops, spell: format.spell });
  return {
    kind: "calls",
    calls: grammar.kind === "tagged" ? grammar.calls : null,
    write: (toolCalls) => format.spell({ content: "", reasoning: null, toolCalls }),
  };
};

/** See jsonList.ts. */
const llama: ToolParserFactory = () => ({
  kind: "calls",
  calls: null,
  list: bareJsonList,
  write: joined({
    between: "; ",
    call: ({ name, argumentsText }) => `{"name": "${name}", "parameters": ${argumentsText}}`,
  }),
});

/** See mistralList.ts. Only the turn's end closes the calls, so that its id stands for their closing marker. */
const mistral: ToolParserFactory = ({ tokenizer, stops: [stop] }) => ({
  kind: "calls",
  calls: {
    open: textMarker(tokenizer, CALLS),
    close: { text: tokenizer.decode([stop]), id: stop },
    separator: "",
    body: unasked,
  },
  list: mistralList,
  write: joined({
    between: "",
    call: ({ name, argumentsText, id }) =>
      `${CALLS}${name}${id === undefined ? "" : `[CALL_ID]${id}`}[ARGS]${argumentsText}`,
  }),
});

/** See pythonicList.ts. */
const pythonic: ToolParserFactory = () => ({
  kind: "calls",
  calls: null,
  list: barePythonicList,
  write: (calls) => (calls.length > 0 ? writePythonic(calls) : ""),
});

/** `<|tool_call_start|>[{name}({key}={literal}, …)]<|tool_call_end|>` */
const lfm2: ToolParserFactory = ({ tokenizer, name }) => {
  const { open, close } = markers(tokenizer, name, { open: "<|tool_call_start|>", close: "<|tool_call_end|>" });
  return {
    kind: "calls",
    calls: { open, close, separator: "", body: unasked },
    list: pythonicList,
    write: (calls) => (calls.length > 0 ? open.text + writePythonic(calls) + close.text : ""),
  };
};

/** See gptOss.ts. */
const harmony: ToolParserFactory = ({ tokenizer, stops }) => {
  const config = gptOssConfig.schema.parse({ name: "gpt-oss", patched: true });
  const { grammar } = gptOss.bind(tokenizer, config);
  return { kind: "response", grammar: { ...grammar, stops: [...new Set([...grammar.stops, ...stops])] } };
};

/** The tool parsers of this package, by name. */
export const toolParsers: ReadonlyMap<string, ToolParserFactory> = new Map([
  ["qwen3", hermes],
  ["hermes", hermes],
  ["qwen3.5", functionXml],
  ["qwen3-coder", functionXml],
  ["glm", glm("\n")],
  ["glm-4.5", glm("\n")],
  ["glm-5", glm("")],
  ["deepseek-v3", deepseekV3],
  ["deepseek-v3.1", deepseekV31],
  ["deepseek-v4", deepseekV4],
  ["kimi", kimiCalls],
  ["kimi-k2", kimiCalls],
  ["minimax", minimax],
  ["minimax-m2", minimax],
  ["llama", llama],
  ["llama3", llama],
  ["mistral", mistral],
  ["pythonic", pythonic],
  ["lfm2", lfm2],
  ["harmony", harmony],
  ["gpt-oss", harmony],
]);

function toolCallMarkers(tokenizer: Tokenizer) {
  return { callOpen: textMarker(tokenizer, "<tool_call>"), callClose: textMarker(tokenizer, "</tool_call>") };
}

/** A block is read as a list, and its calls have no body of their own. */
const unasked = () => ({ name: null, arguments: null, argumentsText: null, id: null, status: "ok" }) as const;

const textsOf = ({ argumentsText }: SpokenCall) => argumentTexts({ arguments: argumentsText }, { exact: true }) ?? [];

interface Joining {
  before?(afterContent: boolean): string;
  readonly between: string;
  readonly after?: string;
  call(call: SpokenCall): string;
}

function joined({ before, between, after = "", call }: Joining): CallsFormat["write"] {
  return (calls, { afterContent }) =>
    calls.length === 0 ? "" : (before?.(afterContent) ?? "") + calls.map(call).join(between) + after;
}
