/** Dispute rates: chargebacks over captures, by merchant account and month. */
import { divideHalfEven, type RawNumber, type Tenant, toExactMajor } from '@counterfoil/core';
import type { ReadModelStore } from '../read-model-store.ts';
import { type Counts, NOTHING_POSTED } from './ledger.ts';
import { type BookedMonth, bookedMonths } from './ledger-months.ts';
import { LEDGER, liveModel } from './live-model.ts';

/** Rates are percentages with four decimals. */
const RATE_UNITS = 10_000;
const PERCENT = 100n;

export interface DisputeRateQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  /** All of the tenant's when absent. */
  readonly merchantAccountId?: number;
  /** `yyyy-mm`, GMT, both included. */
  readonly from: string;
  readonly to: string;
  readonly thresholds: Tenant.DisputeThresholds;
}

export type DisputeStatus = 'ok' | 'warning' | 'excessive';

/** Major units of a currency. */
export interface DisputedAmount {
  readonly currency: string;
  readonly captured: number | RawNumber;
  readonly chargedBack: number | RawNumber;
  /** Percent; null where nothing was captured. */
  readonly rate: number | null;
}

export interface DisputeRate extends Omit<Counts, 'declines'> {
  readonly merchantAccountId: number;
  readonly month: string;
  /** `chargebacks` over `captures`, percent; null where nothing was captured. */
  readonly rate: number | null;
  readonly status: DisputeStatus;
  /** By currency: they are never added up. */
  readonly amounts: readonly DisputedAmount[];
}

/** Queries over the monthly totals of the ledger read model. */
export class DisputeRateView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Months in which anything was captured or disputed, by merchant account and month. */
  async rates({ from, to, thresholds, ...books }: DisputeRateQuery): Promise<DisputeRate[]> {
    const model = await liveModel(this.#store, LEDGER);
    const found = new Map<string, BookedMonth[]>();
    for await (const booked of bookedMonths(model, books)) {
      const { merchantAccountId, month, counts } = booked;
      const { declines: _, ...disputed } = counts;
      const isEmpty = Object.values(disputed).every((count) => count === 0);
      if (month < from || month > to || isEmpty) continue;
      // Accounts come in their order already.
      const key = `${merchantAccountId}/${month}`;
      found.set(key, [...(found.get(key) ?? []), booked]);
    }
    return [...found.values()]
      .map((booked) => rateOf(booked, thresholds))
      .sort((a, b) => a.merchantAccountId - b.merchantAccountId || (a.month < b.month ? -1 : 1));
  }
}

function rateOf(booked: readonly BookedMonth[], thresholds: Tenant.DisputeThresholds): DisputeRate {
  const [{ merchantAccountId, month }] = booked as readonly [BookedMonth];
  const sum = (name: keyof Counts) => booked.reduce((total, each) => total + each.counts[name], 0);
  const captures = sum('captures');
  const chargebacks = sum('chargebacks');
  const rate = percentOf(BigInt(chargebacks), BigInt(captures));
  return {
    merchantAccountId,
    month,
    captures,
    chargebacks,
    rate,
    alerts: sum('alerts'),
    fraudWarnings: sum('fraudWarnings'),
    status: statusOf(rate, chargebacks, thresholds),
    amounts: booked.map(amountOf),
  };
}

function amountOf({ currency, accounts }: BookedMonth): DisputedAmount {
  const capturedMinor = (accounts.get('sales') ?? NOTHING_POSTED).creditMinor;
  const chargedBackMinor = (accounts.get('chargebacks') ?? NOTHING_POSTED).debitMinor;
  return {
    currency,
    captured: toExactMajor(capturedMinor, currency),
    chargedBack: toExactMajor(chargedBackMinor, currency),
    rate: percentOf(chargedBackMinor, capturedMinor),
  };
}

function percentOf(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  return Number(divideHalfEven(part * PERCENT * BigInt(RATE_UNITS), whole)) / RATE_UNITS;
}

/** A threshold is reached by the rate and the number of chargebacks together. */
function statusOf(
  rate: number | null,
  chargebacks: number,
  { warning, excessive }: Tenant.DisputeThresholds,
): DisputeStatus {
  const isReached = (threshold: Tenant.DisputeThresholds['warning']) =>
    chargebacks >= threshold.chargebacks && (rate ?? Number.POSITIVE_INFINITY) >= threshold.percent;
  if (chargebacks === 0) return 'ok';
  if (isReached(excessive)) return 'excessive';
  return isReached(warning) ? 'warning' : 'ok';
}
