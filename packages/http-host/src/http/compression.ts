/** Compresses responses for clients that accept it (RFC 9110, section 12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Coding, codingOf } from './accept.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './request-context.ts';

/** Smaller responses fit into one packet anyway. */
export const MIN_COMPRESSED_BYTES = 1_024;

/** zlib works on threads that files and keys need too. */
const MAX_AT_ONCE = 2;
/** Beyond so many waiting responses the next one is sent as it is. */
const MAX_WAITING = 64;

const COMPRESSIBLE = /^(?:text\/|application\/(?:[a-z.+-]*json|x-ndjson|xml)\b)/;
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);

type Compress = (bytes: Buffer) => Promise<Buffer>;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const brotli = (bytes: Buffer, quality: number) =>
  brotliAsync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      // A window beyond the content only takes memory.
      [constants.BROTLI_PARAM_LGWIN]: windowOf(bytes),
    },
    ...chunkOf(bytes),
  });

const SMALLEST_CHUNK = 1_024;
const LARGEST_CHUNK = 65_536;

/** Room for the compressed content, mostly in one piece. */
function chunkOf({ length }: Buffer) {
  return { chunkSize: Math.min(Math.max(length >> 2, SMALLEST_CHUNK), LARGEST_CHUNK) };
}

function windowOf({ length }: Buffer): number {
  const { BROTLI_MIN_WINDOW_BITS: min, BROTLI_DEFAULT_WINDOW: max } = constants;
  return Math.min(Math.max(Math.ceil(Math.log2(length)), min), max);
}

/** The cheapest levels: they save nine tenths of a page of records, and more effort little more. */
const FAST: Readonly<Record<Coding, Compress>> = {
  br: (bytes) => brotli(bytes, 1),
  gzip: (bytes) => gzipAsync(bytes, { level: 1, ...chunkOf(bytes) }),
};
/** For what is compressed once. */
const SMALL: Readonly<Record<Coding, Compress>> = {
  br: (bytes) => brotli(bytes, 9),
  gzip: (bytes) => gzipAsync(bytes, { level: 9 }),
};

export class Compression {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Compressed forms of constant bodies. */
  readonly #constants = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

  /** The response as it is sent to this client. Small ones come back at once. */
  encoded(exchange: Exchange, answer: Answer): Answer | Promise<Answer> {
    const { body, contentType, headers } = answer;
    const { acceptEncoding } = exchange.head;
    const { coding, refusesIdentity } = codingOf(acceptEncoding);
    if (!isLonger(body, refusesIdentity ? 0 : MIN_COMPRESSED_BYTES)) return answer;
    if (WITHOUT_CONTENT.has(answer.status) || !mayCompress(exchange)) return answer;
    if (!COMPRESSIBLE.test(contentType) || headers?.['Content-Encoding'] !== undefined) {
      return answer;
    }
    const varied = withVary(answer);
    if (coding === undefined) return varied;
    if (this.#waiting.length >= MAX_WAITING && !refusesIdentity) return varied;
    return this.#compressed(varied, coding);
  }

  async #compressed(answer: Answer, coding: Coding): Promise<Answer> {
    const body = await this.#bytesOf(answer, coding);
    const headers: Record<string, string> = { ...answer.headers, 'Content-Encoding': coding };
    const { ETag: etag } = headers;
    // A strong tag names these very bytes; a weak one names the content.
    if (etag?.startsWith('"')) headers['ETag'] = `${etag.slice(0, -1)}-${coding}"`;
    return { ...answer, body, headers };
  }

  async #bytesOf({ body, isConstant, brotli }: Answer, coding: Coding): Promise<Buffer> {
    if (coding === 'br' && brotli !== undefined) return brotli;
    if (typeof body === 'string') {
      return this.#limited(() => FAST[coding](Buffer.from(body)));
    }
    if (isConstant !== true) return this.#limited(() => FAST[coding](body));
    const forms = this.#constants.get(body) ?? new Map<Coding, Promise<Buffer>>();
    this.#constants.set(body, forms);
    const form = forms.get(coding) ?? SMALL[coding](body);
    forms.set(coding, form);
    return form;
  }

  async #limited(compress: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#running >= MAX_AT_ONCE) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await compress();
    } finally {
      // The place goes to the one that waited longest.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/**
 * A compressed length tells of its content: not where that is a secret, nor before the caller is
 * known.
 */
function mayCompress({ endpoint, knownPrincipal }: Exchange): boolean {
  if (endpoint === undefined) return true;
  if (endpoint.holdsSecrets === true) return false;
  return endpoint.access.kind === 'public' || knownPrincipal !== undefined;
}

/** No text has fewer bytes than characters: those of a long one are not counted. */
function isLonger(body: string | Buffer, bytes: number): boolean {
  return body.length > bytes || (typeof body === 'string' && Buffer.byteLength(body) > bytes);
}

const VARIED = { Vary: 'Accept-Encoding' };

function withVary(answer: Answer): Answer {
  if (answer.headers === undefined) return { ...answer, headers: VARIED };
  const { Vary: vary, ...headers } = answer.headers;
  const names = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  return { ...answer, headers: { ...headers, Vary: names } };
}
