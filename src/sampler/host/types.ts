/// <reference lib="esnext.disposable" preserve="true" />
import type { Ids } from "../../tokenizer/types.ts";
import type { SampleOptions } from "../options.ts";
import type { Completion } from "../types.ts";

export interface HostOptions {
  /** How many of the sampler's sequences the host takes, from 1. Default: all that have no open session. */
  readonly sequences?: number;
  /** How many callers may wait for a sequence. Default 1024. The next one gets `queue_full`. */
  readonly maxQueue?: number;
  /**
   * How many sessions may be open, from 1 to `sequences`; `open` waits when they are. Default: all sequences but one, which stays for
   * calls without a session; 1 if there is one only, and then such calls wait until the session ends.
   */
  readonly maxSessions?: number;
  /** Ends a session that has done nothing for so many milliseconds. Default: never. */
  readonly idleTimeout?: number;
  /**
   * How many bytes of saved states may lie on the disk. Default 1 GiB; 0: none are saved, and what is forked is evaluated again. Beyond it the
   * one that was not used for longest goes; its prefix stays, and is evaluated again.
   */
  readonly maxStateBytes?: number;
  /** Where the host makes its directory for saved states. Default: the system's directory for temporary files. */
  readonly stateDirectory?: string;
}

/** A call with ids of its own: all of them, whatever is cached. */
export interface PromptRequest extends SampleOptions {
  readonly prompt: Ids;
  /** A prefix or a session that the prompt starts with: its cache is used, and the prompt is held against its ids. */
  readonly parent?: string;
  readonly sessionId?: undefined;
  readonly extension?: undefined;
}

/** A turn of a session: either the whole prompt, or what is new after `session.ids`. */
export type SessionRequest = SampleOptions & { readonly sessionId: string; readonly parent?: undefined } & (
    | { readonly prompt: Ids; readonly extension?: undefined }
    | { readonly extension: Ids; readonly prompt?: undefined }
  );

export type HostRequest = PromptRequest | SessionRequest;

export interface OpenSessionOptions {
  /** Default: an id that the host makes. */
  readonly id?: string;
  /** A prefix or a session: the new session starts with its ids, which are not evaluated again. */
  readonly parent?: string;
  /** Leaves the queue with an `aborted` error. */
  readonly signal?: AbortSignal;
}

/** An open session, which keeps its sequence until it is ended. */
export interface HostSession extends AsyncDisposable {
  readonly sessionId: string;
  /** All ids that it evaluated and sampled, a copy: what `extension` goes on from. */
  readonly ids: Int32Array;
  /** A call is under way. */
  readonly busy: boolean;
  readonly ended: boolean;
  /** As `host.end`. */
  end(): Promise<void>;
}

export interface PrefillOptions {
  /** A prefix or a session that the ids start with. */
  readonly parent?: string;
  /** Ends with an `aborted` error. */
  readonly signal?: AbortSignal;
}

/** A prefix that is kept until `release`. `evaluatedTokens + reusedTokens` is `length`. */
export interface Prefix {
  readonly prefixId: string;
  /** How many ids it has. */
  readonly length: number;
  /** Ids that were evaluated for it, as the native side counted them. */
  readonly evaluatedTokens: number;
  readonly reusedTokens: number;
  /** Size of its saved state; 0 when none is saved: it is short, or there is no room. */
  readonly stateBytes: number;
}

/** A completion of a group, and which one it is. */
export interface GroupCompletion extends Completion {
  readonly index: number;
}

/** How things stand. */
export interface HostStats {
  /** Sequences that the host has. */
  readonly sequences: number;
  /** Sequences that do nothing and belong to no session. */
  readonly free: number;
  /** Open sessions. */
  readonly sessions: number;
  /** Callers that wait for a sequence. */
  readonly waiting: number;
  /** Prefixes that were not released. */
  readonly prefixes: number;
  /** Bytes of saved states. */
  readonly stateBytes: number;
  /** Ids evaluated since the host was opened, prompts and sampled ids together, as the native side counted them. */
  readonly evaluatedTokens: number;
}
