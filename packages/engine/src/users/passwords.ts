/** Passwords: scrypt with its parameters kept beside the digest. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** As OWASP recommends: 32 MiB and about a quarter of a second for each guess. */
export const PRESENT_COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Twice what scrypt takes: 128 · N · r bytes. */
const MEMORY_FACTOR = 256;

export interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** `scrypt$131072$8$1$<salt>$<digest>`, in base64url. */
export async function hashPassword(password: string, cost: Cost = PRESENT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const digest = await digestOf(password, salt, cost);
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64url'), digest.toString('base64url')].join('$');
}

/** As long for a user without a password: the digest of no password is then compared, at this cost. */
export async function isPassword(
  password: string,
  kept: string | undefined,
  present: Cost = PRESENT_COST,
): Promise<boolean> {
  const [, N, r, p, salt = '', digest = ''] = (kept ?? nobodyAt(present)).split('$');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const given = await digestOf(password, Buffer.from(salt, 'base64url'), cost);
  const isSame = timingSafeEqual(given, Buffer.from(digest, 'base64url'));
  return isSame && kept !== undefined;
}

function nobodyAt({ N, r, p }: Cost): string {
  const zeros = [SALT_BYTES, KEY_BYTES].map((length) => Buffer.alloc(length).toString('base64url'));
  return ['scrypt', N, r, p, ...zeros].join('$');
}

/** Equal texts that are composed otherwise are one password. */
function digestOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const maxmem = MEMORY_FACTOR * cost.N * cost.r;
  return derive(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem });
}
