// What the server itself reads of a stream's metadata: which of its events are hidden from reads.

/** The revision of a tombstone, and what `$tb` is set to by a deletion. */
export const MAX_REVISION = 2n ** 63n - 1n;

export interface StreamMetadata {
  readonly truncateBefore: bigint;
  readonly maxCount: number | undefined;
}

/** `$maxAge` and access lists are not honoured: see the README. */
export function streamMetadataOf(data: Uint8Array): StreamMetadata {
  const parsed = parse(Buffer.from(data).toString('utf8'));
  return {
    truncateBefore: revisionOf(parsed['$tb']),
    maxCount: typeof parsed['$maxCount'] === 'number' ? parsed['$maxCount'] : undefined,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // The real server takes metadata that it cannot read for none.
    return {};
  }
}

function revisionOf(value: unknown): bigint {
  if (typeof value !== 'number') return 0n;
  // JSON.parse rounds the largest revision up to 2^63.
  return value >= Number(MAX_REVISION) ? MAX_REVISION : BigInt(Math.trunc(value));
}
