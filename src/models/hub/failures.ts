// What can go wrong between here and a hub, in words. Nothing that a server said is repeated but its status and its known error
// codes, and of addresses only the host: the rest may hold secrets.
import { type ErrorCode, TitoError } from "../../errors.ts";

/** What a request is about. */
export interface Subject {
  readonly id: string;
  readonly revision: string;
  readonly file?: string | undefined;
  readonly hasToken: boolean;
}

/** A failure, and whether asking again may help. */
export class HubFailure extends Error {
  readonly error: TitoError;
  readonly retry: { readonly isCut: boolean; readonly afterMs: number | null } | null;

  constructor(error: TitoError, retry: HubFailure["retry"] = null) {
    super(error.message);
    this.error = error;
    this.retry = retry;
  }
}

/** What an answer with an error status means, of the hub or of a host that it sends to. */
export function statusFailure(
  status: number,
  header: (name: string) => string | null,
  subject: Subject,
  host: string,
  isHub: boolean,
): HubFailure {
  const details = { ...place(subject), status };
  const fail = (code: ErrorCode, message: string) => new TitoError(code, message, { details });
  const what = nameOf(subject);
  const errorCode = header("x-error-code");
  if (!isHub && status < 500 && status !== 429) {
    const message = `${host}, to which the hub sends for ${what}, refuses it (${status}). Call again: the hub makes a new address each time.`;
    return new HubFailure(fail("hub_protocol", message));
  }
  if (status === 401) return new HubFailure(fail("hub_unauthorized", unauthorized(what, subject, errorCode)));
  if (status === 403) {
    const remedy = `Open the model's page on ${host}, accept its licence, and see that the token may read it.`;
    return new HubFailure(fail("hub_forbidden", `The hub does not give ${what} to this account (403). ${remedy}`));
  }
  if (status === 404) return new HubFailure(fail("hub_not_found", notFound(what, subject, errorCode)));
  if (status === 429) {
    const afterMs = retryAfter(header);
    const wait = afterMs === null ? "Wait" : `Wait ${Math.ceil(afterMs / 1000)} s`;
    const remedy = `${wait}, or pass a token: signed in, more requests are allowed.`;
    const error = fail("hub_rate_limited", `${host} has had too many requests from here (429). ${remedy}`);
    return new HubFailure(error, { isCut: false, afterMs });
  }
  if (status >= 500) {
    const error = fail("hub_unavailable", `${host} cannot answer for ${what} at present (${status}). Try again later.`);
    return new HubFailure(error, { isCut: false, afterMs: retryAfter(header) });
  }
  return new HubFailure(
    fail(
      "hub_protocol",
      `${host} answers with status ${status} for ${what}. Check the endpoint: it is no hub, or a newer one.`,
    ),
  );
}

/** What a failed connection means: those that were never made are not tried again, those that broke are. */
export function connectionFailure(error: unknown, subject: Subject, host: string): HubFailure {
  const reason = reasonOf(error);
  const details = { ...place(subject), reason };
  if (UNREACHABLE.test(reason)) {
    const remedy = "Check the network and the endpoint, or work offline with what is in the cache.";
    const message = `${host} cannot be reached (${reason}). ${remedy}`;
    return new HubFailure(new TitoError("hub_unavailable", message, { details }));
  }
  const message = `The connection to ${host} broke again and again (${reason}) on ${nameOf(subject)}. Call again: what has arrived is kept.`;
  return new HubFailure(new TitoError("download_interrupted", message, { details }), { isCut: true, afterMs: null });
}

export function protocolFailure(subject: Subject, host: string, fact: string): HubFailure {
  const message = `${host} ${fact} for ${nameOf(subject)}. Check the endpoint.`;
  return new HubFailure(new TitoError("hub_protocol", message, { details: place(subject) }));
}

/** A model that needs a token, found before anything is downloaded. */
export function gatedError(id: string, endpoint: string, kind: "gated" | "private"): TitoError {
  const steps = kind === "gated" ? `accept its licence at ${endpoint}/${id}, then ` : "";
  return new TitoError(
    "hub_gated",
    `${id} is ${kind}, and there is no token: ${steps}set HF_TOKEN or pass a token of an account that may read it.`,
    { details: { id, [kind]: true } },
  );
}

export function aborted(what: string, signal: AbortSignal): TitoError {
  return new TitoError("aborted", `Fetching ${what} was aborted. Call again: what has arrived is kept.`, {
    cause: signal.reason,
  });
}

/** Names that never existed, refused connections, certificates: the same the next second. */
const UNREACHABLE = /^(?:ENOTFOUND|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|CERT_.*|.*_CERT.*|ERR_TLS.*|ERR_SSL.*)$/;

/** What is known of a failure without repeating its words: a system's error code, or the name of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "an unknown error";
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  const inner = error instanceof AggregateError ? error.errors[0] : cause;
  return inner instanceof Error ? reasonOf(inner) : error.name;
}

function unauthorized(what: string, { hasToken }: Subject, errorCode: string | null): string {
  const gated = errorCode === "GatedRepo" ? ", which is gated: accept its licence on its page" : "";
  return hasToken
    ? `The hub does not take the token for ${what} (401)${gated}. Check that the token is valid and may read the model, and the name.`
    : `The hub wants a token for ${what} (401)${gated}. Set HF_TOKEN or pass a token; without one a hub also answers so for names that it does not have.`;
}

function notFound(what: string, { id, revision, file }: Subject, errorCode: string | null): string {
  if (errorCode === "RevisionNotFound")
    return `${id} has no revision ${JSON.stringify(revision)} (404). Check its name.`;
  if (errorCode === "RepoNotFound" || (file === undefined && revision === "main")) {
    return `The hub has no model ${id} (404). Check the name; a private model needs a token.`;
  }
  return `The hub does not have ${what} (404). Check model, revision and file.`;
}

/** Retry-After in seconds or as a date, or the hub's own `RateLimit: "api";r=0;t=55`, in milliseconds. */
function retryAfter(header: (name: string) => string | null): number | null {
  const value = header("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = value === "" ? Number.NaN : Date.parse(value);
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  const seconds = /;\s*t=(\d+)/.exec(header("ratelimit") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function nameOf({ id, revision, file }: Subject): string {
  const at = revision === "main" ? "" : `@${revision}`;
  return file === undefined ? `${id}${at}` : `${file} of ${id}${at}`;
}

function place({ id, revision, file }: Subject): Record<string, unknown> {
  return { id, revision, ...(file === undefined ? {} : { file }) };
}
