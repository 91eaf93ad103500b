/** An append as adapters measure it and hand it on: what they take is checked by the port already. */
import type { AppendRequest, Expected } from '@counterfoil/core';
import { EventStoreError, never } from '@counterfoil/core';

/** Expectations as numbers: a revision, or one of these. -1 is both `noStream` and its revision. */
export const EXPECT_NO_STREAM = -1;
export const EXPECT_ANY = -2;
export const EXPECT_EXISTS = -3;

/** The length of an append's texts in UTF-16 units, a measure of its size; throws beyond the limit. */
export function measure({ stream, events }: AppendRequest, limit: number): number {
  let length = stream.length;
  for (const { data, metadata } of events) length += data.length + metadata.length;
  if (length <= limit) return length;
  throw new EventStoreError('too-large', `more than ${limit} characters of events`);
}

export function expectationCode(expected: Expected): number {
  switch (expected.kind) {
    case 'any':
      return EXPECT_ANY;
    case 'noStream':
      return EXPECT_NO_STREAM;
    case 'exists':
      return EXPECT_EXISTS;
    case 'exact':
      return expected.revision;
    default:
      return never(expected);
  }
}
