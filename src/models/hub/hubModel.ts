import { protocolFailure, type Subject } from "./failures.ts";
import { checkId, checkRevision } from "./names.ts";
import { type HubAnswer, request } from "./request.ts";
import { attempts } from "./retry.ts";
import { type HubOptions, type HubSettings, hubSettings } from "./settings.ts";

export interface HubModelOptions extends HubOptions {
  /** Fields to give, and no others: `["gguf"]` is what the hub read from a GGUF's header. */
  readonly expand?: readonly string[] | undefined;
  /** Gives size and checksum of each file. Not together with `expand`. */
  readonly blobs?: boolean | undefined;
}

/** What a hub says of a model; only fields that are used here are named, and each may be missing. */
export interface HubModel {
  readonly id?: string;
  /** The commit that the revision has now. */
  readonly sha?: string;
  readonly private?: boolean | null;
  readonly gated?: false | "auto" | "manual" | null;
  readonly siblings?: readonly HubSibling[];
  /** From the header of one of the GGUF files. It has the default chat template only. */
  readonly gguf?: {
    readonly chat_template?: unknown;
    readonly architecture?: string;
    readonly context_length?: number;
    readonly total?: number;
    readonly [key: string]: unknown;
  } | null;
  readonly [key: string]: unknown;
}

export interface HubSibling {
  readonly rfilename: string;
  readonly size?: number;
  /** Git's name of the content; for a large file, of the pointer to it. */
  readonly blobId?: string;
  readonly lfs?: { readonly sha256?: string; readonly size?: number } | null;
}

/** The JSON of a model is small; what is larger is no answer. */
const MAX_JSON = 64 << 20;

/**
 * Asks a hub about a model: `GET {endpoint}/api/models/{id}[/revision/{revision}]`.
 *
 * @throws TitoError `invalid_hub_name`, `hub_unauthorized`, `hub_forbidden`, `hub_not_found`, `hub_rate_limited`,
 *   `hub_unavailable`, `download_interrupted`, `hub_protocol`, `aborted`, `invalid_config`
 * @example
 * const { gguf } = await hubModel("Qwen/Qwen3-0.6B-GGUF", { expand: ["gguf"] });
 */
export async function hubModel(id: string, options: HubModelOptions = {}): Promise<HubModel> {
  return askForModel(id, hubSettings(options), options);
}

/** As `hubModel`, with settings that were read before. */
export async function askForModel(
  id: string,
  settings: HubSettings,
  { expand = [], blobs = false }: Pick<HubModelOptions, "expand" | "blobs"> = {},
): Promise<HubModel> {
  checkId(id);
  const { revision } = settings;
  checkRevision(revision);
  const subject: Subject = { id, revision, hasToken: settings.hasToken };
  const url = new URL(`${settings.endpoint}/api/models/${id}`);
  if (revision !== "main") url.pathname += `/revision/${encodeURIComponent(revision)}`;
  for (const field of expand) url.searchParams.append("expand", field);
  if (blobs) url.searchParams.set("blobs", "true");
  const tries = attempts(id, settings);
  for (;;) {
    try {
      return await readModel(await request(url.href, subject, settings, { accept: "application/json" }), subject);
    } catch (failure) {
      await tries.failed(failure);
    }
  }
}

async function readModel(answer: HubAnswer, subject: Subject): Promise<HubModel> {
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of answer.body()) {
      length += chunk.length;
      if (length > MAX_JSON) throw protocolFailure(subject, answer.host, "answers with far too much");
      chunks.push(chunk);
    }
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as HubModel;
    throw protocolFailure(subject, answer.host, "answers with no JSON object");
  } catch (error) {
    if (error instanceof SyntaxError) throw protocolFailure(subject, answer.host, "answers with no JSON");
    throw error;
  } finally {
    answer.close();
  }
}
