import { TitoError } from "../../errors.ts";

export interface RemoteOptions {
  /** Sent as `Authorization: Bearer …` to the URL's own scheme, host and port only; never to where a redirect leads. */
  readonly token?: string | undefined;
  /** Ends reading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that all of it may take. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Another client, for a proxy say. It is asked not to follow redirects. */
  readonly fetch?: typeof fetch | undefined;
}

interface Front {
  readonly bytes: Uint8Array;
  /** Of the whole file; Infinity while the server does not say. */
  readonly size: number;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const MAX_REDIRECTS = 5;
const DEFAULT_TIMEOUT = 60_000;

/** The front of a file behind a URL, which grows as it is asked for. */
export class RemoteFront {
  /** The URL as errors show it: without its query, which may hold a secret. */
  readonly place: string;
  readonly #url: URL;
  readonly #options: RemoteOptions;
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #size = Number.POSITIVE_INFINITY;
  #etag: string | null = null;
  /** The rest of the whole file, where the server knows no ranges. */
  #whole: Reader | undefined;

  constructor(url: string, options: RemoteOptions) {
    checkToken(options.token);
    this.#url = parseUrl(url);
    this.place = placeOf(this.#url);
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT;
    const limit = AbortSignal.timeout(this.#timeoutMs);
    this.#signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  }

  /** At least `length` bytes, or all that the file has. */
  async read(length: number): Promise<Front> {
    try {
      while (this.#length < Math.min(length, this.#size)) {
        if (this.#whole !== undefined) await this.#readOn(length);
        else await this.#readRange(length);
      }
    } catch (cause) {
      throw this.#failure(cause);
    }
    const bytes = Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [bytes];
    return { bytes, size: this.#size };
  }

  close(): void {
    void this.#whole?.cancel().catch(() => undefined);
  }

  async #readRange(length: number): Promise<void> {
    const response = await this.#request(`bytes=${this.#length}-${length - 1}`);
    const { status, headers } = response;
    const reader = response.body?.getReader();
    try {
      const total = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
      const size = total && total[2] !== "*" ? Number(total[2]) : Number.POSITIVE_INFINITY;
      if (status === 416 && this.#length === 0 && size === 0) {
        this.#size = 0;
        return;
      }
      if (status === 200) {
        // The whole file, whatever has been read of it.
        this.#chunks = [];
        this.#length = 0;
        this.#size = reader === undefined ? 0 : Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY);
        this.#whole = reader;
        return;
      }
      if (status !== 206) throw this.#refused(status);
      const etag = headers.get("etag");
      const isSame = this.#length === 0 || (size === this.#size && etag === this.#etag);
      if (!isSame) throw this.#unreachable("changed while it was read", "Try again.");
      if (Number(total?.[1]) !== this.#length)
        throw this.#unreachable("answers with another range than it was asked for");
      this.#size = size;
      this.#etag = etag;
      const before = this.#length;
      if (reader) await this.#take(reader, length, length);
      if (this.#length === before) throw this.#unreachable("answers with an empty range");
    } finally {
      if (reader !== this.#whole) void reader?.cancel().catch(() => undefined);
    }
  }

  /** Of a whole file there is no more to come when the answer ends. */
  async #readOn(length: number): Promise<void> {
    await this.#take(this.#whole!, length, Number.POSITIVE_INFINITY);
    if (this.#length < length) this.#size = this.#length;
  }

  /** Adds what the server sends until there are `length` bytes; what goes beyond `most` is dropped. */
  async #take(reader: Reader, length: number, most: number): Promise<void> {
    while (this.#length < length) {
      const { done, value } = await reader.read();
      if (done) return;
      const chunk = value.subarray(0, most - this.#length);
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    }
  }

  async #request(range: string): Promise<Response> {
    const { token, fetch: ask = fetch } = this.#options;
    let target = this.#url;
    for (let redirects = 0; ; redirects++) {
      const isOwn = target.origin === this.#url.origin;
      const response = await ask(target.href, {
        redirect: "manual",
        signal: this.#signal,
        headers: {
          range,
          "accept-encoding": "identity",
          ...(token && isOwn && { authorization: `Bearer ${token}` }),
        },
      });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null) return response;
      void response.body?.cancel().catch(() => undefined);
      if (redirects === MAX_REDIRECTS) throw this.#unreachable("redirects too often", "Pass the file's final URL.");
      target = this.#redirected(location, target);
    }
  }

  #redirected(location: string, from: URL): URL {
    const target = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
    const isSafe = target?.protocol === "https:" || (target?.protocol === "http:" && from.protocol === "http:");
    if (target !== null && isSafe && target.username === "" && target.password === "") return target;
    throw this.#unreachable("redirects to where no file is read from", "Pass the file's final URL.");
  }

  #failure(cause: unknown): unknown {
    if (cause instanceof TitoError) return cause;
    if (this.#options.signal?.aborted)
      return new TitoError("aborted", `Reading ${this.place} was aborted.`, { cause: this.#options.signal.reason });
    if (this.#signal.aborted)
      return this.#unreachable(`does not answer within ${this.#timeoutMs} ms`, "Raise the option timeoutMs.");
    const { cause: inner, message } = cause as Error;
    const { code } = (inner ?? {}) as { code?: unknown };
    // What the client says of a URL may hold its query.
    const fact = typeof code === "string" ? code : message.includes("://") ? "the connection failed" : message;
    return this.#unreachable(`cannot be read (${fact})`, "Check the URL and the network.");
  }

  #refused(status: number): TitoError {
    const needsToken = status === 401 || status === 403;
    const remedy = needsToken ? "Pass a token that may read it." : "Check the URL.";
    return this.#unreachable(`answers with status ${status}`, remedy, { status });
  }

  #unreachable(fact: string, remedy = "Download the file and pass its path.", details = {}): TitoError {
    return new TitoError("model_unreachable", `${this.place} ${fact}. ${remedy}`, {
      details: { url: this.place, ...details },
    });
  }
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isHttp = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (parsed !== null && isHttp && parsed.username === "" && parsed.password === "") return parsed;
  const fact = isHttp ? "holds a user name or a password" : "is no http(s) URL";
  throw new TitoError(
    "model_unreachable",
    `The model's address ${fact}. Pass an http(s) URL without them; a token is an option.`,
  );
}

/** What is not visible ASCII could not be sent, and the client's error would show it. */
function checkToken(token = ""): void {
  if (/^[\x21-\x7e]*$/.test(token)) return;
  throw new TitoError("invalid_config", "The option token holds characters that no token has. Check it.");
}

const placeOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;
