/** API keys: secret, restricted, publishable; test and live; revoked. */
import type { IncomingHttpHeaders } from 'node:http';
import { forbidden, unauthorized } from './refusal.ts';
import type { Method } from './route.ts';

export type KeyKind = 'secret' | 'restricted' | 'publishable';
export type Access = 'none' | 'read' | 'write';

export interface KeyRequest {
  readonly kind?: KeyKind;
  readonly mode?: 'test' | 'live';
  /** The account that it is for; the first one if not given. */
  readonly account?: string;
  /** Of a restricted key, by the first part of the path: `{ refunds: 'read' }`; the others are `write`. */
  readonly permissions?: Readonly<Record<string, Access>>;
}

export interface ApiKey extends Required<Omit<KeyRequest, 'mode'>> {
  readonly value: string;
  readonly livemode: boolean;
}

const PREFIXES = { secret: 'sk', restricted: 'rk', publishable: 'pk' } as const;
/** What a browser may do with a publishable key. */
const PUBLISHABLE = [
  'POST /v1/payment_methods',
  'GET /v1/payment_intents/{intent}',
  'POST /v1/payment_intents/{intent}/confirm',
  'GET /v1/setup_intents/{intent}',
];

export class Keys {
  readonly #keys = new Map<string, ApiKey>();
  readonly #revoked = new Set<string>();

  issue(request: Required<KeyRequest>, random: string): ApiKey {
    const value = `${PREFIXES[request.kind]}_${request.mode}_${random}`;
    const { mode, ...rest } = request;
    const key = { ...rest, value, livemode: mode === 'live' };
    this.#keys.set(value, key);
    return key;
  }

  revoke(value: string): void {
    this.#revoked.add(value);
  }

  /** The key that a request shows, as a bearer or as the user of Basic. */
  authenticate(headers: IncomingHttpHeaders): ApiKey {
    const value = shown(headers.authorization ?? '');
    if (value === '') {
      throw unauthorized(
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      );
    }
    const key = this.#keys.get(value);
    if (this.#revoked.has(value)) {
      throw unauthorized(`Expired API Key provided: ${masked(value)}`, 'api_key_expired');
    }
    if (key === undefined) throw unauthorized(`Invalid API Key provided: ${masked(value)}`);
    return key;
  }
}

export function authorize(key: ApiKey, method: Method, path: string): void {
  if (key.kind === 'publishable' && !PUBLISHABLE.includes(`${method} ${path}`)) {
    throw forbidden(
      'This API call cannot be made with a publishable API key. Please use a secret API key.',
      'secret_key_required',
    );
  }
  if (key.kind !== 'restricted') return;
  const resource = path.split('/')[2] ?? '';
  const access = key.permissions[resource] ?? 'write';
  if (access === 'write' || (access === 'read' && method === 'GET')) return;
  throw forbidden(
    `The provided key '${masked(key.value)}' does not have the required permissions for this endpoint on account '${key.account}'. Having the '${resource}' permission would allow this request to continue.`,
  );
}

export function masked(value: string): string {
  return `${value.slice(0, 8)}${'*'.repeat(10)}${value.slice(-4)}`;
}

function shown(header: string): string {
  if (header.startsWith('Bearer ')) return header.slice(7).trim();
  if (!header.startsWith('Basic ')) return '';
  const [user = ''] = Buffer.from(header.slice(6), 'base64').toString('utf8').split(':');
  return user;
}
