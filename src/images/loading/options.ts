import type { AsyncImageProcessor, ImageProcessor } from "../types.ts";

/** What a resolver of host names gives, as `node:dns` has it. */
export interface HostAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

export interface AllowedPlaces {
  /** true: any file; a list: only files inside these folders, links followed. Without it no file is read. */
  readonly files?: true | readonly string[];
  /**
   * true: any host with a public address; a list: only these hosts, written `host` (default port) or `host:port`. A host with
   * a private address is reached only if it is in the list. Without it nothing is fetched.
   */
  readonly hosts?: true | readonly string[];
}

export interface LoadImagesOptions {
  readonly allow?: AllowedPlaces | undefined;
  /** Processes each image while loading; without it the images are only read, and the renderer's rule processes them. */
  readonly processor?: ImageProcessor | AsyncImageProcessor | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Greatest size of one image's file, in bytes; 20 MiB unless set. */
  readonly maxBytes?: number | undefined;
  /** How long one image may take to arrive, in milliseconds; 30,000 unless set. */
  readonly timeout?: number | undefined;
  /** How many images are loaded at a time; 8 unless set. */
  readonly concurrency?: number | undefined;
  /**
   * Fetches instead of the built-in client, through a proxy for example. It is called for allowed hosts only, and must not follow
   * redirects on its own; that a host's name leads to no private address is then its own affair.
   */
  readonly fetch?: typeof fetch | undefined;
  /** Resolves host names instead of the system's resolver. */
  readonly lookup?: ((host: string) => Promise<readonly HostAddress[]>) | undefined;
}

/** Options with their defaults, as the parts of loading take them. */
export interface LoadLimits {
  readonly allow: AllowedPlaces;
  readonly maxBytes: number;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof fetch | undefined;
  readonly lookup: (host: string) => Promise<readonly HostAddress[]>;
}
