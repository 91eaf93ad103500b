/** UUIDs of the host: version 7 for what is new, version 8 for what must come out the same again. */
import { hash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const UUID_BYTES = 16;
/** Hexadecimal ones of the time in an id. */
const TIME_DIGITS = 12;

/** Asking the system for 16 bytes at a time costs ten times the rest of making an id. */
const POOL_BYTES = 4_096;

const pool = new Uint8Array(POOL_BYTES);
const random = new Uint8Array(UUID_BYTES);
const options = { random };
let used = POOL_BYTES;

/**
 * A new UUID of version 7: 48 bits of the current time in milliseconds, then 74 random bits. Or of a given
 * time, where those of one millisecond sort by `seq`, 32 bits in the place of random ones.
 */
export function uuidV7(of?: { readonly msecs: number; readonly seq: number }): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  for (let index = 0; index < UUID_BYTES; index += 1) random[index] = pool[used + index] ?? 0;
  used += UUID_BYTES;
  return v7(of === undefined ? options : { random, ...of });
}

/**
 * The UUID (version 8) that these parts name: the same parts always give the same id, on any
 * machine. The first 122 bits of a SHA-256 over the parts; of what has a time, its milliseconds in
 * place of the first 48, so that ids of one time are side by side in an index.
 */
export function deterministicUuid(parts: readonly string[], msecs?: number): string {
  // As JSON, so that ['ab', 'c'] and ['a', 'bc'] cannot meet.
  const hex = hash('sha256', JSON.stringify(parts), 'hex');
  const first = msecs === undefined ? hex : msecs.toString(16).padStart(TIME_DIGITS, '0');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${first.slice(0, 8)}-${first.slice(8, 12)}-8${hex.slice(13, 16)}` +
    `-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  );
}
