/** Sends requests as they are over connections that are kept open, and reads all of the answers. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { FuzzRequest } from './requests.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer is due long before; what is never answered is a defect like any other. */
const ANSWER_MS = 20_000;

export class Client {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: string, { connections }: { connections: number }) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async send({ method, target, headers, body }: FuzzRequest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const outgoing = request({
      agent: this.#agent,
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path: target,
      headers: flat(headers, { host: this.#url.host, body, method }),
      timeout: ANSWER_MS,
    });
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${ANSWER_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Without a body these need not say so; of all others node would make chunks. */
const UNFRAMED = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Names and values in turn: node then sends them as they are, and adds none of its own. */
function flat(
  headers: FuzzRequest['headers'],
  { host, body, method }: { host: string; body: FuzzRequest['body']; method: string },
): string[] {
  const all = headers.flat();
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  if (!names.has('host')) all.unshift('Host', host);
  const isFramed = names.has('content-length') || names.has('transfer-encoding');
  if (!isFramed && (body !== undefined || !UNFRAMED.has(method))) {
    all.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  }
  return all;
}
