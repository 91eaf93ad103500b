/** The size of an append. */
import { type AppendRequest, EventStoreError } from '@counterfoil/core';

/**
 * The length of the texts of appends that are made as one, in UTF-16 units, a measure of their size;
 * throws beyond the limit.
 */
export function measure(requests: readonly AppendRequest[], limit: number): number {
  let length = 0;
  for (const { stream, events } of requests) {
    length += stream.length;
    for (const { data, metadata } of events) length += data.length + metadata.length;
  }
  if (length <= limit) return length;
  throw new EventStoreError('too-large', `more than ${limit} characters of events`);
}
