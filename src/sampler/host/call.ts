import type { Ids } from "../../tokenizer/types.ts";
import type { SampleOptions } from "../options.ts";
import { refuse } from "../refuse.ts";
import type { HostRequest } from "./types.ts";

/** A request's parts: what to evaluate, where, and how to sample. */
export interface CallParts {
  readonly prompt: Ids | undefined;
  readonly extension: Ids | undefined;
  readonly sessionId: string | undefined;
  readonly parent: string | undefined;
  readonly options: SampleOptions;
}

/** @throws TitoError `sampler_option` for parts that do not go together. */
export function readCall(request: HostRequest): CallParts {
  if (typeof request !== "object" || request === null) refuse("request", request, "an object with a prompt");
  const { prompt, extension, sessionId, parent, ...options } = request;
  if (sessionId === undefined) {
    if (prompt === undefined) refuse("prompt", prompt, "given: the ids of the whole prompt, or a sessionId beside it");
    if (extension !== undefined) refuse("extension", "given", "left out without a sessionId: give the whole prompt");
  } else {
    if ((prompt === undefined) === (extension === undefined))
      refuse(
        "prompt",
        prompt === undefined ? undefined : "given",
        "given beside a sessionId, or extension: one of them",
      );
    if (parent !== undefined) refuse("parent", parent, "left out beside a sessionId: host.open takes it");
  }
  const added = extension ?? prompt;
  // An id that is none is refused by the session, with its place.
  if (!Array.isArray(added) && !(added instanceof Int32Array))
    refuse(extension === undefined ? "prompt" : "extension", added, "an Int32Array or an array of ids");
  return { prompt, extension, sessionId, parent, options };
}
