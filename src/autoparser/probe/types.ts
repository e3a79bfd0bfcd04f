export interface ProbeMessage {
  readonly role: string;
  readonly content: string | null;
  readonly [field: string]: unknown;
}

export interface ProbeCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: object };
}

export interface ProbeTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

/** What prompts write behind the header: with thinking as by default, switched on, switched off. */
export interface Opened {
  readonly plain: string;
  readonly on: string;
  readonly off: string;
}
