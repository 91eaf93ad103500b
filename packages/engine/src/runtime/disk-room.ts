/** Checks the free disk space. */
import { statfs } from 'node:fs/promises';

/**
 * Enough for current writes only: the write-ahead log of a read model alone can reach 250 MiB. Writes
 * that do not fit are refused.
 */
const LEAST_FREE_MIB = 32;
const BYTES_PER_MIB = 1_024 * 1_024;

/** Rejects while there is too little: a host that cannot write should receive no requests. */
export async function expectRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= LEAST_FREE_MIB * BYTES_PER_MIB) return;
  throw new Error(`less than ${LEAST_FREE_MIB} MiB are free on the disk of ${folder}`);
}
