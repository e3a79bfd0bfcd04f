/** Options of ours under which a recorded system's reading is one of ours, by family; each with its reason. */
export const readings: Readonly<
  Record<string, { readonly settings: Readonly<Record<string, unknown>>; readonly why: string }>
> = {
  default: {
    settings: { adaptMessages: ["arguments"], certificate: "off", analysis: "off" },
    why:
      "The recorded renders decode arguments that are JSON text before the template sees them; and the recorded renderer never " +
      "bridges, nor reads calls without a named parser, where ours does what the template's renders prove.",
  },
  "gpt-oss": {
    settings: { forceAnalysis: true, headerLoss: false },
    why: "The recorded generation prompt opens the analysis channel, and the recorded loss mask leaves out the headers.",
  },
  "laguna-xs.2": {
    settings: { newlineAfterTurn: false },
    why: "The recorded bridges leave out the line that the template writes behind a turn.",
  },
  "laguna-m.1": {
    settings: { newlineAfterTurn: false },
    why: "The recorded bridges leave out the line that the template writes behind a turn.",
  },
};
