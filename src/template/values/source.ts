/**
 * Where a value of the context stands: a path of keys from one of the context's variables. A template's own text has no
 * source, unless it was collected in a block while a message was being written: then `Source.ofTemplate`.
 */
export class Source {
  /** The context's variable: `messages`, `tools`, or a variable of the template's own. */
  readonly variable: string;
  readonly parent: Source | null;
  /** A list's index or a dict's key under the parent. */
  readonly key: string | number | null;
  /** The key itself and not the value under it: the name of an argument, say. */
  readonly isKey: boolean;
  /** Index of the message that this is a part of; -1: of none. */
  readonly message: number;

  constructor(variable: string, parent: Source | null, key: string | number | null, isKey: boolean) {
    this.variable = variable;
    this.parent = parent;
    this.key = key;
    this.isKey = isKey;
    this.message =
      parent === null
        ? -1
        : parent.parent === null && variable === "messages" && typeof key === "number"
          ? key
          : parent.message;
  }

  /** The template's own text, written for a message. */
  static ofTemplate(message: number): Source {
    return new Source("", new Source("messages", null, null, false).child(message), null, false);
  }

  get isTemplate(): boolean {
    return this.variable === "";
  }

  child(key: string | number): Source {
    return new Source(this.variable, this, key, false);
  }

  keyOf(key: string): Source {
    return new Source(this.variable, this, key, true);
  }

  /** Keys from the variable on: `["messages", 0, "content"]`. */
  path(): (string | number)[] {
    if (this.parent === null) return [this.variable];
    return [...this.parent.path(), this.key!];
  }
}
