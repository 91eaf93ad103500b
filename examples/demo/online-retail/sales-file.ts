/** Opens a file of sales, compressed or plain, and knows where the one that comes with the demo is. */
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NotASalesFile } from './read-sales.ts';

/** The invoices of 1 to 20 December 2010; source and licence in the README beside it. */
export const SALES_EXTRACT: URL = new URL('../data/online-retail-2010-12.csv.gz', import.meta.url);

/** What every file in gzip begins with (RFC 1952). */
const GZIP = [0x1f, 0x8b];

/**
 * The bytes of the CSV. What is compressed is told by its first bytes, whatever the file is called.
 * Throws `NotASalesFile` for one that is not there, cannot be read, or is compressed and damaged.
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
    // An error of either stream destroys both, and so reaches whoever reads the last one.
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
