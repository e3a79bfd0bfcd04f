import { parseArgs } from "node:util";
import { TitoError } from "../../errors.ts";
import { type FetchedModel, type FetchProgress, fetchModel } from "../../models/hub/index.ts";
import { type ToolRequirement, toolRequirements } from "../../models/info/requireTools.ts";
import type { CommandIo } from "../template/commandIo.ts";

export const fetchUsage = `tito model fetch ORG/NAME [--file FILE] [--revision NAME] [--require-tools LEVEL] [--cache-dir DIR] [--json]

Downloads a model's .gguf from a hub into the cache, or finds it there, and writes its path. Size and SHA-256 are checked; a
download that was cut goes on where it ended.

  --file FILE            this file of the repository; default the only .gguf, else the first quantisation that is there of
                         Q4_K_M, Q5_K_M, Q4_0, Q8_0, Q6_K, Q3_K_M, Q2_K
  --revision NAME        a branch, a tag or a commit; default main
  --require-tools LEVEL  what the model's chat template has to have: both (default; it describes tools and writes calls),
                         describe, none. A model that lacks it is moved aside, as FILE.quarantined
  --cache-dir DIR        default TITO_CACHE, else tito in the user's cache folder (~/.cache)
  --endpoint URL         the hub; default HF_ENDPOINT, else the public one
  --token TOKEN          access token for the hub; better in HF_TOKEN, because others may see a command's arguments
  --offline              makes no request: what is in the cache, or nothing. As HF_HUB_OFFLINE=1
  --json                 { type: "model_fetched", path, file, … }, or { type: "error", code, message }

Exit code 1 when there is no such model here in the end, 130 when interrupted.`;

/** @throws TitoError `usage`, and as `fetchModel` */
export async function fetchCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      file: { type: "string" },
      revision: { type: "string" },
      "require-tools": { type: "string" },
      "cache-dir": { type: "string" },
      endpoint: { type: "string" },
      token: { type: "string" },
      offline: { type: "boolean" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${fetchUsage}\n`);
    return 0;
  }
  const [id] = positionals;
  if (id === undefined || positionals.length > 1) {
    throw new TitoError("usage", `Expected one model, found ${positionals.length}.\n\n${fetchUsage}`);
  }
  const { file, revision, "cache-dir": cacheDir, endpoint, token, offline } = values;
  const level = values["require-tools"];
  if (level !== undefined && !toolRequirements.includes(level)) {
    const levels = toolRequirements.join(", ");
    throw new TitoError("usage", `--require-tools: expected one of ${levels}, found ${JSON.stringify(level)}.`);
  }
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  // An interrupted download gives its lock back.
  process.once("SIGINT", onInterrupt);
  try {
    const fetched = await fetchModel(id, {
      file,
      revision,
      cacheDir,
      endpoint,
      token,
      offline,
      requireTools: level as ToolRequirement | undefined,
      signal: interrupt.signal,
      onProgress: progressNotes(io),
      onWarning: ({ message }) => io.note(message),
    });
    io.write(values.json ? `${JSON.stringify({ type: "model_fetched", ...fetched })}\n` : `${fetched.path}\n`);
    if (!values.json) io.note(summary(fetched));
    return 0;
  } catch (error) {
    if (!interrupt.signal.aborted || !(error instanceof TitoError)) throw error;
    io.note(error.message);
    return 130;
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

/** A line for each tenth of a file. */
function progressNotes(io: CommandIo): (progress: FetchProgress) => void {
  let next = 0;
  return ({ file, received, total }) => {
    if (total === null || received < next) return;
    const tenth = total === 0 ? 10 : Math.floor((received * 10) / total);
    next = ((tenth + 1) * total) / 10;
    io.note(`${file}: ${tenth * 10} % of ${megabytes(total)}`);
  };
}

function summary({ file, size, sha256, isCached }: FetchedModel): string {
  const checked = sha256 === null ? "" : `, SHA-256 ${sha256}`;
  return `${file}: ${megabytes(size)}${checked}, ${isCached ? "was in the cache" : "fetched"}`;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
