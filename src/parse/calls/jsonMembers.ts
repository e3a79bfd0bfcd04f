/**
 * Where the members of a JSON object stand: key → half-open range of its value's text. The text must be valid JSON (with
 * `NaN` and `Infinity`); a repeated key's last value counts.
 */
export function jsonMembers(text: string): Map<string, readonly [start: number, end: number]> {
  const members = new Map<string, readonly [number, number]>();
  let at = skipSpace(text, text.indexOf("{") + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.set(key, [start, end]);
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && " \t\n\r".includes(text[at])) at++;
  return at;
}

function skipString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function skipValue(text: string, at: number): number {
  let depth = 0;
  let i = at;
  while (i < text.length) {
    const c = text[i];
    if (c === '"') i = skipString(text, i);
    else if (c === "{" || c === "[") {
      depth++;
      i++;
    } else if (c === "}" || c === "]") {
      if (depth === 0) return i;
      depth--;
      i++;
    } else if (depth === 0 && (c === "," || " \t\n\r".includes(c))) return i;
    else {
      i++;
      continue;
    }
    if (depth === 0) return i;
  }
  return i;
}
