/** What the trie is made of. */
export interface Vocabulary {
  /** What a token writes; nothing for one that writes nothing. */
  readonly bytesOf: (id: number) => Uint8Array;
  /** Ids are the whole numbers below it. */
  readonly vocabSize: number;
  /** Ids that end a text, and are none. */
  readonly eogIds: readonly number[];
}

/** A model's tokens by the bytes that they write. Nodes are numbered so that a node comes before what goes on from it. */
export interface VocabularyTrie {
  readonly kind: "vocabulary_trie";
  readonly vocabSize: number;
  /** The last byte of each node's text; node 0 is the empty text. */
  readonly bytes: Uint8Array;
  /** How long each node's text is. */
  readonly depths: Uint16Array;
  /** The first node that does not go on from a node. */
  readonly behind: Uint32Array;
  /** All ids, by their bytes: those that write just the text of node n are `ids[starts[n]]` to before `ids[starts[n + 1]]`. */
  readonly ids: Uint32Array;
  readonly starts: Uint32Array;
  readonly bytesOf: (id: number) => Uint8Array;
}

/**
 * The trie of a vocabulary, made once for a model. It leaves out what a grammar never takes as text: end ids, tokens without
 * text, and those that begin with U+0000, which llama.cpp takes for the end of a text.
 */
export function vocabularyTrie({ bytesOf, vocabSize, eogIds }: Vocabulary): VocabularyTrie {
  const { ids, text, offsets } = sortedTokens(bytesOf, vocabSize, new Set(eogIds));
  const nodeBytes = new Uint8Array(text.length + 1);
  const depths = new Uint16Array(text.length + 1);
  const behind = new Uint32Array(text.length + 1);
  const starts = new Uint32Array(text.length + 2);
  /** The node at each depth of the token before. */
  const open: number[] = [0];
  let nodes = 1;
  for (const [i, id] of ids.entries()) {
    const from = offsets[id];
    const length = offsets[id + 1] - from;
    let shared = 0;
    while (shared < length && shared + 1 < open.length && nodeBytes[open[shared + 1]] === text[from + shared]) shared++;
    while (open.length > shared + 1) behind[open.pop()!] = nodes;
    for (let depth = shared + 1; depth <= length; depth++) {
      nodeBytes[nodes] = text[from + depth - 1];
      depths[nodes] = depth;
      starts[nodes] = i;
      open.push(nodes++);
    }
  }
  for (const node of open) behind[node] = nodes;
  starts[nodes] = ids.length;
  return {
    kind: "vocabulary_trie",
    vocabSize,
    bytes: nodeBytes.slice(0, nodes),
    depths: depths.slice(0, nodes),
    behind: behind.slice(0, nodes),
    ids,
    starts: starts.slice(0, nodes + 1),
    bytesOf,
  };
}

/** The ids that write exactly these bytes. */
export function idsWriting({ bytes, behind, ids, starts }: VocabularyTrie, text: Uint8Array): readonly number[] {
  let node = 0;
  for (const byte of text) {
    const end = behind[node];
    node++;
    while (node < end && bytes[node] !== byte) node = behind[node];
    if (node >= end) return [];
  }
  return [...ids.subarray(starts[node], starts[node + 1])];
}

interface SortedTokens {
  readonly ids: Uint32Array;
  /** The bytes of token id are `text[offsets[id]]` to before `text[offsets[id + 1]]`. */
  readonly text: Uint8Array;
  readonly offsets: Uint32Array;
}

function sortedTokens(
  bytesOf: (id: number) => Uint8Array,
  vocabSize: number,
  leftOut: ReadonlySet<number>,
): SortedTokens {
  const offsets = new Uint32Array(vocabSize + 1);
  const kept: number[] = [];
  let text = new Uint8Array(vocabSize * 8);
  for (let id = 0; id < vocabSize; id++) {
    const start = offsets[id];
    const bytes = leftOut.has(id) ? noBytes : bytesOf(id);
    const end = start + bytes.length;
    if (end > text.length) {
      const larger = new Uint8Array(end * 2);
      larger.set(text);
      text = larger;
    }
    text.set(bytes, start);
    offsets[id + 1] = end;
    if (bytes.length > 0 && bytes[0] !== 0) kept.push(id);
  }
  const compare = (a: number, b: number): number => {
    const [endA, endB] = [offsets[a + 1], offsets[b + 1]];
    let [x, y] = [offsets[a], offsets[b]];
    for (; x < endA && y < endB; x++, y++) if (text[x] !== text[y]) return text[x] - text[y];
    return endA - x - (endB - y) || a - b;
  };
  return { ids: Uint32Array.from(kept).sort(compare), text: text.subarray(0, offsets[vocabSize]), offsets };
}

const noBytes = new Uint8Array(0);
