import { Traced } from "../values/scalars.ts";
import { fromPieces, mapText, type PlainText, textOf } from "../values/text.ts";
import { foldOf, isCased, isLower, isTitle, isUpper, lowerAt, titleOf } from "./characters.ts";
import { define, methodTable } from "./define.ts";

export const caseMethods = methodTable([
  define<PlainText>("lower", 0, 0, (_runtime, self) => mapText(self, (text) => text.toLowerCase())),
  define<PlainText>("upper", 0, 0, (_runtime, self) => mapText(self, (text) => text.toUpperCase())),
  define<PlainText>("casefold", 0, 0, (_runtime, self) => mapCharacters(self, foldOf)),
  define<PlainText>("capitalize", 0, 0, (_runtime, self) => capitalize(self)),
  define<PlainText>("title", 0, 0, (_runtime, self) => {
    let inWord = false;
    return mapCharacters(self, (character, at, text) => {
      const mapped = inWord ? lowerAt(character, at, text) : titleOf(character);
      inWord = isCased(character);
      return mapped;
    });
  }),
  define<PlainText>("swapcase", 0, 0, (_runtime, self) =>
    mapCharacters(self, (character, at, text) => {
      if (isUpper(character)) return lowerAt(character, at, text);
      return isLower(character) ? character.toUpperCase() : character;
    }),
  ),
  define<PlainText>("islower", 0, 0, (_runtime, self) => {
    const text = textOf(self);
    return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
  }),
  define<PlainText>("isupper", 0, 0, (_runtime, self) => {
    const text = textOf(self);
    return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
  }),
  define<PlainText>("istitle", 0, 0, (_runtime, self) => isTitled(textOf(self))),
]);

/** First character in title case, the others in lower case. */
export function capitalize(self: PlainText): PlainText {
  return mapCharacters(self, (character, at, text) => (at === 0 ? titleOf(character) : lowerAt(character, at, text)));
}

/** Maps every character, from left to right; what it becomes keeps its source. */
export function mapCharacters(
  self: PlainText,
  map: (character: string, at: number, text: string) => string,
): PlainText {
  const text = textOf(self);
  let at = 0;
  const mapped = (part: string) => {
    let result = "";
    for (const character of part) {
      result += map(character, at, text);
      at += character.length;
    }
    return result;
  };
  if (typeof self === "string") return mapped(self);
  if (self.pieces === null) return text === "" ? self : new Traced(mapped(text), self.source);
  return fromPieces(self.pieces.map((piece) => ({ text: mapped(piece.text), source: piece.source })));
}

/** Every run of letters begins with a capital and goes on in small ones. */
function isTitled(text: string): boolean {
  let inWord = false;
  let any = false;
  for (const character of text) {
    if (isUpper(character) || isTitle(character)) {
      if (inWord) return false;
      inWord = any = true;
    } else if (isLower(character)) {
      if (!inWord) return false;
      any = true;
    } else inWord = false;
  }
  return any;
}
