/** Makes files and names durable. */
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** A file, or the names in a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file for its owner only. It must not exist. */
export function writeDurably(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true });
}
