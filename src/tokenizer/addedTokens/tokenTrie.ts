import type { AddedToken } from "../types.ts";

interface Node {
  readonly children: Map<number, Node>;
  token: AddedToken | undefined;
}

/** Added tokens by the text that they match, to be walked code unit by code unit. */
export class TokenTrie {
  readonly #root: Node = { children: new Map(), token: undefined };
  readonly #firstChars: string[] = [];

  constructor(entries: Iterable<readonly [text: string, token: AddedToken]>) {
    for (const [text, token] of entries) {
      if (text === "") continue;
      let node = this.#root;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        let child = node.children.get(unit);
        if (child === undefined) {
          child = { children: new Map(), token: undefined };
          node.children.set(unit, child);
        }
        node = child;
      }
      // Of two tokens with one content, the later has it, as in a map.
      node.token = token;
    }
    for (const unit of this.#root.children.keys()) this.#firstChars.push(String.fromCharCode(unit));
  }

  get isEmpty(): boolean {
    return this.#firstChars.length === 0;
  }

  /** Whether a character that some token starts with is in the text. */
  mayMatch(text: string): boolean {
    for (const char of this.#firstChars) if (text.includes(char)) return true;
    return false;
  }

  /** The longest token whose text is at `start` and ends by `end`, with the end of its text. */
  longestAt(text: string, start: number, end: number): { token: AddedToken; end: number } | undefined {
    let node: Node | undefined = this.#root;
    let longest: { token: AddedToken; end: number } | undefined;
    for (let index = start; index < end; ) {
      node = node.children.get(text.charCodeAt(index++));
      if (node === undefined) break;
      if (node.token !== undefined) longest = { token: node.token, end: index };
    }
    return longest;
  }

  /** Finds, from left to right, the places where a token may start. Linear over the whole text. */
  candidates(text: string): (from: number) => number {
    const firstChars = this.#firstChars;
    const places = firstChars.map(() => -1);
    return (from) => {
      let nearest = text.length;
      for (let index = 0; index < firstChars.length; index++) {
        let place = places[index];
        if (place < from) {
          place = text.indexOf(firstChars[index], from);
          if (place < 0) place = text.length;
          places[index] = place;
        }
        if (place < nearest) nearest = place;
      }
      return nearest;
    };
  }
}
