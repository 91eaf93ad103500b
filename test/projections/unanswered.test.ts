/** Payments of unknown outcome, as a fold of the events has them. */
import { type Event, Transaction } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import { transactions, type UnansweredPayment, UnansweredView } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { happened } from '../core/payment-story.ts';
import { append, paymentStream, TENANT, tenant, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

function idOf(index: number): typeof A.PAYMENT {
  return `0195a000-0000-7000-8000-${String(index).padStart(12, '0')}` as typeof A.PAYMENT;
}

async function worldOf(stories: readonly (readonly Event[])[], maxBatchEvents: number) {
  const here = world();
  for (const [index, story] of stories.entries()) {
    const [first, ...rest] = story;
    const own =
      first?.type === 'PaymentSubmitted' ? { ...first, transactionId: idOf(index) } : undefined;
    await append(here.events, { stream: paymentStream(idOf(index)) }, [
      ...(own === undefined ? [] : [own]),
      ...rest,
    ]);
  }
  await here.catchUp({ maxBatchEvents });
  return here;
}

/** All pages of a limit. */
async function listed(view: UnansweredView, sandbox: boolean, limit: number) {
  const all: UnansweredPayment[] = [];
  let after: string | undefined;
  do {
    const query = { tenantId: TENANT, sandbox, limit, ...(after !== undefined && { after }) };
    const { items, next } = await view.list(query);
    all.push(...items);
    after = next;
  } while (after !== undefined);
  return all;
}

/** Ids of those that a fold leaves unknown, those that have waited longest first. */
function folded(stories: readonly (readonly Event[])[], sandbox: boolean): readonly string[] {
  return stories
    .map((story, index) => ({
      id: idOf(index),
      payment: stateAfter(story),
    }))
    .filter(({ payment }) => payment?.status === 'Unknown' && payment.sandbox === sandbox)
    .map(({ id, payment }) => `${payment?.unknownSince}/${id}`)
    .sort();
}

/** The beginnings of histories: most histories end answered. */
const beginnings = paymentHistory().map(({ events }) =>
  events.map((_, last) => events.slice(0, last + 1)),
);
const anywhere = beginnings.chain((all) => fc.constantFrom(...all));
/** Few histories have a moment at which the outcome is unknown, and a cut seldom meets it. */
const unanswered = beginnings
  .map((all) => all.filter((story) => stateAfter(story)?.status === 'Unknown'))
  .filter((all) => all.length > 0)
  .chain((all) => fc.constantFrom(...all));

function stateAfter(story: readonly Event[]): Transaction.State {
  return (story as readonly Transaction.Event[]).reduce<Transaction.State>(
    Transaction.evolve,
    Transaction.initial,
  );
}

describe('payments without an answer', () => {
  it('are those that a fold of the events leaves unknown, live and rebuilt', async () => {
    const lives = fc.array(fc.oneof(anywhere, unanswered), { minLength: 1, maxLength: 6 });
    let unknown = 0;
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 9 }), async (stories, size) => {
        const { events, store } = await worldOf(stories, size);
        const view = new UnansweredView(store);
        for (const sandbox of [false, true]) {
          const found = await listed(view, sandbox, 1);
          const expected = folded(stories, sandbox);
          unknown += expected.length;
          expect(found.map((each) => `${each.unknownSince}/${each.transactionId}`)).toEqual(
            expected,
          );
        }
        await expectEqualToRebuilt({
          events,
          store,
          vault: undefined,
          projections: [transactions],
        });
      }),
      { numRuns: 40 },
    );
    expect(unknown).toBeGreaterThan(0);
  });

  it('show what was asked of which account, and are gone with the answer', async () => {
    const at = '2025-12-01T10:00:05.000Z';
    const unknown = { ...happened.unknown(), at } as Event;
    const here = await worldOf([[A.submitted(), A.started(), unknown]], 1_000);
    const view = new UnansweredView(here.store);
    const query = { tenantId: TENANT, sandbox: false, limit: 10 };
    expect(await view.list(query)).toEqual({
      items: [
        {
          transactionId: idOf(0),
          orderId: 5001,
          customerId: 42,
          merchantAccountId: 7,
          midName: 'Main account',
          gateway: 'sandbox',
          currency: 'GBP',
          amount: 25.99,
          sent: '2025-12-01T10:00:00.000Z',
          unknownSince: at,
        },
      ],
      next: undefined,
    });
    const nothing = { items: [], next: undefined };
    expect(await view.list({ ...query, tenantId: tenant(2) })).toEqual(nothing);
    expect(await view.list({ ...query, sandbox: true })).toEqual(nothing);
    await append(here.events, { stream: paymentStream(idOf(0)) }, [A.captured()]);
    await here.catchUp();
    expect(await view.list(query)).toEqual(nothing);
  });
});
