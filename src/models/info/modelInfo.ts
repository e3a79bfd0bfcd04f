import { existsSync } from "node:fs";
import { TitoError } from "../../errors.ts";
import { fetchGgufHeader, type GgufHeader, type RemoteOptions, readGgufHeader } from "../gguf/index.ts";
import { DEFAULT_ENDPOINT, type HubOptions, isHubId } from "../hub/index.ts";
import { headerInfo } from "./headerInfo.ts";
import { hubInfo } from "./hubInfo.ts";
import type { ModelInfo } from "./types.ts";

export interface ModelInfoOptions extends RemoteOptions, Pick<HubOptions, "revision" | "endpoint"> {
  /**
   * For a URL: sent to that host only, never to another one that it redirects to; default for the hub's own files: HF_TOKEN. For
   * a hub's model: as `hubModel`.
   */
  readonly token?: string | undefined;
}

/**
 * What a model is: its tools, size, vocabulary and renderer. Of a `.gguf`, a path or an http(s) URL, only the header is read; of a
 * hub's model (`"org/name"`) nothing is downloaded, and the answer is marked `heuristic`.
 *
 * @throws TitoError `file_not_found`, `invalid_gguf`, `model_unreachable`, `aborted`; `template_syntax` and `tokenizer_invalid` for
 *   templates that cannot be used; as `hubModel`, and `model_file_missing` for a hub's model without a GGUF
 * @example
 * const { supports_tools } = await modelInfo("model.gguf");
 */
export async function modelInfo(source: string, options: ModelInfoOptions = {}): Promise<ModelInfo> {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(source)) return headerInfo(await fetchHeader(source, options));
  if (!existsSync(source) && isHubId(source)) return hubInfo(source, options);
  const { signal } = options;
  if (signal?.aborted) throw new TitoError("aborted", "Reading the model was aborted.", { cause: signal.reason });
  return headerInfo(readGgufHeader(source));
}

function fetchHeader(url: string, { token, signal, timeoutMs, fetch }: ModelInfoOptions): Promise<GgufHeader> {
  return fetchGgufHeader(url, { token: token ?? hubToken(url), signal, timeoutMs, fetch });
}

/** The hub's token is for the hub. */
function hubToken(url: string): string | undefined {
  const hub = process.env.HF_ENDPOINT || DEFAULT_ENDPOINT;
  const isHubs = URL.canParse(url) && URL.canParse(hub) && new URL(url).origin === new URL(hub).origin;
  return isHubs ? process.env.HF_TOKEN?.trim() : undefined;
}
