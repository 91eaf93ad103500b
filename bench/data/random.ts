/** Reproducible pseudo-random numbers from a seed. */

export type Random = () => number;

/** Mulberry32: 32 bits of state, uniform between 0 and 1. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 up to, not including, the bound. */
export function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

export function pickOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)] as Item;
}

/** A UUIDv7 of the given time, so ids are ordered by time, as those of payments are. */
export function timeOrderedUuid(random: Random, timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0');
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
}
