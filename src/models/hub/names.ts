// Names that come from a user or from the hub, checked before a request or a path is made of them.
import { TitoError } from "../../errors.ts";

const ID_PART = /^\w(?:[\w.-]{0,94}\w)?$/;
/** Endings of files that are passed by path: a name like this is never a model's id. */
const FILE_ENDING = /\.(?:gguf|json|model|jinja|tiktoken|safetensors|bin)$/i;
/** What git refuses in the name of a branch or a tag, and what would leave a directory. */
const BAD_REVISION = /^[/.-]|\/[/.]|[/.]$|\.\.|@\{|[\0-\x20\x7f\\~^:?*[]/;
const BAD_IN_FILE_NAME = /[\0-\x1f\x7f\\]|^[A-Za-z]:/;

/** Whether a name has the form of a hub id, `org/name`, and not that of a file. */
export function isHubId(name: string): boolean {
  const parts = name.split("/");
  const isPart = (part: string): boolean => ID_PART.test(part) && !part.includes("..");
  return parts.length === 2 && parts.every(isPart) && !FILE_ENDING.test(name);
}

/** @throws TitoError `invalid_hub_name` */
export function checkId(id: string): void {
  if (typeof id === "string" && isHubId(id)) return;
  throw invalidName("model id", id, 'An id is "org/name", of letters, digits, "_", "-" and ".".');
}

/** @throws TitoError `invalid_hub_name` */
export function checkRevision(revision: string): void {
  const isName = typeof revision === "string" && revision.length > 0 && revision.length <= 200;
  if (isName && !BAD_REVISION.test(revision)) return;
  throw invalidName("revision", revision, "A revision is the name of a branch or a tag, or a commit.");
}

/** @throws TitoError `invalid_hub_name` */
export function checkFileName(file: string): void {
  if (typeof file === "string" && isFileName(file)) return;
  throw invalidName("file", file, 'A file is named by its path inside the repository: "model-Q4_K_M.gguf".');
}

/** Whether a name stays inside the directory it is joined to, on every system. */
export function isFileName(file: string): boolean {
  const isStep = (step: string): boolean => step !== "" && step !== "." && step !== ".." && step.length <= 200;
  return file.length <= 1000 && !BAD_IN_FILE_NAME.test(file) && file.split("/").every(isStep);
}

function invalidName(what: string, name: unknown, remedy: string): TitoError {
  const shown = JSON.stringify(typeof name === "string" ? name.slice(0, 200) : typeof name);
  return new TitoError("invalid_hub_name", `${shown} is no ${what} of a hub. ${remedy}`, { details: { name } });
}
