/** Someone with a key, at a host that may be killed and listen elsewhere afterwards. */
import { type Answer, Api, type Json } from '../e2e/api.ts';

export {
  type Answer,
  type Json,
  type KeptRequest,
  present,
  requestOf,
  type Schemas,
} from '../e2e/api.ts';

export interface Credentials {
  readonly tenantId: number;
  readonly key: string;
}

export const USER_EMAIL = 'agent@example.com';

export class Caller extends Api {
  readonly tenantId: number;

  constructor(url: () => string, { tenantId, key }: Credentials) {
    const headers = { Authorization: key, ClientId: String(tenantId), UserEmail: USER_EMAIL };
    super({ url, headers });
    this.tenantId = tenantId;
  }

  /** The claims in Customer Service bodies. */
  get claims() {
    return { parentCompanyId: this.tenantId, userEmail: USER_EMAIL };
  }
}

/** What of an answer is compared with that to a repetition. */
export interface Comparable {
  readonly status: number;
  readonly body: Json;
  /** Whether it is the kept answer to an earlier request. */
  readonly replayed: boolean;
  /** Seconds after which to ask again, where the host names them. */
  readonly retryAfter: string | null;
}

export function comparable({ status, headers, body }: Answer): Comparable {
  const replayed = headers.get('idempotency-replayed') === 'true';
  return { status, body, replayed, retryAfter: headers.get('retry-after') };
}
