import { TitoError } from "../errors.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { BareParser } from "./bare/bareParser.ts";
import { FramedParser } from "./framed/framedParser.ts";
import { framedOpening } from "./framed/opening.ts";
import type { ResponseGrammar, TaggedGrammar } from "./grammar.ts";
import { layoutParserFactory } from "./layout/layoutParserFactory.ts";
import { blockGrammar } from "./list/blockGrammar.ts";
import { ListParser } from "./list/listParser.ts";
import { turnBeginning } from "./promptState.ts";
import { markerTable } from "./tagged/markerTable.ts";
import { TaggedParser } from "./tagged/taggedParser.ts";
import type { TaggedState } from "./tagged/taggedState.ts";
import type { KnownTool, ParserState, PromptContext, TokenParser } from "./types.ts";

export interface ParseRequest {
  readonly prompt: PromptContext;
  /** Tools by name; null when the caller gave none: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: ParserState | undefined;
}

/** Makes parsers of one grammar; what can be prepared is prepared once. */
export type ParserFactory = (request: ParseRequest) => TokenParser;

export function parserFactory(grammar: ResponseGrammar, tokenizer: Tokenizer): ParserFactory {
  if (grammar.kind === "bare") {
    return ({ tools, state }) => new BareParser({ grammar, tokenizer, tools, state: ofKind(state, "bare") });
  }
  if (grammar.kind === "framed") {
    return ({ prompt, tools, state }) => {
      const opening = framedOpening(grammar, prompt, tokenizer);
      return new FramedParser({ grammar, tokenizer, opening, tools, state: ofKind(state, "framed") });
    };
  }
  if (grammar.kind === "layout") {
    const parser = layoutParserFactory(grammar, tokenizer);
    return ({ prompt, tools, state }) => parser({ prompt, tools, state: ofKind(state, "layout") });
  }
  const { list, calls } = grammar;
  const markers = markerTable(grammar, tokenizer);
  const tagged = (read: TaggedGrammar, { prompt, tools }: ParseRequest, state: TaggedState | undefined) =>
    new TaggedParser({
      grammar: read,
      markers,
      tokenizer,
      tools,
      beginning: turnBeginning(grammar, prompt, tokenizer),
      state,
    });
  if (!list) return (request) => tagged(grammar, request, ofKind(request.state, "tagged"));
  const blockEnd = calls?.close.text ?? "";
  return (request) => {
    const { tools } = request;
    const state = ofKind(request.state, "list");
    const blocks = tagged(blockGrammar(grammar, list, tools), request, state?.blocks);
    return new ListParser({ blocks, list, blockEnd, tokenizer, tools, state });
  };
}

function ofKind<Kind extends ParserState["kind"]>(state: ParserState | undefined, kind: Kind) {
  if (state === undefined) return undefined;
  if (state.kind === kind) return state as Extract<ParserState, { readonly kind: Kind }>;
  throw new TitoError(
    "invalid_state",
    `The parser state is of a "${state.kind}" format, this family's is "${kind}". Go on with a renderer of the family that the state comes from.`,
    { details: { expected: kind, actual: state.kind } },
  );
}
