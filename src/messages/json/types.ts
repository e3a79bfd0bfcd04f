/**
 * A JSON value that loses nothing: numbers keep their text, objects the order of their keys (integer-like ones too) and
 * a repeated key's last value. It is what `parseJson` returns.
 */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number by its text (`1.0`, `12345678901234567890`, `1e-7`; also `NaN`, `Infinity` and `-Infinity`, which Python writes). */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What printing accepts: a lossless value, plain JavaScript values, or any mixture of them. */
export type JsonInput =
  | null
  | boolean
  | string
  | number
  | bigint
  | JsonNumber
  | readonly JsonInput[]
  | ReadonlyMap<string, JsonInput>
  | { readonly [key: string]: JsonInput | undefined };
