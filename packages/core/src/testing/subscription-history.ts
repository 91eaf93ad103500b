/** Random lives of a subscription: commands drawn against its present state, and the events they led to. */
import fc from 'fast-check';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Command, CommandOf, Rejection } from '../domain/subscription/command.ts';
import { type Cadence, INTERVALS, type Interval } from '../domain/subscription/dates.ts';
import { decide, INSUFFICIENT_FUNDS } from '../domain/subscription/decide.ts';
import type { Event } from '../domain/subscription/events.ts';
import type { Plan } from '../domain/subscription/plan.ts';
import { evolve, initial, type State, type Subscription } from '../domain/subscription/state.ts';
import { DEFAULT_SETTINGS } from '../domain/tenant.ts';
import type { TenantId, TransactionId } from '../kernel/ids.ts';
import { card, currency, instant, tenantId, transactionId } from './arbitraries.ts';

/** One command, what was decided on it, and the subscription before and after. */
export interface SubscriptionStep {
  readonly command: Command;
  readonly before: State;
  readonly rejection: Rejection | undefined;
  readonly events: readonly Event[];
  readonly after: State;
}

export interface SubscriptionHistory {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
  readonly steps: readonly SubscriptionStep[];
  /** All events of all steps, in order. */
  readonly events: readonly Event[];
  readonly state: State;
}

/** A drawn choice, made into a command once the state is known. It is small, so it shrinks well. */
export interface SubscriptionMove {
  /** Any command at all when true; else one that the state calls for. */
  readonly wild: boolean;
  readonly kind: number;
  readonly id: TransactionId;
  /** Chooses among what there is: answers, prices, cards. */
  readonly pick: number;
  readonly elapsedMs: number;
}

const LONGEST_PAUSE_MS = 40 * 86_400_000;
const MOST_MOVES = 40;

export function subscriptionMove(): fc.Arbitrary<SubscriptionMove> {
  return fc.record({
    wild: fc.nat(9).map((n) => n === 9),
    kind: fc.nat(999),
    id: transactionId(),
    pick: fc.nat(999),
    elapsedMs: fc.oneof(fc.constantFrom(0, 1, 86_400_000), fc.nat(LONGEST_PAUSE_MS)),
  });
}

/** From a day to about a year. */
export function cadence(): fc.Arbitrary<Cadence> {
  const every = (interval: Interval, max: number) =>
    fc.record({ interval: fc.constant(interval), intervalCount: fc.integer({ min: 1, max }) });
  return fc.oneof(
    fc.constantFrom(1, 7, 30).map((intervalCount) => ({ interval: 'day' as const, intervalCount })),
    every('day', 400),
    every('week', 52),
    every('month', 14),
    every('year', 2),
  );
}

export function plan(): fc.Arbitrary<Plan> {
  return fc
    .record({
      name: fc.constantFrom('Tea club', 'Book club'),
      description: fc.constantFrom('', 'A tin of tea every month'),
      rebillAmountMinor: fc.bigInt({ min: 1n, max: 10_000_000n }),
      trialDays: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
      cadence: cadence(),
    })
    .map(({ cadence: often, ...rest }) => ({ ...rest, ...often }));
}

export function startSubscription(): fc.Arbitrary<CommandOf<'StartSubscription'>> {
  const id = fc.integer({ min: 1, max: 1_000_000 });
  return fc.record({
    type: fc.constant('StartSubscription' as const),
    tenantId: tenantId(),
    subscriptionId: id,
    sandbox: fc.boolean(),
    customerId: id,
    email: fc.emailAddress({ size: '-1' }),
    orderId: id,
    transactionId: transactionId(),
    companyId: id,
    merchantAccountId: id,
    currency: currency(),
    plan: plan(),
    card: fc.option(card(), { freq: 19 }),
    at: instant(),
  });
}

/** Histories of one subscription from its start on, at most `maxMoves` commands long. */
export function subscriptionHistory(
  maxMoves: number = MOST_MOVES,
): fc.Arbitrary<SubscriptionHistory> {
  return fc
    .tuple(startSubscription(), fc.array(subscriptionMove(), { maxLength: maxMoves, size: 'max' }))
    .map(([first, moves]) => playSubscription(first, moves));
}

/** What becomes of a subscription by these moves, one after the other. */
export function playSubscription(
  first: CommandOf<'StartSubscription'>,
  moves: readonly SubscriptionMove[],
): SubscriptionHistory {
  const steps = [stepOf(initial, first)];
  for (const drawn of moves) {
    const { after, command } = steps.at(-1) as SubscriptionStep;
    if (after === null) break;
    const { tenantId, at } = command;
    steps.push(stepOf(after, subscriptionCommandOf(drawn, { subscription: after, tenantId, at })));
  }
  const { tenantId, subscriptionId } = first;
  const events = steps.flatMap((step) => step.events);
  return { tenantId, subscriptionId, steps, events, state: steps.at(-1)?.after ?? null };
}

function stepOf(before: State, command: Command): SubscriptionStep {
  const decided = decide(before, command);
  if (isLeft(decided)) {
    return { command, before, rejection: decided.left, events: [], after: before };
  }
  const events = decided.right;
  return { command, before, rejection: undefined, events, after: events.reduce(evolve, before) };
}

/** Where a move is made: on this subscription, after this instant. */
export interface SubscriptionPlace {
  readonly subscription: Subscription;
  readonly tenantId: TenantId;
  readonly at: string;
}

/** Turns a move into the command it stands for. */
export function subscriptionCommandOf(
  drawn: SubscriptionMove,
  { subscription, tenantId, at: after }: SubscriptionPlace,
): Command {
  const kinds = drawn.wild ? EVERY_KIND : fitting(subscription);
  const type = kinds[drawn.kind % kinds.length] as Kind;
  const { subscriptionId } = subscription;
  const at = timeOf(type, drawn, { subscription, after });
  return { type, tenantId, subscriptionId, at, ...BODIES[type](subscription, drawn) } as Command;
}

/** Billing mostly comes when it is due, late by what was drawn; everything else comes by chance. */
function timeOf(
  type: Kind,
  { wild, elapsedMs }: SubscriptionMove,
  { subscription, after }: { subscription: Subscription; after: string },
): string {
  const { rebillAt } = subscription;
  const waits = type === 'BeginRebill' && !wild && rebillAt !== null && rebillAt > after;
  const from = Date.parse(waits ? rebillAt : after);
  return new Date(from + (waits ? elapsedMs % 86_400_000 : elapsedMs)).toISOString();
}

/** The commands that a subscription in this state is likely to get. */
function fitting({ pending, unsubscribedAt, frozenAt }: Subscription): readonly Kind[] {
  if (pending !== null) return [...outcomesOf(pending), ...CHANGES];
  if (unsubscribedAt !== null) return EVERY_KIND;
  if (frozenAt !== null) {
    return ['Unfreeze', 'Unfreeze', 'ChangeCard', 'ChangeCard', 'ChangePlan', 'Unsubscribe'];
  }
  return [...times(20, 'BeginRebill'), ...CHANGES];
}

/** Every third cycle goes badly: by chance alone the tries of one hardly ever run out. */
function outcomesOf({ cycle }: { readonly cycle: number }): readonly Kind[] {
  const [paid, failed] = cycle % 3 === 0 ? [1, 30] : [14, 2];
  return [...times(paid, 'RecordRenewal'), ...times(failed, 'RecordRebillFailure')];
}

function times(count: number, kind: Kind): readonly Kind[] {
  return Array<Kind>(count).fill(kind);
}

const CHANGES: readonly Kind[] = ['Freeze', 'Unsubscribe', 'ChangePlan', 'ChangeCard'];

type Kind = Exclude<Command['type'], 'StartSubscription'>;
type Body<Type extends Kind> = Omit<CommandOf<Type>, 'type' | 'tenantId' | 'subscriptionId' | 'at'>;

/** The try that is under way, or the one that would be next. */
function tryOf(subscription: Subscription, { id, wild, pick }: SubscriptionMove) {
  if (wild) return { cycle: 2 + (pick % 4), attempt: 1 + (pick % 3), transactionId: id };
  const { pending } = subscription;
  const { cycle, attempt } = pending ?? { ...subscription, attempt: subscription.attempt + 1 };
  return { cycle, attempt, transactionId: pending?.transactionId ?? id };
}

const BODIES: {
  readonly [Type in Kind]: (subscription: Subscription, drawn: SubscriptionMove) => Body<Type>;
} = {
  BeginRebill: tryOf,
  RecordRenewal: (subscription, drawn) => ({
    ...tryOf(subscription, drawn),
    amountMinor: subscription.pending?.amountMinor ?? subscription.rebillAmountMinor,
  }),
  RecordRebillFailure: (subscription, drawn) => ({
    ...tryOf(subscription, drawn),
    declineCode: drawn.pick % 4 === 0 ? INSUFFICIENT_FUNDS : 'do_not_honor',
    hard: drawn.pick % 17 === 0,
    dunning: DEFAULT_SETTINGS.dunning,
    retryInsufficientFunds: drawn.pick % 5 !== 0,
  }),
  Freeze: () => ({ note: 'asked for a pause' }),
  Unfreeze: () => ({}),
  Unsubscribe: (_, { pick }) => ({
    reason: pick % 3 === 0 ? 'chargeback' : 'customer-service',
    requestedBy: 'agent@example.com',
    notifyCustomer: pick % 2 === 0,
  }),
  ChangePlan: ({ intervalCount }, { pick }) => ({
    plan: {
      ...(pick % 2 === 0 && { rebillAmountMinor: BigInt(pick) }),
      ...(pick % 3 === 0 && {
        interval: INTERVALS[pick % INTERVALS.length] ?? 'day',
        intervalCount: 1 + ((intervalCount + pick) % 30),
      }),
      ...(pick % 5 === 0 && { name: `Club ${pick}` }),
    },
  }),
  ChangeCard: (_, { pick }) => ({
    card: {
      token: `tok_${pick}`,
      fingerprint: `${pick}`.padStart(16, '0'),
      bin: '424242',
      last4: String(pick).padStart(4, '0'),
      brandId: 1,
      expMonth: 12,
      expYear: 2050,
      binCountry: 'GB',
    },
  }),
};

const EVERY_KIND = Object.keys(BODIES) as Kind[];
