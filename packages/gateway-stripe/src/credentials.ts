/** The credentials of a merchant account at Stripe, read from its sealed `apiKey`. */
import type { AccountContext } from '@counterfoil/engine/gateways';

export interface StripeCredentials {
  /** `rk_…` or `sk_…`. */
  readonly key: string;
  /** At most two: during a rotation both are good. */
  readonly signingSecrets: readonly string[];
  /** A connected account: `acct_…`. */
  readonly account: string | undefined;
  /** Another address than Stripe's own. */
  readonly apiBase: URL | undefined;
  /** `pk_…`, for Stripe's script in browsers. No secret. */
  readonly publishableKey: string | undefined;
  /** Stripe has enabled the account for card numbers. */
  readonly cardNumbers: boolean;
}

/** Never quotes a credential. */
export class CredentialsUnusable extends Error {
  override readonly name = 'CredentialsUnusable';
}

const KEY = /^(sk|rk)_(live|test)_[A-Za-z0-9_]{8,250}$/;
const PUBLISHABLE = /^pk_(live|test)_[A-Za-z0-9_]{8,250}$/;
const SECRET = /^whsec_[A-Za-z0-9+/=_-]{8,250}$/;
const ACCOUNT = /^acct_[A-Za-z0-9_]{4,100}$/;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
const MEMBERS = ['key', 'publishableKey', 'signingSecrets', 'account', 'apiBase', 'cardNumbers'];
const MAX_SECRETS = 2;

/**
 * `apiKey` is the key alone, or a JSON object: `{"key":"rk_live_…","publishableKey":"pk_live_…",
 * "signingSecrets":["whsec_…"],"account":"acct_…","apiBase":"https://…","cardNumbers":true}`. Only `key` is required. Throws
 * `CredentialsUnusable`, also for a key of the other environment.
 */
export function credentialsOf(
  { account: { credentials }, sandbox }: AccountContext,
  { production }: { readonly production: boolean },
): StripeCredentials {
  const given = membersOf(credentials.apiKey.trim());
  const unknown = Object.keys(given).find((each) => !MEMBERS.includes(each));
  if (unknown !== undefined) fail(`has an unknown member; there are ${MEMBERS.join(', ')}`);
  const { key, publishableKey, signingSecrets = [], account, apiBase, cardNumbers = false } = given;
  if (typeof key !== 'string' || !KEY.test(key)) fail('needs a key: rk_live_… or rk_test_…');
  if (key.includes('_live_') === sandbox) {
    fail(sandbox ? 'has a live key, and this is sandbox data' : 'has a test key, and this is live');
  }
  if (publishableKey !== undefined && !isPublishable(publishableKey, sandbox)) {
    fail('has a publishableKey that is not one of this environment: pk_live_… or pk_test_…');
  }
  const areSecrets =
    Array.isArray(signingSecrets) &&
    signingSecrets.length <= MAX_SECRETS &&
    signingSecrets.every((each) => typeof each === 'string' && SECRET.test(each));
  if (!areSecrets) fail('has signingSecrets that are not one or two of whsec_…');
  if (account !== undefined && (typeof account !== 'string' || !ACCOUNT.test(account))) {
    fail('has an account that is not acct_…');
  }
  if (typeof cardNumbers !== 'boolean') fail('has cardNumbers that is neither true nor false');
  const base = addressOf(apiBase, production);
  return { key, publishableKey, signingSecrets, account, apiBase: base, cardNumbers };
}

function isPublishable(given: unknown, sandbox: boolean): given is string {
  return (
    typeof given === 'string' && PUBLISHABLE.test(given) && given.includes('_test_') === sandbox
  );
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return { key: text };
  try {
    return JSON.parse(text);
  } catch {
    return fail('is no JSON');
  }
}

/** https, or loopback outside production; without a path, which the SDK has no place for. */
function addressOf(given: unknown, production: boolean): URL | undefined {
  if (given === undefined) return undefined;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (url === null) return fail('has an apiBase that is no address');
  const mayBePlain = !production && LOOPBACK.has(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBePlain)) {
    fail('has an apiBase that is not https');
  }
  const isBare = url.pathname === '/' && url.search + url.hash + url.username + url.password === '';
  if (!isBare) fail('has an apiBase with more than a host and a port');
  return url;
}

function fail(problem: string): never {
  throw new CredentialsUnusable(`The apiKey of the merchant account ${problem}`);
}
