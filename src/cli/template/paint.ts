const codes = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Paint = (style: keyof typeof codes, text: string) => string;

/** Colours a text for a terminal, or leaves it as it is. */
export function painter(colors: boolean): Paint {
  return colors ? (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m` : (_, text) => text;
}
