import { mapText, type PlainText } from "../values/text.ts";

/** Python's `ascii()` of what `repr()` gave: all but ASCII is escaped. */
export function ascii(text: PlainText): PlainText {
  return mapText(text, (characters) =>
    characters.replace(/[^\0-\x7f]/gu, (character) => {
      const code = character.codePointAt(0)!;
      const hex = code.toString(16);
      if (code <= 0xff) return `\\x${hex}`;
      return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
    }),
  );
}
