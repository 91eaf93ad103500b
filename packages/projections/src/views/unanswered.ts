/** Payments of unknown outcome: the gateway was asked and has not answered. */
import { type RawNumber, Transaction, toExactMajor } from '@counterfoil/core';
import type { DerivedDocument } from '../projection.ts';
import type { ReadModelStore } from '../read-model-store.ts';
import { liveModel, TRANSACTIONS, UNANSWERED } from './live-model.ts';
import { partitionOf } from './search-record.ts';

export interface UnansweredQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface UnansweredPayment {
  readonly transactionId: string;
  readonly orderId: number;
  readonly customerId: number;
  readonly merchantAccountId: number;
  readonly midName: string;
  readonly gateway: string;
  readonly currency: string;
  /** What was asked of the card, in major units. */
  readonly amount: number | RawNumber;
  readonly sent: string;
  /** When its outcome first was unknown. */
  readonly unknownSince: string;
}

export interface UnansweredPage {
  /** Those that have waited longest first. */
  readonly items: readonly UnansweredPayment[];
  /** Where the next page starts; undefined after the last. */
  readonly next: string | undefined;
}

type Stored = Omit<UnansweredPayment, 'amount'> & { readonly amountMinor: string };

/** Nothing, but while the outcome is unknown. Without personal data. */
export function unansweredOf(
  tenantId: number,
  payment: Transaction.Payment,
): readonly DerivedDocument[] {
  const { transactionId, sandbox, status, unknownSince } = payment;
  if (status !== 'Unknown' || unknownSince === null) return [];
  const route = Transaction.routeOf(payment);
  const stored: Stored = {
    transactionId,
    orderId: payment.orderId,
    customerId: payment.customerId,
    merchantAccountId: route?.merchantAccountId ?? 0,
    midName: route?.midName ?? '',
    gateway: route?.gateway ?? '',
    currency: payment.currency,
    amountMinor: payment.amountMinor.toString(),
    sent: payment.submittedAt,
    unknownSince,
  };
  const key = `${partitionOf(tenantId, sandbox)}/${unknownSince}/${transactionId}`;
  return [{ collection: UNANSWERED, key, body: JSON.stringify(stored) }];
}

/** Queries over the payments of unknown outcome. */
export class UnansweredView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  async list({ tenantId, sandbox, limit, after }: UnansweredQuery): Promise<UnansweredPage> {
    const model = await liveModel(this.#store, TRANSACTIONS);
    const found = await model.list(UNANSWERED, {
      prefix: `${partitionOf(tenantId, sandbox)}/`,
      limit: limit + 1,
      ...(after !== undefined && { after }),
    });
    return {
      items: found.slice(0, limit).map(({ body }) => shownOf(JSON.parse(body) as Stored)),
      next: found.length > limit ? found[limit - 1]?.key : undefined,
    };
  }
}

function shownOf({ amountMinor, ...facts }: Stored): UnansweredPayment {
  return { ...facts, amount: toExactMajor(BigInt(amountMinor), facts.currency) };
}
