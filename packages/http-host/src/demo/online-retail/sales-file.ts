/** Opens a file of sales, compressed or plain, and knows where the one that comes with the package is. */
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The invoices of 1 to 20 December 2010; source and licence in the README beside it. */
export const SALES_EXTRACT: URL = new URL(
  '../../../demo-data/online-retail-2010-12.csv.gz',
  import.meta.url,
);

/** The bytes of the CSV. A name that ends in `.gz` is decompressed on the way. */
export function openSales(file: URL | string): Readable {
  const bytes = createReadStream(file);
  const name = typeof file === 'string' ? file : file.pathname;
  if (!name.endsWith('.gz')) return bytes;
  // An error of either stream destroys both, and so reaches whoever reads the last one.
  return pipeline(bytes, createGunzip(), () => undefined);
}
