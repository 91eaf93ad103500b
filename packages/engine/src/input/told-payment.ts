/** A payment and its events, as `transactions.story` gives them, where they are passed on to another part of the face. */
import type { Event, Transaction } from '@counterfoil/core';
import { z } from 'zod';
import { notACardNumber } from './card-number-search.ts';

export interface ToldPayment {
  readonly payment: Pick<Transaction.Payment, 'sandbox' | 'refunds'>;
  readonly history: readonly ToldEvent[];
}

export interface ToldEvent {
  readonly id: string;
  readonly recordedAt: string;
  readonly event: { readonly type: Event['type'] };
}

/** It comes from the ledger, so that only its shape is looked at. */
export const ToldPayment = notACardNumber(
  z.custom<ToldPayment>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      'payment' in given &&
      'history' in given &&
      Array.isArray(given.history),
    'must be what transactions.story returned',
  ),
);
