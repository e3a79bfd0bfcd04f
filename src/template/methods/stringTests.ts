import { isPythonSpace } from "../../messages/index.ts";
import { type PlainText, textOf } from "../values/text.ts";
import { isDecimal, isDigit, isNumeric } from "./characters.ts";
import { define, type Method, methodTable } from "./define.ts";

export const characterTests = methodTable([
  every("isalpha", (character) => /\p{L}/u.test(character)),
  every("isalnum", (character) => /\p{L}/u.test(character) || isDigit(character) || isNumeric(character)),
  every("isdecimal", isDecimal),
  every("isdigit", isDigit),
  every("isnumeric", isNumeric),
  every("isspace", (character) => isPythonSpace(character.charCodeAt(0))),
  whole("isascii", /^[\0-\x7f]*$/),
  // No separator but the blank, nothing unassigned, private or of control.
  whole("isprintable", /^(?: |[^\p{C}\p{Z}])*$/u),
  whole("isidentifier", /^[\p{XID_Start}_]\p{XID_Continue}*$/u),
]);

/** True for a text that is not empty and all of whose characters pass. */
function every(name: string, test: (character: string) => boolean): Method {
  return define<PlainText>(name, 0, 0, (_runtime, self) => {
    const text = textOf(self);
    for (const character of text) if (!test(character)) return false;
    return text !== "";
  });
}

function whole(name: string, pattern: RegExp): Method {
  return define<PlainText>(name, 0, 0, (_runtime, self) => pattern.test(textOf(self)));
}
