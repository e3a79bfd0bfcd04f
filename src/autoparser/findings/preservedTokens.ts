import type { ResponseLayout } from "../../parse/layout/layout.ts";
import { segments } from "../text/diff.ts";

/** Every marker of a layout, in the order of a response. */
export function preservedTokens({ reasoning, content, calls, glue, end }: ResponseLayout): string[] {
  const texts = [
    reasoning?.open,
    reasoning?.close,
    content.open,
    content.close,
    calls?.section?.open,
    ...(calls?.call ?? []).flatMap((element) => {
      if (element.kind === "text") return [element.text];
      if (element.kind !== "tagged") return [];
      const { open, namePrefix, separator, close, values } = element;
      return [open, namePrefix, ...values.flatMap(({ between, suffix }) => [between, suffix]), separator, close];
    }),
    calls?.section?.close,
    ...glue,
    end,
  ];
  const markers = texts
    .flatMap((text) => segments(text ?? ""))
    .filter(({ kind, text }) => kind === "marker" && !text.includes("{name}"));
  return [...new Set(markers.map(({ text }) => text))];
}
