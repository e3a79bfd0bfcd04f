/** What is wrong with a template's text. `at` is an offset in its normalised text. */
export class SyntaxFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "SyntaxFault";
    this.at = at;
  }
}
