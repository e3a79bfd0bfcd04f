import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Files = Readonly<Record<string, Buffer | string>>;

export interface RepoSettings {
  gated?: false | "auto" | "manual";
  private?: boolean;
  /** What the hub read from a GGUF's header. */
  gguf?: object | null;
  /** Whether answers name the commit. */
  namesCommit?: boolean;
  /** Whether the listing has sizes and checksums. */
  listsBlobs?: boolean;
  /** Whether answers for large files have X-Linked-ETag and X-Linked-Size. */
  links?: boolean;
  /** More siblings than there are files. */
  ghosts?: readonly string[];
}

/** What goes wrong, with the first requests whose path fits. */
export interface Fault {
  readonly on: RegExp;
  readonly host?: "hub" | "cdn";
  /** How many requests; 1 unless set. */
  times?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body after which the connection is cut. */
  readonly cutAfter?: number;
  /** Milliseconds between small pieces of the body. */
  readonly drip?: number;
  /** As if Range had not been sent. */
  readonly ignoresRange?: boolean;
  /** Sends this in place of the file. */
  readonly body?: Buffer;
  /** Does something before the answer. */
  readonly before?: () => void;
}

export interface SeenRequest {
  readonly host: "hub" | "cdn";
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

interface Repository {
  settings: RepoSettings;
  readonly refs: Map<string, string>;
  readonly commits: Map<string, ReadonlyMap<string, Buffer>>;
}

export const digest = (algorithm: "sha1" | "sha256", data: Buffer | string): string =>
  createHash(algorithm).update(data).digest("hex");

const gitName = (data: Buffer): string => digest("sha1", Buffer.concat([Buffer.from(`blob ${data.length}\0`), data]));
const isLarge = (name: string): boolean => name.endsWith(".gguf") || name === "tokenizer.json";

/** A hub of models on this machine, and on another port the host that large files are on. */
export class FakeHub {
  readonly requests: SeenRequest[] = [];
  readonly faults: Fault[] = [];
  /** Tokens that are valid, and those whose account may not read gated models. */
  readonly tokens = new Set<string>();
  readonly strangers = new Set<string>();
  readonly #repositories = new Map<string, Repository>();
  readonly #hub: Server;
  readonly #cdn: Server;

  private constructor() {
    this.#hub = createServer((request, response) => void this.#serve("hub", request, response));
    this.#cdn = createServer((request, response) => void this.#serve("cdn", request, response));
  }

  static async start(): Promise<FakeHub> {
    const hub = new FakeHub();
    for (const server of [hub.#hub, hub.#cdn]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    return hub;
  }

  get endpoint(): string {
    return addressOf(this.#hub);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
  }

  /** Makes a commit and gives its id. A branch that is there moves on. */
  publish(id: string, files: Files, settings: RepoSettings = {}, revision = "main"): string {
    const contents = new Map(Object.entries(files).map(([name, data]) => [name, Buffer.from(data)]));
    const commit = digest("sha1", JSON.stringify([...contents].map(([name, data]) => [name, digest("sha1", data)])));
    const repository = this.#repositories.get(id) ?? { settings, refs: new Map(), commits: new Map() };
    repository.settings = { ...repository.settings, ...settings };
    repository.refs.set(revision, commit);
    repository.commits.set(commit, contents);
    this.#repositories.set(id, repository);
    return commit;
  }

  /** Requests for files and not for what is said of them. */
  downloads(host: "hub" | "cdn" = "cdn"): SeenRequest[] {
    return this.requests.filter((seen) => seen.host === host && !seen.path.startsWith("/api/"));
  }

  async #serve(host: "hub" | "cdn", request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    this.requests.push({ host, path, headers: request.headers });
    const fault = this.faults.find((one) => (one.host ?? host) === host && one.on.test(path) && (one.times ?? 1) > 0);
    if (fault) fault.times = (fault.times ?? 1) - 1;
    fault?.before?.();
    if (fault?.status !== undefined) return end(response, fault.status, { ...fault.headers });
    if (host === "cdn") return this.#serveBlob(request, response, fault);
    const { pathname, searchParams } = new URL(path, this.endpoint);
    const model = /^\/api\/models\/([^/]+\/[^/]+)(?:\/revision\/([^/]+))?$/.exec(pathname);
    if (model) return this.#serveModel(request, response, model[1]!, model[2] ?? "main", searchParams);
    const file = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(pathname);
    if (file) return this.#serveFile(request, response, fault, file[1]!, file[2]!, decodeURIComponent(file[3]!));
    end(response, 404);
  }

  async #serveModel(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    revision: string,
    query: URLSearchParams,
  ): Promise<void> {
    const found = this.#find(id, decodeURIComponent(revision));
    if (typeof found === "string") return end(response, 404, { "x-error-code": found });
    const { settings, commit, files } = found;
    if (settings.private && !this.#mayRead(request)) return end(response, 401, { "x-error-code": "RepoNotFound" });
    const base = { id, ...(settings.namesCommit !== false && { sha: commit }) };
    if (query.getAll("expand").includes("gguf"))
      return end(response, 200, {}, { ...base, gguf: settings.gguf ?? null });
    const hasBlobs = query.get("blobs") === "true" && settings.listsBlobs !== false;
    const siblings = [...files].map(([rfilename, data]) => {
      if (!hasBlobs) return { rfilename };
      const size = data.length;
      if (!isLarge(rfilename)) return { rfilename, size, blobId: gitName(data) };
      const lfs = { sha256: digest("sha256", data), size, pointerSize: 134 };
      return { rfilename, size, blobId: gitName(Buffer.from(JSON.stringify(lfs))), lfs };
    });
    const ghosts = (settings.ghosts ?? []).map((rfilename) => ({ rfilename }));
    const { gated = false, private: isPrivate = false } = settings;
    end(response, 200, {}, { ...base, private: isPrivate, gated, siblings: [...siblings, ...ghosts] });
  }

  async #serveFile(
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
    id: string,
    revision: string,
    name: string,
  ): Promise<void> {
    const found = this.#find(id, decodeURIComponent(revision));
    if (typeof found === "string") return end(response, 404, { "x-error-code": found });
    const { settings, commit, files } = found;
    if (settings.gated || settings.private) {
      if (!this.#mayRead(request)) {
        return end(response, 401, { "x-error-code": settings.gated ? "GatedRepo" : "RepoNotFound" });
      }
      if (this.strangers.has(tokenOf(request))) return end(response, 403, { "x-error-code": "GatedRepo" });
    }
    const data = files.get(name);
    if (data === undefined) return end(response, 404, { "x-error-code": "EntryNotFound" });
    const headers = settings.namesCommit === false ? {} : { "x-repo-commit": commit };
    if (!isLarge(name)) return sendFile(request, response, data, { ...headers, etag: `"${gitName(data)}"` }, fault);
    const sha256 = digest("sha256", data);
    const linked = { "x-linked-etag": `"${sha256}"`, "x-linked-size": String(data.length) };
    const location = `${addressOf(this.#cdn)}/${sha256}?signature=of-the-cdn`;
    end(response, 302, { ...headers, ...(settings.links !== false && linked), location });
  }

  async #serveBlob(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): Promise<void> {
    const sha256 = new URL(request.url!, this.endpoint).pathname.slice(1);
    for (const { commits } of this.#repositories.values()) {
      for (const files of commits.values()) {
        for (const data of files.values()) {
          if (digest("sha256", data) !== sha256) continue;
          return sendFile(request, response, data, { etag: `"cdn-${sha256.slice(0, 8)}"` }, fault);
        }
      }
    }
    end(response, 404);
  }

  #find(id: string, revision: string) {
    const repository = this.#repositories.get(id);
    if (!repository) return "RepoNotFound";
    const commit = repository.refs.get(revision) ?? revision;
    const files = repository.commits.get(commit);
    return files ? { settings: repository.settings, commit, files } : "RevisionNotFound";
  }

  #mayRead(request: IncomingMessage): boolean {
    return this.tokens.has(tokenOf(request));
  }
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const tokenOf = ({ headers }: IncomingMessage): string => /^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1] ?? "";

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}, json?: object): void {
  response.writeHead(status, headers);
  response.end(json === undefined ? "" : JSON.stringify(json));
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  data: Buffer,
  headers: Readonly<Record<string, string>>,
  { cutAfter, drip, ignoresRange = false, body = data, headers: more }: Partial<Fault> = {},
): Promise<void> {
  const all = { ...headers, ...more };
  if (request.headers["if-none-match"] === all.etag) return end(response, 304, all);
  const range = ignoresRange ? null : /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const isFresh = request.headers["if-range"] === undefined || request.headers["if-range"] === all.etag;
  const start = range && isFresh ? Number(range[1]) : 0;
  if (start >= body.length && start > 0) return end(response, 416, { "content-range": `bytes */${body.length}` });
  const part = body.subarray(start);
  const place = start > 0 ? { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` } : {};
  response.writeHead(start > 0 ? 206 : 200, { "content-length": part.length, ...place, ...all });
  if (cutAfter === undefined && drip === undefined) return void response.end(part);
  const until = Math.min(part.length, cutAfter ?? part.length);
  const step = drip === undefined ? until : Math.max(1, Math.ceil(until / 8));
  for (let at = 0; at < until && !response.destroyed; at += step) {
    response.write(part.subarray(at, Math.min(at + step, until)));
    await sleep(drip ?? 50, undefined, { ref: false });
  }
  if (cutAfter === undefined) response.end();
  // What has been written should arrive.
  else response.socket?.destroySoon();
}
