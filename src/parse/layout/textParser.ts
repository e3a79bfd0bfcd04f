import { spokenResponse } from "../spoken.ts";
import type { KnownTool, ParsedResponse, ParserEvent } from "../types.ts";
import { beginningOf } from "./beginningOf.ts";
import { compileLayout } from "./compile.ts";
import type { LayoutBeginning, ResponseLayout } from "./layout.ts";
import { LayoutReader } from "./layoutReader.ts";
import type { ReadingState } from "./layoutState.ts";
import { spellResponse } from "./spellResponse.ts";
import { type EdgeReader, readEdges, type TextEdgesState, textEdges } from "./textEdges.ts";

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
  /**
   * Texts that end a response, as endpoints may leave them in it (`<|im_end|>`): neither they nor what follows is read. Inside a
   * call's text it is a stop only with nothing behind it, and so is one that is part of the layout's own markers, outside of
   * calls and reasoning. Only markers count; plain words never do. Default: none.
   */
  readonly stops?: readonly string[] | undefined;
  /**
   * The text that opens the assistant's turn in a prompt. A response that repeats it, or its end from one of its markers on
   * (`<|CHATBOT_TOKEN|>Hello`), drops it. Not with `continues`. Default: none.
   */
  readonly header?: string | undefined;
  /** Go on from here. */
  readonly state?: TextParserState | undefined;
}

export interface TextParserState {
  readonly kind: "layoutText";
  readonly reading: ReadingState;
  readonly edges: TextEdgesState;
}

/**
 * Reads a response from its text, for endpoints that give no ids. Spans are in UTF-16 units of the text. A stop is a token, so
 * that the response's `stop` is always `none`, whether or not the text held one of `stops`; they count for nothing in `canonical`.
 */
export interface TextParser {
  /** All that is known so far, as plain JSON. */
  readonly state: TextParserState;
  push(text: string): ParserEvent[];
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse };
}

/**
 * A parser of text by a layout. The same events and the same response as from ids; none of them is a stop.
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
  const { stops = [], header = "" } = options;
  const edges = textEdges(layout, { header: continues ? "" : header, stops }, options.state?.edges);
  let events: ParserEvent[] = [];
  const edge: EdgeReader = {
    read: (given) => void events.push(...reader.push(given)),
    skip: (length) => reader.skip(length),
    part: () => reader.part,
  };
  const push = (text: string, eof: boolean): ParserEvent[] => {
    events = [];
    readEdges(edges, edge, text, eof);
    return events;
  };
  return {
    get state() {
      return { kind: "layoutText" as const, reading: reader.state, edges: { ...edges.state } };
    },
    push: (text) => push(text, false),
    end() {
      const before = push("", true);
      const { events: last, reading } = reader.end();
      const { content, reasoning, toolCalls, strays, spoken } = reading;
      const parts = { content, reasoning, toolCalls };
      return {
        events: [...before, ...last],
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
