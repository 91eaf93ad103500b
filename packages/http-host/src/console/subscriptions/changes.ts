/** What agents do to a subscription: freeze, unfreeze, change, end. Each is said in words, and done once. */
import { createHash, randomUUID } from 'node:crypto';
import { Subscription, toDecimal } from '@counterfoil/core';
import { z } from 'zod';
import { withConfirmation } from '../../api/confirmation.ts';
import { bounded, Uuid } from '../../api/wire.ts';
import { Refusal, refuse } from '../../http/errors.ts';
import { Ticked } from '../fields.ts';
import { addressWith } from '../list-address.ts';
import { doneOnce } from '../once.ts';
import { shownDate, shownMoney } from '../shown.ts';
import {
  type Again,
  type ConsolePage,
  consoleForm,
  consolePage,
  type Outcome,
  type Visit,
} from '../slice.ts';
import { CHANGES, type Change, changesIn, subscriptionOf } from './detail.ts';
import { emailOf, hrefOf, PATH, SCOPE, SubscriptionParams } from './find.ts';
import { askedPlan, INTERVALS, PlanFields, planTexts } from './plan-fields.ts';
import { amountText, cadenceText, freezeReasonText, stateOf } from './words.ts';

type Found = Subscription.Subscription;

const once = {
  /** Idempotency key, made with the page: the same form does one thing, however often it is sent. */
  key: Uuid,
  /** What the subscription was when the page was shown. */
  seen: bounded(43),
};

/** Of what a user decides by: a renewal in between changes nothing about that. */
function seenOf(of: Found): string {
  const { unsubscribedAt, frozenAt, freezeReason, name, description, interval, card } = of;
  const state = [unsubscribedAt, frozenAt, freezeReason, card?.fingerprint];
  const plan = [name, description, String(of.rebillAmountMinor), interval, of.intervalCount];
  return createHash('sha256')
    .update(JSON.stringify([state, plan]))
    .digest('base64url');
}

async function subjectOf(visit: Visit, id: number): Promise<Found> {
  if (!visit.may(SCOPE)) throw refuse('insufficient_scope', 'Your roles do not allow it');
  return subscriptionOf(visit, id);
}

/** What every page of review shows. `consequences` is empty where there is nothing to do. */
function reviewOf(
  visit: Visit,
  subscription: Found,
  { change, again }: { readonly change: Change; readonly again: Again | undefined },
) {
  const { subscriptionId: id, name, rebillAt } = subscription;
  const isThere = changesIn(subscription).includes(change);
  const { text } = stateOf(subscription);
  const gone = { field: '', text: `The subscription is ${text.toLowerCase()} already` };
  return {
    isThere,
    trail: [
      { title: 'Subscriptions', href: visit.href(PATH) },
      { title: name, href: hrefOf(visit, id) },
    ],
    facts: [
      { label: 'Customer', value: emailOf(visit, subscription) },
      { label: 'State', value: text },
      { label: 'Charge', value: `${amountText(subscription)} ${cadenceText(subscription)}` },
      { label: 'Next', value: rebillAt === null ? '' : shownDate(rebillAt) },
    ],
    problems: again?.problems ?? (isThere ? [] : [gone]),
    hidden: { key: String(again?.values['key'] ?? randomUUID()), seen: seenOf(subscription) },
    label: CHANGES[change].label,
    action: hrefOf(visit, id, `/${change}`),
    back: hrefOf(visit, id),
  };
}

interface Sent {
  readonly id: number;
  readonly seen: string;
  /** Whether it is as the form asks: a form that was sent before finds it so. */
  readonly isDone: (subscription: Found) => boolean;
  /** Says what was done. */
  readonly act: (subscription: Found) => Promise<string>;
}

async function acted(visit: Visit, { id, seen, isDone, act }: Sent): Promise<Outcome> {
  const before = await subjectOf(visit, id);
  return doneOnce({
    to: hrefOf(visit, id),
    what: 'the subscription',
    isDone: isDone(before),
    isAsSeen: seenOf(before) === seen,
    act: () => act(before),
  });
}

const page = (change: Change) => ({
  path: `${PATH}/{id}/${change}`,
  title: CHANGES[change].label,
  scope: CHANGES[change].scope,
  params: SubscriptionParams,
  template: '/templates/review',
});

const freezePage = consolePage({
  ...page('freeze'),
  async load(visit, { params: { id }, again }) {
    const subscription = await subjectOf(visit, id);
    const review = reviewOf(visit, subscription, { change: 'freeze', again });
    return {
      ...review,
      consequences: review.isThere
        ? [
            'Nothing is charged until the subscription is unfrozen, however long that is.',
            'What falls due meanwhile is skipped: it is not charged later.',
          ]
        : [],
      fields: [
        {
          name: 'note',
          label: 'Why',
          optional: true,
          hint: 'For the record. The customer does not see it.',
          value: again?.values['note'],
        },
      ],
    };
  },
});

const freeze = consoleForm({
  name: 'freeze-subscription',
  path: `${PATH}/{id}/freeze`,
  scope: CHANGES.freeze.scope,
  params: SubscriptionParams,
  body: z.object({ ...once, note: bounded(1_000).optional() }),
  page: freezePage,
  act: async (visit, { params: { id }, body: { key: idempotencyKey, seen, note } }) =>
    acted(visit, {
      id,
      seen,
      isDone: Subscription.isFrozen,
      async act() {
        await visit.ledger.subscriptions.freeze(id, { idempotencyKey, note });
        return 'The subscription is frozen.';
      },
    }),
});

const unfreezePage = consolePage({
  ...page('unfreeze'),
  async load(visit, { params: { id }, again }) {
    const subscription = await subjectOf(visit, id);
    const review = reviewOf(visit, subscription, { change: 'unfreeze', again });
    const why = freezeReasonText(subscription);
    return {
      ...review,
      facts: [...review.facts, { label: 'Frozen because', value: why }],
      consequences: review.isThere
        ? [
            `${amountText(subscription)} is charged again at the next regular date, and ${cadenceText(subscription)} after it.`,
            'What fell due while it was frozen is not charged.',
          ]
        : [],
    };
  },
});

const unfreeze = consoleForm({
  name: 'unfreeze-subscription',
  path: `${PATH}/{id}/unfreeze`,
  scope: CHANGES.unfreeze.scope,
  params: SubscriptionParams,
  body: z.object(once),
  page: unfreezePage,
  act: async (visit, { params: { id }, body: { key: idempotencyKey, seen } }) =>
    acted(visit, {
      id,
      seen,
      isDone: (found) => Subscription.isActive(found) && !Subscription.isFrozen(found),
      async act() {
        const { rebillAt } = await visit.ledger.subscriptions.unfreeze(id, { idempotencyKey });
        const next = rebillAt === null ? '' : ` The next charge is due ${shownDate(rebillAt)}.`;
        return `The subscription is active.${next}`;
      },
    }),
});

const endPage = consolePage({
  ...page('end'),
  title: 'End the subscription',
  async load(visit, { params: { id }, again }) {
    const subscription = await subjectOf(visit, id);
    const review = reviewOf(visit, subscription, { change: 'end', again });
    return {
      ...review,
      label: 'End the subscription',
      isDanger: true,
      consequences: review.isThere
        ? [
            'Nothing is charged any more. A charge that is under way may still go through.',
            'It ends for good: the customer can only subscribe again.',
            'What was paid is not given back.',
          ]
        : [],
      ticks: [{ name: 'notify', label: 'Mail the customer that it has ended' }],
    };
  },
});

const end = consoleForm({
  name: 'end-subscription',
  path: `${PATH}/{id}/end`,
  scope: CHANGES.end.scope,
  params: SubscriptionParams,
  body: z.object({ ...once, notify: Ticked }),
  page: endPage,
  act: async (visit, { params: { id }, body: { key: idempotencyKey, seen, notify } }) =>
    acted(visit, {
      id,
      seen,
      isDone: (found) => !Subscription.isActive(found),
      async act({ sandbox }) {
        const asked = { idempotencyKey, notifyCustomer: notify };
        await visit.ledger.subscriptions.unsubscribe(id, asked);
        const mail = { asked: notify, sandbox };
        return withConfirmation('The subscription has ended', visit.ledger, mail);
      },
    }),
});

const planForm = consolePage({
  ...page('plan'),
  template: '/subscriptions/plan',
  async load(visit, { params: { id } }) {
    const subscription = await subjectOf(visit, id);
    const { name, description, interval, intervalCount, currency } = subscription;
    const rebillAmount = toDecimal(subscription.rebillAmountMinor, currency);
    return {
      subscription,
      fields: { name, description, interval, intervalCount, rebillAmount },
      intervals: INTERVALS,
      action: hrefOf(visit, id, '/plan/review'),
      back: hrefOf(visit, id),
      addresses: { find: visit.href(PATH) },
    };
  },
});

const planReview: ConsolePage = consolePage({
  ...page('plan'),
  path: `${PATH}/{id}/plan/review`,
  title: 'Change the plan: review',
  query: PlanFields,
  async load(visit, { params: { id }, query, again }) {
    const subscription = await subjectOf(visit, id);
    const review = reviewOf(visit, subscription, { change: 'plan', again });
    const fields = again === undefined ? query : PlanFields.safeParse(again.values).data;
    const base = { ...review, back: hrefOf(visit, id, '/plan'), consequences: [] };
    if (!review.isThere) return base;
    const asked = planOrRefusal(subscription, fields ?? {});
    if (asked instanceof Refusal) {
      const problems = again?.problems ?? [{ field: '', text: asked.message }];
      return { ...base, problems };
    }
    const changed = planTexts(subscription, asked);
    if (changed.length === 0) {
      return { ...base, problems: [{ field: '', text: 'Nothing of the plan is changed' }] };
    }
    const { rebillAt } = subscription;
    const first =
      rebillAt === null
        ? 'It holds from the first charge after the subscription is unfrozen.'
        : `It holds from the next charge on, which stays due ${shownDate(rebillAt)}.`;
    return {
      ...base,
      // With the fields: whoever has to sign in meanwhile comes back to this review.
      action: addressWith(hrefOf(visit, id, '/plan/review'), fields ?? {}),
      consequences: [...changed, first, 'The customer gets no mail about it.'],
      hidden: { ...review.hidden, ...fields },
    };
  },
});

function planOrRefusal(subscription: Found, fields: PlanFields) {
  try {
    return askedPlan(subscription, fields);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const changePlan = consoleForm({
  name: 'change-plan',
  path: `${PATH}/{id}/plan/review`,
  scope: CHANGES.plan.scope,
  params: SubscriptionParams,
  body: PlanFields.extend(once),
  page: planReview,
  async act(visit, { params: { id }, body: { key: idempotencyKey, seen, ...fields } }) {
    const { currency } = await subjectOf(visit, id);
    const { rebillAmountMinor, ...plan } = askedPlan({ currency }, fields);
    const rebillAmount = toDecimal(rebillAmountMinor, currency);
    return acted(visit, {
      id,
      seen,
      isDone: (found) => planTexts(found, { rebillAmountMinor, ...plan }).length === 0,
      async act() {
        const asked = { ...plan, rebillAmount, idempotencyKey };
        await visit.ledger.subscriptions.changePlan(id, asked);
        const sum = shownMoney(rebillAmount, currency);
        return `The plan is changed: ${sum} ${cadenceText(plan)}.`;
      },
    });
  },
});

/** Cards that the customer has kept. */
async function cardsOf(visit: Visit, { customerId }: Found) {
  if (!visit.may('customers:read'))
    throw refuse('insufficient_scope', 'Your roles do not allow it');
  return (await visit.ledger.customers.get(customerId)).paymentMethods;
}

const cardPage = consolePage({
  ...page('card'),
  async load(visit, { params: { id }, again }) {
    const subscription = await subjectOf(visit, id);
    const review = reviewOf(visit, subscription, { change: 'card', again });
    const cards = review.isThere ? await cardsOf(visit, subscription) : [];
    const others = cards.filter(({ card }) => isOther(subscription, card));
    const none = 'The customer has kept no other card. They may pay with one first.';
    const problems = others.length === 0 ? [{ field: '', text: none }] : [];
    return {
      ...review,
      problems: review.problems.length > 0 ? review.problems : problems,
      consequences:
        others.length === 0
          ? []
          : ['Later charges go to this card.', `A subscription that ${CARD_UNFREEZES}`],
      options: {
        legend: 'Card',
        name: 'card',
        choices: others.map(({ paymentMethodId: value, card }) => ({
          value,
          label: `•••• ${card.last4}, ${String(card.expMonth).padStart(2, '0')}/${card.expYear}`,
          isChosen: others.length === 1 || again?.values['card'] === value,
        })),
      },
    };
  },
});

const CARD_UNFREEZES =
  'billing froze goes on, and its present cycle is charged at once. One that a user froze stays frozen.';

function isOther(
  { card, freezeReason }: Found,
  { fingerprint }: NonNullable<Found['card']>,
): boolean {
  // A card that was removed and kept again must be given again.
  return card?.fingerprint !== fingerprint || freezeReason === 'card-removed';
}

const changeCard = consoleForm({
  name: 'change-card',
  path: `${PATH}/{id}/card`,
  scope: CHANGES.card.scope,
  params: SubscriptionParams,
  body: z.object({ ...once, card: Uuid }),
  page: cardPage,
  async act(visit, { params: { id }, body: { key: idempotencyKey, seen, card: methodId } }) {
    const cards = await cardsOf(visit, await subjectOf(visit, id));
    const method = cards.find(({ paymentMethodId }) => paymentMethodId === methodId);
    if (method === undefined) throw refuse('not_found', 'The customer has no such card.');
    return acted(visit, {
      id,
      seen,
      isDone: (found) => !isOther(found, method.card),
      async act() {
        const { token } = method;
        await visit.ledger.subscriptions.changeCard(id, { token, idempotencyKey });
        return `Later charges go to the card •••• ${method.card.last4}.`;
      },
    });
  },
});

export const CHANGE_PAGES = [freezePage, unfreezePage, endPage, planForm, planReview, cardPage];
export const CHANGE_FORMS = [freeze, unfreeze, end, changePlan, changeCard];
