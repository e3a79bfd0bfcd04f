import { TitoError } from "../../errors.ts";
import { refuse } from "../refuse.ts";
import type { Slot } from "./slot.ts";

/** A session that keeps its slot from one turn to the next. */
export interface HeldSession {
  readonly id: string;
  readonly slot: Slot;
  /** All that it evaluated and sampled. */
  ids: readonly number[];
  busy: boolean;
  ended: boolean;
  timer: NodeJS.Timeout | undefined;
}

// Ids that callers chose are remembered so long; the host's own are counted.
const endedRemembered = 1024;
const madeId = /^(?:session|prefix)-(\d+)$/;

/** The open sessions by id, and which ids were sessions. */
export class Sessions {
  readonly #open = new Map<string, HeldSession>();
  readonly #reserved = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #idleTimeout: number | undefined;
  readonly #onIdle: (session: HeldSession) => void;
  #made = 0;

  constructor(idleTimeout: number | undefined, onIdle: (session: HeldSession) => void) {
    this.#idleTimeout = idleTimeout;
    this.#onIdle = onIdle;
  }

  get size(): number {
    return this.#open.size;
  }

  /** An id that nobody else gets, until `add` or `giveUp`. @throws TitoError `sampler_option`. */
  reserve(id: string | undefined): string {
    if (id === undefined) {
      const made = `session-${this.#made++}`;
      this.#reserved.add(made);
      return made;
    }
    if (typeof id !== "string" || id === "" || madeId.test(id))
      refuse("id", id, 'a text that does not look like the host\'s own ids, "session-0" or "prefix-0"');
    if (this.#open.has(id) || this.#reserved.has(id)) refuse("id", id, "that of no other open session");
    this.#reserved.add(id);
    return id;
  }

  giveUp(id: string): void {
    this.#reserved.delete(id);
  }

  add(id: string, slot: Slot, ids: readonly number[]): HeldSession {
    const session: HeldSession = { id, slot, ids, busy: false, ended: false, timer: undefined };
    this.#reserved.delete(id);
    this.#ended.delete(id);
    this.#open.set(id, session);
    this.#watch(session);
    return session;
  }

  /** @throws TitoError `session_unknown`, `session_ended`. */
  find(id: string): HeldSession {
    const session = this.#open.get(id);
    if (session !== undefined) return session;
    if (this.wasOpen(id)) throw ended(id);
    throw new TitoError(
      "session_unknown",
      `There is no session ${JSON.stringify(id)}. Open it with host.open({ id }), and use what that gives as sessionId.`,
      { details: { sessionId: id } },
    );
  }

  wasOpen(id: string): boolean {
    if (this.#open.has(id) || this.#reserved.has(id)) return false;
    const made = typeof id === "string" && id.startsWith("session-") ? madeId.exec(id) : null;
    return made ? id === `session-${Number(made[1])}` && Number(made[1]) < this.#made : this.#ended.has(id);
  }

  /** @throws TitoError `session_busy`, `session_ended`. */
  enter(session: HeldSession): void {
    if (session.ended) throw ended(session.id);
    if (session.busy)
      throw new TitoError(
        "session_busy",
        `The session ${JSON.stringify(session.id)} has a call under way. Await it, or leave its loop, before the next one.`,
        { details: { sessionId: session.id } },
      );
    clearTimeout(session.timer);
    session.busy = true;
  }

  leave(session: HeldSession, ids: readonly number[]): void {
    session.busy = false;
    session.ids = ids;
    if (!session.ended) this.#watch(session);
  }

  remove(session: HeldSession): void {
    clearTimeout(session.timer);
    session.ended = true;
    this.#open.delete(session.id);
    if (madeId.test(session.id)) return;
    this.#ended.add(session.id);
    if (this.#ended.size > endedRemembered) this.#ended.delete(this.#ended.values().next().value!);
  }

  removeAll(): void {
    for (const session of [...this.#open.values()]) this.remove(session);
  }

  #watch(session: HeldSession): void {
    if (this.#idleTimeout === undefined) return;
    session.timer = setTimeout(() => this.#onIdle(session), this.#idleTimeout);
    session.timer.unref();
  }
}

function ended(id: string): TitoError {
  return new TitoError(
    "session_ended",
    `The session ${JSON.stringify(id)} has ended. Open another one, and give it the whole prompt.`,
    {
      details: { sessionId: id },
    },
  );
}
