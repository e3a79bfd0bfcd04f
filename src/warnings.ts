/** What a warning is about, as a value to branch on. */
export type WarningCode =
  // chat templates: the model has none, and plain ChatML stands for it; the template does not describe tools to the model;
  // messages were changed so that the template can write them; a family was chosen because it renders the template identically
  | "template_fallback"
  | "tools_not_described"
  | "messages_adapted"
  | "family_identified"
  // hubs: what the hub shows of a model's template does not name tools; the hub cannot be reached, and the cache stands for it
  | "tools_unlikely"
  | "hub_unreachable"
  // renderer pools: a checkout was forgotten; everything runs in the calling thread
  | "pool_checkout_abandoned"
  | "pool_inline";

/** Something that a user should know and that is no error: work goes on. `message` ends with a remedy, if there is one. */
export interface TitoWarning {
  readonly code: WarningCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export type WarningHandler = (warning: TitoWarning) => void;

/**
 * Passes a warning to its handler. The default is `process.emitWarning` with the type `TitoWarning` and the code (a line on
 * stderr, and an event `"warning"` of the process); outside of Node `console.warn`.
 */
export function warn(warning: TitoWarning, onWarning: WarningHandler = emitWarning): void {
  onWarning(warning);
}

/** A handler for a thing that lives long: of each code only its first warning goes on. */
export function warnOnce(onWarning: WarningHandler = emitWarning): WarningHandler {
  const codes = new Set<WarningCode>();
  return (warning) => {
    if (codes.has(warning.code)) return;
    codes.add(warning.code);
    warn(warning, onWarning);
  };
}

function emitWarning({ code, message }: TitoWarning): void {
  const { process } = globalThis as { readonly process?: Partial<Pick<NodeJS.Process, "emitWarning">> };
  if (process?.emitWarning !== undefined) process.emitWarning(message, { type: "TitoWarning", code });
  else console.warn(`[${code}] TitoWarning: ${message}`);
}
