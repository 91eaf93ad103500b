/** Keeps the folded present of the streams used last, so that a busy one is not read again and again. */
import type { Loaded, StateCache, StreamName } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';

/** What all of it may take. */
const MAX_BYTES = 128 * 2 ** 20;
/** Of a stream beside its events, and of each command that it remembers. */
const STREAM_BYTES = 500;
const COMMAND_BYTES = 130;
/** A character of an event, as a part of the state: most stand in memory as one byte and their share of an object. */
const BYTES_A_CHARACTER = 2;
/** However long a stream is, it is kept while it is in use: to read it again costs the more. */
const MOST_COUNTED = Math.floor(MAX_BYTES / 20);

export interface ClearableStateCache extends StateCache {
  /** Forgets everything: what is asked for again is read and folded anew. */
  clear(): void;
  /** What it holds, by its own count. */
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
