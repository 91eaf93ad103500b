/** What the writer knows of streams: bounds that never hide an acknowledged event. */
import type { StreamName } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { KnownRevisions } from './known-revisions.ts';

const STREAM = 'sample-1-a' as StreamName;
const MORE_THAN_KEPT = 60_000;

it('knows nothing of a stream that was neither read nor written', () => {
  expect(new KnownRevisions().of(STREAM)).toBeUndefined();
});

it('tells what a read saw, and what was acknowledged since', () => {
  const revisions = new KnownRevisions();
  revisions.sawEnd(STREAM, -1);
  expect(revisions.of(STREAM)).toBe(-1);
  revisions.acknowledged(STREAM, 2);
  expect(revisions.of(STREAM)).toBe(2);
});

it('is not led back by an answer that comes after a read of more', () => {
  const revisions = new KnownRevisions();
  revisions.sawEnd(STREAM, 4);
  revisions.acknowledged(STREAM, 2);
  expect(revisions.of(STREAM)).toBe(4);
});

it('says nothing after an append of which nobody knows the end', () => {
  const revisions = new KnownRevisions();
  revisions.acknowledged(STREAM, 2);
  revisions.forget(STREAM);
  expect(revisions.of(STREAM)).toBeUndefined();
});

it('keeps the streams that were told of last', () => {
  const revisions = new KnownRevisions();
  revisions.sawEnd(STREAM, 0);
  for (let each = 0; each < MORE_THAN_KEPT; each += 1) {
    revisions.sawEnd(`sample-1-${each}` as StreamName, 0);
    if (each % 1_000 === 0) revisions.acknowledged(STREAM, each);
  }
  expect(revisions.of('sample-1-0' as StreamName)).toBeUndefined();
  expect(revisions.of(STREAM)).toBe(59_000);
});
