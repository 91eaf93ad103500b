/** One-time passwords by time (RFC 6238), with SHA-1, six digits and steps of 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** Of the clock of the device: one step before and after. */
const TOLERATED_STEPS = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_OF_LETTER = 5;

export function makeSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** RFC 4648, without padding: what authenticator apps are typed. */
export function base32Of(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  return letters
    .map((each) => BASE32[Number.parseInt(each.padEnd(BITS_OF_LETTER, '0'), 2)])
    .join('');
}

/** The code of a step, which counts from the epoch. */
export function codeOf(secret: Uint8Array, step: number, digits = 6, algorithm = 'sha1'): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(algorithm, secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1_000 / STEP_SECONDS);
}

/** The step of a code, which must be after the last one that was used; undefined for a wrong one. */
export function stepOf(
  code: string,
  { secret, nowMs, usedStep }: { secret: Uint8Array; nowMs: number; usedStep: number },
): number | undefined {
  const now = stepAt(nowMs);
  for (let step = now - TOLERATED_STEPS; step <= now + TOLERATED_STEPS; step += 1) {
    if (step > usedStep && isSame(code, codeOf(secret, step))) return step;
  }
  return undefined;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
