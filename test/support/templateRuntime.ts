import { compileTemplate, type TemplateContext } from "../../src/template/index.ts";
import { LimitExceeded } from "../../src/template/limits.ts";
import { PythonError, type Runtime } from "../../src/template/values/types.ts";

/** What methods and formats are called with outside of a render: no filters, and texts no longer than `most`. */
export function templateRuntime({ mutable = false, most = 1_000_000 } = {}): Runtime {
  return {
    charge: () => {},
    allow: (length) => {
      if (length > most) throw new LimitExceeded("length", most);
    },
    allowItems: () => {},
    traced: true,
    now: () => new Date(0),
    filter: () => undefined,
    test: () => undefined,
    mutable,
    enter: () => {},
    leave: () => {},
  };
}

/** The class of the Python error that something ends with; "Limit" for a limit; "none". */
export function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof LimitExceeded) return "Limit";
    if (error instanceof PythonError) return error.type;
    throw error;
  }
  return "none";
}

/** How a template ends that Python would refuse to render: its error, to be matched. */
export function renderFailure(template: string, context: TemplateContext): unknown {
  try {
    return { rendered: compileTemplate(template).render(context) };
  } catch (error) {
    return error;
  }
}
