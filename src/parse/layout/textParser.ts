import { spokenResponse } from "../spoken.ts";
import type { KnownTool, ParsedResponse, ParserEvent } from "../types.ts";
import { beginningOf } from "./beginningOf.ts";
import { compileLayout } from "./compile.ts";
import type { LayoutBeginning, ResponseLayout } from "./layout.ts";
import { LayoutReader } from "./layoutReader.ts";
import type { ReadingState } from "./layoutState.ts";
import { spellResponse } from "./spellResponse.ts";

export interface TextParserOptions {
  /** What the prompt writes behind the text that opens the assistant's turn. Not asked where `beginning` is given. */
  readonly generationPrompt?: string | undefined;
  readonly beginning?: LayoutBeginning | undefined;
  /** Tools by name; null: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** `none`: reasoning stays in the content, with its markers. Default `auto`. */
  readonly reasoningFormat?: "auto" | "none" | undefined;
  /** With `json_schema` or `json_object` the content is JSON: no call is read, and a fence around it is taken off. */
  readonly responseFormat?: { readonly type: string } | undefined;
  /** The generation prompt ends inside a response which the text goes on with: it is part of what is read. Default false. */
  readonly continues?: boolean | undefined;
  /** Go on from here. */
  readonly state?: TextParserState | undefined;
}

export interface TextParserState {
  readonly kind: "layoutText";
  readonly reading: ReadingState;
}

/** Reads a response from its text, for endpoints that give no ids. Spans are in UTF-16 units of the text. */
export interface TextParser {
  /** All that is known so far, as plain JSON. */
  readonly state: TextParserState;
  push(text: string): ParserEvent[];
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse };
}

/**
 * A parser of text by a layout. The same events and the same response as from ids; a stop is no part of a text.
 *
 * @example
 * const parser = textParser(layout, { generationPrompt: "<think>\n", tools });
 * parser.push("Let me see.\n</think>\n\nParis.");
 * parser.end().response.content; // "Paris."
 */
export function textParser(layout: ResponseLayout, options: TextParserOptions): TextParser {
  const compiled = compileLayout(layout);
  const { generationPrompt = "", continues = false } = options;
  const beginning: LayoutBeginning = options.beginning ?? beginningOf(compiled, continues ? "" : generationPrompt);
  const reader = new LayoutReader(compiled, { ...options, beginning, state: options.state?.reading });
  if (continues && !options.state) reader.push(generationPrompt);
  return {
    get state() {
      return { kind: "layoutText" as const, reading: reader.state };
    },
    push: (text) => reader.push(text),
    end() {
      const { events, reading } = reader.end();
      const { content, reasoning, toolCalls, strays, spoken } = reading;
      const parts = { content, reasoning, toolCalls };
      return {
        events,
        response: {
          ...parts,
          stop: { kind: "none" },
          canonical: spoken === spellResponse(layout, spokenResponse(parts), beginning),
          ...(strays.length > 0 ? { strays } : {}),
        },
      };
    },
  };
}
