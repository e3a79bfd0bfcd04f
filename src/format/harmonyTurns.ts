import type { GptOssConfig } from "../configs/index.ts";
import { pythonJson, tryParseJson } from "../messages/index.ts";
import {
  type CallReading,
  type CallsLayout,
  type FramedGrammar,
  jsonArguments,
  knownStatus,
  type ResponseLayout,
  type SpokenCall,
  type SpokenResponse,
  type TokenMarker,
} from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { harmonyBuiltins } from "./harmonyBuiltins.ts";
import { markers } from "./markers.ts";

export type HarmonyTokens = Readonly<
  Record<"start" | "message" | "channel" | "constrain" | "end" | "call" | "return", TokenMarker>
>;

/** @throws TitoError `token_missing` */
export function harmonyTokens(tokenizer: Tokenizer): HarmonyTokens {
  return markers(tokenizer, "gpt-oss", {
    start: "<|start|>",
    message: "<|message|>",
    channel: "<|channel|>",
    constrain: "<|constrain|>",
    end: "<|end|>",
    call: "<|call|>",
    return: "<|return|>",
  });
}

/** Recipients that are no tool. */
const EVERYONE = ["all", "assistant", "user"];

/** A message of the assistant: what follows its role. */
export interface HarmonyMessage {
  readonly header: readonly (string | TokenMarker)[];
  readonly body: string;
  readonly end: TokenMarker;
}

/** How gpt-oss cuts a turn into messages, and what it reads out of them. */
export interface HarmonyTurns {
  readonly grammar: FramedGrammar;
  /** The messages of a turn; at least one. */
  messagesOf(response: SpokenResponse): HarmonyMessage[];
  said(channel: string, body: string): HarmonyMessage;
  /** Where a tool of this name is reached: functions have a namespace, builtin tools are named with theirs. */
  recipientOf(name: string): string;
  /** The channel of a tool's calls and results. */
  toolChannel(name: string): string;
}

export function harmonyTurns(
  token: HarmonyTokens,
  { builtinTools, patched }: Pick<GptOssConfig, "builtinTools" | "patched">,
): HarmonyTurns {
  const builtinNames = builtinTools.flatMap((name) => {
    const { tools } = harmonyBuiltins[name];
    return tools.length > 0 ? tools.map((tool) => `${name}.${tool.name}`) : [name];
  });
  const isBuiltin = (name: string) => builtinNames.includes(name);
  const recipientOf = (name: string) => (isBuiltin(name) || name.startsWith("functions.") ? name : `functions.${name}`);
  const toolChannel = (name: string) => (isBuiltin(name) ? "analysis" : "commentary");

  const said = (channel: string, body: string): HarmonyMessage => ({
    header: [token.channel, channel, token.message],
    body,
    end: token.end,
  });

  function called({ name, argumentsText }: SpokenCall): HarmonyMessage {
    const to = ` to=${recipientOf(name)}`;
    const channel = toolChannel(name);
    const format = isBuiltin(name) ? [" code"] : [" ", token.constrain, "json"];
    return {
      header: patched
        ? [token.channel, channel + to, ...format, token.message]
        : [to, token.channel, channel, token.message],
      body: takesCode(name) ? codeOf(argumentsText) : argumentsText,
      end: token.call,
    };
  }

  const takesCode = (name: string) => name === "python" && isBuiltin(name);

  function messagesOf({ reasoning, content, toolCalls }: SpokenResponse): HarmonyMessage[] {
    const calls = toolCalls.map(called);
    const thinks = patched ? reasoning !== null : Boolean(reasoning);
    const thoughts = thinks ? [said("analysis", reasoning ?? "")] : [];
    const isSilent = content === "" && (calls.length > 0 || (thinks && !patched));
    const words = isSilent ? [] : [said(patched && calls.length > 0 ? "commentary" : "final", content)];
    return [...thoughts, ...words, ...calls];
  }

  const headerText = ({ header }: HarmonyMessage) =>
    header.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

  const grammar: FramedGrammar = {
    kind: "framed",
    stops: [token.return.id, token.call.id],
    turnStart: token.start.id,
    starts: [token.start.id],
    bodies: [token.message.id],
    ends: [token.end.id, token.call.id],
    whenUnknown: "plain",
    layout: turnLayout(token, patched),
    callForms: callForms(token),
    classify(header) {
      if (recipientIn(header) !== null) return "call";
      return channelIn(header) === "analysis" ? "reasoning" : "content";
    },
    strayText: (header) => header.split("<|channel|>")[0].replace(/^(?:assistant)?(?:\s+to?$|\s*to=[^\s<]*)?/, ""),
    readCall(header, { text }, tools): CallReading {
      const recipient = recipientIn(header) ?? "";
      const isFunction = recipient.startsWith("functions.");
      const bare = isFunction ? recipient.slice("functions.".length) : recipient;
      // A name that would be sent elsewhere keeps its namespace.
      const name = isFunction && recipientOf(bare) === recipient ? bare : recipient;
      if (takesCode(name)) {
        const args = { code: text };
        return { name, arguments: args, argumentsText: pythonJson(args), id: null, status: "ok" };
      }
      const { status, ...args } = jsonArguments(text);
      if (bare === "") return { ...args, name: null, id: null, status: status === "ok" ? "missing_name" : status };
      const known = isBuiltin(name) ? "ok" : knownStatus(bare, tools);
      return { ...args, name, id: null, status: status === "ok" ? known : status };
    },
    stopOf: (response) => (messagesOf(response).at(-1)?.end === token.call ? token.call.id : token.return.id),
    spell(response, opened) {
      const messages = messagesOf(response);
      const text = messages.map((message, i) => {
        const isLast = i === messages.length - 1;
        const begin = i > 0 ? `${token.start.text}assistant` : "";
        return begin + headerText(message) + message.body + (isLast ? "" : message.end.text);
      });
      const opening = headerText(said("analysis", ""));
      return opened && text[0].startsWith(opening) ? text.join("").slice(opening.length) : text.join("");
    },
  };

  return { grammar, messagesOf, said, recipientOf, toolChannel };
}

const TO_FUNCTIONS = " to=functions.";

/** A turn with calls to functions; builtin tools are not among them. */
function turnLayout(token: HarmonyTokens, patched: boolean): ResponseLayout {
  const { start, channel, message, end, constrain } = token;
  const next = `${end.text}${start.text}assistant`;
  const [head, behindName] = patched
    ? [`${channel.text}commentary${TO_FUNCTIONS}`, ` ${constrain.text}json${message.text}`]
    : [TO_FUNCTIONS, `${channel.text}commentary${message.text}`];
  return {
    reasoning: { mode: "tag_based", open: `${channel.text}analysis${message.text}`, close: next },
    content: {
      mode: "always_wrapped",
      open: `${channel.text}final${message.text}`,
      close: "",
      alsoOpens: [`${channel.text}commentary${message.text}`],
    },
    calls: functionCalls(token, head, behindName),
    end: "",
    glue: [next, `${start.text}assistant`],
  };
}

function functionCalls({ start, call, end }: HarmonyTokens, head: string, behindName: string): CallsLayout {
  return {
    lead: `${end.text}${start.text}assistant`,
    section: null,
    separator: `${call.text}${start.text}assistant`,
    call: [{ kind: "text", text: head }, { kind: "name" }, { kind: "text", text: behindName }, { kind: "json" }],
    parallel: true,
  };
}

/** Models name the channel before the recipient or behind it, and may say that the body is JSON. */
function callForms(token: HarmonyTokens): readonly CallsLayout[] {
  const channels = ["", `${token.channel.text}commentary`];
  const kinds = ["", " json", ` ${token.constrain.text}json`];
  return channels.flatMap((channel) =>
    kinds.map((kind) => functionCalls(token, TO_FUNCTIONS, channel + kind + token.message.text)),
  );
}

/** The tool that a header is for; null if it is for no tool. */
export function recipientIn(header: string): string | null {
  const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
  return recipient === undefined || EVERYONE.includes(recipient) ? null : recipient;
}

/** The first word behind the channel's marker; undefined without one. */
export function channelIn(header: string): string | undefined {
  return /<\|channel\|>\s*([^\s<]*)/.exec(header)?.[1];
}

/** The code in a call's arguments `{"code": …}`; other text is code itself. */
function codeOf(argumentsText: string): string {
  const read = tryParseJson(argumentsText);
  const code = read.ok && read.value instanceof Map && read.value.size === 1 ? read.value.get("code") : undefined;
  return typeof code === "string" ? code : argumentsText;
}
