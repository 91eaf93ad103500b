/** A caller with a key, over HTTP. */

// biome-ignore lint/suspicious/noExplicitAny: bodies are read untyped, like a caller does
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
  /** Whether it is the kept answer to an earlier request. */
  readonly replayed: boolean;
  /** Seconds after which to ask again, where the host names them. */
  readonly retryAfter: string | null;
}

export interface Credentials {
  readonly tenantId: number;
  readonly key: string;
}

export const USER_EMAIL = 'agent@example.com';

export class Caller {
  readonly tenantId: number;
  readonly #url: () => string;
  readonly #key: string;

  /** The URL of a host may change after a restart, so it is read every time. */
  constructor(url: () => string, { tenantId, key }: Credentials) {
    this.#url = url;
    this.tenantId = tenantId;
    this.#key = key;
  }

  /** The claims in Customer Service bodies. */
  get claims(): Json {
    return { parentCompanyId: this.tenantId, userEmail: USER_EMAIL };
  }

  async get(path: string): Promise<Answer> {
    return this.#send('GET', path, undefined, {});
  }

  async delete(path: string): Promise<Answer> {
    return this.#send('DELETE', path, undefined, {});
  }

  async post(path: string, body: Json, idempotencyKey?: string): Promise<Answer> {
    return this.#send('POST', path, JSON.stringify(body), {
      'Content-Type': 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    });
  }

  async upload(path: string, content: string): Promise<Answer> {
    return this.#send('POST', path, content, { 'Content-Type': 'application/octet-stream' });
  }

  /** A JSON merge patch. */
  async patch(path: string, body: Json): Promise<Answer> {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    return this.#send('PATCH', path, JSON.stringify(body), headers);
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const answer = await fetch(this.#url() + path, {
      method,
      headers: {
        Authorization: this.#key,
        ClientId: String(this.tenantId),
        UserEmail: USER_EMAIL,
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, body: await answer.json(), replayed, retryAfter };
  }
}
