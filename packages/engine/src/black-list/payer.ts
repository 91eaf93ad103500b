/** The values of a payer, of a payment that is on record. */
import { BlackList, type Transaction } from '@counterfoil/core';
import type { PayerValues } from './values.ts';

const BIN_LENGTH = 6;

/** Without what the payment does not have, or no longer: personal data of an erased customer. */
export function payerOf({
  email,
  card,
  session,
  customerId,
}: Pick<Transaction.Order, 'email' | 'card' | 'session'> & {
  readonly customerId: number | undefined;
}): PayerValues {
  const bin = card?.bin ?? '';
  return {
    email,
    cardFingerprint: card?.fingerprint,
    bin: bin.slice(0, BIN_LENGTH),
    extendedBin: bin.length > BIN_LENGTH ? bin : undefined,
    ip: session?.ip,
    customer: customerId === undefined ? undefined : String(customerId),
  };
}

/**
 * What counts for a rebill: the payer, and not the bank or the place. Its customer has paid before, and a
 * list that a bank was put on because of strangers must not end the subscriptions of its customers.
 */
export const REBILL_KINDS = BlackList.maskOf(['email', 'cardFingerprint', 'customer']);
