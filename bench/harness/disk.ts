/** Whether what is written to a folder is on a disk at all. */
import { statfsSync } from 'node:fs';

/** File systems in memory, where nothing is durable (magic numbers of Linux). */
const MEMORY_FILE_SYSTEMS = new Set([0x01021994, 0x858458f6]);

export function isInMemory(folder: string): boolean {
  return MEMORY_FILE_SYSTEMS.has(statfsSync(folder).type);
}
