/** Which folders read which events: decided once for each type of event in each category of streams. */
import { categoryOf, type StoredEvent } from '@counterfoil/core';
import type { Decoded } from './decoding.ts';
import type { Folder } from './folder.ts';

/** The program has a few hundred types in a few dozen categories. */
type Known = Map<string, Map<string, readonly Folder[]>>;

export class Readers {
  readonly #folders: readonly Folder[];
  readonly #known: Known = new Map();

  constructor(folders: readonly Folder[]) {
    this.#folders = folders;
  }

  of(event: StoredEvent): readonly Folder[] {
    const category = categoryOf(event.stream);
    const known = this.#known.get(category)?.get(event.type);
    if (known !== undefined) return known;
    const readers = this.#folders.filter((folder) => folder.reads(event));
    const types = this.#known.get(category) ?? new Map<string, readonly Folder[]>();
    this.#known.set(category, types.set(event.type, readers));
    return readers;
  }

  /** What each folder reads of these events, in their order. */
  shareOut(events: readonly Decoded[]): ReadonlyMap<Folder, readonly Decoded[]> {
    const shares = new Map<Folder, Decoded[]>(this.#folders.map((folder) => [folder, []]));
    for (const event of events) {
      for (const folder of this.of(event.stored)) shares.get(folder)?.push(event);
    }
    return shares;
  }
}
