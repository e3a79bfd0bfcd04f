import { TitoError } from "../../errors.ts";
import { reasoningParsers } from "./reasoningParsers.ts";
import { toolParsers } from "./toolParsers.ts";
import type { ReasoningParserFactory, ToolParserFactory } from "./types.ts";

interface Shelf<Factory> {
  /** As it stands in messages: "tool parser". */
  readonly kind: string;
  readonly field: string;
  readonly builtIn: ReadonlyMap<string, Factory>;
  readonly added: Map<string, Factory>;
}

const tools: Shelf<ToolParserFactory> = {
  kind: "tool parser",
  field: "toolParser",
  builtIn: toolParsers,
  added: new Map(),
};

const reasoning: Shelf<ReasoningParserFactory> = {
  kind: "reasoning parser",
  field: "reasoningParser",
  builtIn: reasoningParsers,
  added: new Map(),
};

/**
 * Makes a tool parser of your own known to default renderers by `toolParser: name`. Gives back a function that undoes it.
 * Known in this thread only, as families are.
 *
 * @throws TitoError `invalid_config` if the name is taken
 * @example
 * registerToolParser("mine", ({ tokenizer }) => ({
 *   kind: "calls",
 *   calls: {
 *     open: textMarker(tokenizer, "<call>"),
 *     close: textMarker(tokenizer, "</call>"),
 *     separator: "",
 *     body: jsonCallBody({ nameField: "tool", argumentsField: "input" }),
 *   },
 *   write: (calls) =>
 *     calls.map((call) => `<call>{"tool": "${call.name}", "input": ${call.argumentsText}}</call>`).join(""),
 * }));
 */
export function registerToolParser(name: string, factory: ToolParserFactory): () => void {
  return register(tools, name, factory);
}

/**
 * The same for the reasoning of responses, by `reasoningParser: name`.
 *
 * @throws TitoError `invalid_config` if the name is taken
 */
export function registerReasoningParser(name: string, factory: ReasoningParserFactory): () => void {
  return register(reasoning, name, factory);
}

/** Names that `toolParser` takes. */
export const toolParserNames = (): string[] => namesOf(tools);

/** Names that `reasoningParser` takes. */
export const reasoningParserNames = (): string[] => namesOf(reasoning);

/** Are these parsers this package's own, which every thread knows? */
export function parsersAreBuiltIn(parsers: {
  readonly toolParser?: string | undefined;
  readonly reasoningParser?: string | undefined;
}): boolean {
  const { toolParser, reasoningParser } = parsers;
  return (
    (toolParser === undefined || tools.builtIn.has(toolParser)) &&
    (reasoningParser === undefined || reasoning.builtIn.has(reasoningParser))
  );
}

export const toolParserByName = (name: string): ToolParserFactory => find(tools, name);

export const reasoningParserByName = (name: string): ReasoningParserFactory => find(reasoning, name);

function register<Factory>({ kind, builtIn, added }: Shelf<Factory>, name: string, factory: Factory): () => void {
  if (builtIn.has(name) || added.has(name)) {
    throw new TitoError(
      "invalid_config",
      `The ${kind} "${name}" is known already. Register yours under another name.`,
      { details: { name } },
    );
  }
  added.set(name, factory);
  return () => {
    if (added.get(name) === factory) added.delete(name);
  };
}

function namesOf<Factory>({ builtIn, added }: Shelf<Factory>): string[] {
  return [...builtIn.keys(), ...added.keys()];
}

function find<Factory>(shelf: Shelf<Factory>, name: string): Factory {
  const factory = shelf.builtIn.get(name) ?? shelf.added.get(name);
  if (factory) return factory;
  const available = namesOf(shelf);
  throw new TitoError(
    "unknown_parser",
    `There is no ${shelf.kind} "${name}". Set ${shelf.field} to one of ${available.join(", ")}, or register your own.`,
    { details: { field: shelf.field, name, available } },
  );
}
