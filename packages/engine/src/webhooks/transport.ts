/** Posts webhooks: to checked addresses only, without redirects, bounded in time and size. */
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { hostOf, isLoopback, isPublicAddress, urlFault } from './addresses.ts';
import { type Resolve, resolveByDns } from './names.ts';

export const TIMEOUT_MS = 15_000;
/** Read of an answer; what is longer is cut off. */
export const MAX_ANSWER_BYTES = 64 * 1_024;
/** Kept of an answer. */
export const KEPT_ANSWER_BYTES = 4 * 1_024;
const IDLE_MS = 30_000;
const MAX_IDLE_SOCKETS = 256;
/** URLs that are remembered as read. */
const MAX_TARGETS = 1_000;

export type SendFault =
  | 'url_refused'
  | 'address_refused'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'certificate_refused'
  | 'connection_failed'
  | 'timeout'
  | 'stopped';

/** `status` is null where none was received; then `fault` says why. */
export interface Answer {
  readonly status: number | null;
  readonly fault: SendFault | null;
  /** The first bytes, as text. */
  readonly text: string;
  readonly retryAfter: string | undefined;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

export interface TransportOptions {
  readonly loopback: boolean;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/** Where a URL leads. */
type Target = ReturnType<typeof urlToHttpOptions>;

class RefusedAddress extends Error {
  readonly code = 'REFUSED_ADDRESS';
}

export class Transport {
  readonly #loopback: boolean;
  readonly #timeoutMs: number;
  readonly #agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent };
  readonly #targets = new Map<string, Target>();

  constructor({ loopback, resolve = resolveByDns, timeoutMs = TIMEOUT_MS }: TransportOptions) {
    this.#loopback = loopback;
    this.#timeoutMs = timeoutMs;
    const options = {
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      timeout: IDLE_MS,
      lookup: checkedLookup(resolve, { loopback }),
    };
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  /** Never rejects. */
  async post(given: Post): Promise<Answer> {
    const target = this.#targetOf(given.url);
    if (target === undefined) return failed('url_refused');
    const first = await this.#once(target, given);
    // The receiver had closed a connection that was kept from before.
    return first === 'stale' ? this.#fresh(target, given) : first;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Undefined where nothing may be sent: of an address in the URL there is no look-up. */
  #targetOf(url: string): Target | undefined {
    let target = this.#targets.get(url);
    if (target === undefined) {
      // The endpoint may be older than the setting.
      if (urlFault(url, { loopback: this.#loopback }) !== undefined) return undefined;
      target = urlToHttpOptions(new URL(url));
      if (this.#targets.size >= MAX_TARGETS) this.#targets.clear();
      this.#targets.set(url, target);
    }
    return target;
  }

  async #fresh(target: Target, given: Post): Promise<Answer> {
    const again = await this.#once(target, given);
    return again === 'stale' ? failed('connection_failed') : again;
  }

  #once(target: Target, { headers, body, signal }: Post): Promise<Answer | 'stale'> {
    const isTls = target.protocol === 'https:';
    const { promise, resolve } = Promise.withResolvers<Answer | 'stale'>();
    const options = {
      ...target,
      method: 'POST',
      headers: { ...headers, 'content-length': body.byteLength },
      agent: this.#agents[isTls ? 'https:' : 'http:'],
    };
    const request = (isTls ? https : http).request(options);
    /** Of an answer that has begun. */
    let begun: { readonly message: http.IncomingMessage; readonly text: Buffer[] } | undefined;
    const end = (fault: SendFault | 'stale') => {
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      if (begun !== undefined) resolve(answered(begun.message, begun.text));
      else resolve(fault === 'stale' ? fault : failed(fault));
      request.destroy();
    };
    const stop = () => end('stopped');
    const timer = setTimeout(() => end('timeout'), this.#timeoutMs);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET';
      end(isStale ? 'stale' : faultOf(error));
    });
    request.on('response', (message) => {
      const text: Buffer[] = [];
      begun = { message, text };
      let bytes = 0;
      message.on('data', (chunk: Buffer) => {
        if (bytes < KEPT_ANSWER_BYTES) text.push(chunk.subarray(0, KEPT_ANSWER_BYTES - bytes));
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) end('connection_failed');
      });
      message.on('error', () => end('connection_failed'));
      message.on('end', () => {
        signal.removeEventListener('abort', stop);
        clearTimeout(timer);
        resolve(answered(message, text));
      });
    });
    request.end(body);
    return promise;
  }
}

/**
 * Looks names up for connections, and answers only where every address may be connected to: what is
 * connected to is what was checked, whatever the name resolves to next.
 */
export function checkedLookup(
  resolve: Resolve,
  place: { readonly loopback: boolean },
): LookupFunction {
  return (hostname, options, callback) => {
    addressesOf(hostname, resolve, place).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family ?? 4);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : '', 0),
    );
  };
}

async function addressesOf(
  hostname: string,
  resolve: Resolve,
  { loopback }: { readonly loopback: boolean },
): Promise<readonly string[]> {
  // Kept for this machine, whatever a server of names says.
  if (isLoopback(hostOf(hostname))) {
    if (!loopback) throw new RefusedAddress();
    return ['127.0.0.1', '::1'];
  }
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
  if (!addresses.every(isPublicAddress)) throw new RefusedAddress();
  return addresses;
}

function answered({ statusCode = 0, headers }: http.IncomingMessage, text: Buffer[]): Answer {
  return {
    status: statusCode,
    fault: null,
    // PostgreSQL takes no NUL in a text.
    text: Buffer.concat(text).toString('utf8').replaceAll('\0', '\uFFFD'),
    retryAfter: headers['retry-after'],
  };
}

function failed(fault: SendFault): Answer {
  return { status: null, fault, text: '', retryAfter: undefined };
}

const OF_NAMES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'ETIMEOUT',
  'EREFUSED',
  'EBADNAME',
  'EBADRESP',
]);

function faultOf({ code = '' }: NodeJS.ErrnoException): SendFault {
  if (code === 'REFUSED_ADDRESS') return 'address_refused';
  if (OF_NAMES.has(code)) return 'name_not_resolved';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (/CERT|TLS|SSL|ALTNAME|ISSUER|SIGNATURE/.test(code)) return 'certificate_refused';
  return 'connection_failed';
}
