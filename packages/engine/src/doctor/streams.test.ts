import { catalog, Reference } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { AGGREGATES } from './streams.ts';

it('folds the streams of every event of the catalog', () => {
  const folded = [...Object.values(AGGREGATES), Reference].flatMap(({ events }) =>
    Object.keys(events),
  );
  expect([...catalog.keys()].filter((type) => !folded.includes(type))).toEqual([]);
});
