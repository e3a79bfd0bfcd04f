import type { WireFormat } from "../format/index.ts";
import { type KnownTool, type ParsedResponse, type PromptContext, parserFactory } from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { byteTokens } from "./byteTokens.ts";

/** Where a call stands in ids. */
export interface CallPlace {
  /** Half-open range of the ids that hold the call. */
  readonly tokens: readonly [start: number, end: number];
  /** Half-open range of the bytes that are the call's own, white space around it left out. */
  readonly bytes: readonly [start: number, end: number];
  /** How many bytes of the first and of the last id are not the call's. */
  readonly head: number;
  readonly tail: number;
}

export interface LocatedCalls {
  readonly response: ParsedResponse;
  /** A place for each of `response.toolCalls`; null where there is none that is certain. */
  readonly places: readonly (CallPlace | null)[];
  /** The prompt's ids from the assistant's turn on; null where the prompt's ids were not given. */
  readonly opening: Int32Array | null;
}

export interface LocateRequest {
  readonly prompt: PromptContext;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
}

export interface CallLocator {
  /** What `parse` reads, and where its calls stand to the byte. Takes any ids. */
  locate(ids: Ids, request: LocateRequest): LocatedCalls;
  /** Bytes as ids that only a locator knows. */
  spell(bytes: Uint8Array): number[];
}

export function callLocator(base: Tokenizer, { grammar }: Pick<WireFormat, "grammar">): CallLocator {
  const { tokenizer, spell } = byteTokens(base);
  const parsers = parserFactory(grammar, tokenizer);
  const added = new Set(base.addedTokens.map(({ id }) => id));

  function read(ids: Int32Array, { prompt, tools }: LocateRequest): ParsedResponse {
    const parser = parsers({ prompt, tools });
    parser.push(ids);
    return parser.end().response;
  }

  /** The same ids with those in bytes at which a call begins or ends, and where each of them begins then. */
  function exploded(ids: Int32Array, { toolCalls }: ParsedResponse) {
    const edges = new Set(toolCalls.flatMap(({ tokenSpan: [start, end] }) => [start, end - 1]));
    const out: number[] = [];
    ids.forEach((id, at) => {
      if (edges.has(at) && !added.has(id)) out.push(...spell(tokenizer.decodeBytes([id])));
      else out.push(id);
    });
    return Int32Array.from(out);
  }

  function locate(given: Ids, request: LocateRequest): LocatedCalls {
    const ids = Int32Array.from(given);
    const response = read(ids, request);
    const opening = openingOf(request.prompt, grammar.turnStart);
    const places: (CallPlace | null)[] = response.toolCalls.map(() => null);
    if (places.length === 0 || ids.some((id) => id < 0 || id >= tokenizer.vocabSize))
      return { response, places, opening };
    const finer = exploded(ids, response);
    const exact = finer.length === ids.length ? response : read(finer, request);
    if (!sameCalls(response, exact)) return { response, places, opening };
    const text = tokenizer.decodeBytes(ids);
    const starts = byteStarts(ids, tokenizer);
    const finerStarts = byteStarts(finer, tokenizer);
    exact.toolCalls.forEach(({ tokenSpan: [start, end] }, index) => {
      const range = [finerStarts[start], finerStarts[end]] as const;
      // A message's header may begin with white space, which belongs to what follows.
      places[index] = placeOf(grammar.kind === "framed" ? range : trimmed(text, range), starts);
    });
    return { response, places, opening };
  }

  return { locate, spell };
}

function sameCalls(a: ParsedResponse, b: ParsedResponse): boolean {
  const [ours, theirs] = [a.toolCalls, b.toolCalls];
  return (
    ours.length === theirs.length &&
    ours.every(({ name, raw }, index) => name === theirs[index].name && raw === theirs[index].raw)
  );
}

function openingOf(prompt: PromptContext, turnStart: number): Int32Array | null {
  if ("reasoning" in prompt) return null;
  const start = prompt.lastIndexOf(turnStart);
  return start < 0 ? null : Int32Array.from(prompt.slice(start));
}

/** The byte at which each id begins, and the end of the last one. */
export function byteStarts(ids: Int32Array, tokenizer: Pick<Tokenizer, "byteLength">): Int32Array {
  const starts = new Int32Array(ids.length + 1);
  ids.forEach((id, at) => {
    starts[at + 1] = starts[at] + tokenizer.byteLength(id);
  });
  return starts;
}

/** Index of the id that holds a byte. */
export function tokenAt(starts: Int32Array, byte: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Formats write white space around calls, which is not the call's whatever a marker takes in. */
function trimmed(text: Uint8Array, range: readonly [number, number]): readonly [number, number] {
  let [start, end] = range;
  while (start < end && isSpace(text[start])) start++;
  while (start < end && isSpace(text[end - 1])) end--;
  return [start, end];
}

function placeOf([start, end]: readonly [number, number], starts: Int32Array): CallPlace | null {
  if (start === end) return null;
  const [first, last] = [tokenAt(starts, start), tokenAt(starts, end - 1)];
  return {
    tokens: [first, last + 1],
    bytes: [start, end],
    head: start - starts[first],
    tail: starts[last + 1] - end,
  };
}

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
