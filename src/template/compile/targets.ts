import type { NamespaceTarget, Target } from "../syntax/ast.ts";
import { Dict, Namespace } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Value } from "../values/types.ts";
import { unpack } from "./loop.ts";
import type { Frame, Scope } from "./scope.ts";

export type Store = (frame: Frame, value: Value) => void;

/** What assigns a value to a target whose names the scope has bound. */
export function compileTarget(target: Target, scope: Scope): Store {
  switch (target.kind) {
    case "name": {
      const slot = scope.slot(target.name)!;
      return (frame, value) => {
        frame.slots[slot] = value;
      };
    }
    case "namespace": {
      const namespace = scope.read(target.name);
      const { attribute } = target;
      return (frame, value) => {
        const object = namespace(frame);
        if (!(object instanceof Namespace)) {
          throw new PythonError(
            "TemplateRuntimeError",
            `only a namespace's attributes can be set, and "${target.name}" is ${typeName(object)}`,
          );
        }
        if (attribute.startsWith("_")) {
          throw new PythonError("SecurityError", `a namespace has no attribute that begins with "_": ${attribute}`);
        }
        object.attributes.set(attribute, frame.run.remembered(value));
      };
    }
    case "targets": {
      const stores = target.items.map((item) => compileTarget(item, scope));
      return (frame, value) => {
        const values = unpack(toArray(frame.run, value), stores.length);
        for (let i = 0; i < stores.length; i++) stores[i]!(frame, values[i]!);
      };
    }
  }
}

/** Other than an assigned value, an assigned block may go to a dict, too. */
export function compileBlockTarget(target: NamespaceTarget, scope: Scope): Store {
  const object = scope.read(target.name);
  const assign = compileTarget(target, scope);
  return (frame, value) => {
    const container = object(frame);
    if (container instanceof Dict) container.set(target.attribute, value);
    else assign(frame, value);
  };
}
