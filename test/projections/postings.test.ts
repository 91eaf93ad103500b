/** The entries of an account by their days, beside its trial balance. */
import { type Event, nearestNumber } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import {
  EntryView,
  LedgerView,
  ledger,
  type Posting,
  type ReadModelStore,
} from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, paymentStream, TENANT, tenant, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

async function worldOf(
  stories: readonly (readonly Event[])[],
  { store, maxBatchEvents }: { store: ReadModelStore; maxBatchEvents: number },
) {
  const here = world(store);
  for (const [index, story] of stories.entries()) {
    const id = `0195a000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    await append(here.events, { stream: paymentStream(id) }, story);
  }
  await here.catchUp({ maxBatchEvents });
  return here;
}

type Asked = Omit<Parameters<EntryView['postings']>[0], 'tenantId' | 'limit' | 'after'>;

/** All pages of a limit. */
async function all(view: EntryView, asked: Asked, limit: number): Promise<readonly Posting[]> {
  const found: Posting[] = [];
  for (let after: Awaited<ReturnType<EntryView['postings']>>['end']; ; ) {
    const page = await view.postings({
      ...asked,
      tenantId: TENANT,
      limit,
      ...(after !== undefined && { after }),
    });
    expect(page.postings.length).toBeLessThanOrEqual(limit);
    found.push(...page.postings);
    if (!page.moreResults) return found;
    after = page.end;
  }
}

/** In units smaller than any currency's. */
function exact(amounts: readonly Posting['debit'][]): bigint {
  return amounts.reduce<bigint>((sum, each) => {
    const text = typeof each === 'number' ? String(each) : JSON.stringify(each);
    const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
    return sum + BigInt(`${sign}${whole}${part.padEnd(4, '0')}`);
  }, 0n);
}

const { adapters } = adaptersInFolder();

describe.each(adapters)('the entries of an account (%s)', (_, open) => {
  it('add up to its balance to the last unit, in pages of any size, live and rebuilt', async () => {
    const lives = fc.array(paymentHistory(), { minLength: 1, maxLength: 4 });
    const sizes = fc.integer({ min: 1, max: 40 });
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(
        lives,
        fc.boolean(),
        sizes,
        sizes,
        async (histories, sandbox, size, limit) => {
          const stories = histories.map(({ events }) => events);
          const { events, store } = await worldOf(stories, {
            store: await open(),
            maxBatchEvents: size,
          });
          const view = new EntryView(store);
          const books = { tenantId: TENANT, sandbox };
          const { accounts } = await new LedgerView(store).accounts({ ...books, limit: 1_000 });
          const { currencies } = await new LedgerView(store).trialBalance(books);
          const wanted = [
            ...accounts,
            ...currencies.flatMap(({ currency, accounts: totals }) =>
              totals.map((each) => ({ ...each, currency, merchantAccountId: undefined })),
            ),
          ];
          for (const { merchantAccountId, currency, account, debit, credit } of wanted) {
            const own = merchantAccountId === undefined ? {} : { merchantAccountId };
            const found = await all(view, { sandbox, account, currency, ...own }, limit);
            seen += found.length;
            expect(exact(found.map((each) => each.debit))).toBe(exact([debit]));
            expect(exact(found.map((each) => each.credit))).toBe(exact([credit]));
            const times = found.map(({ at }) => at);
            expect(times).toEqual(times.toSorted().reverse());
            const days = [...new Set(times.map((at) => at.slice(0, 10)))];
            for (const day of days.slice(0, 3)) {
              const range = { from: day, to: day };
              const ofDay = await all(
                view,
                { sandbox, account, currency, ...own, ...range },
                limit,
              );
              expect(ofDay).toEqual(found.filter(({ at }) => at.slice(0, 10) === day));
            }
          }
          await expectEqualToRebuilt({ events, store, vault: undefined, projections: [ledger] });
          await store.close();
        },
      ),
      { numRuns: 12 },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('have their payment and its event, and are of one tenant', async () => {
    const story = [A.submitted(), A.started(), A.captured(), A.refundRequested(), A.refunded()];
    const { journal, store } = await worldOf([story], {
      store: await open(),
      maxBatchEvents: 1_000,
    });
    const asked = { sandbox: false, account: 'acquirer-receivable', currency: 'GBP' };
    const query = { ...asked, tenantId: TENANT, limit: 10 };
    const { postings } = await journal.postings(query);
    const transactionId = '0195a000-0000-7000-8000-000000000000';
    const entries = await journal.entriesOf(paymentStream(transactionId), 10);
    expect(entries.map(({ revision }) => revision)).toEqual([2, 4]);
    expect(postings).toEqual([
      {
        ...{ transactionId, description: 'Refunded', revision: 4, merchantAccountId: 7 },
        ...{ at: '2025-12-05T10:00:03.000Z', debit: 0, credit: 9.5 },
      },
      {
        ...{ transactionId, description: 'PaymentCaptured', revision: 2, merchantAccountId: 7 },
        ...{ at: '2025-12-01T10:00:02.000Z', debit: 25.99, credit: 0.1 },
      },
    ]);
    const net = postings.reduce((sum, { debit }) => sum + nearestNumber(debit), 0);
    expect(net).toBe(25.99);
    for (const other of [
      { tenantId: tenant(2) },
      { sandbox: true },
      { merchantAccountId: 8 },
      { account: 'receivable' },
      // Of both, found beside each other, and of neither.
      { account: 'acquirer-receivable|GBP/fees:gateway' },
      { currency: 'EUR' },
      { from: '2025-12-06' },
    ]) {
      expect(await journal.postings({ ...query, ...other })).toMatchObject({ postings: [] });
    }
    await store.close();
  });
});
