/** The size of an append. */
import { type AppendRequest, EventStoreError } from '@counterfoil/core';

/** The length of an append's texts in UTF-16 units, a measure of its size; throws beyond the limit. */
export function measure({ stream, events }: AppendRequest, limit: number): number {
  let length = stream.length;
  for (const { data, metadata } of events) length += data.length + metadata.length;
  if (length <= limit) return length;
  throw new EventStoreError('too-large', `more than ${limit} characters of events`);
}
