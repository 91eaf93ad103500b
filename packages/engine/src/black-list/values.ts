/** The values of the black list: in one form for each payer, as a keyed digest, and as they are shown. */
import { createHmac, createSecretKey } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { type BlackList, emailIdentity, isEmail, type TenantId } from '@counterfoil/core';
import { deterministicUuid } from '../ids.ts';

type Kind = BlackList.Kind;

/** A tenant and one of its environments: each has a list of its own. */
export interface Owner {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
}

/** What is known of a payer, as it was given. Empty texts are unknown. */
export type PayerValues = Partial<Record<Kind, string | undefined>>;

/** `listedIdOf` the same value gives the same id, which reveals nothing of it without the key. */
export type ListedIdOf = (owner: Owner, kind: Kind, value: string) => string;

const CUSTOMER_ID = /^[1-9]\d{0,15}$/;

/** Mailboxes and addresses are written in many ways. */
const FORM_OF: Readonly<Record<Kind, (given: string) => string | undefined>> = {
  email: (given) => (isEmail(given) ? emailIdentity(given) : undefined),
  cardFingerprint: (given) => /^[0-9a-f]{32}$/.exec(given.toLowerCase())?.[0],
  bin: (given) => /^\d{6}$/.exec(given)?.[0],
  extendedBin: (given) => /^\d{8}$/.exec(given)?.[0],
  ip: ipOf,
  customer: (given) => CUSTOMER_ID.exec(given)?.[0],
};

/** The one form of a value; undefined for what is no value of this kind. */
export function formOf(kind: Kind, given: string): string | undefined {
  return FORM_OF[kind](given);
}

/** IPv6 in its shortest form; an IPv4 address within IPv6 is that address. */
function ipOf(given: string): string | undefined {
  if (isIPv4(given)) return given;
  if (!isIPv6(given) || given.includes('%')) return undefined;
  const shortest = new URL(`http://[${given}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  const bytes = [high, low].map((each) => Number.parseInt(each, 16));
  return bytes.flatMap((each) => [each >> 8, each & 0xff]).join('.');
}

/** A shorter local part shows nothing of itself. */
const SHORT_LOCAL_PART = 4;
const MASK = '***';

/** So little of a value, in its one form, that it names nobody. The numbers of banks are no secrets. */
const SHOWN: Readonly<Record<Kind, (value: string) => string>> = {
  email(value) {
    const local = [...value.slice(0, value.lastIndexOf('@'))];
    return `${local.length < SHORT_LOCAL_PART ? '' : local[0]}${MASK}@${MASK}`;
  },
  cardFingerprint: (value) => `${value.slice(0, 4)}${MASK}`,
  bin: (value) => value,
  extendedBin: (value) => value,
  ip(value) {
    const [first] = value.split(/[.:]/);
    return first === '' ? MASK : `${first}.${MASK}`;
  },
  customer: () => MASK,
};

export function shownOf(kind: Kind, value: string): string {
  return SHOWN[kind](value);
}

/** The key keeps whoever reads the log from trying values. */
export function listedIds(key: Uint8Array): ListedIdOf {
  const secret = createSecretKey(key);
  return ({ tenantId, sandbox }, kind, value) => {
    const named = JSON.stringify([tenantId, sandbox, kind, value]);
    return deterministicUuid([createHmac('sha256', secret).update(named).digest('hex')]);
  };
}
