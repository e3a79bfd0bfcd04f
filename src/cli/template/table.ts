import { displayWidth } from "./excerpt.ts";

export interface Cell {
  readonly text: string;
  /** Applied when the width is known, because colours have none. */
  readonly paint?: ((text: string) => string) | undefined;
}

/** Rows under one another, two blanks between columns; the last column is not filled up. */
export function table(rows: readonly (readonly (string | Cell)[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)));
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach(({ text }, column) => {
      if (column < row.length - 1) widths[column] = Math.max(widths[column] ?? 0, displayWidth(text));
    });
  }
  return cells.map((row) =>
    row
      .map(({ text, paint }: Cell, column) => {
        const fill = column === row.length - 1 ? "" : " ".repeat(widths[column] - displayWidth(text));
        return `${paint ? paint(text) : text}${fill}`;
      })
      .join("  ")
      .trimEnd(),
  );
}
