/** What a file is by its first bytes, whatever it is called. */
import { isUtf8 } from 'node:buffer';
import type { DisputeEvidence } from '@counterfoil/core';

type MediaType = (typeof DisputeEvidence.MEDIA_TYPES)[number];

const BEGINNINGS: readonly (readonly [MediaType, readonly number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
];

/** Undefined for what is none of the types that evidence may have. */
export function mediaTypeOf(content: Uint8Array): MediaType | undefined {
  const found = BEGINNINGS.find(([, bytes]) => bytes.every((byte, at) => content[at] === byte));
  if (found !== undefined) return found[0];
  return content.byteLength > 0 && isUtf8(content) && isPrintable(content)
    ? 'text/plain'
    : undefined;
}

/** A text has no control characters but tabs and ends of lines. */
function isPrintable(content: Uint8Array): boolean {
  return content.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
