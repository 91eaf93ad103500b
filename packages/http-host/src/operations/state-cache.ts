/** Keeps the folded present of the streams used last, so that a busy one is not read again and again. */
import type { Loaded, StateCache, StreamName } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';

const MAX_STREAMS = 20_000;
/** What is kept of a stream grows with its commands: room for ten of each. */
const MAX_COMMANDS = 10 * MAX_STREAMS;
/** However long a stream is, it is kept while it is in use: to read it again costs the more. */
const MOST_COUNTED = MAX_COMMANDS / 20;

export interface ClearableStateCache extends StateCache {
  /** Forgets everything: what is asked for again is read and folded anew. */
  clear(): void;
}

export function createStateCache(): ClearableStateCache {
  const streams = new LRUCache<StreamName, Loaded<unknown>>({
    max: MAX_STREAMS,
    maxSize: MAX_COMMANDS,
    sizeCalculation: ({ commands }) => Math.min(1 + commands.size, MOST_COUNTED),
  });
  return {
    get: (stream) => streams.get(stream),
    set: (stream, loaded) => {
      streams.set(stream, loaded);
    },
    clear: () => streams.clear(),
  };
}
