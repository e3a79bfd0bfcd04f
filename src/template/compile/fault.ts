import type { Located } from "../syntax/ast.ts";

/** What is wrong with a template before it runs. */
export class CompileFault {
  readonly message: string;
  readonly node: Located;

  constructor(message: string, node: Located) {
    this.message = message;
    this.node = node;
  }
}
