import { TitoError } from "../../errors.ts";

/** A text, found in the bytes of what is sampled wherever its tokens begin and end. */
export interface WordTrigger {
  readonly text: string;
  /** Counts only where the search began at a start, with nothing but white space before it. */
  readonly atStart?: boolean;
}

/** An id. `text` is what of the token's own text the trigger is: all of it, or its end. */
export interface TokenTrigger {
  readonly id: number;
  readonly text: string;
}

export interface TriggerOptions {
  readonly words: readonly WordTrigger[];
  readonly tokens: readonly TokenTrigger[];
}

/** What one token writes of the text from the trigger's first character on. */
export interface FedPiece {
  /** Only of a token all of which is in that text: a grammar may mean the token itself. */
  readonly id?: number;
  readonly bytes: Uint8Array;
}

export interface TriggerHit {
  readonly trigger: WordTrigger | TokenTrigger;
  /** What a grammar that begins with the trigger has to be fed, up to the end of the last id. */
  readonly fed: readonly FedPiece[];
}

/** A search for triggers in what is sampled. A step costs what the id's own bytes cost. */
export interface TriggerSearch {
  /**
   * The trigger that this id completes: of several the one that begins first, then the longest. None is waited for: a word that
   * begins earlier and is still open does not count. Behind a hit the search has begun anew, as after `reset()`.
   */
  push(id: number): TriggerHit | undefined;
  /** Begins anew behind the last id. With `atStart`, words that count at a start only may come next; else they never do again. */
  reset(options?: { readonly atStart?: boolean }): void;
  /** A search in the same state that goes its own way. */
  clone(): TriggerSearch;
}

/**
 * A search that begins at a start.
 *
 * @throws TitoError `sampler_option` for an empty word, or a token's text that its token does not end with.
 * @example
 * const search = triggerSearch({ words: [{ text: "<call>" }], tokens: [], bytesOf });
 * search.push(idOf("so <ca")); // undefined
 * search.push(idOf("ll>{"))?.fed; // bytes of "<ca" without an id, then those of "ll>{" with theirs
 */
export function triggerSearch(
  options: TriggerOptions & { readonly bytesOf: (id: number) => Uint8Array },
): TriggerSearch {
  const { words, tokens, bytesOf } = options;
  const byId = new Map(tokens.map((trigger) => [trigger.id, { trigger, length: lengthOf(trigger, bytesOf) }]));
  return search({ root: automaton(words), byId, bytesOf }, null);
}

interface Triggers {
  readonly root: Node;
  readonly byId: ReadonlyMap<number, Candidate>;
  readonly bytesOf: (id: number) => Uint8Array;
}

interface Found extends Candidate {
  readonly start: number;
}

interface Candidate {
  readonly trigger: WordTrigger | TokenTrigger;
  /** In bytes. */
  readonly length: number;
}

/** A token that a word which is still open may begin in, or go through. */
interface Piece {
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Where its first byte is, counted from where the search began. */
  readonly at: number;
}

interface SearchState {
  node: Node;
  /** Bytes so far. */
  length: number;
  /** How many of the first bytes are white space; -1: the search did not begin at a start. */
  blank: number;
  /** Those before the first that counts are no longer needed. */
  readonly pieces: Piece[];
  firstPiece: number;
}

function search(triggers: Triggers, from: SearchState | null): TriggerSearch {
  const { root, byId, bytesOf } = triggers;
  const fresh = (atStart: boolean): SearchState => ({
    ...{ node: root, length: 0, blank: atStart ? 0 : -1 },
    ...{ pieces: [], firstPiece: 0 },
  });
  let state = from === null ? fresh(true) : { ...from, pieces: [...from.pieces] };

  /** Takes the bytes; gives the first word that ends in them. */
  const take = (bytes: Uint8Array): Found | undefined => {
    let first: Found | undefined;
    for (const byte of bytes) {
      if (state.blank === state.length && isBlank(byte)) state.blank++;
      state.length++;
      state.node = step(state.node, byte, root);
      for (let node: Node | undefined = state.node; node !== undefined; node = node.shorter) {
        for (const one of node.ended) {
          const start = state.length - one.length;
          if ((one.trigger as WordTrigger).atStart && start > state.blank) continue;
          if (first === undefined || start < first.start || (start === first.start && one.length > first.length))
            first = { ...one, start };
        }
      }
    }
    return first;
  };

  return {
    push(id) {
      const bytes = bytesOf(id);
      const at = state.length;
      const word = take(bytes);
      const { length, node, pieces } = state;
      if (bytes.length > 0) pieces.push({ id, bytes, at });
      const token = byId.get(id);
      const hit = token && { ...token, start: length - token.length };
      const first = hit === undefined || (word !== undefined && word.start < hit.start) ? word : hit;
      if (first !== undefined) {
        const fed = piecesFrom(pieces, state.firstPiece, first.start);
        state = fresh(false);
        return { trigger: first.trigger, fed };
      }
      dropPieces(state, length - node.depth);
      return undefined;
    },
    reset({ atStart = false } = {}) {
      state = fresh(atStart);
    },
    clone: () => search(triggers, state),
  };
}

/** Forgets what ends before a place: a piece at a time, and in the list only when most of it is forgotten. */
function dropPieces(state: SearchState, place: number): void {
  const { pieces } = state;
  while (state.firstPiece < pieces.length) {
    const { at, bytes } = pieces[state.firstPiece];
    if (at + bytes.length > place) break;
    state.firstPiece++;
  }
  if (state.firstPiece * 2 <= pieces.length) return;
  pieces.splice(0, state.firstPiece);
  state.firstPiece = 0;
}

function piecesFrom(pieces: readonly Piece[], first: number, start: number): readonly FedPiece[] {
  const fed: FedPiece[] = [];
  for (let i = first; i < pieces.length; i++) {
    const { id, bytes, at } = pieces[i];
    if (at >= start) fed.push({ id, bytes });
    else if (at + bytes.length > start) fed.push({ bytes: bytes.subarray(start - at) });
  }
  return fed;
}

/** Of the white space that templates put before a response's first text, and that tokens hold. */
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

function lengthOf({ id, text }: TokenTrigger, bytesOf: (id: number) => Uint8Array): number {
  const whole = bytesOf(id);
  // Bytes that are no whole text have another text's bytes when they are written again.
  if (text === decoder.decode(whole)) return whole.length;
  const part = encoder.encode(text);
  const end = whole.subarray(Math.max(0, whole.length - part.length));
  if (end.length === part.length && end.every((byte, i) => byte === part[i])) return part.length;
  return refuseTrigger(
    `the trigger ${id} is the token ${JSON.stringify(decoder.decode(whole))}, which does not end with ${JSON.stringify(text)}. Name the end of the token's text.`,
    { id, text },
  );
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function refuseTrigger(what: string, details: Record<string, unknown>): never {
  throw new TitoError("sampler_option", `grammar.triggers: ${what}`, {
    details: { option: "grammar.triggers", ...details },
  });
}

/** What may be the beginning of a word. */
interface Node {
  readonly depth: number;
  readonly next: Map<number, Node>;
  /** The longest end of this one that is a node, too. */
  fallback: Node | undefined;
  /** The words that end here. */
  readonly ended: Candidate[];
  /** The longest end of this one with which a word ends. */
  shorter: Node | undefined;
}

const newNode = (depth: number): Node => ({
  ...{ depth, next: new Map(), fallback: undefined },
  ...{ ended: [], shorter: undefined },
});

/** After Aho and Corasick. */
function automaton(words: readonly WordTrigger[]): Node {
  const root = newNode(0);
  for (const trigger of words) {
    const bytes = encoder.encode(trigger.text);
    if (bytes.length === 0) refuseTrigger("the empty word is in every text. Name at least a character.", { text: "" });
    let node = root;
    for (const byte of bytes) {
      const next = node.next.get(byte) ?? newNode(node.depth + 1);
      node.next.set(byte, next);
      node = next;
    }
    node.ended.push({ trigger, length: bytes.length });
  }
  const queue = [root];
  for (const node of queue) {
    for (const [byte, child] of node.next) {
      const fallback = node.fallback === undefined ? root : step(node.fallback, byte, root);
      child.fallback = fallback;
      child.shorter = fallback.ended.length > 0 ? fallback : fallback.shorter;
      queue.push(child);
    }
  }
  return root;
}

function step(from: Node, byte: number, root: Node): Node {
  for (let node: Node | undefined = from; node !== undefined; node = node.fallback) {
    const next = node.next.get(byte);
    if (next !== undefined) return next;
  }
  return root;
}
