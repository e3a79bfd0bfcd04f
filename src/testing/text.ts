import fc from "fast-check";

/** Text of all scripts, with white space and punctuation more often than chance has it; no lone surrogates. */
export function texts(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }).map((one) => one.toWellFormed()),
    fc.constantFrom(...seams),
    fc.lorem({ maxCount: 4 }),
  );
  return fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(""));
}

/** Pieces at whose edges a merge may cross from scaffold into text. */
const seams = [
  " ",
  "\n",
  "\n\n",
  "  ",
  "\t",
  "\r\n",
  ".",
  "!\n",
  "é",
  "e\u0301",
  "中文",
  "🤔",
  '"',
  "\\",
  "{",
  "<",
  "</",
  "|>",
] as const;

/** Text that holds these markers, whole and in pieces. */
export function hostileTexts(markers: readonly string[]): fc.Arbitrary<string> {
  const halves = markers.flatMap((marker) => [marker.slice(0, marker.length / 2), marker.slice(marker.length / 2)]);
  const piece = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...markers, "\n") },
    fc.constantFrom(...halves, ">", "\n"),
    texts(),
  );
  return fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
}

/** Text as the tokenizer gives it back, without any of these markers, its edges without white space. */
export function plainTexts(markers: readonly string[], normalize: (text: string) => string): fc.Arbitrary<string> {
  return texts()
    .map((one) => trimAll(normalize(one)))
    .filter((one) => !markers.some((marker) => one.includes(marker)));
}

/** Without what either Python or JavaScript takes for white space. */
const trimAll = (text: string): string => text.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g, "");
