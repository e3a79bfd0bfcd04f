/** A marker's own word, without what says that it opens or closes: the same of `<|x_start|>` and `<|x_end|>`, `<x>` and `</x>`. */
export function markerWord(marker: string): string {
  return marker
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_▁:]+/gu, " ")
    .trim()
    .replaceAll(/(?:^(?:start|begin|end|open|close)[_▁]|[_▁:](?:start|begin|end|open|close|prefix|suffix)$)/g, "")
    .split(" ")[0]!
    .split("=")[0]!;
}
