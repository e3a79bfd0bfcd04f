import { type List, Tuple } from "../values/containers.ts";
import type { Value } from "../values/types.ts";

/** A group of `groupby`: the tuple (grouper, list), whose items have these names, too. */
export class Group extends Tuple {
  readonly grouper: Value;
  readonly list: List;

  constructor(grouper: Value, list: List) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }

  /** undefined: no attribute of a group's own. */
  attribute(name: string): Value | undefined {
    return name === "grouper" ? this.grouper : name === "list" ? this.list : undefined;
  }
}
