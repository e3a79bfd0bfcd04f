import type { ResponseLayout } from "../../parse/layout/layout.ts";
import type { Opened } from "../probe/types.ts";
import type { TemplateView } from "../probe/view.ts";

/**
 * A way in which a template may write responses. It says what the layout would be if it were so; the template's own renders of
 * random responses decide whether it is.
 */
export interface Hypothesis {
  readonly name: string;
  /** What differs from the layout without calls; null: nothing points to this format. */
  propose(view: TemplateView): Proposal | null;
}

export interface Proposal extends Partial<ResponseLayout> {
  /** The text that opens a turn, and what prompts write behind it, where that is not the view's. */
  readonly header?: string;
  readonly opened?: Opened;
  /** Texts that end a turn with calls. */
  readonly stops?: readonly string[];
  /** The template tells the model of this format, but never writes it: no render can prove it. */
  readonly told?: boolean;
}
