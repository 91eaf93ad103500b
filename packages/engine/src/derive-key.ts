/** Keys for the purposes of a ledger, all from its master key. */
import { hkdfSync } from 'node:crypto';

/** Derives a separate key for each purpose (HKDF-SHA256). */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `counterfoil: ${purpose}`, 32));
}
