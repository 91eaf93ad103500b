/** What every store looks at in an append before it joins a batch with others. */
import type { AppendRequest, Expected } from '@counterfoil/core';

/** Expectations as numbers: a revision, or one of these. -1 is both `noStream` and its revision. */
export const EXPECT_NO_STREAM = -1;
export const EXPECT_ANY = -2;
export const EXPECT_EXISTS = -3;
/** An exact revision that no stream can have. */
const EXPECT_NOTHING = Number.MAX_SAFE_INTEGER;

/**
 * Looks at a request before it joins a batch, where a value of a wrong type would harm its
 * neighbours. Hands back the length of its texts, a measure of its size.
 */
export function measure({ stream, events, expected, command }: AppendRequest): number {
  if (events.length === 0) throw new RangeError('an append has at least one event');
  expectationCode(expected);
  expectTexts(stream, command.id, command.fingerprint);
  let length = stream.length;
  for (const { id, type, schemaVersion, tenantId, time, data, metadata } of events) {
    expectTexts(id, type, time, data, metadata);
    expectNumbers(schemaVersion, tenantId);
    length += data.length + metadata.length;
  }
  return length;
}

function expectTexts(...values: readonly unknown[]): void {
  if (values.every((value) => typeof value === 'string')) return;
  throw new TypeError('a field of the append that must be text is not');
}

function expectNumbers(...values: readonly unknown[]): void {
  if (values.every(Number.isSafeInteger)) return;
  throw new TypeError('a field of the append that must be a whole number is not');
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
      return expected.revision < EXPECT_NO_STREAM ? EXPECT_NOTHING : expected.revision;
    default: {
      const unknown: never = expected;
      throw new RangeError(`not an expectation: ${JSON.stringify(unknown)}`);
    }
  }
}
