import type { ResponseLayout } from "../parse/index.ts";
import type { ChatFormat } from "./types.ts";

export function chatFormatOf({ reasoning, content, calls }: ResponseLayout, holdsContent: boolean): ChatFormat {
  if (calls === null) return reasoning || content.mode !== "plain" || holdsContent ? "peg-simple" : "Content-only";
  const isQuoted = calls.call.some(
    (element) =>
      element.kind === "tagged" &&
      element.values.some(({ writing }) => writing.kind === "literal" && writing.quote !== undefined),
  );
  return isQuoted ? "peg-gemma4" : "peg-native";
}
