import { isDeepStrictEqual } from "node:util";
import { type Contestant, type Cost, compare, type Effort, local } from "./measure.ts";
import type { Peer, PeerWork } from "./peer.ts";
import type { Vocabulary } from "./vocabularies.ts";

export interface BenchRow {
  readonly name: string;
  readonly ours: number;
  /** Null where there is nothing to measure against. */
  readonly peer: number | null;
  readonly peer_name: string | null;
  readonly unit: string;
  /** How many times better ours is than the peer: above 1 is for us. */
  readonly ratio: number | null;
  readonly runs: number;
}

export interface Entry {
  readonly name: string;
  readonly run: () => unknown;
  /** Comes before each run and is not counted. */
  readonly prepare?: (() => void) | undefined;
  /** The same work by a peer, with the result that it must have: ours. */
  readonly peer?: {
    readonly work: PeerWork;
    readonly vocabulary: Vocabulary;
    readonly input: unknown;
    readonly result: () => unknown;
    /** Is it the same work? Default: the results are equal. */
    readonly same?: (theirs: unknown, ours: unknown) => boolean;
  };
  /** Or an opponent whose result the caller has compared. */
  readonly against?: Contestant | undefined;
  /** Or another way of ours to the same end. */
  readonly other?: { readonly name: string; readonly run: () => unknown };
}

/** Collects rows; knows which are wanted and who they are measured against. */
export class Bench {
  readonly rows: BenchRow[] = [];
  readonly effort: Effort;
  readonly note: (line: string) => void;
  readonly #only: string;
  readonly #peer: Peer | undefined;

  constructor(options: {
    effort: Effort;
    only?: string | undefined;
    peer?: Peer | undefined;
    note(line: string): void;
  }) {
    this.effort = options.effort;
    this.note = options.note;
    this.#only = options.only ?? "";
    this.#peer = options.peer;
  }

  wants(name: string): boolean {
    return name.includes(this.#only);
  }

  /** May rows be wanted whose names begin so? */
  wantsSome(beginning: string): boolean {
    return beginning.includes(this.#only) || this.#only.startsWith(beginning) || beginning.startsWith(this.#only);
  }

  /** Two rows, of CPU and of wall time. */
  async measure({ name, run, prepare, peer, against, other }: Entry): Promise<void> {
    if (!this.wants(name)) return;
    const isFair = peer !== undefined && this.#peer !== undefined && (await this.#agrees(name, this.#peer, peer));
    const opponent = isFair ? this.#peer?.contestant(peer.work) : (against ?? (other && local(other.name, other.run)));
    const costs = await compare(local("tito-rl", run, prepare), opponent, this.effort);
    for (const clock of ["cpu", "wall"] as const) {
      const of = (cost: Cost | null) => (cost ? cost[clock] : null);
      this.add({
        name: clock === "cpu" ? name : `${name}, wall`,
        ours: costs.ours[clock],
        peer: of(costs.peer),
        peer_name: opponent?.name ?? null,
        unit: clock === "cpu" ? "ms CPU" : "ms wall",
        ratio: costs.peer ? costs.peer[clock] / costs.ours[clock] : null,
        runs: costs.runs,
      });
    }
  }

  add(row: BenchRow): void {
    this.rows.push(row);
    this.note(rowText(row));
  }

  /** Times of unequal work say nothing, and a peer that fails should not end the bench. */
  async #agrees(
    name: string,
    peer: Peer,
    { work, vocabulary, input, result, same = isDeepStrictEqual }: NonNullable<Entry["peer"]>,
  ) {
    try {
      const theirs = await peer.prepare(work, vocabulary, input);
      if (same(theirs, JSON.parse(JSON.stringify(result())))) return true;
      this.note(`${name}: the peer's result is another one, so it is not measured.`);
    } catch (error) {
      this.note(`${name}: ${(error as Error).message}`);
    }
    return false;
  }
}

function rowText({ name, ours, peer, peer_name, unit, ratio }: BenchRow): string {
  const number = (value: number) => value.toPrecision(4).padStart(10);
  const against = peer === null || ratio === null ? "" : `${number(peer)} ${number(ratio)}x  ${peer_name}`;
  return `${name.padEnd(52)} ${number(ours)} ${unit.padEnd(8)}${against}`;
}
