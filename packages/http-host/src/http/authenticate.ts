/** Authentication: the API key, its tenant and scopes, and the calling party. */
import { emailIdentity, type TenantId } from '@counterfoil/core';
import {
  isApiKey,
  isLeadKey,
  isPaymentKey,
  isTenantKey,
  type KeyDirectory,
  type KeyRecord,
  type KnownUser,
  keyDigest,
} from '@counterfoil/engine';
import type { CallerHeaders } from './caller-headers.ts';
import type { Access, GatewaySignedRequest, Principal } from './endpoint.ts';
import { Refusal, refuse } from './errors.ts';
import type { RequestHead } from './request-head.ts';

type KeyAccess = Extract<Access, { kind: 'api-key' }>;

interface Heads {
  readonly head: RequestHead;
  readonly callerHeaders: CallerHeaders;
}

const BEARER = /^bearer\b/i;

/** RFC 9110 requires a challenge with every 401. */
const CHALLENGE = { headers: { 'WWW-Authenticate': 'ApiKey realm="counterfoil"' } };

const PAYMENT_CHALLENGE = {
  headers: { 'WWW-Authenticate': 'ApiKey realm="counterfoil payments"' },
};
const TENANT_CHALLENGE = { headers: { 'WWW-Authenticate': 'TenantKey realm="counterfoil email"' } };

const LEAD_CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer realm="counterfoil leads"' } };

/**
 * The API key of a request. Refusals, in this order: key missing, Bearer prefix, not a key; all 401, as
 * are those of `apiKeyOf`.
 */
export function keyIn({ authorization }: RequestHead): string | Refusal {
  if (authorization === undefined || authorization === '') {
    return refuse('api_key_missing', undefined, CHALLENGE);
  }
  if (isApiKey(authorization)) return authorization;
  if (BEARER.test(authorization)) return refuse('bearer_prefix', undefined, CHALLENGE);
  return refuse('api_key_invalid', undefined, CHALLENGE);
}

/** The record that was found for an API key. Refusals, in this order: key unknown, revoked, expired. */
export function apiKeyOf(record: KeyRecord | undefined, now: Now): KeyRecord | Refusal {
  if (record?.kind !== 'api') return refuse('api_key_invalid', undefined, CHALLENGE);
  return activeOf(record, now);
}

/** In milliseconds since the epoch. Most keys never end, and need no clock. */
type Now = () => number;

function activeOf(record: KeyRecord, now: Now): KeyRecord | Refusal {
  if (record.revokedAt !== undefined && record.revokedAt <= now()) {
    return refuse('api_key_revoked', undefined, CHALLENGE);
  }
  if (record.expiresAt !== undefined && record.expiresAt <= now()) {
    return refuse('api_key_expired', undefined, CHALLENGE);
  }
  return record;
}

const BEARER_KEY = /^bearer +(\S+) *$/i;

/**
 * The lead key of a request: a publishable one in X-Service-Lead-Key, or a secret one as a Bearer token,
 * and never the other way round. The same refusals as of API keys.
 */
export async function findLeadKey(
  { leadKey, authorization }: RequestHead,
  keys: KeyDirectory,
  now: Now,
): Promise<KeyRecord | Refusal> {
  const given = leadKey ?? BEARER_KEY.exec(authorization ?? '')?.[1];
  if (given === undefined && authorization === undefined) {
    return refuse('api_key_missing', 'A lead key is missing', LEAD_CHALLENGE);
  }
  const kind = leadKey === undefined ? 'lead-secret' : 'lead-publishable';
  const isOne = given !== undefined && isLeadKey(given);
  const record = isOne ? await keys.find(keyDigest(given)) : undefined;
  if (record?.kind !== kind) return refuse('api_key_invalid', 'Not a lead key', LEAD_CHALLENGE);
  return activeOf(record, now);
}

/** The publishable payment key of a request. The same refusals as of API keys. */
export async function findPaymentKey(
  { paymentKey }: Pick<RequestHead, 'paymentKey'>,
  keys: KeyDirectory,
  now: Now,
): Promise<KeyRecord | Refusal> {
  if (paymentKey === undefined) {
    return refuse('api_key_missing', 'A payment key is missing', PAYMENT_CHALLENGE);
  }
  const record = isPaymentKey(paymentKey) ? await keys.find(keyDigest(paymentKey)) : undefined;
  if (record?.kind !== 'payment-publishable') {
    return refuse('api_key_invalid', 'Not a payment key', PAYMENT_CHALLENGE);
  }
  return activeOf(record, now);
}

/**
 * The key of the email service, from the header or the body; where both have one they must be the same.
 * Whatever is wrong with it has one code.
 */
export async function findTenantKey(
  { tenantKey: inHeader }: RequestHead,
  body: unknown,
  { keys, now }: { readonly keys: KeyDirectory; readonly now: Now },
): Promise<KeyRecord | Refusal> {
  const inBody = member(body, 'tenant_key');
  const given = inHeader ?? inBody;
  const isOne = typeof given === 'string' && isTenantKey(given) && (inBody ?? given) === given;
  const record = isOne ? await keys.find(keyDigest(given)) : undefined;
  const active = record?.kind === 'tenant' ? activeOf(record, now) : undefined;
  return active === undefined || active instanceof Refusal
    ? refuse('invalid_tenant_key', undefined, TENANT_CHALLENGE)
    : active;
}

/** Throws where a ClientId names another tenant (403). */
export function tenantPrincipalOf(key: KeyRecord, { clientId }: RequestHead): Principal {
  const { tenantId, environment, keyId, scopes } = key;
  if (clientId !== undefined && clientId !== String(tenantId)) throw refuse('tenant_mismatch');
  return { tenantId, environment, keyId, scopes, actor: undefined };
}

/**
 * The principal of a key that is bound to an application. Throws: a ClientId of another tenant, or an
 * origin that a publishable key does not allow (both 403). Pages of the host may use payment keys.
 */
export function boundPrincipalOf(key: KeyRecord, head: RequestHead): Principal {
  const { tenantId, environment, keyId, scopes, kind, bound } = key;
  const { clientId, origin } = head;
  if (bound === undefined) throw new Error('a bound key without an application');
  if (clientId !== undefined && clientId !== String(tenantId)) throw refuse('tenant_mismatch');
  const { applicationId, allowedOrigins } = bound;
  const isPublishable = kind !== 'lead-secret';
  const isOwnPage = kind === 'payment-publishable' && isOwnOrigin(head);
  if (isPublishable && !isOwnPage && (origin === undefined || !allowedOrigins.includes(origin))) {
    throw refuse('origin_not_allowed');
  }
  const own = { applicationId, isPublishable };
  return { tenantId, environment, keyId, scopes, actor: undefined, bound: own };
}

/** Whether the host itself served the page. A proxy may speak https for it, so schemes may differ. */
function isOwnOrigin({ origin = '', host = '' }: RequestHead): boolean {
  return host !== '' && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/**
 * The principal of a request with this key. Throws, in this order: ClientId missing (400), of
 * another tenant (403), scope lacking (403), a test key where only a live one is admitted (403),
 * UserEmail missing or not an address (400).
 */
export function principalOf(
  key: KeyRecord,
  { head, callerHeaders }: Heads,
  access: KeyAccess,
): Principal {
  const { clientId } = head;
  if (clientId === undefined || clientId === '')
    throw refuse('client_id_required', undefined, missing('ClientId'));
  if (clientId !== String(key.tenantId)) throw refuse('tenant_mismatch');
  if (!key.scopes.has(access.scope)) {
    throw refuse('insufficient_scope', `The API key lacks the scope ${access.scope}`);
  }
  if (access.liveOnly === true && key.environment !== 'live') throw refuse('live_data_forbidden');
  const sent = head.userEmail || undefined;
  const actor = sent && callerHeaders.userIn(sent);
  if (sent === undefined && access.requiresUserEmail) {
    throw refuse('user_email_required', undefined, missing('UserEmail'));
  }
  if (sent !== undefined && actor === undefined) {
    throw refuse('user_email_invalid', undefined, wrong('UserEmail', 'must be an email address'));
  }
  const { tenantId, environment, keyId, scopes } = key;
  return { tenantId, environment, keyId, scopes, actor };
}

/** Whether a message without a key is to be known by its signature. */
export function isSigned(head: RequestHead, access: Access) {
  const { authorization, webhookSignature, gatewaySignature } = head;
  if (access.kind !== 'api-key' || (authorization ?? '') !== '') return false;
  return (
    (access.orSigned !== undefined && webhookSignature !== undefined) ||
    (access.orSignedByGateway !== undefined && gatewaySignature !== undefined)
  );
}

export async function findSigner(
  head: RequestHead,
  { orSigned, orSignedByGateway }: KeyAccess,
  { params, query, body }: Omit<GatewaySignedRequest, 'signature'>,
): Promise<KeyRecord | Refusal> {
  const { webhookId: id = '', webhookTimestamp: timestamp = '', gatewaySignature = '' } = head;
  const { webhookSignature: signature = '' } = head;
  const signer =
    (await orSigned?.({ id, timestamp, signature, query, body })) ??
    (await orSignedByGateway?.({ signature: gatewaySignature, params, query, body }));
  return signer ?? refuse('signature_invalid', undefined, CHALLENGE);
}

/** Finds the users of a tenant by their emails. */
export interface UserDirectory {
  known(tenantId: TenantId, email: string): Promise<KnownUser | undefined>;
}

/**
 * The principal as an active user, with the scopes that key and user have both. Throws, in this order:
 * UserEmail missing (400), no active user (403), scope lacking (403).
 */
export async function asKnownUser(
  principal: Principal,
  { scope }: KeyAccess,
  users: UserDirectory,
): Promise<Principal> {
  const { tenantId, actor } = principal;
  if (actor === undefined) throw refuse('user_email_required', undefined, missing('UserEmail'));
  const user = await users.known(tenantId, actor);
  if (user?.status !== 'active') throw refuse('user_unknown');
  const scopes = new Set([...principal.scopes].filter((each) => user.scopes.has(each)));
  if (!scopes.has(scope)) throw refuse('insufficient_scope', `The user lacks the scope ${scope}`);
  return { ...principal, scopes };
}

/** The detail of a refusal that concerns a header. */
export function wrong(header: string, words: string) {
  return { errors: [{ pointer: `/header/${header}`, detail: `${header} ${words}` }] };
}

function missing(header: string) {
  return wrong(header, 'is required');
}

/**
 * The tenant that a body claims must be the caller's own. Checked on the raw body before
 * validation: another tenant's id is 403 even if the rest is invalid.
 */
export function checkClaimedTenant(body: unknown, principal: Principal): void {
  const claimed = member(body, 'parentCompanyId');
  // Values that are not numbers are left to the schema.
  if (typeof claimed === 'number' && claimed !== principal.tenantId)
    throw refuse('tenant_mismatch');
}

/**
 * The user that a body claims must equal the UserEmail header. Checked after validation and before
 * any lookup.
 */
export function checkClaimedUser(body: unknown, principal: Principal): void {
  const claimed = member(body, 'userEmail');
  if (typeof claimed !== 'string' || principal.actor === undefined) return;
  if (claimed === principal.actor) return;
  if (emailIdentity(claimed) !== emailIdentity(principal.actor)) {
    throw refuse('user_email_mismatch', undefined, {
      errors: [{ pointer: '/userEmail', detail: 'Must be the address of the UserEmail header' }],
    });
  }
}

function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Record<string, unknown>)[name]
    : undefined;
}
