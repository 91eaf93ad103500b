/** What agents do to a payment: refund, capture, void. Each is asked for, said in words, and done once. */
import { randomUUID } from 'node:crypto';
import { Transaction, toDecimal } from '@counterfoil/core';
import type { HistoryEntry, PaymentView } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded, Uuid } from '../../api/wire.ts';
import { Refusal, refuse } from '../../http/errors.ts';
import { addressWith } from '../list-address.ts';
import { problemsOf } from '../problems.ts';
import { shownMoney } from '../shown.ts';
import {
  type Again,
  type ConsolePage,
  consoleForm,
  consolePage,
  type Outcome,
  type Visit,
} from '../slice.ts';
import {
  ACTION_SCOPES,
  type Action,
  DETAIL_PATH,
  DetailParams,
  detailOf,
  hrefOf,
} from './detail.ts';
import { SCOPE } from './list.ts';
import { whyNot } from './not-now.ts';
import {
  askedRefund,
  Entered,
  minorOf,
  problem,
  RefundFields,
  ReviewedRefund,
  refundChoices,
} from './refund-fields.ts';
import { shownStatusOf } from './status.ts';
import { storyOf } from './story.ts';

const NAMES: Readonly<Record<Action, string>> = {
  refund: 'Refund',
  capture: 'Capture',
  void: 'Void',
};

/** Of a form that moves money. */
const once = {
  /** Idempotency key, made with the page: the same form does one thing, however often it is sent. */
  key: Uuid,
  /** How many events the payment had when the page was shown. */
  seen: bounded(9).regex(/^\d+$/, 'must be a number'),
};

interface Subject {
  readonly payment: PaymentView;
  readonly history: readonly HistoryEntry[];
}

async function subjectOf(visit: Visit, id: string): Promise<Subject> {
  if (!visit.may(SCOPE)) throw refuse('insufficient_scope', 'Your roles do not allow it');
  // Refuses what is not of this environment, and what is no payment.
  await detailOf(visit, id);
  const payment = await visit.ledger.payments.get(id);
  return { payment, history: await visit.ledger.transactions.history(id) };
}

/** What every page about an action shows. */
function framed(visit: Visit, { payment, history }: Subject, again: Again | undefined) {
  const { id } = payment;
  const { key, seen } = again?.values ?? {};
  return {
    payment,
    status: statusOf(payment),
    who: payment.payment.email,
    notNow: undefined,
    hidden: { key: key ?? randomUUID(), seen: seen ?? String(history.length) },
    addresses: { payment: hrefOf(visit, id), list: visit.href('/transactions') },
  };
}

function statusOf({ status, payment }: PaymentView) {
  const refunded = Transaction.isRefunded(payment);
  return shownStatusOf({ status, refunded, chargedBack: Transaction.isChargedBack(payment) });
}

/** Of what happened last, with who did it: enough to know why a page comes too late. */
const SHOWN_LAST = 3;

/** What a page shows of an action that the payment does not allow; undefined where it does. */
function notNow(visit: Visit, action: Action, subject: Subject, again: Again | undefined) {
  const text = whyNot(visit, action, subject.payment);
  if (text === undefined) return undefined;
  return {
    ...framed(visit, subject, again),
    title: NAMES[action],
    problems: again?.problems ?? [{ field: '', text }],
    notNow: { last: storyOf(subject.history).slice(-SHOWN_LAST).toReversed() },
  };
}

const refundForm = consolePage({
  path: `${DETAIL_PATH}/refund`,
  title: 'Refund',
  scope: ACTION_SCOPES.refund,
  params: DetailParams,
  /** Of the review that leads back here. */
  query: RefundFields,
  template: '/transactions/refund',
  async load(visit, { params: { id }, query: entered }) {
    const subject = await subjectOf(visit, id);
    const shut = notNow(visit, 'refund', subject, undefined);
    if (shut !== undefined) return shut;
    const details = await detailOf(visit, id);
    return {
      ...framed(visit, subject, undefined),
      problems: [],
      entered,
      ...refundChoices(subject.payment, details),
      action: hrefOf(visit, id, '/refund/review'),
    };
  },
});

const refundReview: ConsolePage = consolePage({
  path: `${DETAIL_PATH}/refund/review`,
  title: 'Refund: review',
  scope: ACTION_SCOPES.refund,
  params: DetailParams,
  query: RefundFields,
  template: '/transactions/review',
  async load(visit, { params: { id }, query, again }) {
    const subject = await subjectOf(visit, id);
    const shut = notNow(visit, 'refund', subject, again);
    if (shut !== undefined) return shut;
    const { payment } = subject;
    const fields = again === undefined ? query : enteredIn(again);
    const base = {
      ...framed(visit, subject, again),
      // With the fields: whoever has to sign in meanwhile comes back to this review.
      action: addressWith(hrefOf(visit, id, '/refund/review'), fields ?? {}),
      back: addressWith(hrefOf(visit, id, '/refund'), fields ?? {}),
    };
    const asked = orRefusal(() => askedRefund(payment, fields ?? {}));
    if (asked instanceof Refusal) {
      // The fields are on the page before.
      const found = problemsOf(asked).map(({ text }) => ({ field: '', text }));
      const problems = again?.problems ?? found;
      return { ...base, problems, consequences: [], values: {} };
    }
    const { currency } = payment;
    const sum = shownMoney(asked.amount, currency);
    const left = shownMoney(toDecimal(asked.leftMinor, currency), currency);
    const { lines, submission, leftBeyondMinor } = asked;
    const beyond =
      leftBeyondMinor === undefined
        ? ''
        : `, ${shownMoney(toDecimal(leftBeyondMinor, currency), currency)} of it beyond the items`;
    return {
      ...base,
      problems: again?.problems ?? [],
      title: `Refund ${sum}`,
      label: `Refund ${sum}`,
      consequences: [
        `${sum} goes back to the card of ${payment.payment.email || 'the customer'}. A refund cannot be taken back.`,
        ...lines,
        asked.leftMinor === 0n
          ? 'Nothing of this payment can be refunded after that.'
          : `${left} can still be refunded after that${beyond}.`,
        ...(submission.notifyCustomer ? ['The customer gets a mail once the refund is done.'] : []),
      ],
      values: { ...fields, refund: JSON.stringify(submission) },
    };
  },
});

/** What the reviewed form was made of. */
function enteredIn({ values }: Again): RefundFields | undefined {
  const { key: _, seen: __, refund: ___, ...entered } = values;
  return RefundFields.safeParse(entered).data;
}

function orRefusal<Value>(ask: () => Value): Value | Refusal {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const refund = consoleForm({
  name: 'refund',
  path: `${DETAIL_PATH}/refund/review`,
  scope: ACTION_SCOPES.refund,
  params: DetailParams,
  body: z.object({ ...once, refund: ReviewedRefund }),
  page: refundReview,
  async act(visit, { params: { id }, body }) {
    return acted(visit, { id, action: 'refund', ...body }, async () => {
      const made = await visit.ledger.payments.refund(id, {
        ...body.refund,
        source: 'Admin',
        idempotencyKey: body.key,
      });
      const sum = shownMoney(made.amount, made.currency);
      if (made.status === 'RefundFailed') return refusedBy(made.refund.note);
      return made.status === 'Refunded'
        ? `${sum} refunded.`
        : `The refund of ${sum} waits for the answer of the gateway.`;
    });
  },
});

const CaptureFields = z.object({ amount: Entered.optional() });

const captureReview: ConsolePage = consolePage({
  path: `${DETAIL_PATH}/capture`,
  title: 'Capture',
  scope: ACTION_SCOPES.capture,
  params: DetailParams,
  query: CaptureFields,
  template: '/transactions/review',
  async load(visit, { params: { id }, query, again }) {
    const subject = await subjectOf(visit, id);
    const shut = notNow(visit, 'capture', subject, again);
    if (shut !== undefined) return shut;
    const { payment } = subject;
    const { currency } = payment;
    const fields = again === undefined ? query : CaptureFields.safeParse(again.values).data;
    const authorized = toDecimal(payment.payment.authorizedMinor, currency);
    const base = {
      ...framed(visit, subject, again),
      action: addressWith(hrefOf(visit, id, '/capture'), { amount: fields?.amount }),
      back: hrefOf(visit, id),
    };
    const action = hrefOf(visit, id, '/capture');
    const whole = { authorized, action, entered: undefined, problems: [] };
    const minor = capturedOrProblem(payment, fields?.amount);
    if (minor instanceof Refusal) {
      const problems = again?.problems ?? problemsOf(minor);
      const part = { ...whole, entered: fields?.amount, problems };
      return { ...base, problems, consequences: [], values: {}, part };
    }
    const amount = toDecimal(minor, currency);
    return {
      ...base,
      title: `Capture ${shownMoney(amount, currency)}`,
      label: `Capture ${shownMoney(amount, currency)}`,
      consequences: [
        `${shownMoney(amount, currency)} of the ${shownMoney(authorized, currency)} authorized is taken from the card of ${payment.payment.email || 'the customer'}.`,
        'A payment is captured once: what is authorized beyond that is released.',
      ],
      part: whole,
      problems: again?.problems ?? [],
      // Named, so that the same form takes the same amount.
      values: { amount },
    };
  },
});

function capturedOrProblem(
  { payment: { authorizedMinor }, currency }: PaymentView,
  entered: string | undefined,
): bigint | Refusal {
  if (entered === undefined) return authorizedMinor;
  return orRefusal(() => {
    const minor = minorOf(entered, currency, 'amount');
    if (minor > 0n && minor <= authorizedMinor) return minor;
    const most = shownMoney(toDecimal(authorizedMinor, currency), currency);
    throw problem('amount', `Capture more than nothing, and at most ${most}`);
  });
}

const capture = consoleForm({
  name: 'capture',
  path: `${DETAIL_PATH}/capture`,
  scope: ACTION_SCOPES.capture,
  params: DetailParams,
  body: CaptureFields.extend(once),
  page: captureReview,
  async act(visit, { params: { id }, body }) {
    return acted(visit, { id, action: 'capture', ...body }, async () => {
      const { amount, key: idempotencyKey } = body;
      const done = await visit.ledger.payments.capture(id, {
        idempotencyKey,
        ...(amount !== undefined && { amount }),
      });
      if (done.outcome === 'refused') return refusedBy(done.payment.note);
      return done.outcome === 'done'
        ? `${shownMoney(done.capturedAmount, done.currency)} captured.`
        : 'The capture waits for the answer of the gateway.';
    });
  },
});

const voidReview: ConsolePage = consolePage({
  path: `${DETAIL_PATH}/void`,
  title: 'Void',
  scope: ACTION_SCOPES.void,
  params: DetailParams,
  template: '/transactions/review',
  async load(visit, { params: { id }, again }) {
    const subject = await subjectOf(visit, id);
    const shut = notNow(visit, 'void', subject, again);
    if (shut !== undefined) return shut;
    const { status, amount, capturedAmount, currency } = subject.payment;
    const sum = shownMoney(status === 'Captured' ? capturedAmount : amount, currency);
    return {
      ...framed(visit, subject, again),
      title: `Void ${sum}`,
      label: `Void ${sum}`,
      isDanger: true,
      consequences: [
        status === 'Authorized'
          ? `The authorization of ${sum} is given up: nothing is taken from the card.`
          : `The capture of ${sum} is given up before it is settled: the customer is not charged.`,
        'A void ends the payment for good. It can be neither captured nor refunded after that.',
      ],
      problems: again?.problems ?? [],
      values: {},
      action: hrefOf(visit, id, '/void'),
      back: hrefOf(visit, id),
    };
  },
});

const voiding = consoleForm({
  name: 'void',
  path: `${DETAIL_PATH}/void`,
  scope: ACTION_SCOPES.void,
  params: DetailParams,
  body: z.object(once),
  page: voidReview,
  async act(visit, { params: { id }, body }) {
    return acted(visit, { id, action: 'void', ...body }, async () => {
      const done = await visit.ledger.payments.void(id, { idempotencyKey: body.key });
      if (done.outcome === 'refused') return refusedBy(done.payment.note);
      return done.outcome === 'done' ? 'Voided.' : 'The void waits for the answer of the gateway.';
    });
  },
});

interface Sent {
  readonly id: string;
  readonly action: Action;
  readonly key: string;
  readonly seen: string;
}

/** A gateway said no: a notice of success would be wrong. */
class RefusedByGateway {
  readonly note: string;
  constructor(note: string) {
    this.note = note;
  }
}

function refusedBy(note: string): RefusedByGateway {
  return new RefusedByGateway(note);
}

/**
 * Does it once. Where others have changed the payment since the page was shown, nothing is done, and the
 * agent is shown what they did; a form that was sent before gives its first answer again.
 */
async function acted(
  visit: Visit,
  sent: Sent,
  act: () => Promise<string | RefusedByGateway>,
): Promise<Outcome> {
  const before = await subjectOf(visit, sent.id);
  if (hasChanged(visit, sent, before)) return changed(visit, sent, before);
  let said: string | RefusedByGateway;
  try {
    said = await act();
  } catch (error) {
    if (visit.services.refusalOf(error) === undefined) throw error;
    const after = await subjectOf(visit, sent.id);
    if (hasChanged(visit, sent, after)) return changed(visit, sent, after);
    throw error;
  }
  const to = hrefOf(visit, sent.id);
  if (typeof said === 'string') return { to, notice: said };
  const text = `The gateway refused${said.note === '' ? '' : `: ${said.note}`}. No money moved.`;
  return {
    status: 402,
    template: '/transactions/refused',
    title: `${NAMES[sent.action]} refused`,
    data: { text, to, again: undefined, more: hrefOf(visit, sent.id, `/${sent.action}`) },
  };
}

/** Whether others did something since. */
function hasChanged(visit: Visit, { key, seen }: Sent, { payment, history }: Subject): boolean {
  const since = history.slice(Number(seen));
  const own = visit.ledger.payments.requestIdsOf(payment.id, key);
  const isOwn = ({ event }: HistoryEntry) =>
    Object.values(event).some((value) => own.includes(value as (typeof own)[number]));
  return since.length > 0 && !since.some(isOwn);
}

function changed(visit: Visit, { action, seen, id }: Sent, { payment, history }: Subject): Outcome {
  const story = storyOf(history);
  return {
    status: 409,
    template: '/transactions/changed',
    title: 'The payment has changed',
    data: {
      did: NAMES[action].toLowerCase(),
      since: story.slice(Number(seen)),
      payment,
      status: statusOf(payment),
      to: hrefOf(visit, id),
      more: hrefOf(visit, id, `/${action}`),
    },
  };
}

export const MONEY_PAGES = [refundForm, refundReview, captureReview, voidReview];
export const MONEY_FORMS = [refund, capture, voiding];
