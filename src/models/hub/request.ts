import { TitoError } from "../../errors.ts";
import { aborted, connectionFailure, HubFailure, protocolFailure, type Subject, statusFailure } from "./failures.ts";
import type { HubSettings } from "./settings.ts";

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** An answer that is no error. What was opened must be closed. */
export interface HubAnswer {
  readonly status: number;
  /** A header of the last answer. */
  readonly header: (name: string) => string | null;
  /** A header of the hub's own last answer that has it, before any redirect to another host. */
  readonly hubHeader: (name: string) => string | null;
  /** The host that answered at last. */
  readonly host: string;
  /** Chunks as they come. Throws HubFailure when the connection breaks or stalls, TitoError `aborted`. */
  readonly body: () => AsyncGenerator<Uint8Array>;
  readonly close: () => void;
}

/**
 * One GET, following redirects by hand: the token goes to the hub's own origin alone, and from https nothing leads to http.
 *
 * @param accepted statuses beside 200 that are no error.
 * @throws HubFailure; TitoError `aborted`
 */
export async function request(
  url: string,
  subject: Subject,
  settings: HubSettings,
  headers: Readonly<Record<string, string>> = {},
  accepted: readonly number[] = [],
): Promise<HubAnswer> {
  const { signal } = settings;
  const what = subject.file ?? subject.id;
  const watch = watchdog(settings);
  const hubOrigin = new URL(settings.endpoint).origin;
  const seen = new Map<string, string>();
  let target = new URL(url);
  try {
    for (let redirects = 0; ; redirects++) {
      watch.feed();
      const response = await settings.fetch(target, {
        redirect: "manual",
        signal: watch.signal,
        headers: { ...headers, "accept-encoding": "identity", ...settings.secretHeaders(target) },
      });
      if (target.origin === hubOrigin) for (const [name, value] of response.headers) seen.set(name, value);
      const { host } = target;
      const { status } = response;
      if (REDIRECTS.includes(status)) {
        dispose(response);
        target = follow(response.headers.get("location"), target, subject, redirects);
        continue;
      }
      if (status !== 200 && !accepted.includes(status)) {
        dispose(response);
        throw statusFailure(status, (name) => response.headers.get(name), subject, host, target.origin === hubOrigin);
      }
      return {
        status,
        host,
        header: (name) => response.headers.get(name),
        hubHeader: (name) => seen.get(name) ?? null,
        body: () => chunks(response, watch, (error) => explain(error, host)),
        close: () => {
          watch.stop();
          dispose(response);
        },
      };
    }
  } catch (error) {
    watch.stop();
    throw explain(error, target.host);
  }

  function explain(error: unknown, host: string): unknown {
    if (signal?.aborted) return aborted(what, signal);
    if (error instanceof HubFailure || error instanceof TitoError) return error;
    return connectionFailure(watch.stalled() ? new Stalled() : error, subject, host);
  }
}

class Stalled extends Error {
  override readonly name = "no byte in time";
}

/** Ends a request when the user wants it or when nothing arrives for too long. */
function watchdog({ signal, stallTimeout }: HubSettings) {
  const stall = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
    feed: () => {
      clearTimeout(timer);
      timer = setTimeout(() => stall.abort(), stallTimeout);
    },
    stop: () => clearTimeout(timer),
    stalled: () => stall.signal.aborted,
  };
}

async function* chunks(
  response: Response,
  watch: ReturnType<typeof watchdog>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      watch.feed();
      let chunk: Awaited<ReturnType<typeof reader.read>>;
      try {
        chunk = await reader.read();
      } catch (error) {
        throw explain(error);
      }
      // While the chunk is worked on, the connection is not what is waited for.
      watch.stop();
      if (chunk.done) return;
      yield chunk.value as Uint8Array;
    }
  } finally {
    watch.stop();
    reader?.cancel().catch(() => undefined);
  }
}

function follow(location: string | null, from: URL, subject: Subject, redirects: number): URL {
  if (redirects === MAX_REDIRECTS) throw protocolFailure(subject, from.host, "redirects too often");
  const target = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isWeb = target !== null && /^https?:$/.test(target.protocol) && !target.username && !target.password;
  if (!isWeb) throw protocolFailure(subject, from.host, "redirects to what is no http(s) URL");
  if (from.protocol === "https:" && target.protocol === "http:") {
    throw protocolFailure(subject, from.host, "redirects from https to http");
  }
  return target;
}

/** An answer that is not read to its end; its connection goes with it. */
function dispose(response: Response): void {
  if (!response.bodyUsed) response.body?.cancel().catch(() => undefined);
}
