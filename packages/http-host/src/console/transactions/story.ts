/** The events of a payment as sentences: what happened, when, by whom and how long after the one before. */
import { type Transaction, toDecimal } from '@counterfoil/core';
import type { HistoryEntry } from '@counterfoil/engine';
import { shownAmount } from '../shown.ts';

type Event = Transaction.Event;
type Tone = 'good' | 'warn' | 'bad' | 'neutral';

/** What is said of each event; `…` stands for its amount. */
const SENTENCES: Readonly<Record<Event['type'], readonly [sentence: string, tone: Tone]>> = {
  PaymentSubmitted: ['Payment of … submitted', 'neutral'],
  PaymentBlocked: ['Blocked: no gateway was asked', 'bad'],
  AttemptStarted: ['Sent to the gateway', 'neutral'],
  AttemptDeclined: ['Declined: another account is tried', 'warn'],
  ActionRequired: ['The customer was asked to act', 'warn'],
  ActionCompleted: ['The customer acted', 'neutral'],
  PaymentAuthorized: ['… authorized', 'good'],
  CaptureRequested: ['Capture of … requested', 'neutral'],
  CaptureFailed: ['The gateway refused the capture', 'bad'],
  PaymentCaptured: ['… captured', 'good'],
  PaymentDeclined: ['Declined', 'bad'],
  PaymentFailed: ['Failed', 'bad'],
  OutcomeUnknown: ['No answer from the gateway: it is asked what became of it', 'warn'],
  AuthorizationExpired: ['Expired', 'neutral'],
  VoidRequested: ['Void requested', 'neutral'],
  VoidFailed: ['The gateway refused the void', 'bad'],
  PaymentVoided: ['Voided', 'neutral'],
  PaymentSettled: ['Settled: … reached the bank', 'good'],
  MovementSettled: ['… settled', 'neutral'],
  ReserveReleased: ['… of the reserve released', 'good'],
  RefundRequested: ['Refund of … requested', 'neutral'],
  Refunded: ['… refunded', 'good'],
  RefundFailed: ['The gateway refused the refund: nothing was paid', 'bad'],
  RefundReversed: ['The bank sent the refund of … back', 'bad'],
  NetworkRefunded: ['The card network refunded …', 'neutral'],
  ChargebackOpened: ['Chargeback of … opened', 'bad'],
  ChargebackUnderReview: ['Chargeback in review', 'warn'],
  ChargebackWon: ['Chargeback won: … is back', 'good'],
  ChargebackLost: ['Chargeback lost', 'bad'],
  ChargebackAccepted: ['Chargeback accepted', 'neutral'],
  ChargebackWithdrawn: ['Chargeback withdrawn: … is back', 'good'],
  AlertReceived: ['Alert about … received', 'warn'],
  AlertResolved: ['Alert resolved', 'good'],
  AlertDeclined: ['Alert declined', 'neutral'],
  AlertExpired: ['Alert expired', 'neutral'],
};

/** Fields whose text explains an event. */
const FACTS = ['note', 'declineCode', 'reasonCode', 'authCode', 'reference', 'kind'] as const;
const LABELS: Readonly<Record<(typeof FACTS)[number], string>> = {
  note: '',
  declineCode: 'code',
  reasonCode: 'reason',
  authCode: 'authorization',
  reference: 'reference',
  kind: '',
};

const SECOND_MS = 1_000;
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export interface Chapter {
  readonly revision: number;
  readonly type: string;
  readonly text: string;
  readonly tone: Tone;
  readonly facts: readonly string[];
  readonly at: string;
  /** Since the event before it; '' where that is less than a second. */
  readonly later: string;
  /** Null: the ledger itself. */
  readonly actor: string | null;
  readonly keyId: string | undefined;
  readonly requestId: string | undefined;
}

export function storyOf(history: readonly HistoryEntry[]): readonly Chapter[] {
  const [first] = history;
  const currency = first?.event.type === 'PaymentSubmitted' ? first.event.currency : '';
  return history.map((entry, index) => {
    const { event, revision, actor, keyId, requestId, recordedAt } = entry;
    const [sentence, tone] = SENTENCES[event.type];
    return {
      revision,
      type: event.type,
      text: sentence.replace('…', amountOf(event, currency)).trim(),
      tone,
      facts: factsOf(event),
      at: recordedAt,
      later: laterBy(history[index - 1]?.recordedAt, recordedAt),
      actor: actor === 'system' ? null : actor,
      keyId,
      requestId,
    };
  });
}

function amountOf(event: Event, ofPayment: string): string {
  const currency = 'currency' in event ? event.currency : ofPayment;
  if (!('amountMinor' in event)) return '';
  return `${shownAmount(toDecimal(event.amountMinor, currency), currency)} ${currency}`;
}

function factsOf(event: Event): readonly string[] {
  const texts: string[] = [];
  for (const name of FACTS) {
    const value = (event as Partial<Record<typeof name, unknown>>)[name];
    if (typeof value !== 'string' || value === '') continue;
    texts.push(LABELS[name] === '' ? value : `${LABELS[name]} ${value}`);
  }
  if (event.type === 'AttemptStarted') texts.unshift(routeOf(event));
  if (event.type === 'RefundRequested') texts.unshift(`asked for by ${event.requestedBy}`);
  return texts;
}

function routeOf({ route, attempt }: Transaction.EventOf<'AttemptStarted'>): string {
  const { midName, merchantAccountId, gateway } = route;
  return `${midName || `account ${merchantAccountId}`} at ${gateway}, attempt ${attempt}`;
}

function laterBy(before: string | undefined, at: string): string {
  if (before === undefined) return '';
  const seconds = Math.floor((Date.parse(at) - Date.parse(before)) / SECOND_MS);
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? [];
  if (unit === undefined || length === undefined) return '';
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} later`;
}
