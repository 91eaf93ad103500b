/** Opens a sales file, compressed or plain. */
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NotASalesFile } from './read-sales.ts';

/** The invoices of 1 to 20 December 2010; source and licence in the README beside it. */
export const SALES_EXTRACT: URL = new URL('../data/online-retail-2010-12.csv.gz', import.meta.url);

/** The magic bytes of gzip (RFC 1952). */
const GZIP = [0x1f, 0x8b];

/**
 * Yields the bytes of the CSV. Compression is detected by the first bytes, not the file name.
 * Throws `NotASalesFile` when the file is missing, unreadable, or compressed and damaged.
 */
export async function* openSales(file: URL | string): AsyncGenerator<Uint8Array> {
  const bytes = chunksOf(file);
  const first = await bytes.next();
  if (first.done === true) return;
  if (GZIP.some((byte, index) => first.value[index] !== byte)) {
    yield first.value;
    yield* bytes;
    return;
  }
  async function* packed(): AsyncGenerator<Uint8Array> {
    if (!first.done) yield first.value;
    yield* bytes;
  }
  try {
    // An error of either stream destroys both, and so reaches the reader.
    yield* pipeline(Readable.from(packed()), createGunzip(), () => undefined);
  } catch (error) {
    if (error instanceof NotASalesFile) throw error;
    throw new NotASalesFile(`the sales file is compressed, and damaged: ${reasonOf(error)}`);
  }
}

async function* chunksOf(file: URL | string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file);
  } catch (error) {
    throw new NotASalesFile(`the sales file cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
