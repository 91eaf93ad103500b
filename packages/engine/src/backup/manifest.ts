/** The manifest of a backup: what it holds, with checksums, its own included. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isFile } from '../storage/stores.ts';
import { BACKUP_NAMES, BackupError, LOG } from './backup-files.ts';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

const Listed = z.strictObject({
  name: z.enum(BACKUP_NAMES),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const Content = z.strictObject({
  format: z.literal(FORMAT),
  /** Of the program that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  /** The position of the last event; null for an empty log. */
  head: z.string().nullable(),
  files: z.array(Listed).refine((files) => files.some(({ name }) => name === LOG)),
});

export type Manifest = z.output<typeof Content>;
export type ListedFile = Manifest['files'][number];

/** The text of the file. */
export function manifestText(content: Omit<Manifest, 'format'>): string {
  const manifest = Content.parse({ format: FORMAT, ...content });
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  return `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`;
}

/**
 * Verifies a backup: its manifest, and the size and checksum of every file. Throws a BackupError.
 * `onProgress` is called with the bytes that have been read, and their total.
 */
export async function readBackup(
  folder: string,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Manifest> {
  const manifest = manifestIn(folder);
  const total = bytesOf(manifest);
  let done = 0;
  for (const { name, bytes, sha256 } of manifest.files) {
    const path = join(folder, name);
    if (!isFile(path)) throw damaged(path, 'it is missing');
    if (statSync(path).size !== bytes) throw damaged(path, `it should have ${bytes} bytes`);
    const before = done;
    const found = await digestOf(path, { onRead: (read) => onProgress(before + read, total) });
    if (found !== sha256) throw damaged(path, 'its checksum is another one');
    done += bytes;
  }
  return manifest;
}

export function bytesOf({ files }: { readonly files: readonly ListedFile[] }): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function damaged(path: string, fault: string): BackupError {
  return new BackupError(`${path} is not as it was made: ${fault}. Use another backup`);
}

function manifestIn(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!isFile(path)) {
    throw new BackupError(`${folder} is no whole backup: it has no ${MANIFEST}`);
  }
  const text = readFileSync(path, 'utf8');
  const found = jsonIn(text);
  const { format } = z.looseObject({ format: z.unknown() }).safeParse(found).data ?? {};
  if (typeof format === 'number' && format > FORMAT) {
    throw new BackupError(`${path} is of a later version of this program`);
  }
  const { sha256: _, ...content } = z.looseObject({}).safeParse(found).data ?? {};
  const parsed = Content.safeParse(content);
  // Compared as a text: nothing in it may differ, spaces included.
  if (parsed.success && manifestText(parsed.data) === text) return parsed.data;
  throw damaged(path, 'its checksum is another one');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Digesting {
  /** Gets a copy of what is read. */
  readonly into?: FileHandle;
  readonly onRead?: (bytes: number) => void;
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function digestOf(path: string, { into, onRead }: Digesting = {}): Promise<string> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = chunk as Buffer;
    hash.update(bytes);
    await into?.writeFile(bytes);
    read += bytes.length;
    onRead?.(read);
  }
  return hash.digest('hex');
}

const CHUNK_BYTES = 1024 * 1024;
