import type { ToolChoice } from "../autoparser/grammar/index.ts";
import { TitoError } from "../errors.ts";
import { checkMessages, toolName } from "../messages/index.ts";
import type { ApplyRequest, RequestToolChoice } from "./types.ts";

/** What contradicts itself in a request, whatever the template. */
export function checkRequest(request: ApplyRequest): void {
  const { template, tokenizer, messages, tools, validate = "strict" } = request;
  if (template === undefined && tokenizer === undefined) {
    throw impossible("template", "there is neither a template nor a tokenizer that has one", "Pass one of the two");
  }
  checkMessages(messages, { validate, tools });
  oneOf("reasoningFormat", request.reasoningFormat, ["auto", "none"]);
  oneOf("toolFormat", request.toolFormat, ["template", "generic"]);
  checkToolChoice(request);
  checkResponseFormat(request);
  if (request.continueFinalMessage && request.addGenerationPrompt) {
    throw impossible(
      "continueFinalMessage",
      "a message cannot go on and a new one begin (addGenerationPrompt)",
      "Leave one of them out",
    );
  }
}

/** The choice, whichever way it is written. */
export function toolChoiceOf(choice: RequestToolChoice = "auto"): ToolChoice {
  if (typeof choice === "string") return choice;
  return { name: "function" in choice ? choice.function.name : choice.name };
}

function checkToolChoice({ toolChoice = "auto", tools }: ApplyRequest): void {
  if (typeof toolChoice === "string") oneOf("toolChoice", toolChoice, ["auto", "required", "none"]);
  const choice = toolChoiceOf(toolChoice);
  if (choice === "auto" || choice === "none") return;
  const names = (tools ?? []).map(toolName);
  const isKept = choice === "required" ? names.length > 0 : names.includes(choice.name);
  if (isKept) return;
  const asked = choice === "required" ? "A call is required" : `A call to ${JSON.stringify(choice.name)} is required`;
  const there = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  throw new TitoError("tool_choice_unknown", `toolChoice: ${asked}, and ${there}. Add the tool, or choose "auto".`, {
    details: { field: "toolChoice", toolChoice: choice, tools: names },
  });
}

function checkResponseFormat({ responseFormat, tools, toolChoice }: ApplyRequest): void {
  if (responseFormat === undefined) return;
  oneOf("responseFormat.type", responseFormat.type, ["text", "json_object", "json_schema"]);
  if (responseFormat.type === "text") return;
  const { schema } = responseFormat as { readonly schema?: unknown };
  if (responseFormat.type === "json_schema" && (typeof schema !== "object" || schema === null) && schema !== true) {
    throw impossible(
      "responseFormat.schema",
      "a response of type json_schema has no schema",
      'Pass { type: "json_schema", schema: … }',
    );
  }
  if (tools?.length && toolChoice !== "none") {
    throw impossible(
      "responseFormat",
      "a response cannot be JSON of a schema and call tools",
      'Leave the tools out, or set toolChoice: "none"',
    );
  }
}

function oneOf(field: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value as string)) return;
  const list = allowed.map((one) => JSON.stringify(one)).join(", ");
  throw impossible(field, `expected one of ${list}, found ${JSON.stringify(value)}`, "Correct it");
}

export function impossible(field: string, fact: string, remedy: string): TitoError {
  return new TitoError("invalid_request", `${field}: ${fact}. ${remedy}.`, { details: { field } });
}
