/** The style and the scripts of the console, under addresses that never change their content. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { bounded } from '../api/wire.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';

const YEAR_SECONDS = 31_536_000;
const HASH_LENGTH = 16;
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const FILES = {
  style: ['style.css', CSS, new URL('assets/style.css', import.meta.url)],
  script: ['console.js', JAVASCRIPT, new URL('assets/console.js', import.meta.url)],
  htmx: ['htmx.js', JAVASCRIPT, new URL(import.meta.resolve('htmx.org/dist/htmx.min.js'))],
} as const;
type Name = keyof typeof FILES;

let read: ReturnType<typeof readFiles> | undefined;

function readFiles() {
  const files = new Map<string, { readonly bytes: Buffer; readonly contentType: string }>();
  const addresses = {} as Record<Name, string>;
  for (const [name, [file, contentType, url]] of Object.entries(FILES)) {
    const bytes = readFileSync(url);
    const mark = hash('sha256', bytes, 'hex').slice(0, HASH_LENGTH);
    const hashed = file.replace('.', `.${mark}.`);
    files.set(hashed, { bytes, contentType });
    addresses[name as Name] = `/console/assets/${hashed}`;
  }
  return { files, addresses };
}

/** The addresses by name. */
export function assetAddresses(): Readonly<Record<Name, string>> {
  read ??= readFiles();
  return read.addresses;
}

export function assetEndpoint(): Endpoint {
  return endpoint({
    operationId: 'getConsoleFile',
    method: 'GET',
    path: '/console/assets/{file}',
    tag: 'Console',
    summary: 'The style and the scripts of the console',
    description: 'Names with a hash never change their content, and are cached for a year.',
    access: { kind: 'public' },
    params: z.object({ file: bounded(64) }),
    responses: { 200: { description: 'The file', schema: z.string(), contentType: 'text/css' } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(_, { params: { file } }) {
      read ??= readFiles();
      const found = read.files.get(file);
      if (found === undefined) throw refuse('not_found');
      const headers = { 'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable` };
      return {
        status: 200,
        raw: found.bytes,
        contentType: found.contentType,
        isConstant: true,
        headers,
      };
    },
  });
}
