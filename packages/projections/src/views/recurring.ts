/** The recurring read model: what subscriptions brought in each month, and who joined, froze and left. */
import { type RawNumber, Subscription, toExactMajor } from '@counterfoil/core';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import { liveModel, MONTHS, RECURRING } from './live-model.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '2';
/** Months read at a time while they are added up. */
const LIST_PAGE = 1_000;
/** `yyyy-mm` of an instant. */
const MONTH_LENGTH = 7;
const MONTHS_A_YEAR = 12;

/** What happened in one month to the subscriptions of a tenant, an environment and a currency. */
interface Month {
  readonly joined: number;
  readonly renewed: number;
  readonly revenueMinor: bigint;
  readonly frozen: number;
  readonly unfrozen: number;
  readonly left: number;
  /** Those that left while they were frozen: they are frozen no longer. */
  readonly leftFrozen: number;
  /** By how much the monthly amount of those that are billed grew; less than 0 where it fell. */
  readonly monthlyMinor: bigint;
}

const NOTHING: Month = {
  joined: 0,
  renewed: 0,
  revenueMinor: 0n,
  frozen: 0,
  unfrozen: 0,
  left: 0,
  leftFrozen: 0,
  monthlyMinor: 0n,
};

/** What the months count of one subscription. */
interface Billed {
  readonly isFrozen: boolean;
  readonly hasLeft: boolean;
  /** The monthly amount of its plan. */
  readonly plannedMinor: bigint;
  /** That of the plan when a cycle was last paid; 0 in a trial. */
  readonly paidMinor: bigint;
}

type State = Month | Billed;

const TYPES = [
  'SubscriptionStarted',
  'SubscriptionRenewed',
  'SubscriptionFrozen',
  'SubscriptionUnfrozen',
  'SubscriptionUnsubscribed',
  'PlanChanged',
] as const;
type Followed = Subscription.EventOf<(typeof TYPES)[number]>;
/** All but changes of plans, which count when the next cycle is paid. */
type Counted = Exclude<Followed, { readonly type: 'PlanChanged' }>;

export const recurring: Projection<State> = {
  name: RECURRING,
  version: VERSION,
  categories: new Set(['subscription']),
  types: new Set(TYPES),
  stateCollection: MONTHS,
  collections: [{ name: MONTHS, kind: 'keyed' }],

  needs(record) {
    const billed = billedKeyOf(record);
    switch (record.event.type) {
      case 'SubscriptionStarted':
        return [monthKeyOf(record)];
      case 'PlanChanged':
        return [billed];
      default:
        return [monthKeyOf(record), billed];
    }
  },

  apply(record, states: States<State>) {
    const event = record.event as Followed;
    const before = states.get(billedKeyOf(record)) as Billed | undefined;
    const after = billedAfter(before, event);
    const billed = [billedKeyOf(record), after] as const;
    if (event.type === 'PlanChanged') return { states: [billed] };
    const month = (states.get(monthKeyOf(record)) ?? NOTHING) as Month;
    const grown = monthlyOf(after) - (before === undefined ? 0n : monthlyOf(before));
    const counted = withEvent(month, event, before?.isFrozen === true);
    const monthlyMinor = month.monthlyMinor + grown;
    return { states: [[monthKeyOf(record), { ...counted, monthlyMinor }], billed] };
  },

  encode(state) {
    if ('isFrozen' in state) {
      const { isFrozen, hasLeft, plannedMinor, paidMinor } = state;
      return JSON.stringify([isFrozen, hasLeft, plannedMinor.toString(), paidMinor.toString()]);
    }
    const { joined, renewed, revenueMinor, frozen, unfrozen, left, leftFrozen } = state;
    const amounts = [revenueMinor.toString(), state.monthlyMinor.toString()];
    return JSON.stringify([joined, renewed, frozen, unfrozen, left, leftFrozen, ...amounts]);
  },

  decode(body) {
    const stored = JSON.parse(body) as StoredBilled | StoredMonth;
    if (stored.length === BILLED_LENGTH) {
      const [isFrozen, hasLeft, planned, paid] = stored;
      return { isFrozen, hasLeft, plannedMinor: BigInt(planned), paidMinor: BigInt(paid) };
    }
    const [joined, renewed, frozen, unfrozen, left, leftFrozen, revenue, monthly] = stored;
    const counts = { joined, renewed, frozen, unfrozen, left, leftFrozen };
    return { ...counts, revenueMinor: BigInt(revenue), monthlyMinor: BigInt(monthly) };
  },
};

type StoredBilled = readonly [
  isFrozen: boolean,
  hasLeft: boolean,
  plannedMinor: string,
  paidMinor: string,
];
const BILLED_LENGTH = 4;

type StoredMonth = readonly [
  joined: number,
  renewed: number,
  frozen: number,
  unfrozen: number,
  left: number,
  leftFrozen: number,
  revenueMinor: string,
  monthlyMinor: string,
];

function billedAfter(before: Billed | undefined, event: Followed): Billed {
  if (event.type === 'SubscriptionStarted') {
    const plannedMinor = Subscription.monthlyMinor(event, event.rebillAmountMinor);
    const paidMinor = event.trialDays > 0 ? 0n : plannedMinor;
    return { isFrozen: false, hasLeft: false, plannedMinor, paidMinor };
  }
  if (before === undefined) throw new Error(`${event.type} without a subscription`);
  switch (event.type) {
    case 'PlanChanged':
      return {
        ...before,
        plannedMinor: Subscription.monthlyMinor(event, event.rebillAmountMinor),
      };
    case 'SubscriptionRenewed':
      return { ...before, paidMinor: before.plannedMinor };
    case 'SubscriptionFrozen':
      return { ...before, isFrozen: true };
    case 'SubscriptionUnfrozen':
      return { ...before, isFrozen: false };
    case 'SubscriptionUnsubscribed':
      return { ...before, hasLeft: true };
  }
}

function monthlyOf({ isFrozen, hasLeft, paidMinor }: Billed): bigint {
  return isFrozen || hasLeft ? 0n : paidMinor;
}

function withEvent(month: Month, event: Counted, wasFrozen: boolean): Month {
  switch (event.type) {
    case 'SubscriptionStarted':
      return { ...month, joined: month.joined + 1 };
    case 'SubscriptionRenewed':
      return {
        ...month,
        renewed: month.renewed + 1,
        revenueMinor: month.revenueMinor + event.amountMinor,
      };
    case 'SubscriptionFrozen':
      return { ...month, frozen: month.frozen + 1 };
    case 'SubscriptionUnfrozen':
      return { ...month, unfrozen: month.unfrozen + 1 };
    case 'SubscriptionUnsubscribed': {
      const leftFrozen = month.leftFrozen + (wasFrozen ? 1 : 0);
      return { ...month, left: month.left + 1, leftFrozen };
    }
  }
}

const MONTH_PREFIX = 'month';

function monthKeyOf({ tenantId, event }: Recorded): string {
  const { sandbox, currency, at } = event as Counted;
  const month = at.slice(0, MONTH_LENGTH);
  return `${MONTH_PREFIX}/${partitionOf(tenantId, sandbox)}/${currency}/${month}`;
}

function billedKeyOf({ stream }: Recorded): string {
  return `billed/${stream}`;
}

export interface RecurringQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  /** All when absent. */
  readonly currency?: string;
  /** `yyyy-mm`, the first month and the last, both included. */
  readonly from: string;
  readonly to: string;
}

/** What happened in a month, or in all months of a range. Money in major units of the currency. */
interface Happened {
  /** Subscriptions that started. */
  readonly joined: number;
  /** Cycles paid after the first. */
  readonly renewed: number;
  /** What those cycles brought in: starting payments are no part of it, refunds are not taken off. */
  readonly revenue: number | RawNumber;
  readonly frozen: number;
  readonly unfrozen: number;
  /** Subscriptions that ended, frozen ones among them. */
  readonly left: number;
  /** Subscriptions that had not ended when the time began, and when it ended; frozen ones among them. */
  readonly activeAtStart: number;
  readonly activeAtEnd: number;
  readonly frozenAtEnd: number;
  /**
   * Monthly recurring revenue when the time ended: the monthly amounts of the subscriptions that were
   * billed then, each by the plan of its last paid cycle. Trials and frozen ones are no part of it. An
   * amount for days or weeks is converted by the mean month of 30.436875 days.
   */
  readonly mrrAtEnd: number | RawNumber;
  /** Left of those active at the start; null when there were none. */
  readonly churnRate: number | null;
}

export interface RecurringMonth extends Happened {
  /** `yyyy-mm`, GMT. */
  readonly month: string;
}

export interface RecurringCurrency {
  readonly currency: string;
  /** Every month of the range, in ascending order. */
  readonly months: readonly RecurringMonth[];
  readonly totals: Happened;
}

/** Queries over the recurring read model. */
export class RecurringView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Every currency in which a subscription ever started, in their order. */
  async months({
    from,
    to,
    currency,
    ...owner
  }: RecurringQuery): Promise<readonly RecurringCurrency[]> {
    const model = await liveModel(this.#store, RECURRING);
    const found = await monthsOf(model, { ...owner, ...(currency !== undefined && { currency }) });
    return [...found].map(([each, months]) => reportOf(each, months, { from, to }));
  }
}

type Months = ReadonlyMap<string, Month>;

/** By currency and month, both ascending as their keys are. */
async function monthsOf(
  model: Build,
  { tenantId, sandbox, currency }: Omit<RecurringQuery, 'from' | 'to'>,
): Promise<Map<string, Months>> {
  const all = `${MONTH_PREFIX}/${partitionOf(tenantId, sandbox)}/`;
  const prefix = currency === undefined ? all : `${all}${currency}/`;
  const found = new Map<string, Map<string, Month>>();
  let after: string | undefined;
  do {
    const options = { prefix, limit: LIST_PAGE, ...(after !== undefined && { after }) };
    const page = await model.list(MONTHS, options);
    for (const { key, body } of page) {
      const [name = '', month = ''] = key.slice(all.length).split('/');
      const months = found.get(name) ?? new Map<string, Month>();
      found.set(name, months.set(month, recurring.decode(body) as Month));
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  return found;
}

function reportOf(
  currency: string,
  months: Months,
  { from, to }: { readonly from: string; readonly to: string },
): RecurringCurrency {
  const before = sumOf([...months].flatMap(([month, each]) => (month < from ? [each] : [])));
  let past = before;
  const shown: RecurringMonth[] = [];
  for (let index = indexOf(from); index <= indexOf(to); index += 1) {
    const month = monthOf(index);
    const happened = months.get(month) ?? NOTHING;
    shown.push({ month, ...shownOf(currency, { past, happened }) });
    past = sumOf([past, happened]);
  }
  const within = [...months].flatMap(([month, each]) =>
    month >= from && month <= to ? [each] : [],
  );
  const totals = shownOf(currency, { past: before, happened: sumOf(within) });
  return { currency, months: shown, totals };
}

function sumOf(months: readonly Month[]): Month {
  return months.reduce(
    (sum, each) => ({
      joined: sum.joined + each.joined,
      renewed: sum.renewed + each.renewed,
      revenueMinor: sum.revenueMinor + each.revenueMinor,
      frozen: sum.frozen + each.frozen,
      unfrozen: sum.unfrozen + each.unfrozen,
      left: sum.left + each.left,
      leftFrozen: sum.leftFrozen + each.leftFrozen,
      monthlyMinor: sum.monthlyMinor + each.monthlyMinor,
    }),
    NOTHING,
  );
}

function shownOf(
  currency: string,
  { past, happened }: { readonly past: Month; readonly happened: Month },
): Happened {
  const { joined, renewed, revenueMinor, frozen, unfrozen, left } = happened;
  const activeAtStart = past.joined - past.left;
  const after = sumOf([past, happened]);
  return {
    joined,
    renewed,
    revenue: toExactMajor(revenueMinor, currency),
    frozen,
    unfrozen,
    left,
    activeAtStart,
    activeAtEnd: after.joined - after.left,
    frozenAtEnd: after.frozen - after.unfrozen - after.leftFrozen,
    mrrAtEnd: toExactMajor(after.monthlyMinor, currency),
    churnRate: activeAtStart === 0 ? null : left / activeAtStart,
  };
}

/** Months are counted, so that a range of them ends. */
function indexOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * MONTHS_A_YEAR + number - 1;
}

function monthOf(index: number): string {
  const year = String(Math.floor(index / MONTHS_A_YEAR)).padStart(4, '0');
  return `${year}-${String((index % MONTHS_A_YEAR) + 1).padStart(2, '0')}`;
}

/** The month `months` later, or earlier when the number is negative. */
export function monthAfter(month: string, months: number): string {
  return monthOf(indexOf(month) + months);
}

/** How many months a range has, its first and its last among them. */
export function monthsIn({ from, to }: { readonly from: string; readonly to: string }): number {
  return indexOf(to) - indexOf(from) + 1;
}
