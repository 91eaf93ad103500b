/** Builders for tests of subscriptions: past events and commands. */
import { Subscription, Tenant, type TenantId, type TransactionId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { card } from '../subscription-samples.ts';
import { whenOf } from '../when.ts';

export type Event = Subscription.Event;
export type Command = Subscription.Command;
type Commands = { readonly [Type in Command['type']]: Subscription.CommandOf<Type> };
type Facts<Type extends Command['type']> = Partial<Commands[Type]>;
type Happened<Type extends Event['type']> = Partial<Subscription.EventOf<Type>>;

export const tenantId = 7 as TenantId;
export const subscriptionId = 91;
/** A leap year's first hour: thirty days from here end in no month's first. */
export const START = '2024-01-01T10:00:00.000Z';
export const FREQUENCY = 30;

/** So many days of 24 hours after the start. */
export function day(days: number, ms = 0): string {
  return new Date(Date.parse(START) + days * Subscription.DAY_MS + ms).toISOString();
}

/** The payment of a try, or of the order. */
export function tryId(cycle: number, attempt = 1): TransactionId {
  const digits = (n: number, length: number) => String(n).padStart(length, '0');
  return `0192f000-0000-7000-8000-${digits(cycle, 6)}${digits(attempt, 6)}` as TransactionId;
}

export const orderPaid = tryId(1);
export { card };
/** Another number. */
export const otherCard = { ...card, token: 'tok_2', fingerprint: 'beef', last4: '0077' };
/** The same number until a later date. */
export const renewedCard = { ...card, token: 'tok_3', expYear: 2035 };

export const plan: Subscription.Plan = {
  name: 'Tea club',
  description: 'A tin of tea every month',
  rebillAmountMinor: 1_995n,
  interval: 'day',
  intervalCount: FREQUENCY,
  trialDays: 0,
};

const { dunning } = Tenant.DEFAULT_SETTINGS;
const counted = { sandbox: false, currency: 'GBP' } as const;
const order = {
  ...counted,
  customerId: 601,
  email: 'ada@example.com',
  orderId: 501,
  transactionId: orderPaid,
  companyId: 11,
  merchantAccountId: 31,
} as const;

function to<Type extends Command['type']>(type: Type, facts: object): Commands[Type] {
  return { type, tenantId, subscriptionId, ...facts } as unknown as Commands[Type];
}

const firstTry = { cycle: 2, attempt: 1, transactionId: tryId(2) };

/** Commands, each with what it mostly says. */
export const ask = {
  start: (facts: Facts<'StartSubscription'> = {}) =>
    to('StartSubscription', { ...order, plan, card, at: START, ...facts }),
  begin: (facts: Facts<'BeginRebill'> = {}) =>
    to('BeginRebill', { ...firstTry, at: day(30), ...facts }),
  renewed: (facts: Facts<'RecordRenewal'> = {}) =>
    to('RecordRenewal', { ...firstTry, amountMinor: 1_995n, at: day(30), ...facts }),
  failed: (facts: Facts<'RecordRebillFailure'> = {}) =>
    to('RecordRebillFailure', {
      ...firstTry,
      declineCode: 'do_not_honor',
      hard: false,
      dunning,
      retryInsufficientFunds: false,
      at: day(30),
      ...facts,
    }),
  freeze: (facts: Facts<'Freeze'> = {}) =>
    to('Freeze', { note: 'on holiday', at: day(1), ...facts }),
  unfreeze: (at = day(2)) => to('Unfreeze', { at }),
  unsubscribe: (facts: Facts<'Unsubscribe'> = {}) =>
    to('Unsubscribe', {
      reason: 'customer-service',
      requestedBy: 'agent@example.com',
      notifyCustomer: true,
      at: day(3),
      ...facts,
    }),
  changePlan: (changed: Facts<'ChangePlan'>['plan'], at = day(4)) =>
    to('ChangePlan', { plan: changed, at }),
  changeCard: (changed = otherCard, at = day(5)) => to('ChangeCard', { card: changed, at }),
};

/** Events, each with what it mostly says. */
export const happened = {
  started: (facts: Happened<'SubscriptionStarted'> = {}): Event => ({
    type: 'SubscriptionStarted',
    subscriptionId,
    ...order,
    ...plan,
    card,
    realStartAt: START,
    rebillAt: day(30),
    at: START,
    ...facts,
  }),
  due: (facts: Happened<'RebillDue'> = {}): Event => ({
    type: 'RebillDue',
    ...firstTry,
    totalAttempt: 2,
    amountMinor: 1_995n,
    at: day(30),
    ...facts,
  }),
  renewed: (facts: Happened<'SubscriptionRenewed'> = {}): Event => ({
    type: 'SubscriptionRenewed',
    ...counted,
    ...firstTry,
    amountMinor: 1_995n,
    nextCycle: 3,
    rebillAt: day(60),
    at: day(30),
    ...facts,
  }),
  failed: (facts: Happened<'RebillFailed'> = {}): Event => ({
    type: 'RebillFailed',
    ...firstTry,
    declineCode: 'do_not_honor',
    hard: false,
    retryAt: day(31),
    at: day(30),
    ...facts,
  }),
  frozen: (facts: Happened<'SubscriptionFrozen'> = {}): Event => ({
    type: 'SubscriptionFrozen',
    ...counted,
    reason: 'admin',
    note: '',
    at: day(30),
    ...facts,
  }),
  unfrozen: (facts: Happened<'SubscriptionUnfrozen'> = {}): Event => ({
    type: 'SubscriptionUnfrozen',
    ...counted,
    reason: 'admin',
    cycle: 3,
    rebillAt: day(60),
    at: day(40),
    ...facts,
  }),
  unsubscribed: (facts: Happened<'SubscriptionUnsubscribed'> = {}): Event => ({
    type: 'SubscriptionUnsubscribed',
    ...counted,
    reason: 'customer-service',
    requestedBy: 'agent@example.com',
    notifyCustomer: true,
    at: day(3),
    ...facts,
  }),
  planChanged: (facts: Happened<'PlanChanged'> = {}): Event => {
    const { trialDays: _, ...kept } = plan;
    return {
      type: 'PlanChanged',
      ...kept,
      anchorCycle: 2,
      anchorAt: day(30),
      anchorDay: 31,
      at: day(4),
      ...facts,
    };
  },
  cardChanged: (facts: Happened<'CardChanged'> = {}): Event => ({
    type: 'CardChanged',
    customerId: 601,
    sandbox: false,
    card: otherCard,
    sameNumber: false,
    failedAt: [],
    at: day(5),
    ...facts,
  }),
};

const started = [happened.started()];
const due = [...started, happened.due()];

/** Pasts that many tests begin with. */
export const past = {
  started,
  /** The first try of cycle 2 is under way. */
  due,
  renewed: [...due, happened.renewed()],
  /** It was declined softly once. */
  failed: [...due, happened.failed()],
  /** Declined without further retries. */
  frozen: [
    ...due,
    happened.failed({ hard: true, retryAt: null }),
    happened.frozen({ reason: 'hard-decline' }),
  ],
  frozenByAdmin: [...started, happened.frozen({ at: day(1) })],
  ended: [...started, happened.unsubscribed()],
};

export const when = whenOf(Subscription);

/** The subscription that a past makes. */
export function stateAfter(events: readonly Event[]): Subscription.Subscription {
  const { state } = given(Subscription, events);
  if (state === null) throw new Error('there is no subscription');
  return state;
}
