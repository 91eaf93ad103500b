/** API keys: generation, digest and masked form. */
import { hash, randomBytes } from 'node:crypto';
import type { Tenant } from '@counterfoil/core';

export type Environment = 'live' | 'test';

export type KeyKind = (typeof Tenant.KEY_KINDS)[number];

const KEY_BYTES = 32;

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  api: 'cf',
  'lead-publishable': 'cf_lead_pub',
  'lead-secret': 'cf_lead_sec',
  'payment-publishable': 'cf_pub',
  tenant: 'cf_tenant',
};

const SHOWN_CHARACTERS = 4;

/** 32 bytes are 43 base64url characters. The unused bits of the last one are not checked. */
const API_KEY = /^cf_(?:live|test)_[A-Za-z0-9_-]{43}$/;

const LEAD_KEY = /^cf_lead_(?:pub|sec)_(?:live|test)_[A-Za-z0-9_-]{43}$/;

const PAYMENT_KEY = /^cf_pub_(?:live|test)_[A-Za-z0-9_-]{43}$/;
const TENANT_KEY = /^cf_tenant_(?:live|test)_[A-Za-z0-9_-]{43}$/;

/** What a new key starts with: `cf_live_`, `cf_lead_pub_test_`, ... */
export function keyPrefix(kind: KeyKind, environment: Environment): string {
  return `${PREFIXES[kind]}_${environment}_`;
}

/** A new key of 256 random bits. Shown once; only its `keyDigest` is stored. */
export function makeKey(kind: KeyKind, environment: Environment): string {
  return keyPrefix(kind, environment) + randomBytes(KEY_BYTES).toString('base64url');
}

/** Whether the text has the form of an API key; avoids useless look-ups. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The same for lead keys, publishable and secret. */
export function isLeadKey(text: string): boolean {
  return LEAD_KEY.test(text);
}

/** The same for publishable payment keys. */
export function isPaymentKey(text: string): boolean {
  return PAYMENT_KEY.test(text);
}

/** The same for keys of the email service. */
export function isTenantKey(text: string): boolean {
  return TENANT_KEY.test(text);
}

/**
 * SHA-256 of the key, in hex. A plain digest suffices for 256 random bits. The timing of a look-up by
 * digest leaks nothing useful: an attacker who chooses keys cannot choose digests.
 */
export function keyDigest(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The form for lists and logs: prefix and last four characters, `cf_live_…x3Qk`. */
export function maskKey(key: string): string {
  const prefix = /^(?:[a-z]+_)+(?:live|test)_/.exec(key)?.[0];
  return prefix === undefined ? '…' : `${prefix}…${key.slice(-SHOWN_CHARACTERS)}`;
}
