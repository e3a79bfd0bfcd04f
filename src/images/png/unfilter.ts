/**
 * Undoes PNG's filters in place, one byte before each row telling which: none, left, up, average, Paeth. `step` is the
 * distance to the pixel on the left, in bytes. False if a row has no such filter.
 */
export function unfilter(data: Uint8Array, start: number, rows: number, rowBytes: number, step: number): boolean {
  let above = -1;
  for (let y = 0; y < rows; y++) {
    const filter = data[start + y * (rowBytes + 1)];
    const row = start + y * (rowBytes + 1) + 1;
    if (filter > 4) return false;
    for (let x = 0; filter !== 0 && x < rowBytes; x++) {
      const left = x >= step ? data[row + x - step] : 0;
      const up = above >= 0 ? data[above + x] : 0;
      const corner = above >= 0 && x >= step ? data[above + x - step] : 0;
      data[row + x] += predict(filter, left, up, corner);
    }
    above = row;
  }
  return true;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    default:
      return paeth(left, up, corner);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
