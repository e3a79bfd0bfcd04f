import { native } from "../values/native.ts";
import { str } from "../values/print.ts";
import { textOf } from "../values/text.ts";

/** What a template refuses in its own words. */
export class TemplateRaised {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** `raise_exception(message)` ends the render. */
export const raiseException = native("raise_exception", ["message"], (runtime, message) => {
  throw new TemplateRaised(textOf(str(runtime, message!)));
});
