/** A subscription billed over months as the host bills it: each charge a payment, its outcome back by the policies. */
import {
  type Event,
  Policies,
  type StreamName,
  Subscription,
  streamName,
  Tenant,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { paymentStream, TENANT } from './ledger-of-events.ts';

export interface RebilledLife {
  readonly subscription: readonly [StreamName, readonly Event[]];
  /** Each charge, those that were declined among them. */
  readonly rebills: readonly (readonly [StreamName, readonly Event[]])[];
}

export interface LifeOptions {
  /** Different lives have different numbers. */
  readonly number: number;
  readonly currency: string;
  readonly from: string;
  readonly until: string;
}

/** What a charge is made of beside what matters here. */
const ORDER = sampled(arbitraries.submitPayment());
const ROUTE = sampled(arbitraries.route());
const CARD = sampled(arbitraries.card());
const PROCESSING_MS = 1_500;
/** Every so-manieth charge is declined at first. */
const DECLINED_EVERY = 4;

export function rebilledLife(options: LifeOptions): RebilledLife {
  const { number, from, until } = options;
  const subscriptionId = number + 1;
  const facts = { tenantId: TENANT, subscriptionId };
  const story: Event[] = [];
  let state: Subscription.State = Subscription.initial;
  const run = (command: Subscription.Command) => {
    const events = decided(Subscription.decide(state, command));
    story.push(...events);
    state = events.reduce(Subscription.evolve, state);
  };
  run({ ...startOf(options), ...facts, at: from });
  const rebills: [StreamName, readonly Event[]][] = [];
  for (let due = dueOf(state); due !== undefined && due.rebillAt < until; due = dueOf(state)) {
    const transactionId = idOf(number, rebills.length);
    const { cycle, attempt, rebillAt } = due;
    run({ type: 'BeginRebill', ...facts, cycle, attempt, transactionId, at: rebillAt });
    const payment = rebill(due, { options, transactionId, isDeclined: isDeclined(rebills.length) });
    rebills.push([paymentStream(transactionId), payment]);
    for (const command of followUpsOf(payment)) run(command);
  }
  return { subscription: [streamName('subscription', TENANT, subscriptionId), story], rebills };
}

interface Due {
  readonly subscriptionId: number;
  readonly cycle: number;
  readonly attempt: number;
  readonly amountMinor: bigint;
  readonly rebillAt: string;
}

function dueOf(state: Subscription.State): Due | undefined {
  if (state === null || state.rebillAt === null) return undefined;
  const { subscriptionId, cycle, rebillAt, rebillAmountMinor: amountMinor } = state;
  return { subscriptionId, cycle, attempt: state.attempt + 1, amountMinor, rebillAt };
}

function isDeclined(charge: number): boolean {
  return charge % DECLINED_EVERY === DECLINED_EVERY - 1;
}

function idOf(number: number, charge: number): TransactionId {
  const last = String(number * 1_000 + charge).padStart(12, '0');
  return `0195b000-0000-7000-8000-${last}` as TransactionId;
}

function startOf({ number, currency }: LifeOptions): Subscription.CommandOf<'StartSubscription'> {
  return {
    type: 'StartSubscription',
    tenantId: TENANT,
    subscriptionId: number + 1,
    sandbox: false,
    customerId: 600 + number,
    email: 'ada@example.test',
    orderId: 500 + number,
    transactionId: idOf(number, 999),
    companyId: 3,
    merchantAccountId: 7,
    currency,
    plan: {
      name: 'Tea club',
      description: '',
      rebillAmountMinor: 1_995n + BigInt(number),
      interval: 'day',
      intervalCount: 28 + number,
      trialDays: number % 2 === 0 ? 0 : 14,
    },
    card: CARD,
    at: '',
  };
}

function rebill(
  { subscriptionId, cycle, attempt, amountMinor, rebillAt }: Due,
  about: { options: LifeOptions; transactionId: TransactionId; isDeclined: boolean },
): readonly Event[] {
  const { transactionId } = about;
  const { currency } = about.options;
  const at = new Date(Date.parse(rebillAt) + PROCESSING_MS).toISOString();
  const { Rebill, RebillRetry } = Transaction.APPLICATION_KIND;
  const kind = attempt === 1 ? Rebill : RebillRetry;
  const facts = { tenantId: TENANT, transactionId };
  const events: Transaction.Event[] = [];
  let state: Transaction.State = Transaction.initial;
  const run = (command: Transaction.Command) => {
    const decidedEvents = decided(Transaction.decide(state, command));
    events.push(...decidedEvents);
    state = decidedEvents.reduce(Transaction.evolve, state);
  };
  const route = { ...ROUTE, terms: { ...ROUTE.terms, feeCurrency: currency } };
  run({
    ...ORDER,
    ...facts,
    sandbox: false,
    captureMode: 'automatic',
    amountMinor,
    currency,
    items: [],
    subscriptionId,
    plans: [],
    applicationId: kind,
    applicationKind: kind,
    paymentNumber: cycle,
    attempt,
    blackListing: 0,
    route,
    at: rebillAt,
  });
  const answer = { note: '', gatewayTransactionId: 'gw', at };
  run({
    type: 'RecordOutcome',
    ...facts,
    attempt: 1,
    outcome: about.isDeclined
      ? { ...answer, result: 'declined', declineCode: '05', hard: false, retryElsewhere: false }
      : { ...answer, result: 'captured', authCode: '1', arn: '', avsChecked: false },
    at,
  });
  return events;
}

function followUpsOf(events: readonly Event[]): readonly Subscription.Command[] {
  const story = events as readonly Transaction.Event[];
  const payment = story.reduce(Transaction.evolve, Transaction.initial as Transaction.State);
  if (payment === null) throw new Error('no payment came of the events');
  const settings = Tenant.DEFAULT_SETTINGS;
  const facts = { tenantId: TENANT, payment, settings, retryInsufficientFunds: false };
  return story
    .flatMap((event) => Policies.followUpsOf(event, facts))
    .flatMap((followUp) => (followUp.to === 'subscription' ? [followUp.command] : []));
}

type Decision<Decided> =
  | { readonly _tag: 'Left'; readonly left: object }
  | { readonly _tag: 'Right'; readonly right: readonly Decided[] };

function decided<Decided>(decision: Decision<Decided>): readonly Decided[] {
  if (decision._tag === 'Right') return decision.right;
  throw new Error(`refused: ${Object.values(decision.left)}`);
}

function sampled<Value>(arbitrary: fc.Arbitrary<Value>): Value {
  return fc.sample(arbitrary, { seed: 1, numRuns: 1 })[0] as Value;
}
