/** Keeps the folded present of the streams used last, so that a busy one is not read again and again. */
import type { Loaded, StateCache, StreamName } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';

const MAX_STREAMS = 20_000;

export function createStateCache(): StateCache {
  const streams = new LRUCache<StreamName, Loaded<unknown>>({ max: MAX_STREAMS });
  return {
    get: (stream) => streams.get(stream),
    set: (stream, loaded) => {
      streams.set(stream, loaded);
    },
  };
}
