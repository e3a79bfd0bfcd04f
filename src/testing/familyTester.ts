import { applyTemplate } from "../apply/index.ts";
import { TitoError } from "../errors.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { ParsedResponse, ParserState, PromptContext } from "../parse/index.ts";
import type { Renderer } from "../renderers/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import { checkGrammar } from "./checkGrammar.ts";
import { checkReading, type ExpectedMessage } from "./expectedMessage.ts";
import { inSingleBytes, readPieces } from "./readings.ts";

export interface FamilyTesterOptions {
  /** The chat template whose grammar takes what the family writes. Default: the tokenizer's own. */
  readonly template?: string | undefined;
}

export interface FamilyTester {
  /** A case: a completion's ids, or a text that is encoded and stopped by the family's own close. */
  test(completion: string | Ids): FamilyCase;
}

/** A case and what came before it. Each method gives a case of its own. */
export interface FamilyCase {
  /** The conversation before. Default: a user's "Hey there!". */
  messages(messages: readonly Message[]): FamilyCase;
  /** What the prompt has opened. Default: the prompt of the messages. */
  prompt(prompt: PromptContext): FamilyCase;
  tools(tools: readonly ToolSpec[]): FamilyCase;
  parallel(parallel: boolean): FamilyCase;
  /** The text is cut short: nothing stops it. */
  cut(): FamilyCase;
  /** Default true where there is a chat template. */
  checksGrammar(checks: boolean): FamilyCase;
  expect(message: ExpectedMessage): FamilyCase;
  /**
   * Reads the ids at once, one by one, from stored states, and spelled in ids of one byte; and has the grammar take the text,
   * where the response is canonical.
   *
   * @throws Error that shows what was expected and what was read
   */
  run(): { readonly response: ParsedResponse };
}

/**
 * Tests what a renderer reads: one case after the other.
 *
 * @example
 * familyTester(renderer).test("<think>\nHm.\n</think>\n\nParis.").expect({ reasoningContent: "Hm.", content: "Paris." }).run();
 */
export function familyTester(renderer: Renderer, { template }: FamilyTesterOptions = {}): FamilyTester {
  const messages = [{ role: "user", content: "Hey there!" }];
  return {
    test: (completion) =>
      familyCase({ renderer, template, completion, messages, cut: false, grammar: true, expected: {} }),
  };
}

interface CaseSettings {
  readonly renderer: Renderer;
  readonly template: string | undefined;
  readonly completion: string | Ids;
  readonly messages: readonly Message[];
  readonly prompt?: PromptContext | undefined;
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly parallel?: boolean | undefined;
  readonly cut: boolean;
  readonly grammar: boolean;
  readonly expected: ExpectedMessage;
}

function familyCase(settings: CaseSettings): FamilyCase {
  const having = (more: Partial<CaseSettings>) => familyCase({ ...settings, ...more });
  return {
    messages: (messages) => having({ messages }),
    prompt: (prompt) => having({ prompt }),
    tools: (tools) => having({ tools }),
    parallel: (parallel) => having({ parallel }),
    cut: () => having({ cut: true }),
    checksGrammar: (grammar) => having({ grammar }),
    expect: (expected) => having({ expected }),
    run: () => runCase(settings),
  };
}

function runCase(settings: CaseSettings): { readonly response: ParsedResponse } {
  const { renderer, completion, messages, tools, cut, expected } = settings;
  const { tokenizer, stopTokenIds } = renderer;
  const stops = cut ? [] : stopTokenIds.slice(0, 1);
  const ids = typeof completion === "string" ? [...tokenizer.encode(completion), ...stops] : Array.from(completion);
  const prompt = settings.prompt ?? renderer.renderIds(messages, { tools, addGenerationPrompt: true });
  const parserFrom = (state: unknown) =>
    renderer.parser({ prompt, tools: tools ?? null, state: state as ParserState | undefined });
  const single = ids.map((id) => [id]);
  const bytes = inSingleBytes(tokenizer, ids);
  const reading = readPieces("as ids", [ids], parserFrom);
  const readings = [
    reading,
    readPieces("id by id", single, parserFrom),
    readPieces("from stored states", single, parserFrom, { stored: true }),
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
  for (const one of readings) checkReading(expected, one);
  if (settings.grammar) checkTemplateGrammar(settings, ids, reading.response);
  return { response: reading.response };
}

function checkTemplateGrammar(settings: CaseSettings, ids: readonly number[], response: ParsedResponse): void {
  const { renderer, messages, tools, parallel } = settings;
  const { tokenizer, stopTokenIds } = renderer;
  const template = settings.template ?? tokenizer.chatTemplate;
  if (template === undefined || !tools?.length || response.toolCalls.length === 0 || !response.canonical) return;
  try {
    const applied = applyTemplate({ template, tokenizer, messages, tools, parallelToolCalls: parallel });
    const text = tokenizer.decode(ids.filter((id) => !stopTokenIds.includes(id)));
    // Spans of ids are of no use in a text: it is read again.
    const parser = applied.textParser();
    parser.push(text);
    checkGrammar(applied, text, parser.end().response);
  } catch (error) {
    if (!(error instanceof TitoError) || error.code !== "tools_unsupported") throw error;
  }
}
