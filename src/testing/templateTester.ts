import {
  type AppliedTemplate,
  type ApplyRequest,
  applyTemplate,
  type RequestResponseFormat,
  type RequestToolChoice,
} from "../apply/index.ts";
import type { ResponseTextState } from "../autoparser/readers.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { ParsedResponse, ParserState } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { checkGrammar } from "./checkGrammar.ts";
import { checkReading, type ExpectedMessage } from "./expectedMessage.ts";
import { byteTexts, inSingleBytes, readPieces } from "./readings.ts";

export interface TemplateTesterOptions
  extends Pick<ApplyRequest, "overrides" | "hypotheses" | "specialTokens" | "templateKwargs" | "now"> {
  /** Reads every case as ids, too. */
  readonly tokenizer?: Tokenizer | undefined;
}

export interface TemplateTester {
  /** A case: the text of a response, without what stops it. */
  test(text: string): TemplateCase;
}

/** A case and its request. Each method gives a case of its own. */
export interface TemplateCase {
  /** The conversation before. Default: a user's "Hey there!". */
  messages(messages: readonly Message[]): TemplateCase;
  tools(tools: readonly ToolSpec[]): TemplateCase;
  toolChoice(choice: RequestToolChoice): TemplateCase;
  toolFormat(format: "template" | "generic"): TemplateCase;
  parallel(parallel: boolean): TemplateCase;
  enableThinking(thinking: boolean): TemplateCase;
  reasoningFormat(format: "auto" | "none"): TemplateCase;
  responseFormat(format: RequestResponseFormat): TemplateCase;
  /** The response goes on in the last message. What is expected is what it adds, with `whole` the whole message. */
  continueFinalMessage(options?: { readonly whole?: boolean | undefined }): TemplateCase;
  templateKwargs(variables: Readonly<Record<string, unknown>>): TemplateCase;
  /** Default true. */
  checksGrammar(checks: boolean): TemplateCase;
  expect(message: ExpectedMessage): TemplateCase;
  /**
   * Reads the text whole, byte by byte, character by character and from stored states, with a tokenizer its ids as well, and has
   * the grammar take it.
   *
   * @throws Error that shows what was expected and what was read
   * @throws TitoError as `applyTemplate`
   */
  run(): { readonly applied: AppliedTemplate; readonly response: ParsedResponse };
}

/**
 * Tests what a chat template's analysis reads: one case after the other.
 *
 * @example
 * templateTester(template)
 *   .test('<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>')
 *   .tools([search])
 *   .expect({ toolCalls: [{ name: "search", arguments: { query: "x" } }] })
 *   .run();
 */
export function templateTester(
  template: string,
  { tokenizer, ...options }: TemplateTesterOptions = {},
): TemplateTester {
  const messages = [{ role: "user", content: "Hey there!" }];
  return {
    test: (text) =>
      templateCase({
        text,
        request: { template, tokenizer, messages, ...options },
        whole: false,
        grammar: true,
        expected: {},
      }),
  };
}

interface CaseSettings {
  readonly text: string;
  readonly request: ApplyRequest;
  readonly whole: boolean;
  readonly grammar: boolean;
  readonly expected: ExpectedMessage;
}

function templateCase(settings: CaseSettings): TemplateCase {
  const { request } = settings;
  const asking = (more: Partial<ApplyRequest>) => templateCase({ ...settings, request: { ...request, ...more } });
  return {
    messages: (messages) => asking({ messages }),
    tools: (tools) => asking({ tools }),
    toolChoice: (toolChoice) => asking({ toolChoice }),
    toolFormat: (toolFormat) => asking({ toolFormat }),
    parallel: (parallelToolCalls) => asking({ parallelToolCalls }),
    enableThinking: (enableThinking) => asking({ enableThinking }),
    reasoningFormat: (reasoningFormat) => asking({ reasoningFormat }),
    responseFormat: (responseFormat) => asking({ responseFormat }),
    continueFinalMessage: ({ whole = false } = {}) =>
      templateCase({ ...settings, whole, request: { ...request, continueFinalMessage: true } }),
    templateKwargs: (templateKwargs) => asking({ templateKwargs: { ...request.templateKwargs, ...templateKwargs } }),
    checksGrammar: (grammar) => templateCase({ ...settings, grammar }),
    expect: (expected) => templateCase({ ...settings, expected }),
    run: () => runCase(settings),
  };
}

function runCase({ text, request, whole, grammar, expected }: CaseSettings) {
  const applied = applyTemplate(request);
  const parserFrom = (state: unknown) => applied.textParser({ state: state as ResponseTextState | undefined, whole });
  const characters = Array.from(text);
  const reading = readPieces("read whole", [text], parserFrom);
  const readings = [
    reading,
    readPieces("byte by byte", byteTexts(text), parserFrom),
    readPieces("character by character", characters, parserFrom),
    readPieces("from stored states", characters, parserFrom, { stored: true }),
  ];
  for (const one of readings) checkReading(expected, one, { continued: whole });
  if (!whole) checkIds(applied, request.tokenizer, text, expected);
  const added = whole
    ? readPieces("added", [text], (state) => applied.textParser({ state: state as undefined }))
    : reading;
  if (grammar) checkGrammar(applied, text, added.response);
  return { applied, response: reading.response };
}

function checkIds(
  applied: AppliedTemplate,
  tokenizer: Tokenizer | undefined,
  text: string,
  expected: ExpectedMessage,
): void {
  if (tokenizer === undefined) return;
  const parserFrom = (state: unknown) => applied.parser({ state: state as ParserState | undefined });
  const ids = [...tokenizer.encode(text), ...applied.stopTokenIds.slice(0, 1)];
  const single = ids.map((id) => [id]);
  const bytes = inSingleBytes(tokenizer, ids);
  const readings = [
    readPieces("as ids", [ids], parserFrom),
    readPieces("id by id", single, parserFrom),
    readPieces("from stored states, id by id", single, parserFrom, { stored: true }),
    ...(bytes
      ? [
          readPieces(
            "in ids of one byte",
            Array.from(bytes, (id) => [id]),
            parserFrom,
          ),
        ]
      : []),
  ];
  for (const reading of readings) checkReading(expected, reading);
}
