/** Whether the disk has room for what the host is about to write. */
import { statfs } from 'node:fs/promises';

/**
 * Room for what is under way. Not for all that may come: a read model alone writes up to 250 MiB
 * ahead of its file, and what does not fit is refused then.
 */
const LEAST_FREE_MIB = 32;
const BYTES_PER_MIB = 1_024 * 1_024;

/** Rejects while there is too little of it: a host that cannot write is to be sent nothing. */
export async function expectRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= LEAST_FREE_MIB * BYTES_PER_MIB) return;
  throw new Error(`less than ${LEAST_FREE_MIB} MiB are free on the disk of ${folder}`);
}
