import { TitoError } from "../../errors.ts";

/** Where the public hub is. */
export const DEFAULT_ENDPOINT = "https://huggingface.co";

/** How a hub is reached. */
export interface HubOptions {
  /** Branch, tag or commit; `"main"` unless set. */
  readonly revision?: string | undefined;
  /**
   * Access token; that of the environment variable HF_TOKEN unless set, `""` for none. It goes to the endpoint's host alone and
   * is never stored or shown.
   */
  readonly token?: string | undefined;
  /** The hub's address; that of the environment variable HF_ENDPOINT unless set, else the public hub. */
  readonly endpoint?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes requests instead of the built-in `fetch`, through a proxy for example. It must not follow redirects on its own. */
  readonly fetch?: typeof fetch | undefined;
  /** How often a request is made again after 429, 5xx or a cut connection, without progress in between; 5 unless set. */
  readonly retries?: number | undefined;
  /** Milliseconds before the first repetition, doubled with each one up to 30 seconds; 500 unless set. */
  readonly retryDelay?: number | undefined;
  /** Milliseconds without a byte after which a connection counts as cut; 30,000 unless set. */
  readonly stallTimeout?: number | undefined;
}

/** A hub's options with their defaults. The token is held by a function, so that it is in no object that could be printed. */
export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly revision: string;
  readonly hasToken: boolean;
  /** Headers that only the hub's own origin gets. */
  readonly secretHeaders: (url: URL) => Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly retries: number;
  readonly retryDelay: number;
  readonly stallTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws TitoError `invalid_config` for an endpoint or a token that cannot be used */
export function hubSettings(options: HubOptions): HubSettings {
  const { href, origin } = readEndpoint(options.endpoint ?? (process.env.HF_ENDPOINT || DEFAULT_ENDPOINT));
  const token = (options.token ?? process.env.HF_TOKEN ?? "").trim();
  // What is not visible ASCII could not be sent, and the error of the client would repeat it.
  if (!/^[\x21-\x7e]*$/.test(token)) {
    throw new TitoError("invalid_config", "The hub's token holds characters that no token has. Check HF_TOKEN.");
  }
  return {
    endpoint: href,
    revision: options.revision ?? "main",
    hasToken: token !== "",
    secretHeaders: (url) => (token !== "" && url.origin === origin ? { authorization: `Bearer ${token}` } : {}),
    fetch: options.fetch ?? globalThis.fetch,
    retries: readNumber("retries", options.retries, 5),
    retryDelay: readNumber("retryDelay", options.retryDelay, 500),
    stallTimeout: readNumber("stallTimeout", options.stallTimeout, 30_000),
    signal: options.signal,
  };
}

function readEndpoint(endpoint: string): { readonly href: string; readonly origin: string } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    // Not repeated: there may be a password in it.
    throw new TitoError(
      "invalid_config",
      `The hub's endpoint is no http(s) URL without user, query and fragment. Set endpoint or HF_ENDPOINT to one, as in "${DEFAULT_ENDPOINT}".`,
    );
  }
  return { href: url.href.replace(/\/+$/, ""), origin: url.origin };
}

/** @throws TitoError `invalid_config` */
export function readNumber(name: string, value: number | undefined, standard: number): number {
  if (value === undefined) return standard;
  if (typeof value === "number" && value >= 0) return value;
  throw new TitoError("invalid_config", `The option ${name} is no number of 0 or more. Pass one or leave it out.`);
}
