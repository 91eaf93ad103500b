/** Counts in what people read. */

/** A number with what it counts: `1 event`, `2 events`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
