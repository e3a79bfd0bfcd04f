import type { JsonInput, ToolSpec } from "../../src/messages/index.ts";
import { toolFunction } from "../../src/messages/index.ts";
import {
  type KnownTool,
  type ParsedResponse,
  type ParserEvent,
  type ResponseLayout,
  type TextParserOptions,
  type TextParserState,
  textParser,
} from "../../src/parse/index.ts";

export interface Reading {
  readonly events: readonly ParserEvent[];
  readonly response: ParsedResponse;
}

/** Reads a text whole, in pieces of one length, or cut at places; `stored`: from a stored state after every piece. */
export function read(
  layout: ResponseLayout,
  text: string,
  options: TextParserOptions,
  cut?: number | readonly number[],
  stored = false,
): Reading {
  const places =
    typeof cut === "number" ? Array.from({ length: text.length / cut }, (_, at) => (at + 1) * cut) : (cut ?? []);
  const ends = [...new Set([...places.filter((one) => one < text.length), text.length])].sort((a, b) => a - b);
  let parser = textParser(layout, options);
  const events: ParserEvent[] = [];
  let from = 0;
  for (const end of ends) {
    events.push(...parser.push(text.slice(from, end)));
    from = end;
    if (!stored) continue;
    const state = JSON.parse(JSON.stringify(parser.state)) as TextParserState;
    parser = textParser(layout, { ...options, state });
  }
  const last = parser.end();
  return { events: [...events, ...last.events], response: last.response };
}

/** Everything that events say, joined by what it belongs to. */
export function streams(events: readonly ParserEvent[]): Record<string, string> {
  const joined: Record<string, string> = {};
  const add = (key: string, text: string) => {
    joined[key] = (joined[key] ?? "") + text;
  };
  for (const event of events) {
    if (event.kind === "content" || event.kind === "reasoning") add(event.kind, event.text);
    else if (event.kind === "toolCallDelta") add(`${event.index}.delta`, event.text);
    else if (event.kind === "toolCallArguments") add(`${event.index}.arguments`, event.text);
    else if (event.kind === "toolCallName") add(`${event.index}.name`, event.name);
    else if (event.kind === "toolCallEnd") add(`${event.index}.call`, JSON.stringify(event.call));
    else add("others", `${JSON.stringify(event)};`);
  }
  return joined;
}

export function toolMap(tools: readonly ToolSpec[]): Map<string, KnownTool> {
  return new Map(
    tools.map((tool) => {
      const { name, parameters } = toolFunction(tool) as { name: string; parameters?: JsonInput };
      return [name, { name, parameters }];
    }),
  );
}
