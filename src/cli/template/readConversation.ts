import { readFileSync } from "node:fs";
import { TitoError } from "../../errors.ts";
import {
  checkMessages,
  checkTools,
  type JsonInput,
  type JsonValue,
  type Message,
  messagesFromJson,
  type ToolSpec,
  toolsFromJson,
  tryParseJson,
} from "../../messages/index.ts";
import type { CommandIo } from "./commandIo.ts";
import { excerpt } from "./excerpt.ts";

/** What a template is rendered with. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | undefined;
}

/** A conversation from a file, with what else a request for one may hold. */
export interface ReadConversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | undefined;
  readonly kwargs: Readonly<Record<string, JsonInput>>;
  readonly addGenerationPrompt: boolean | undefined;
  readonly continueFinalMessage: boolean | undefined;
}

/**
 * Reads messages from a file, or from the standard input for `-`: a JSON array of them, or an object as a chat request has it
 * (`messages`, `tools`, `chat_template_kwargs`, `add_generation_prompt`, `continue_final_message`; other fields do not count).
 *
 * @throws TitoError `file_not_found`, `invalid_json`, and what `checkMessages` and `checkTools` throw.
 */
export function readConversation(path: string, io: CommandIo): ReadConversation {
  const name = path === "-" ? "the standard input" : path;
  const value = parsed(path === "-" ? io.readStdin() : readInput(path), name);
  const request = value instanceof Map ? (value as ReadonlyMap<string, JsonValue>) : new Map([["messages", value]]);
  const messages = request.get("messages");
  if (!Array.isArray(messages)) {
    throw new TitoError("invalid_message", `${name}: expected a list of messages, or an object with "messages".`, {
      details: { path },
    });
  }
  return {
    messages: inFile(name, () => checkedMessages(messages)),
    tools: inFile(name, () => checkedTools(request.get("tools") ?? undefined)),
    kwargs: asObject(request.get("chat_template_kwargs") ?? new Map(), `${name}: chat_template_kwargs`),
    addGenerationPrompt: flag(request, "add_generation_prompt", name),
    continueFinalMessage: flag(request, "continue_final_message", name),
  };
}

/** Reads tools from a file: a JSON array, or an object with `tools`. */
export function readTools(path: string): readonly ToolSpec[] {
  const value = parsed(readInput(path), path);
  const tools = value instanceof Map && value.has("tools") ? value.get("tools") : value;
  return inFile(path, () => checkedTools(tools)) ?? [];
}

/** Template variables as an option has them. Throws TitoError `usage`. */
export function readKwargs(text: string): Readonly<Record<string, JsonInput>> {
  const result = tryParseJson(text);
  if (result.ok) return asObject(result.value, "--kwargs");
  const { column, message } = result;
  throw new TitoError(
    "usage",
    `--kwargs is no JSON at column ${column}: ${message}. Pass {"enable_thinking": false} or its like.`,
  );
}

function checkedMessages(value: JsonValue): readonly Message[] {
  const messages = messagesFromJson(value);
  checkMessages(messages, { validate: "template" });
  return messages;
}

function checkedTools(value: JsonValue | undefined): readonly ToolSpec[] | undefined {
  if (value === undefined) return undefined;
  const tools = toolsFromJson(value);
  checkTools(tools, { validate: "template" });
  return tools;
}

function asObject(value: JsonValue, place: string): Readonly<Record<string, JsonInput>> {
  if (value instanceof Map) return Object.fromEntries(value);
  throw new TitoError(
    "usage",
    `${place}: expected a JSON object of template variables, such as {"enable_thinking": false}.`,
  );
}

function flag(request: ReadonlyMap<string, JsonValue>, field: string, name: string): boolean | undefined {
  const value = request.get(field) ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw new TitoError("usage", `${name}: ${field} is neither true nor false. Correct it or leave it out.`);
}

function inFile<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    throw new TitoError(error.code, `${name}: ${error.message}`, { details: error.details, cause: error });
  }
}

/** @throws TitoError `file_not_found` */
function readInput(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const fact = code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`;
    throw new TitoError("file_not_found", `${fact} Pass a JSON file, or --messages - for the standard input.`, {
      details: { path },
      cause,
    });
  }
}

function parsed(text: string, name: string): JsonValue {
  // A byte-order mark is no JSON, and editors write it.
  const json = text.replace(/^\ufeff/, "");
  const result = tryParseJson(json);
  if (result.ok) return result.value;
  const { line, column, message, reason } = result;
  throw new TitoError(
    "invalid_json",
    [
      `${name} is no JSON at line ${line}, column ${column}: ${message}. Correct it.`,
      ...excerpt(json, { line, column }),
    ].join("\n"),
    { details: { line, column, reason } },
  );
}
