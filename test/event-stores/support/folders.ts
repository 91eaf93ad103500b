/** Temporary folders of a test file, on the disk or on a small file system of their own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
const mounts: string[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-log-'));
  folders.push(folder);
  return folder;
}

/** Mounting needs root on Linux. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

/** A folder with a limited capacity in bytes. */
export function newSmallDisk(bytes: number): string {
  const folder = newFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  mounts.push(folder);
  return folder;
}

/** Makes a folder of `newSmallDisk` read-only, which binds root as well. */
export function writeProtect(disk: string): void {
  execFileSync('mount', ['-o', 'remount,ro', disk]);
}

/** Leaves not a byte of room on a disk, whatever its block size. */
export function fillUp(file: string): void {
  for (const bytes of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

export function removeFolders(): void {
  // Lazily: a failed test may have left a store open on it.
  for (const mount of mounts.splice(0)) execFileSync('umount', ['--lazy', mount]);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}
