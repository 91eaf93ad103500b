/** What was captured, refunded and declined, by hour, day or month. */
import { type RawNumber, Transaction, toExactMajor } from '@counterfoil/core';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import {
  type Balance,
  type BrandCounts,
  hourOfKey,
  hoursKey,
  ledger,
  type PeriodTotals,
} from './ledger.ts';
import { bookedMonths } from './ledger-months.ts';
import { BALANCES, LEDGER, liveModel } from './live-model.ts';
import { monthAfter, monthsIn } from './recurring.ts';

const { CARD_BRAND } = Transaction;
const UNKNOWN_BRAND = 0;
/** Documents of hours read at a time: one for each merchant account and currency. */
const LIST_PAGE = 5_000;
const DAY_MS = 86_400_000;
const HOURS_A_DAY = 24;

export type SalesUnit = 'hour' | 'day' | 'month';

export interface SalesQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly unit: SalesUnit;
  /** The first and the last day, `yyyy-mm-dd`, GMT. Of months their days do not matter. */
  readonly from: string;
  readonly to: string;
  /** All when absent. */
  readonly currency?: string;
  readonly merchantAccountId?: number;
}

type Money = number | RawNumber;

/** Major units of the currency. */
export interface Sold {
  /** Less voids. */
  readonly captured: Money;
  /** Less refunds that the bank sent back. */
  readonly refunded: Money;
  /** Less chargebacks that were reversed. */
  readonly chargedBack: Money;
  readonly fees: Money;
  /** Captured less refunded, charged back and fees. */
  readonly net: Money;
  /** Payments that were captured, and those that were declined in the end. */
  readonly captures: number;
  readonly declines: number;
}

export interface SoldPeriod extends Sold {
  /** `yyyy-mm-ddThh`, `yyyy-mm-dd` or `yyyy-mm`, GMT. */
  readonly period: string;
}

export interface SalesCurrency {
  readonly currency: string;
  /** Every period of the range, also those without anything. */
  readonly periods: readonly SoldPeriod[];
  readonly totals: Sold;
  /** Those with anything in the range. */
  readonly accounts: readonly (Sold & { readonly merchantAccountId: number })[];
  /** Those with anything in the range, the unknown one last. */
  readonly brands: readonly SoldBrand[];
}

/** Payments with cards of one network. */
export interface SoldBrand extends BrandCounts {
  readonly cardBrandId: number;
  readonly cardBrand: string;
}

interface Booked extends PeriodTotals {
  readonly merchantAccountId: number;
  readonly currency: string;
  readonly period: string;
}

/** In minor units, while it is added up. */
interface Sum {
  readonly soldMinor: bigint;
  readonly refundedMinor: bigint;
  readonly chargedBackMinor: bigint;
  readonly feesMinor: bigint;
  readonly captures: number;
  readonly declines: number;
}

const NOTHING: Sum = {
  soldMinor: 0n,
  refundedMinor: 0n,
  chargedBackMinor: 0n,
  feesMinor: 0n,
  captures: 0,
  declines: 0,
};

/** Queries over the hourly and monthly totals of the ledger read model. */
export class SalesView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** By currency, in the order of their codes. */
  async sales(query: SalesQuery): Promise<readonly SalesCurrency[]> {
    const model = await liveModel(this.#store, LEDGER);
    const found = new Map<string, Map<string, Sum>>();
    const accounts = new Map<string, Map<number, Sum>>();
    const brands = new Map<string, Map<number, BrandCounts>>();
    for await (const booked of bookedIn(model, query)) {
      const { currency, period, merchantAccountId } = booked;
      const asked = query.merchantAccountId ?? merchantAccountId;
      if (asked !== merchantAccountId || (query.currency ?? currency) !== currency) continue;
      const sum = sumOf(booked);
      addTo(found, currency, period, sum);
      addTo(accounts, currency, merchantAccountId, sum);
      brands.set(currency, withBrands(brands.get(currency), booked.brands));
    }
    const periods = periodsOf(query);
    return [...found]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, sums]) => ({
        currency,
        periods: periods.map((period) => ({
          period,
          ...shownOf(sums.get(period) ?? NOTHING, currency),
        })),
        totals: shownOf([...sums.values()].reduce(plus, NOTHING), currency),
        accounts: [...(accounts.get(currency) ?? [])]
          .sort(([one], [other]) => one - other)
          .map(([merchantAccountId, sum]) => ({ merchantAccountId, ...shownOf(sum, currency) })),
        brands: shownBrands(brands.get(currency)),
      }));
  }
}

function addTo<Key>(all: Map<string, Map<Key, Sum>>, currency: string, key: Key, sum: Sum): void {
  const sums = all.get(currency) ?? new Map<Key, Sum>();
  sums.set(key, plus(sums.get(key) ?? NOTHING, sum));
  all.set(currency, sums);
}

type Brands = PeriodTotals['brands'];

function withBrands(sums: Brands = new Map(), more: Brands): Map<number, BrandCounts> {
  const all = new Map(sums);
  for (const [id, { captures, declines }] of more) {
    const before = all.get(id);
    all.set(id, {
      captures: captures + (before?.captures ?? 0),
      declines: declines + (before?.declines ?? 0),
    });
  }
  return all;
}

function shownBrands(sums: Brands = new Map()): readonly SoldBrand[] {
  const place = (id: number) => (id === UNKNOWN_BRAND ? CARD_BRAND.length : id);
  return [...sums]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([cardBrandId, counts]) => ({
      cardBrandId,
      cardBrand: CARD_BRAND[cardBrandId] ?? '',
      ...counts,
    }));
}

async function* bookedIn(model: Build, query: SalesQuery): AsyncGenerator<Booked> {
  const { unit, from, to } = query;
  if (unit !== 'month') {
    const length = unit === 'hour' ? 'yyyy-mm-ddThh'.length : 'yyyy-mm-dd'.length;
    for await (const { hour, ...booked } of bookedHours(model, query)) {
      yield { ...booked, period: hour.slice(0, length) };
    }
    return;
  }
  const { tenantId, sandbox, merchantAccountId } = query;
  const books = {
    tenantId,
    sandbox,
    ...(merchantAccountId !== undefined && { merchantAccountId }),
  };
  for await (const { month, ...booked } of bookedMonths(model, books)) {
    if (month >= monthOf(from) && month <= monthOf(to)) yield { ...booked, period: month };
  }
}

async function* bookedHours(model: Build, { from, to, ...owner }: SalesQuery) {
  const prefix = hoursKey(owner);
  // No hour begins with the day alone.
  let after: string | undefined = `${prefix}${from}`;
  do {
    const page = await model.list(BALANCES, { prefix, after, limit: LIST_PAGE });
    for (const { key, body } of page) {
      const place = hourOfKey(key);
      if (place.hour.slice(0, to.length) > to) return;
      yield { ...place, ...(ledger.decode(body) as PeriodTotals) };
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
}

function sumOf({ accounts, counts }: Booked): Sum {
  const fees = [...accounts].filter(([name]) => name.startsWith('fees:'));
  return {
    soldMinor: -netOf(accounts.get('sales')),
    refundedMinor: netOf(accounts.get('refunds')),
    chargedBackMinor: netOf(accounts.get('chargebacks')),
    feesMinor: fees.reduce((total, [, each]) => total + netOf(each), 0n),
    captures: counts.captures,
    declines: counts.declines,
  };
}

function netOf({ debitMinor, creditMinor }: Balance = { debitMinor: 0n, creditMinor: 0n }): bigint {
  return debitMinor - creditMinor;
}

function plus(one: Sum, other: Sum): Sum {
  return {
    soldMinor: one.soldMinor + other.soldMinor,
    refundedMinor: one.refundedMinor + other.refundedMinor,
    chargedBackMinor: one.chargedBackMinor + other.chargedBackMinor,
    feesMinor: one.feesMinor + other.feesMinor,
    captures: one.captures + other.captures,
    declines: one.declines + other.declines,
  };
}

function shownOf(sum: Sum, currency: string): Sold {
  const { soldMinor, refundedMinor, chargedBackMinor, feesMinor, captures, declines } = sum;
  const shown = (minor: bigint) => toExactMajor(minor, currency);
  return {
    captured: shown(soldMinor),
    refunded: shown(refundedMinor),
    chargedBack: shown(chargedBackMinor),
    fees: shown(feesMinor),
    net: shown(soldMinor - refundedMinor - chargedBackMinor - feesMinor),
    captures,
    declines,
  };
}

function periodsOf({ unit, from, to }: SalesQuery): readonly string[] {
  if (unit === 'month') {
    const first = monthOf(from);
    const length = monthsIn({ from: first, to: monthOf(to) });
    return Array.from({ length }, (_, index) => monthAfter(first, index));
  }
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 'yyyy-mm-dd'.length));
  }
  if (unit === 'day') return days;
  const hours = Array.from({ length: HOURS_A_DAY }, (_, hour) => String(hour).padStart(2, '0'));
  return days.flatMap((day) => hours.map((hour) => `${day}T${hour}`));
}

function monthOf(day: string): string {
  return day.slice(0, 'yyyy-mm'.length);
}
