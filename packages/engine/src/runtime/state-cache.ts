/** LRU cache of folded stream states. */
import type { Loaded, StateCache, StreamName } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';

/** Size of the cache. */
const MAX_BYTES = 128 * 2 ** 20;
/** Overhead per stream and per stored command. */
const STREAM_BYTES = 500;
const COMMAND_BYTES = 130;
/** Estimated bytes of state per character of an event. */
const BYTES_A_CHARACTER = 2;
/** Caps the counted size of a stream, so that long streams, which are costly to read, stay cached. */
const MOST_COUNTED = Math.floor(MAX_BYTES / 20);

export interface ClearableStateCache extends StateCache {
  /** Removes all entries. */
  clear(): void;
  /** The estimated size of the entries. */
  readonly bytes: number;
}

export function createStateCache(): ClearableStateCache {
  const streams = new LRUCache<StreamName, Loaded<unknown>>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ commands, characters }) => {
      const bytes = STREAM_BYTES + COMMAND_BYTES * commands.size + BYTES_A_CHARACTER * characters;
      return Math.min(bytes, MOST_COUNTED);
    },
  });
  return {
    get: (stream) => streams.get(stream),
    set: (stream, loaded) => {
      streams.set(stream, loaded);
    },
    clear: () => streams.clear(),
    get bytes() {
      return streams.calculatedSize;
    },
  };
}
