/** The calls to the host that the club makes, as any shop would make them: over HTTP, with a test key. */

/** An answer of the host that is not what was asked for. */
class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Access {
  readonly baseUrl: string;
  readonly tenantId: number;
  readonly apiKey: string;
}

/** JSON as it comes; what is used of it is named where it is used. */
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

  /** `name` makes a call once for ever: under the same one the host answers as it did the first time. */
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

  /** What every Customer Service body says of its caller. */
  get claims(): { readonly parentCompanyId: number; readonly userEmail: string } {
    return { parentCompanyId: this.#access.tenantId, userEmail: USER_EMAIL };
  }
}
