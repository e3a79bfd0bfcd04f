/** A marker as the model's own vocabulary writes it. */
export interface MarkerIds {
  readonly name: string;
  readonly ids: readonly number[];
}

/** A scan for markers, by ids alone: what the ids' texts say is never looked at. */
export interface MarkerScan {
  /** How many of the last ids could be the beginning of a marker, if others follow. */
  readonly pending: number;
  /** The marker that this id ends, after which the scan begins anew; the longest where several do. */
  push(id: number): MarkerIds | undefined;
  reset(): void;
}

interface Node {
  readonly depth: number;
  readonly next: Map<number, Node>;
  /** The node of the longest ending that is itself a beginning of a marker. */
  fail: Node;
  /** The longest marker that ends here. */
  ended: MarkerIds | undefined;
}

const newNode = (depth: number): Node => {
  const node: Node = { depth, next: new Map(), fail: undefined as never, ended: undefined };
  node.fail = node;
  return node;
};

/** After Aho and Corasick, so that overlaps and restarts (`a a b` in `a a a b`) are found at one step for each id. */
export function markerScan(markers: readonly MarkerIds[]): MarkerScan {
  const root = automaton(markers);
  let at = root;
  return {
    get pending() {
      return at.depth;
    },
    push(id) {
      at = step(at, id, root);
      const { ended } = at;
      if (ended !== undefined) at = root;
      return ended;
    },
    reset() {
      at = root;
    },
  };
}

function step(from: Node, id: number, root: Node): Node {
  for (let node = from; ; node = node.fail) {
    const next = node.next.get(id);
    if (next !== undefined) return next;
    if (node === root) return root;
  }
}

function automaton(markers: readonly MarkerIds[]): Node {
  const root = newNode(0);
  for (const marker of markers) {
    let node = root;
    for (const id of marker.ids) {
      const next = node.next.get(id) ?? newNode(node.depth + 1);
      node.next.set(id, next);
      node = next;
    }
    node.ended ??= marker;
  }
  for (const queue = [root]; queue.length > 0; ) {
    const node = queue.shift()!;
    for (const [id, next] of node.next) {
      next.fail = node === root ? root : step(node.fail, id, root);
      next.ended ??= next.fail.ended;
      queue.push(next);
    }
  }
  return root;
}
