import { TitoError } from "../errors.ts";
import type { KnownTool, LayoutBeginning, ParserState, ResponseLayout, TokenParser } from "../parse/index.ts";
import { compileLayout } from "../parse/layout/compile.ts";
import { LayoutParser } from "../parse/layout/layoutParser.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

interface IdParserOptions {
  readonly layout: ResponseLayout;
  readonly tokenizer: Tokenizer;
  readonly stops: readonly number[];
  readonly beginning: LayoutBeginning;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  readonly reasoningFormat: "auto" | "none";
  readonly responseFormat: { readonly type: string } | undefined;
}

/** Parsers of one response's ids, each from its start or from a state. */
export function idParser(options: IdParserOptions): (state?: ParserState) => TokenParser {
  const { tokenizer } = options;
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const layout = compileLayout(
    options.layout,
    tokenizer.addedTokens.map(({ content }) => content),
  );
  return (state) => {
    if (state !== undefined && state.kind !== "layout") {
      throw new TitoError(
        "invalid_state",
        `The parser state is of a "${state.kind}" format, this one is "layout". Go on with the renderer that it comes from.`,
        { details: { expected: "layout", actual: state.kind } },
      );
    }
    return new LayoutParser({ ...options, layout, added, state });
  };
}
