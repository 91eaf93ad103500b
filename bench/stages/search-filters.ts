/** Typical searches, with values drawn by seed from existing payments. */
import { type Transaction, toMajor } from '@counterfoil/core';
import type { SearchFilter } from '@counterfoil/projections';
import { below, type Random } from '../data/random.ts';
import { type Payments, paymentOf } from './read-models-data.ts';

const DAY_MS = 86_400_000;
const YEAR_START_MS = Date.parse('2025-01-01T00:00:00.000Z');
const YEAR_DAYS = 365;
/** Days that a search for a part of a descriptor looks through. */
const CONTAINS_DAYS = 30;
const MIN_NEEDLE = 5;
/** Values in one list. */
const MAX_VALUES = 3;
/** Payments that the distinct descriptors are gathered from. */
const DESCRIPTOR_SAMPLE = 100_000;

/** The searchable values of a captured payment. */
interface Known {
  readonly id: string;
  readonly submitted: Transaction.EventOf<'PaymentSubmitted'>;
  readonly route: Transaction.EventOf<'AttemptStarted'>['route'];
  readonly captured: Transaction.EventOf<'PaymentCaptured'>;
}

export type FilterName = keyof ReturnType<typeof drawersOf>;

/** Draws filters from the payments of one log. */
export class Drawing {
  readonly #payments: Payments;
  readonly #random: Random;
  readonly #descriptors: readonly string[];

  constructor(payments: Payments, random: Random, descriptors: readonly string[]) {
    this.#payments = payments;
    this.#random = random;
    this.#descriptors = descriptors;
  }

  filters(name: FilterName, count: number): readonly SearchFilter[] {
    const draw: () => SearchFilter = drawersOf(this)[name];
    return Array.from({ length: count }, draw);
  }

  mitigationFilters(name: MitigationFilterName, count: number): readonly SearchFilter[] {
    const draw: () => SearchFilter = mitigationDrawersOf(this)[name];
    return Array.from({ length: count }, draw);
  }

  below(bound: number): number {
    return below(this.#random, bound);
  }

  /** One to three values of as many payments. */
  some<Value>(pick: (known: Known) => Value | null): NonNullable<Value>[] {
    return Array.from({ length: 1 + this.below(MAX_VALUES) }, () => this.one(pick));
  }

  /** A value of a payment that has one. */
  one<Value>(pick: (known: Known) => Value | null): NonNullable<Value> {
    for (;;) {
      const known = this.#known(this.below(this.#payments.size));
      const value = known === undefined ? null : pick(known);
      if (value !== null && value !== undefined) return value;
    }
  }

  /** Consecutive days in the year of the payments. */
  days(count: number): { readonly dateFrom: string; readonly dateTo: string } {
    const first = this.below(YEAR_DAYS - count + 1);
    return { dateFrom: dayOf(first), dateTo: dayOf(first + count - 1) };
  }

  /** A part of one of the distinct descriptors: rare ones are drawn as often as common ones. */
  needle(): string {
    const descriptor = this.#descriptors[this.below(this.#descriptors.length)] ?? '';
    const length = MIN_NEEDLE + this.below(descriptor.length - MIN_NEEDLE + 1);
    const start = this.below(descriptor.length - length + 1);
    return descriptor.slice(start, start + length);
  }

  #known(number: number): Known | undefined {
    const { events, transactionId } = paymentOf(number, this.#payments);
    const [submitted, started, captured] = events;
    if (submitted?.type !== 'PaymentSubmitted' || submitted.sandbox) return undefined;
    if (started?.type !== 'AttemptStarted' || captured?.type !== 'PaymentCaptured')
      return undefined;
    return { id: transactionId, submitted, route: started.route, captured };
  }
}

/** The distinct descriptors of a log, sorted. */
export function descriptorsOf(payments: Payments): readonly string[] {
  const found = new Set<string>();
  const size = Math.min(payments.size, DESCRIPTOR_SAMPLE);
  for (let number = 0; number < size; number += 1) {
    for (const event of paymentOf(number, payments).events) {
      if (event.type === 'AttemptStarted') found.add(event.route.descriptor);
    }
  }
  return [...found].sort();
}

/** Every filter of the transactions search. */
function drawersOf(from: Drawing) {
  return {
    emails: () => ({ emails: from.some(({ submitted }) => submitted.email) }),
    orderIds: () => ({ orderIds: from.some(({ submitted }) => submitted.orderId) }),
    transactionIds: () => ({ transactionIds: from.some(({ id }) => id) }),
    gatewayTransactionIds: () => ({
      gatewayTransactionIds: from.some(({ captured }) => captured.gatewayTransactionId),
    }),
    'bin+last4': () =>
      from.one(({ submitted: { card } }) =>
        card === null ? null : { bin: card.bin, last4: card.last4 },
      ),
    names: () => from.one(({ submitted: { firstName, lastName } }) => ({ firstName, lastName })),
    authCodes: () => ({ authCodes: from.some(({ captured }) => captured.authCode) }),
    'currency+date': () => ({
      currency: from.one(({ submitted }) => submitted.currency),
      ...from.days(1 + from.below(CONTAINS_DAYS)),
    }),
    descriptorContains: () => ({
      descriptorContains: from.needle(),
      ...from.days(CONTAINS_DAYS),
    }),
    applicationIds: () => ({
      applicationIds: from.some(({ submitted }) => submitted.applicationId),
    }),
    productIds: () => ({ productIds: from.some(({ submitted }) => submitted.productId) }),
    campaignIds: () => ({ campaignIds: from.some(({ submitted }) => submitted.campaignId) }),
    merchantAccountIds: () => ({
      merchantAccountIds: from.some(({ route }) => route.merchantAccountId),
    }),
    companyIds: () => ({ companyIds: from.some(({ submitted }) => submitted.companyId) }),
    subscriptionIds: () => ({
      subscriptionIds: from.some(({ submitted }) => submitted.subscriptionId),
    }),
    affiliateIds: () => ({ affiliateIds: from.some(({ submitted }) => submitted.affiliateId) }),
    amounts: () => ({
      amounts: from.some(({ submitted }) => amountOf(submitted)),
    }),
  } satisfies Record<string, () => SearchFilter>;
}

/** What a provider of chargeback mitigation looks for: one payment, by what it knows of it. */
export type MitigationFilterName = keyof ReturnType<typeof mitigationDrawersOf>;

function mitigationDrawersOf(from: Drawing) {
  return {
    email: () => ({ emails: [from.one(({ submitted }) => submitted.email)] }),
    orderId: () => ({ orderIds: [from.one(({ submitted }) => submitted.orderId)] }),
    authCode: () => ({ authCodes: [from.one(({ captured }) => captured.authCode)] }),
    'bin+last4': () =>
      from.one(({ submitted: { card } }) =>
        card === null ? null : { bin: card.bin, last4: card.last4 },
      ),
    'mid+amount': () =>
      from.one(({ submitted, route }) => ({ mid: route.mid, amounts: [amountOf(submitted)] })),
    'amount+date': () => ({
      amounts: [from.one(({ submitted }) => amountOf(submitted))],
      ...from.days(CONTAINS_DAYS),
    }),
  } satisfies Record<string, () => SearchFilter>;
}

function amountOf({ amountMinor, currency }: Known['submitted']): number {
  return toMajor(amountMinor, currency);
}

export const MITIGATION_FILTERS = Object.keys(
  mitigationDrawersOf(new Drawing({ size: 1, seed: 0 }, () => 0, [])),
) as readonly MitigationFilterName[];

export const FILTERS = Object.keys(
  drawersOf(new Drawing({ size: 1, seed: 0 }, () => 0, [])),
) as readonly FilterName[];

/** Distinct broad searches: thousands of payments match each. */
export function broadFilters(count: number, random: Random): readonly SearchFilter[] {
  const broad: SearchFilter[] = [{ currency: 'GBP' }];
  for (let companyId = 1; companyId <= 5; companyId += 1) broad.push({ companyIds: [companyId] });
  // Late days of the year: even the small log has enough payments before them.
  const firstDay = Math.floor(YEAR_DAYS * 0.7);
  const all: SearchFilter[] = Array.from({ length: YEAR_DAYS - firstDay }, (_, day) =>
    dayOf(firstDay + day),
  ).flatMap((dateTo) => broad.map((filter) => ({ ...filter, dateTo })));
  if (count > all.length) throw new RangeError(`only ${all.length} broad searches`);
  for (let index = 0; index < count; index += 1) {
    const other = index + below(random, all.length - index);
    [all[index], all[other]] = [all[other] as SearchFilter, all[index] as SearchFilter];
  }
  return all.slice(0, count);
}

function dayOf(day: number): string {
  return new Date(YEAR_START_MS + day * DAY_MS).toISOString().slice(0, 10);
}
