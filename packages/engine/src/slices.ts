/** The slices of the engine, each after those whose parts it needs. */
import { ACTIVITY } from './activity/slice.ts';
import { BLACK_LIST } from './black-list/slice.ts';
import { BOOKS } from './books/slice.ts';
import { CHECKOUT_SESSIONS } from './checkout-sessions/slice.ts';
import { CUSTOMERS } from './customers/slice.ts';
import { DISPUTES } from './disputes/slice.ts';
import { ERASURE } from './erasure/slice.ts';
import { GATEWAY_EVENTS } from './gateway-events/slice.ts';
import { GATEWAYS } from './gateways/slice.ts';
import { IDENTITIES } from './identities/slice.ts';
import { LEADS } from './leads/slice.ts';
import { MAIL } from './mail/slice.ts';
import { MERCHANT_ACCOUNTS } from './merchant-accounts/slice.ts';
import { PAYMENTS } from './payments/slice.ts';
import { SAVED_SEARCHES } from './saved-searches/slice.ts';
import { SENDER_DOMAINS } from './sender-domains/slice.ts';
import { SETTLEMENTS } from './settlements/slice.ts';
import type { Base, Slice, TenantPart } from './slice.ts';
import { SUBSCRIPTIONS } from './subscriptions/slice.ts';
import { TENANTS } from './tenants/slice.ts';
import { TRANSACTIONS } from './transactions/slice.ts';
import { USERS } from './users/slice.ts';
import { WEBHOOKS } from './webhooks/slice.ts';

export const SLICES = [
  ACTIVITY,
  TENANTS,
  USERS,
  GATEWAYS,
  MERCHANT_ACCOUNTS,
  SENDER_DOMAINS,
  WEBHOOKS,
  IDENTITIES,
  TRANSACTIONS,
  SAVED_SEARCHES,
  BLACK_LIST,
  PAYMENTS,
  CHECKOUT_SESSIONS,
  SUBSCRIPTIONS,
  ERASURE,
  CUSTOMERS,
  LEADS,
  DISPUTES,
  GATEWAY_EVENTS,
  BOOKS,
  SETTLEMENTS,
  MAIL,
] as const;

/** Every scope, of the slices and of the test clock, with what it permits. */
export const SCOPES: Readonly<Record<string, string>> = Object.assign(
  { 'clock:write': 'Show and move the test clock' },
  ...SLICES.map((each: Slice<never, object>) => each.scopes),
);

export const ALL_SCOPES: readonly string[] = Object.keys(SCOPES).sort();

/** Does not compile where a slice stands before one that it needs. */
type Collected<Have, Rest> = Rest extends readonly [infer First, ...infer Others]
  ? First extends Slice<infer Needs, infer Parts, infer _>
    ? Have extends Needs
      ? Collected<Have & Parts, Others>
      : never
    : never
  : Have;

export type SliceParts = Collected<Base, typeof SLICES>;

export function makeSlices(base: Base): SliceParts {
  const slices: readonly Slice<never, object>[] = SLICES;
  let parts: object = base;
  for (const each of slices) parts = { ...parts, ...each.make(parts as never) };
  return parts as SliceParts;
}

type TenantParts<Rest> = Rest extends readonly [infer First, ...infer Others]
  ? (First extends Slice<never, infer _, infer Tenant> ? Tenant : unknown) & TenantParts<Others>
  : unknown;
type CallsOf<Parts> = {
  readonly [Name in keyof Parts]: Parts[Name] extends TenantPart<infer Calls> ? Calls : never;
};

/** What the slices hand out to one caller of one tenant. */
export type TenantSlices = CallsOf<TenantParts<typeof SLICES>>;

export function tenantParts(parts: SliceParts): Readonly<Record<string, TenantPart<object>>> {
  return Object.assign({}, ...SLICES.map((each) => each.tenant?.(parts)));
}
