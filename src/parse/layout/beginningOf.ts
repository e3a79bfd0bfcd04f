import type { CompiledLayout } from "./compile.ts";
import { compileLayout } from "./compile.ts";
import type { LayoutBeginning, ResponseLayout } from "./layout.ts";
import { matchAt, type Pattern, type Waiting } from "./pieces.ts";

/** What a prompt has opened: `opened` is what it writes behind the text that opens the assistant's turn. */
export function beginningOf(layout: ResponseLayout | CompiledLayout, opened: string): LayoutBeginning {
  const compiled = "layout" in layout ? layout : compileLayout(layout);
  const { reasoning, content, glue } = compiled;
  const text: Waiting = { buf: opened, pos: 0, atoms: null, eof: true };
  const last = (pattern: Pattern): readonly [start: number, end: number] => {
    const first = pattern.pieces[0]?.text;
    if (first === undefined) return [-1, -1];
    for (let at = opened.lastIndexOf(first); at >= 0; at = at === 0 ? -1 : opened.lastIndexOf(first, at - 1)) {
      const end = matchAt(text, at, pattern);
      if (end >= 0) return [at, end];
    }
    return [-1, -1];
  };
  const isLast = (end: number): boolean => end > 0 && opened.slice(end).trim() === "";
  const opens = Math.max(-1, ...(reasoning?.opens ?? []).map((one) => last(one)[0]));
  const closes = reasoning ? last(reasoning.close)[0] : -1;
  const contentOpens = Math.max(-1, ...content.opens.map((one) => last(one)[0]));
  if (contentOpens > Math.max(opens, closes) && last(content.close)[0] < contentOpens) return { in: "content" };
  if (opens > closes) return { in: "reasoning" };
  if (glue.some((one) => isLast(last(one)[1]))) return { in: "glue" };
  return { in: "start", closed: closes >= 0 };
}
