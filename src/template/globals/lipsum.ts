import { integerArgument } from "../filters/support.ts";
import { native } from "../values/native.ts";
import { Markup } from "../values/scalars.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError } from "../values/types.ts";

const words = (
  "ac ad alea amet aqua arbor aura bonum carpe causa civis cum dictum dies dolor domus ego est et ex fama fides finis forma " +
  "gens gratia hic homo hora idem in ira iter ius labor lex liber locus lux magna manus mare mens modus mons mundus natura " +
  "nomen nox opus ordo pars pax pons porta quod ratio res rex sed semper sic sol spes tempus terra umbra unda urbs ut vates " +
  "verbum via vis vita vox"
).split(" ");

/** `lipsum(n, html, min, max)`: so many paragraphs of at least `min` and less than `max` random Latin words. */
export const lipsum = native(
  "lipsum",
  [
    ["n", 5],
    ["html", true],
    ["min", 20],
    ["max", 100],
  ],
  (runtime, n, html, min, max) => {
    const count = integerArgument(n!, "the number of paragraphs");
    const least = integerArgument(min!, "the least number of words");
    const most = integerArgument(max!, "the number of words");
    if (count > 0 && most <= least) throw new PythonError("ValueError", "max must be greater than min");
    // No word is longer than eight letters, with a space and a stop.
    runtime.allow(Math.max(0, count) * Math.max(0, most) * 10);
    const paragraphs: string[] = [];
    for (let at = 0; at < count; at++) {
      const length = least + Math.floor(Math.random() * (most - least));
      runtime.charge(Math.max(0, length));
      paragraphs.push(paragraph(length));
    }
    if (!isTrue(html!)) return paragraphs.join("\n\n");
    return new Markup(paragraphs.map((text) => `<p>${text}</p>`).join("\n"));
  },
);

function paragraph(length: number): string {
  const text: string[] = [];
  let left = 0;
  let last = "";
  for (let at = 0; at < length; at++) {
    const choices = words.filter((word) => word !== last);
    last = choices[Math.floor(Math.random() * choices.length)]!;
    const starts = left === 0;
    if (starts) left = 6 + Math.floor(Math.random() * 10);
    left--;
    const word = starts ? last[0]!.toUpperCase() + last.slice(1) : last;
    const stop = left === 0 || at === length - 1 ? "." : left % 4 === 3 && !starts ? "," : "";
    text.push(word + stop);
  }
  return text.length === 0 ? "." : text.join(" ");
}
