/** Statements: each month of a merchant account's books, to the cent. */
import {
  type Event,
  type JournalEntry,
  journal,
  type RawNumber,
  toExactMajor,
} from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import { type StatementCurrency, StatementView } from '@counterfoil/projections';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, paymentStream, TENANT, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const BOOKS = { tenantId: TENANT, sandbox: false, merchantAccountId: 7 };

async function statementsOf(stories: readonly (readonly Event[])[]) {
  const here = world();
  for (const [index, story] of stories.entries()) {
    const id = `0195a000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    await append(here.events, { stream: paymentStream(id) }, story);
  }
  await here.catchUp({ maxBatchEvents: 7 });
  return new StatementView(here.store);
}

/** Debits and credits in minor units of one currency, by account. */
function sums(entries: readonly JournalEntry[], currency: string) {
  const totals = new Map<string, { debit: bigint; credit: bigint }>();
  for (const line of entries.flatMap(({ lines }) => lines)) {
    if (line.currency !== currency) continue;
    const { debit, credit } = totals.get(line.account) ?? { debit: 0n, credit: 0n };
    totals.set(line.account, {
      debit: debit + line.debitMinor,
      credit: credit + line.creditMinor,
    });
  }
  const of = (account: string) => totals.get(account) ?? { debit: 0n, credit: 0n };
  const net = (account: string) => of(account).debit - of(account).credit;
  const fees = [...totals.keys()].filter((account) => account.startsWith('fees:')).sort();
  return { of, net, fees };
}

/** A statement as the journal entries themselves make it. */
function expected(entries: readonly JournalEntry[], month: string, currency: string) {
  const shown = (minor: bigint): number | RawNumber => toExactMajor(minor, currency);
  const monthOf = ({ at }: JournalEntry) => at.slice(0, 7);
  const before = sums(
    entries.filter((entry) => monthOf(entry) < month),
    currency,
  );
  const { of, net, fees } = sums(
    entries.filter((entry) => monthOf(entry) === month),
    currency,
  );
  const opening = before.net('acquirer-receivable');
  const totalFees = fees.reduce((sum, account) => sum + net(account), 0n);
  const margin = -net('sales') - net('refunds') - net('chargebacks') - totalFees;
  return {
    currency,
    openingBalance: shown(opening),
    gross: shown(of('sales').credit),
    voided: shown(of('sales').debit),
    refunds: shown(net('refunds')),
    chargebacks: shown(of('chargebacks').debit),
    chargebackReversals: shown(of('chargebacks').credit),
    fees: fees.map((account) => ({ account, amount: shown(net(account)) })),
    totalFees: shown(totalFees),
    reserveHeld: shown(of('reserve').debit),
    reserveReleased: shown(of('reserve').credit),
    settled: shown(net('bank')),
    // By the other accounts: the receivable itself has to agree with them.
    closingBalance: shown(opening + margin - net('reserve') - net('bank')),
    margin: shown(margin),
  };
}

describe('a statement', () => {
  it('equals its journal entries, for whatever happened to payments', async () => {
    const lives = fc.array(paymentHistory(), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lives, async (histories) => {
        const stories = histories.map(({ events }) => events);
        const view = await statementsOf(stories);
        const entries = stories.flat().flatMap((event) => journal(event) ?? []);
        for (const { sandbox, merchantAccountId, at } of entries) {
          const month = at.slice(0, 7);
          const own = entries.filter(
            (each) => each.sandbox === sandbox && each.merchantAccountId === merchantAccountId,
          );
          const past = own.filter((each) => each.at.slice(0, 7) <= month);
          const currencies = new Set(past.flatMap(({ lines }) => lines.map((l) => l.currency)));
          const query = { tenantId: TENANT, sandbox, merchantAccountId, month };
          expect(JSON.stringify((await view.statement(query)).currencies)).toBe(
            JSON.stringify([...currencies].sort().map((each) => expected(own, month, each))),
          );
        }
      }),
      { numRuns: 40 },
    );
  });

  it('begins with what the month before ended with, and is empty before there was anything', async () => {
    const captured = A.captured({ at: '2025-11-30T23:59:59.999Z' });
    const refunded = [A.refundRequested(), A.refunded()];
    const view = await statementsOf([[A.submitted(), A.started(), captured, ...refunded]]);
    const of = async (month: string) => (await view.statement({ ...BOOKS, month })).currencies;
    expect(await of('2025-10')).toEqual([]);
    const [november] = await of('2025-11');
    expect(november).toMatchObject({ gross: 25.99, totalFees: 0.1, closingBalance: 25.89 });
    const [december] = (await of('2025-12')) as [StatementCurrency];
    expect(december).toMatchObject({ openingBalance: 25.89, gross: 0, refunds: 9.5, fees: [] });
    expect(december.closingBalance).toBe(16.39);
    expect((await of('2026-05'))[0]).toMatchObject({ openingBalance: 16.39, margin: 0 });
  });

  it('is of one account, one environment and, where asked for, one currency', async () => {
    const view = await statementsOf([[A.submitted(), A.started(), A.captured()]]);
    const of = async (change: object) =>
      (await view.statement({ ...BOOKS, month: '2025-12', ...change })).currencies.length;
    expect(await of({ currency: 'GBP' })).toBe(1);
    expect(await of({ currency: 'EUR' })).toBe(0);
    expect(await of({ merchantAccountId: 70 })).toBe(0);
    expect(await of({ sandbox: true })).toBe(0);
    expect(await of({ tenantId: 2 })).toBe(0);
  });
});
