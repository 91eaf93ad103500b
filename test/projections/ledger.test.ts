/** Money events become journal entries, balances and a trial balance of zero. */
import { type Event, journal, nearestNumber } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import { ledgerEntryOf } from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { append, paymentStream, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

let here: World;
beforeEach(() => {
  here = world();
});

async function happened(...story: readonly Event[]): Promise<void> {
  await append(here.events, { stream: paymentStream(A.PAYMENT) }, story);
  await here.catchUp();
}

describe('the ledger', () => {
  it('returns exact totals beyond a double', async () => {
    const amountMinor = 9_007_199_254_740_993n;
    await happened(
      A.submitted(),
      A.started(),
      A.captured({ amountMinor, fees: [], reserveMinor: 0n }),
    );
    const exact = '90071992547409.93';
    const balance = await here.ledger.trialBalance({ tenantId: 1 });
    expect(JSON.stringify(balance)).toContain(`"account":"sales","debit":0,"credit":${exact}`);
    const { accounts } = await here.ledger.accounts({ tenantId: 1, limit: 10 });
    expect(JSON.stringify(accounts)).toContain(`"balance":-${exact}`);
  });

  it('keeps each event that moves money as an entry, with its place in the log', async () => {
    await happened(A.submitted(), A.started(), A.captured(), A.refundRequested(), A.refunded());
    const stream = paymentStream(A.PAYMENT);
    expect(await here.journal.entriesOf(stream, 10)).toEqual([
      {
        stream,
        revision: 2,
        description: 'PaymentCaptured',
        at: '2025-12-01T10:00:02.000Z',
        merchantAccountId: 7,
        sandbox: false,
        lines: [
          { account: 'acquirer-receivable', currency: 'GBP', debit: 25.99, credit: 0 },
          { account: 'sales', currency: 'GBP', debit: 0, credit: 25.99 },
          { account: 'fees:gateway', currency: 'GBP', debit: 0.1, credit: 0 },
          { account: 'acquirer-receivable', currency: 'GBP', debit: 0, credit: 0.1 },
        ],
      },
      {
        stream,
        revision: 4,
        description: 'Refunded',
        at: '2025-12-05T10:00:03.000Z',
        merchantAccountId: 7,
        sandbox: false,
        lines: [
          { account: 'refunds', currency: 'GBP', debit: 9.5, credit: 0 },
          { account: 'acquirer-receivable', currency: 'GBP', debit: 0, credit: 9.5 },
        ],
      },
    ]);
    // The entries of a payment are not those of one whose id it begins.
    expect(await here.journal.entriesOf(stream.slice(0, -1), 10)).toEqual([]);
  });

  it('keeps what the events of a payment say by themselves', async () => {
    const stream = paymentStream(A.PAYMENT);
    await fc.assert(
      fc.asyncProperty(paymentHistory(), async ({ events }) => {
        here = world();
        await happened(...events);
        const said = events.flatMap((event, revision) =>
          [ledgerEntryOf({ stream, revision }, event)].filter((entry) => entry !== undefined),
        );
        expect(await here.journal.entriesOf(stream, 1_000)).toEqual(said);
      }),
    );
  });

  it('adds up to balances and a trial balance of zero', async () => {
    await happened(A.submitted(), A.started(), A.captured(), A.refundRequested(), A.refunded());
    const { accounts } = await here.ledger.accounts({ tenantId: 1, limit: 100 });
    const books = { merchantAccountId: 7, currency: 'GBP' };
    expect(accounts).toEqual([
      { ...books, account: 'acquirer-receivable', debit: 25.99, credit: 9.6, balance: 16.39 },
      { ...books, account: 'fees:gateway', debit: 0.1, credit: 0, balance: 0.1 },
      { ...books, account: 'refunds', debit: 9.5, credit: 0, balance: 9.5 },
      { ...books, account: 'sales', debit: 0, credit: 25.99, balance: -25.99 },
    ]);
    expect(await here.ledger.trialBalance({ tenantId: 1 })).toEqual({
      balanced: true,
      currencies: [
        {
          currency: 'GBP',
          debit: 35.59,
          credit: 35.59,
          difference: 0,
          accounts: accounts.map(({ account, debit, credit, balance }) => ({
            account,
            debit,
            credit,
            balance,
          })),
        },
      ],
    });
    const nothing = { balanced: true, currencies: [] };
    expect(await here.ledger.trialBalance({ tenantId: 2 })).toEqual(nothing);
    expect(await here.ledger.trialBalance({ tenantId: 1, sandbox: true })).toEqual(nothing);
    expect(await here.ledger.trialBalance({ tenantId: 1, merchantAccountId: 8 })).toEqual(nothing);
  });

  it('equals the sum of the journal, by tenant, environment, account and currency', async () => {
    const sums = new Map<string, bigint>();
    for (let number = 0; number < 200; number += 1) {
      const { stream, tenantId, events } = syntheticPayment(number, { payments: 200, tenants: 2 });
      await append(here.events, { stream, tenantId }, events);
      for (const entry of events.flatMap((event) => journal(event) ?? [])) {
        for (const { account, currency, debitMinor, creditMinor } of entry.lines) {
          const key = [tenantId, entry.sandbox, entry.merchantAccountId, currency, account].join();
          sums.set(key, (sums.get(key) ?? 0n) + debitMinor - creditMinor);
        }
      }
    }
    await here.catchUp({ maxBatchEvents: 37 });
    const found = new Map<string, number>();
    for (const tenantId of [1, 2]) {
      for (const sandbox of [false, true]) {
        let after: string | undefined;
        do {
          const page = await here.ledger.accounts({
            tenantId,
            sandbox,
            limit: 3,
            ...(after === undefined ? {} : { after }),
          });
          for (const { merchantAccountId, currency, account, balance } of page.accounts) {
            const key = [tenantId, sandbox, merchantAccountId, currency, account].join();
            expect(found.has(key)).toBe(false);
            found.set(key, Math.round(nearestNumber(balance) * (currency === 'JPY' ? 1 : 100)));
          }
          after = page.next;
        } while (after !== undefined);
        expect((await here.ledger.trialBalance({ tenantId, sandbox })).balanced).toBe(true);
      }
    }
    expect(found).toEqual(new Map([...sums].map(([key, minor]) => [key, Number(minor)])));
  });

  it('lists by account and currency', async () => {
    await happened(A.submitted(), A.started(), A.captured());
    const list = async (query: { account?: string; currency?: string }) =>
      (await here.ledger.accounts({ tenantId: 1, limit: 10, ...query })).accounts.length;
    expect(await list({ account: 'sales' })).toBe(1);
    expect(await list({ account: 'bank' })).toBe(0);
    expect(await list({ currency: 'GBP' })).toBe(3);
    expect(await list({ currency: 'EUR' })).toBe(0);
  });
});
