/** Waits between tries: twice as long each time. */

export interface Waits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait after so many failures in a row, at least one. */
export function waitAfter(failures: number, { firstMs, longestMs }: Waits): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}
