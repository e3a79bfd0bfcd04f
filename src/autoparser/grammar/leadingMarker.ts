/**
 * The marker that a text begins with, where it is one by itself (`<tool_call>`, `[TOOL_CALLS]`); with `tokens`, also one of
 * these, whatever it looks like. Empty: it begins with none.
 */
export function leadingMarker(text: string, tokens: readonly string[] = []): string {
  const longest = tokens.filter((one) => one !== "" && text.startsWith(one)).sort((a, b) => b.length - a.length)[0];
  return longest ?? /^(?:<[^<>\s]+>|\[\/?[A-Z_]{2,}\])/.exec(text)?.[0] ?? "";
}
