import { pythonLstrip, pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { isBlank } from "../edges.ts";
import type { CallList, ListedCall } from "../grammar.ts";
import type { TaggedParser } from "../tagged/taggedParser.ts";
import type { KnownTool, ParsedResponse, ParsedToolCall, ParserEvent, TokenParser } from "../types.ts";
import { mayBeList } from "./blockGrammar.ts";
import type { ListState } from "./listState.ts";
import { tokenPlaces } from "./tokenPlaces.ts";

export interface ListParserOptions {
  /** Reads reasoning, content and blocks. */
  readonly blocks: TaggedParser;
  readonly list: CallList;
  /** The text of the marker that closes a block. */
  readonly blockEnd: string;
  readonly tokenizer: Tokenizer;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: ListState | undefined;
}

type MutableListState = {
  -readonly [Field in keyof Omit<ListState, "blocks" | "ids" | "calls">]: ListState[Field];
} & { readonly ids: number[]; readonly calls: ParsedToolCall[] };

const UNREAD = { name: null, arguments: null, argumentsText: null, id: null } as const;

/** Reads responses whose calls stand in a row without markers of their own. */
export class ListParser implements TokenParser {
  readonly #blocks: TaggedParser;
  readonly #list: CallList;
  readonly #blockEnd: string;
  readonly #tokenizer: Tokenizer;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #state: MutableListState;
  #events: ParserEvent[] = [];

  constructor({ blocks, list, blockEnd, tokenizer, tools, state }: ListParserOptions) {
    this.#blocks = blocks;
    this.#list = list;
    this.#blockEnd = blockEnd;
    this.#tokenizer = tokenizer;
    this.#tools = tools;
    const mode = list.openings?.length ? "lead" : "content";
    this.#state = state
      ? { ...state, ids: [...state.ids], calls: [...state.calls] }
      : { kind: "list", mode, held: "", ids: [], offset: 0, calls: [], isList: false };
  }

  get state(): ListState {
    return { ...this.#state, ids: [...this.#state.ids], calls: [...this.#state.calls], blocks: this.#blocks.state };
  }

  push(ids: Ids): ParserEvent[] {
    const state = this.#state;
    const before = state.ids.length;
    for (const id of ids) state.ids.push(id);
    const events = this.#blocks.push(ids);
    // A list begins after the reasoning, but maybe in the same ids.
    if (state.mode === "lead" && events.some(({ kind }) => kind === "reasoning" || kind === "reasoningEnd"))
      this.#forgetIds(before);
    this.#take(events);
    if (state.mode === "content") this.#forgetIds(state.ids.length);
    return this.#takeEvents();
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    const { events, response } = this.#blocks.end();
    this.#take(events);
    if (response.stop.kind === "none") this.#finish(this.#state.offset + this.#state.ids.length);
    const { calls, isList } = this.#state;
    const content = isList ? "" : response.content;
    return { events: this.#takeEvents(), response: { ...response, content, toolCalls: [...calls] } };
  }

  #takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #forgetIds(count: number): void {
    this.#state.ids.splice(0, count);
    this.#state.offset += count;
  }

  #take(events: readonly ParserEvent[]): void {
    for (const event of events) {
      switch (event.kind) {
        case "content":
          this.#content(event.text);
          break;
        case "toolCallStart":
          this.#releaseHeld();
          this.#state.mode = "block";
          break;
        case "toolCallDelta":
          break;
        case "toolCallEnd":
          this.#block(event.call);
          this.#state.mode = "content";
          break;
        case "stop":
          this.#finish(event.index);
          this.#events.push(event);
          break;
        default:
          this.#events.push(event);
      }
    }
  }

  #content(text: string): void {
    const state = this.#state;
    if (state.mode === "content") {
      this.#events.push({ kind: "content", text });
      return;
    }
    state.held += text;
    if (state.mode === "held" || isBlank(text)) return;
    const answer = mayBeList(state.held, this.#list);
    if (answer === "yes") state.mode = "held";
    else if (answer === "no") this.#releaseHeld();
  }

  /** What was held is content. */
  #releaseHeld(): void {
    const { held } = this.#state;
    this.#state.held = "";
    this.#state.mode = "content";
    if (held !== "") this.#events.push({ kind: "content", text: held });
  }

  /** The response is over before the id at `end`: what was held is a list, or content. */
  #finish(end: number): void {
    const { mode, held } = this.#state;
    const calls = mode === "held" ? this.#list.read(held, this.#tools) : null;
    if (calls && calls.length > 0) {
      this.#state.held = "";
      this.#state.isList = true;
      this.#calls({ text: held, calls, end, ending: "" });
    }
    this.#releaseHeld();
  }

  #block({ argumentsText, status, raw, tokenSpan }: ParsedToolCall): void {
    const text = argumentsText ?? "";
    const isClosed = status === "ok";
    const calls = this.#list.read(text, this.#tools) ?? [];
    if (calls.length === 0) {
      this.#call({ ...UNREAD, status: isClosed ? "malformed_structure" : "unclosed_block", raw, tokenSpan });
      return;
    }
    const [start, end] = tokenSpan;
    this.#calls({
      text,
      calls: isClosed ? calls.map(closed) : calls,
      start,
      end,
      ending: isClosed ? this.#blockEnd : "",
    });
  }

  /** Calls of a block whose ids end before `end`. What stands between two calls goes with the later one. */
  #calls({ text, calls, start, end, ending }: ReadBlock): void {
    const { ids, offset } = this.#state;
    const place = tokenPlaces(text + ending, Int32Array.from(ids.slice(0, end - offset)), this.#tokenizer);
    let from = start ?? offset + place(text.length - pythonLstrip(text).length);
    calls.forEach((call, index) => {
      const isLast = index === calls.length - 1;
      const to = isLast ? end : Math.max(from, offset + place(lastCharacter(text, call.end)) + 1);
      const raw = pythonStrip(text.slice(call.start, call.end));
      this.#call({ ...call.reading, raw, tokenSpan: [from, to] });
      from = to;
    });
  }

  #call(call: ParsedToolCall): void {
    const index = this.#state.calls.length;
    this.#events.push({ kind: "toolCallStart", index });
    if (call.raw !== "") this.#events.push({ kind: "toolCallDelta", index, text: call.raw });
    this.#events.push({ kind: "toolCallEnd", index, call });
    this.#state.calls.push(call);
  }
}

interface ReadBlock {
  readonly text: string;
  readonly calls: readonly ListedCall[];
  /** Undefined where no marker opens the block: then it begins with its text. */
  readonly start?: number;
  readonly end: number;
  /** The text of the closing marker, where it is among the ids. */
  readonly ending: string;
}

/** Where the character before `end` begins. */
function lastCharacter(text: string, end: number): number {
  const isPair = end >= 2 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
  return Math.max(0, isPair ? end - 2 : end - 1);
}

/** A list whose own end is there cuts nothing off. */
function closed({ reading, ...place }: ListedCall): ListedCall {
  return { ...place, reading: reading.status === "unclosed_block" ? { ...reading, status: "invalid_json" } : reading };
}
