import { TitoError } from "../../errors.ts";
import type { ReasoningGrammar, ResponseGrammar } from "../../parse/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { reasoningParserByName, toolParserByName } from "./registry.ts";
import { turnStartOf } from "./turnStart.ts";
import type { CallsFormat, ParserContext, ToolFormat } from "./types.ts";

export interface NamedGrammarOptions {
  /** Undefined: no calls are found. */
  readonly toolParser?: string | undefined;
  /** Undefined: `impliedReasoning` decides. */
  readonly reasoningParser?: string | undefined;
  /** The reasoning parser where none is named and the tool parser brings none of its own. Default: reasoning is content. */
  readonly impliedReasoning?: string | undefined;
  /** Ids that end the turn; the first one is the turn's own close. */
  readonly stops: readonly number[];
  /**
   * The token that opens a turn, behind which a prompt may open reasoning. Default: the one of the known formats' that the
   * vocabulary has; without any, what follows the last stop is the turn.
   */
  readonly turnStart?: number | undefined;
}

/**
 * How responses are read, put together from two parsers by their names.
 *
 * @throws TitoError `unknown_parser`; `token_missing` if the vocabulary lacks a token that the parser needs; `invalid_config`
 * without a stop, or if both parsers read reasoning
 */
export function namedGrammar(tokenizer: Tokenizer, options: NamedGrammarOptions): ResponseGrammar {
  const { toolParser, stops, turnStart = turnStartOf(tokenizer) } = options;
  if (stops.length === 0) {
    throw new TitoError(
      "invalid_config",
      "No token ends a turn. Give the ids that do, or a tokenizer that names its own.",
    );
  }
  const format: ToolFormat =
    toolParser === undefined ? NO_CALLS : build(toolParserByName, { tokenizer, name: toolParser, stops });
  if (format.kind === "response") {
    if (options.reasoningParser === undefined) return format.grammar;
    throw new TitoError(
      "invalid_config",
      `The tool parser "${toolParser}" reads reasoning itself. Leave reasoningParser out.`,
      { details: { toolParser, reasoningParser: options.reasoningParser } },
    );
  }
  const reasoningParser = options.reasoningParser ?? options.impliedReasoning;
  const reasoning =
    reasoningParser === undefined ? null : build(reasoningParserByName, { tokenizer, name: reasoningParser, stops });
  const { calls, list, write } = format;
  return {
    kind: "tagged",
    stops,
    turnStart,
    reasoning,
    calls,
    list,
    spell: ({ content, reasoning: thoughts, toolCalls }, opened) =>
      spellReasoning(reasoning, thoughts, opened) + content + write(toolCalls, { afterContent: content !== "" }),
  };
}

const NO_CALLS: CallsFormat = { kind: "calls", calls: null, write: () => "" };

/** What a vocabulary lacks is said of the parser, by the name that the user knows. */
function build<Result>(find: (name: string) => (context: ParserContext) => Result, context: ParserContext): Result {
  const factory = find(context.name);
  try {
    return factory(context);
  } catch (cause) {
    if (!(cause instanceof TitoError) || cause.code !== "token_missing") throw cause;
    const missing = (cause.details.missing ?? []) as readonly string[];
    throw new TitoError(
      "token_missing",
      `The parser "${context.name}" needs tokens that the tokenizer does not have: ${missing.join(", ")}. ` +
        "Name the parser of the model's own format, or use the model's own tokenizer.",
      { details: { parser: context.name, missing }, cause },
    );
  }
}

/** What a prompt that opens the reasoning has written is the opening marker and its label, and the padding. */
function spellReasoning(grammar: ReasoningGrammar | null, text: string | null, opened: boolean): string {
  if (grammar === null || text === null) return "";
  const { open, close, label = "", padding, closing = padding, separator, samplesPadding = false } = grammar;
  const lead = (opened ? "" : open.text + label) + (opened && !samplesPadding ? "" : padding);
  return lead + text + closing + close.text + separator;
}
