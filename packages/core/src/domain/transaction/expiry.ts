/** How long a payment waits for the merchant to capture it, or for its customer to act. */
import type { Payment } from './state.ts';

const HOUR_MS = 3_600_000;

/** Authorizations are valid for about a week: later the issuer has released the money. */
export const AUTHORIZATION_HOURS = 7 * 24;
/** Issuers let an unanswered challenge expire in less than a day. */
export const ACTION_HOURS = 24;

/** A wait that ends by itself. */
export interface Expiry {
  readonly of: 'authorization' | 'action';
  /** The payment expires at this instant. */
  readonly at: string;
}

/**
 * When the payment expires as it stands; undefined while it does not. A capture or void that is under
 * way is settled first: it may have moved the money already.
 */
export function expiryOf(payment: Payment): Expiry | undefined {
  const { status, authorizedAt, changedAt, pendingCapture, pendingVoid } = payment;
  if (status === 'RequiresAction') {
    // Nothing else happens to a payment while it waits for its customer.
    return { of: 'action', at: later(changedAt, ACTION_HOURS) };
  }
  if (status !== 'Authorized' || authorizedAt === null) return undefined;
  if (pendingCapture !== null || pendingVoid !== null) return undefined;
  return { of: 'authorization', at: later(authorizedAt, AUTHORIZATION_HOURS) };
}

function later(instant: string, hours: number): string {
  return new Date(Date.parse(instant) + hours * HOUR_MS).toISOString();
}
