import { TitoError } from "../errors.ts";
import type { ParsedResponse } from "../parse/index.ts";
import type { RenderedTokens } from "../tokens/index.ts";
import { asyncRenderer, parseCall, renderCall } from "./asyncRenderer.ts";
import { runBatch } from "./batch.ts";
import { closed, type Host } from "./host.ts";
import { type Lease, Leases } from "./leases.ts";
import { Ticket } from "./ticket.ts";
import type { PooledRenderer, PoolWarning, RendererPool } from "./types.ts";

export interface PoolParts {
  readonly host: Host;
  readonly size: number;
  readonly onWarning: (warning: PoolWarning) => void;
}

/** The pool's face over its parts. */
export function rendererPool({ host, size, onWarning }: PoolParts): RendererPool {
  const threads = host.group?.slots.length ?? 0;
  const leases = new Leases({
    size: size === 0 ? Number.POSITIVE_INFINITY : size,
    maxQueue: host.maxQueue,
    onAbandoned: () => onWarning(abandoned),
  });

  const pool: RendererPool = {
    ...asyncRenderer(host, () => host.checkOpen()),
    size,
    threads,
    async checkout(options = {}) {
      const ticket = host.open<Lease>("Waiting for a renderer", options);
      try {
        leases.acquire(ticket);
      } catch (error) {
        ticket.reject(error);
      }
      return pooledRenderer(host, leases, await ticket.promise);
    },
    async renderBatch(conversations, options = {}) {
      const calls = conversations.map((messages) => renderCall("render", messages, options, host));
      return (await runBatch(host, calls, "Rendering a batch", options)) as RenderedTokens[];
    },
    async parseBatch(requests, options = {}) {
      const calls = requests.map(({ ids, ...rest }) => parseCall(ids, rest));
      return (await runBatch(host, calls, "Parsing a batch", options)) as ParsedResponse[];
    },
    async ready(options = {}) {
      const ticket = host.open<void>("Starting the threads", options);
      const started = host.group?.ready(() => ticket.isOpen) ?? Promise.resolve();
      started.then(
        () => ticket.resolve(),
        (error) => ticket.reject(error),
      );
      return ticket.promise;
    },
    async close(options = {}) {
      const ticket = new Ticket<void>("Closing the pool", options);
      leases.stop(closed);
      ticket.onGiveUp(() => host.hasten());
      host.close().then(
        () => ticket.resolve(),
        (error) => ticket.reject(error),
      );
      return ticket.promise;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
  return pool;
}

function pooledRenderer(host: Host, leases: Leases, lease: Lease): PooledRenderer {
  // The methods hold the owner, so that one of them alone keeps the lease, too.
  const owner = { lease };
  const check = (): void => {
    host.checkOpen();
    if (owner.lease.isReleased) throw released();
  };
  leases.watch(owner, lease);
  return {
    ...asyncRenderer(host, check, lease),
    release: () => leases.release(owner.lease),
    [Symbol.asyncDispose]: async () => leases.release(owner.lease),
  };
}

function released(): TitoError {
  return new TitoError("checkout_released", "This renderer was given back to its pool. Check another one out.");
}

const abandoned: PoolWarning = {
  code: "pool_checkout_abandoned",
  message:
    "A renderer that was checked out of a pool was forgotten without being given back. Check out with `await using`, or " +
    "call release() in a finally block.",
};
