/** How a SentencePiece vocabulary spells a blank: U+2581. */
export const METASPACE = "▁";

/** The text that a vocabulary entry, or a text which holds the sign itself, stands for. */
export const readable = (entry: string): string => entry.replaceAll(METASPACE, " ");

/** The entry that stands for one byte: `<0x0A>`. */
export const byteEntry = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
