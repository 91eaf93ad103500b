/** What callers may pass to the black list of a tenant. */
import { BlackList } from '@counterfoil/core';
import { z } from 'zod';
import { notACardNumber } from '../input/card-number-search.ts';
import { bounded, text, Uuid } from '../input/texts.ts';

const MAX_LIMIT = 100;

export const Kind = z.enum(BlackList.KINDS);
/** An email, IP address, BIN of 6 or 8 digits, customer id or fingerprint. Never kept in the clear. */
export const Value = notACardNumber(bounded(320));
const reason = text(500).optional();
const rowVersion = z.int().positive().optional();
const Expiry = bounded(64)
  .check(z.iso.datetime({ precision: 3 }))
  .nullable()
  .optional();

/** Of either `value` and `transactionId`. */
export const BlackListInput = z.strictObject({
  kind: Kind,
  value: Value.optional(),
  /** The value is taken from this payment, or the payment of this refund, chargeback or alert. */
  transactionId: Uuid.optional(),
  reason,
  /** ISO 8601, GMT. Default: never. */
  expiresAt: Expiry,
  /** Live when absent; that of the payment where there is one. */
  sandbox: z.boolean().optional(),
});
export type BlackListInput = z.input<typeof BlackListInput>;

/** What is absent stays as it is; null: never. */
export const BlackListChange = z.strictObject({ reason, expiresAt: Expiry, rowVersion });
export type BlackListChange = z.input<typeof BlackListChange>;

export const BlackListQuery = z.strictObject({
  kind: Kind.optional(),
  /** As it may be given to `add`; without `kind` any that it can be a value of. */
  value: Value.optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
  /** Default: 100. */
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  /** `next` of the page before. */
  after: text(64).optional(),
});
export type BlackListQuery = z.input<typeof BlackListQuery>;

export const EntryId = text(64);
