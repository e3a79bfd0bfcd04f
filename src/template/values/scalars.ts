import type { Source } from "./source.ts";

/** What a Traced value stands for. */
export type Scalar = string | number | bigint | boolean | null | Float;

/** A `str` in any of its forms. */
export type Text = string | Traced | Markup;

export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A piece of a text and where it comes from; null: from the template itself. */
export interface Piece {
  readonly text: string;
  readonly source: Source | null;
}

/** A scalar of the context with its source, or a text put together of such. It behaves as `value` in every operation. */
export class Traced {
  readonly value: Scalar;
  /** Source of the whole value; null where `pieces` says more. */
  readonly source: Source | null;
  /** For a text of several sources: the pieces, none empty, that together are `value`. */
  readonly pieces: readonly Piece[] | null;

  constructor(value: Scalar, source: Source | null, pieces: readonly Piece[] | null = null) {
    this.value = value;
    this.source = source;
    this.pieces = pieces;
  }
}

/** Text that counts as escaped (`safe`, `escape`): texts added to it are escaped. */
export class Markup {
  readonly text: string | Traced;

  constructor(text: string | Traced) {
    this.text = text;
  }
}

/** A variable, attribute or item that is not there. Printing, testing and iterating it is allowed, most else is an error. */
export class Undefined {
  /** What is missing, for the error. */
  readonly message: string;
  /** `SecurityError` for what the sandbox does not let out. */
  readonly error: "UndefinedError" | "SecurityError";

  constructor(message: string, error: "UndefinedError" | "SecurityError" = "UndefinedError") {
    this.message = message;
    this.error = error;
  }
}
