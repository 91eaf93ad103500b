/** The HTTP calls of the club, with a test key. */

/** An unexpected response of the host. */
class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Access {
  readonly baseUrl: string;
  readonly tenantId: number;
  readonly apiKey: string;
}

/** Untyped JSON; each use declares the members it needs. */
type Answer<Body> = { readonly status: number; readonly body: Body };

const USER_EMAIL = 'club@online-retail.example';

export class ClubApi {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.#call<Body>('GET', path)).body;
  }

  /** `name` is an idempotency key: a repeated call gets the first response. */
  async post<Body>(path: string, body: object, name?: string): Promise<Answer<Body>> {
    return this.#call<Body>('POST', path, body, name);
  }

  async #call<Body>(
    method: string,
    path: string,
    body?: object,
    name?: string,
  ): Promise<Answer<Body>> {
    const { baseUrl, tenantId, apiKey } = this.#access;
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        Authorization: apiKey,
        ClientId: String(tenantId),
        UserEmail: USER_EMAIL,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(name !== undefined && { 'Idempotency-Key': name }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, body: JSON.parse(text) as Body };
  }

  /** The caller, as in every Customer Service body. */
  get claims(): { readonly parentCompanyId: number; readonly userEmail: string } {
    return { parentCompanyId: this.#access.tenantId, userEmail: USER_EMAIL };
  }
}
