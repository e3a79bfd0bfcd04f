import { Namespace } from "../values/containers.ts";
import { isText, textOf } from "../values/text.ts";
import { Callable, PythonError } from "../values/types.ts";
import { dictOf } from "./dict.ts";

/** `namespace(dict or pairs, name=value, …)`: what a template may assign to from within a loop. */
export const namespace = new Callable("namespace", "type", (runtime, args) => {
  const made = new Namespace();
  for (const [key, value] of dictOf(runtime, "namespace", args).entries()) {
    // A key that is no text cannot be reached as an attribute.
    if (!isText(key)) continue;
    const name = textOf(key);
    if (name.startsWith("_")) {
      throw new PythonError("SecurityError", `a namespace has no attributes that begin with "_": rename "${name}"`);
    }
    made.attributes.set(name, value);
  }
  return made;
});
