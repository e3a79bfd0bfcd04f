import { TitoError } from "../errors.ts";

export function queueFull(what: "calls" | "checkouts", maxQueue: number): TitoError {
  return new TitoError(
    "pool_queue_full",
    `${maxQueue} ${what} wait already. Await some before making more, use renderBatch or parseBatch, or raise maxQueue.`,
    { details: { maxQueue } },
  );
}
