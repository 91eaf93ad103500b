/** What will happen to a subscription and when, as far as its plan and the dunning policy say. */
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TenantId, TransactionId } from '../../kernel/ids.ts';
import type { Dunning } from '../tenant.ts';
import type { CommandOf } from './command.ts';
import { CARD_REMOVED, decide } from './decide.ts';
import type { Event, EventOf } from './events.ts';
import { evolve, type Subscription } from './state.ts';

/** A charge to come. Amounts are minor units of the subscription's currency. */
export interface ScheduledCharge {
  readonly cycle: number;
  readonly attempt: number;
  readonly at: string;
  readonly amountMinor: bigint;
}

export type ScheduledMail = Dunning['mails'][number];

/** What follows when a try is declined softly, as those before it were. */
export interface DunningStep {
  /** When the try is made, and declined. */
  readonly at: string;
  readonly attempt: number;
  readonly action: 'retry' | 'freeze';
  /** When the next try is made; null when there is none. */
  readonly retryAt: string | null;
  /** The mail that the subscriber gets. */
  readonly mail: ScheduledMail | null;
}

/** A try to come that will fail, without a gateway being asked. */
export interface FailingCharge extends ScheduledCharge {
  readonly reason: typeof CARD_REMOVED;
}

export interface Schedule {
  /** Empty when inactive or frozen, and when the next try will be refused. */
  readonly charges: readonly ScheduledCharge[];
  /** The try after `charges` when it is known to fail; it freezes the subscription. */
  readonly nextFailure: FailingCharge | null;
  /** Empty when nothing will be tried. */
  readonly ifDeclined: readonly DunningStep[];
}

/** The decisions are asked, not guessed at: nothing that is decided here is kept. */
const IMAGINED = {
  tenantId: 1 as TenantId,
  subscriptionId: 1,
  transactionId: '00000000-0000-4000-8000-000000000000' as TransactionId,
};

/** Any code of a decline that may be retried. */
const SOFT = 'declined';

/** More steps than any dunning policy has. */
const MAX_STEPS = 100;

/** A try that has been begun, and the subscription that waits for its outcome. */
interface Begun {
  readonly subscription: Subscription;
  readonly charge: ScheduledCharge;
  /** It was begun before now; the others are imagined. */
  readonly isUnderWay: boolean;
}

interface Circumstances {
  /** What is due before is charged at this instant; the subscription's last change when absent. */
  readonly now?: string;
  /** The customer has removed the card: no try with it begins any more. */
  readonly cardRemoved?: boolean;
}

/**
 * The next `count` charges, if each is approved at once, and what happens if the first of them and its
 * retries are declined.
 */
export function scheduleOf(
  subscription: Subscription,
  dunning: Dunning,
  count: number,
  { now = subscription.changedAt, cardRemoved = false }: Circumstances = {},
): Schedule {
  const first = nextTry(subscription, now);
  if (first === undefined) return { charges: [], nextFailure: null, ifDeclined: [] };
  const charges: ScheduledCharge[] = [];
  let begun: Begun | undefined = first;
  while (begun !== undefined && charges.length < count) {
    if (willFail(begun, cardRemoved)) break;
    charges.push(begun.charge);
    begun = nextTry(approved(begun), now);
  }
  const failing = begun !== undefined && willFail(begun, cardRemoved) ? begun.charge : undefined;
  return {
    charges,
    nextFailure: failing === undefined ? null : { ...failing, reason: CARD_REMOVED },
    ifDeclined: dunningSteps(first, dunning, { now, cardRemoved }),
  };
}

/** What is under way was sent to the gateway before the card was removed. */
function willFail({ isUnderWay }: Begun, cardRemoved: boolean): boolean {
  return cardRemoved && !isUnderWay;
}

/** The try that is under way, or the next one begun when it is due. */
function nextTry(subscription: Subscription, now: string): Begun | undefined {
  const { cycle, attempt, rebillAt, pending } = subscription;
  if (rebillAt === null) return undefined;
  if (pending !== null && pending.cycle === cycle) {
    const { amountMinor, begunAt: at } = pending;
    return { subscription, charge: { cycle, attempt, at, amountMinor }, isUnderWay: true };
  }
  const at = rebillAt > now ? rebillAt : now;
  // A try of a cycle that was given up has no say in this one.
  const idle = { ...subscription, pending: null };
  const next = { type: 'BeginRebill', ...IMAGINED, cycle, attempt: attempt + 1, at } as const;
  const events = decided(idle, next);
  const due = events.find((event): event is EventOf<'RebillDue'> => event.type === 'RebillDue');
  if (due === undefined) return undefined;
  const { amountMinor } = due;
  const charge = { cycle, attempt: due.attempt, at, amountMinor };
  return { subscription: after(idle, events), charge, isUnderWay: false };
}

function approved({ subscription, charge }: Begun): Subscription {
  const outcome = { type: 'RecordRenewal', ...tryOf(subscription), ...charge } as const;
  return after(subscription, decided(subscription, outcome));
}

function dunningSteps(
  first: Begun,
  dunning: Dunning,
  { now, cardRemoved }: Required<Circumstances>,
): DunningStep[] {
  const steps: DunningStep[] = [];
  let begun: Begun | undefined = first;
  while (begun !== undefined && steps.length < MAX_STEPS) {
    const { at, attempt } = begun.charge;
    const declined = failed(begun, dunning, willFail(begun, cardRemoved) ? CARD_REMOVED : SOFT);
    const { rebillAt: retryAt } = declined;
    const action = retryAt === null ? 'freeze' : 'retry';
    const mail = action === 'retry' ? 'rebill-failed' : 'frozen';
    steps.push({ at, attempt, action, retryAt, mail: dunning.mails.includes(mail) ? mail : null });
    begun = nextTry(declined, now);
  }
  return steps;
}

function failed(
  { subscription, charge }: Begun,
  dunning: Dunning,
  declineCode: string,
): Subscription {
  const outcome: CommandOf<'RecordRebillFailure'> = {
    type: 'RecordRebillFailure',
    ...tryOf(subscription),
    ...charge,
    declineCode,
    hard: false,
    dunning,
    retryInsufficientFunds: true,
  };
  return after(subscription, decided(subscription, outcome));
}

function tryOf({ pending }: Subscription) {
  return { ...IMAGINED, transactionId: pending?.transactionId ?? IMAGINED.transactionId };
}

function decided(
  subscription: Subscription,
  command: CommandOf<'BeginRebill'> | CommandOf<'RecordRenewal'> | CommandOf<'RecordRebillFailure'>,
): readonly Event[] {
  const decision = decide(subscription, command);
  return isLeft(decision) ? [] : decision.right;
}

function after(subscription: Subscription, events: readonly Event[]): Subscription {
  return events.reduce<Subscription>((state, event) => evolve(state, event) ?? state, subscription);
}
