import { isIP } from "node:net";
import { TitoError } from "../../errors.ts";
import { placeOfUrl } from "../imagePart.ts";
import { isPublicAddress } from "./addresses.ts";
import { loadError, reasonOf, tooLarge } from "./errors.ts";
import { httpGet } from "./httpGet.ts";
import type { LoadLimits } from "./options.ts";

const maxRedirects = 5;

/** An answer of either client. `body` must be read or closed. */
export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** A host that may be asked, and whether only its public addresses may be. */
export interface Permission {
  readonly publicOnly: boolean;
}

/** Fetches an image from an allowed host; each redirect has to lead to an allowed host again. */
export async function fetchUrl(url: string, at: string, limits: LoadLimits): Promise<Uint8Array> {
  let target = parse(url, at);
  // The whole image has to arrive in time, redirects included.
  const signal = AbortSignal.any([AbortSignal.timeout(limits.timeout), ...(limits.signal ? [limits.signal] : [])]);
  for (let redirects = 0; ; redirects++) {
    const place = placeOfUrl(target);
    const fail = (what: string, remedy: string) => loadError("image_load_failed", at, place, what, remedy);
    const permission = permit(target, at, limits);
    let answer: Answer | undefined;
    try {
      answer = await (limits.fetch
        ? ownFetch(limits.fetch, target, signal)
        : httpGet(target, permission, limits, signal));
      const location = answer.status >= 300 && answer.status < 400 ? answer.header("location") : null;
      if (location !== null) {
        if (redirects === maxRedirects) throw fail("redirects too often", "Pass the image's final URL.");
        target = parse(location, at, target);
        continue;
      }
      if (answer.status !== 200) throw fail(`answers with status ${answer.status}`, "Check the URL.");
      return await readBody(answer, at, place, limits.maxBytes);
    } catch (cause) {
      if (cause instanceof TitoError || limits.signal?.aborted) throw cause;
      if (signal.aborted) throw fail(`does not answer within ${limits.timeout} ms`, "Raise the option timeout.");
      throw fail(`cannot be fetched (${reasonOf(cause)})`, "Check the URL and the network.");
    } finally {
      answer?.close();
    }
  }
}

function parse(url: string, at: string, base?: URL): URL {
  const target = URL.canParse(url, base?.href) ? new URL(url, base?.href) : null;
  if (target?.protocol === "https:" || target?.protocol === "http:") return target;
  const place = base ? placeOfUrl(base) : "the URL";
  const what = base ? "redirects to what is no http(s) URL" : "is no http(s) URL";
  throw loadError("image_load_failed", at, place, what, "Pass the image's http(s) URL.");
}

function permit(url: URL, at: string, { allow: { hosts } }: LoadLimits): Permission {
  const refuse = (what: string, remedy: string) =>
    loadError("image_load_refused", at, placeOfUrl(url), what, `${remedy}, if its images may be fetched.`);
  const named = Array.isArray(hosts) && hosts.some((host) => host.toLowerCase() === url.host);
  if (named) return { publicOnly: false };
  const add = `Add "${url.host}" to allow.hosts`;
  if (hosts !== true) throw refuse("may not be fetched: the host is not allowed", add);
  const address = url.hostname.replace(/^\[|\]$/g, "");
  const local = /(^|\.)localhost\.?$/.test(address) || (isIP(address) !== 0 && !isPublicAddress(address));
  if (local) throw refuse("has a private address", add);
  return { publicOnly: true };
}

async function ownFetch(fetch: typeof globalThis.fetch, url: URL, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { redirect: "manual", signal, headers: { accept: "image/*" } });
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    body: response.body ?? noBody(),
    close: () => void response.body?.cancel().catch(() => undefined),
  };
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

async function readBody(answer: Answer, at: string, place: string, maxBytes: number): Promise<Uint8Array> {
  if (Number(answer.header("content-length") ?? 0) > maxBytes) throw tooLarge(at, place, maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(at, place, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
