/** Detects folders that are not on a disk. */
import { statfsSync } from 'node:fs';

/** File systems in memory, without durability (Linux magic numbers). */
const MEMORY_FILE_SYSTEMS = new Set([0x01021994, 0x858458f6]);

export function isInMemory(folder: string): boolean {
  return MEMORY_FILE_SYSTEMS.has(statfsSync(folder).type);
}
