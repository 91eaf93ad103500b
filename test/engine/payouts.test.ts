/** Payouts that a gateway says: booked as the lines of a file, once, wherever it ends in between. */
import { nearestNumber, TenantId } from '@counterfoil/core';
import { silentLogger as logger, openLedger } from '@counterfoil/engine';
import {
  type GatewayPayout,
  type GatewayPayoutLine,
  openSandboxGateway,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { codeOf, order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const DAY_MS = 86_400_000;
const BEGIN = '2026-03-05T12:00:00.000Z';

type Movement = Extract<GatewayPayoutLine, { type: 'movement' }>;
interface Payout extends GatewayPayout {
  readonly lines: readonly GatewayPayoutLine[];
}

/** A sandbox that says payouts, each of its lines on a page of its own. */
function payingGateway() {
  const payouts: Payout[] = [];
  const seen = { sinces: [] as string[], pages: 0, failsAtPage: 0 };
  const settlements: PaymentGateway['settlements'] = {
    scopeOf: ({ sandbox }) => (sandbox ? undefined : 'live'),
    async payouts({ since }) {
      seen.sinces.push(since);
      return { payouts: payouts.filter(({ madeAt }) => madeAt >= since), next: undefined };
    },
    async linesOf(payoutId, { after = '0' }) {
      seen.pages += 1;
      if (seen.pages === seen.failsAtPage) throw new Error('the connection is cut');
      const lines = payouts.find(({ id }) => id === payoutId)?.lines ?? [];
      const next = Number(after) + 1;
      return {
        lines: lines.slice(next - 1, next),
        next: next < lines.length ? String(next) : undefined,
      };
    },
  };
  const gateway = Object.assign(openSandboxGateway({ path: ':memory:' }), { settlements });
  return { gateway, payouts, seen };
}

async function open() {
  const { gateway, payouts, seen } = payingGateway();
  let now = BEGIN;
  const clock = { now: () => now };
  const ledger = await openLedger({
    storage: 'memory:',
    gateways: [gateway],
    logger,
    clock,
    // Nothing is done by itself between two steps.
    dueWorkIntervalMs: 3_600_000,
  });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  let made = 0;
  return {
    ledger,
    payouts,
    seen,
    shop,
    /** A sale, and the line about it. */
    async sold(amount: string): Promise<Movement> {
      const { payment, id: paymentId } = await shop.payments.submit(order({ amount }));
      made += 1;
      const { gatewayTransactionId, currency, capturedMinor: amountMinor } = payment;
      const money = { amountMinor, netMinor: amountMinor, currency, feeMinor: 0n };
      const named = { reference: `t-${made}`, paymentId, gatewayTransactionId };
      return { type: 'movement', kind: 'capture', ...named, ...money };
    },
    /** Of the sum of its lines, made now. */
    paysOut(lines: readonly GatewayPayoutLine[], more: Partial<GatewayPayout> = {}) {
      const amountMinor = lines.reduce((sum, { netMinor }) => sum + (netMinor ?? 0n), 0n);
      const common = { settledDate: '2026-03-10', status: 'listed', currency: 'GBP' } as const;
      const id = `p-${payouts.length + 1}`;
      payouts.push({ ...common, id, madeAt: now, amountMinor, lines, ...more });
      return id;
    },
    settle: (more: object = {}) => shop.settlements.settle({ merchantAccountId: 1, ...more }),
    async bank() {
      const { currencies } = await shop.books.trialBalance();
      const accounts = currencies.flatMap((each) => each.accounts);
      const found = accounts.find(({ account }) => account === 'bank');
      return found === undefined ? 0 : nearestNumber(found.balance);
    },
    details: async () =>
      (await shop.settlements.unmatched({ limit: 100 })).items.map(({ detail }) => detail),
    async pass(days: number) {
      now = new Date(Date.parse(now) + days * DAY_MS).toISOString();
      await ledger.runDue();
    },
  };
}

it('books nothing twice, wherever the reading ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.boolean(), async (failsAtPage, isTimer) => {
      const { sold, paysOut, settle, bank, seen, shop, pass } = await open();
      const ids = [
        paysOut([await sold('10.00'), await sold('20.00'), await sold('30.00')]),
        paysOut([await sold('1.00'), await sold('2.00')]),
      ];
      seen.failsAtPage = failsAtPage;
      if (isTimer) await pass(1);
      else if (failsAtPage <= 5) expect(await codeOf(settle())).toBe('GatewayFailed');
      await settle();
      expect(await bank()).toBe(63);
      const { items } = await shop.settlements.list({ limit: 10 });
      expect(items.map(({ name }) => name).sort()).toEqual(ids);
      expect(items.map(({ status }) => status)).toEqual(['finished', 'finished']);
      const { pages } = seen;
      expect(await settle()).toEqual({ items: [], waiting: 0 });
      expect(seen.pages).toBe(pages);
    }),
    { numRuns: 6 },
  );
});

it('goes on from the last one, a day of overlap included, and from one that waits', async () => {
  const { paysOut, seen, payouts, settle, pass, sold, bank } = await open();
  await settle();
  expect(seen.sinces).toEqual(['2026-01-29T12:00:00.000Z']);
  paysOut([await sold('10.00')], { status: 'waiting' });
  await pass(1);
  paysOut([await sold('5.00')]);
  expect((await settle()).waiting).toBe(1);
  expect(await bank()).toBe(5);
  await pass(4);
  expect(seen.sinces.at(-1)).toBe('2026-03-04T12:00:00.000Z');
  payouts.splice(
    0,
    1,
    ...payouts.slice(0, 1).map((each) => ({ ...each, status: 'listed' as const })),
  );
  await settle();
  await settle();
  expect(seen.sinces.at(-1)).toBe('2026-03-05T12:00:00.000Z');
  expect(await bank()).toBe(15);
});

it('says what cannot be booked, and where the lines are not the payout', async () => {
  const { paysOut, settle, sold, bank, details } = await open();
  const line = await sold('10.00');
  const other = { type: 'other', reference: 'o', netMinor: -100n, detail: 'a rent' } as const;
  const returned = { type: 'returned-payout', reference: 'r', netMinor: 500n } as const;
  paysOut([line, other, returned]);
  paysOut([await sold('2.00')], { amountMinor: 201n });
  paysOut([], { status: 'unlisted', amountMinor: null, currency: 'QQQ' });
  await settle();
  expect(await bank()).toBe(12);
  expect((await details()).sort()).toEqual([
    'a rent',
    'the gateway lists no lines of this payout of an amount in QQQ',
    'the payout is of 2.01 GBP, and its lines come to 2.00 GBP',
  ]);
});

it('goes on where some of the lines were booked already', async () => {
  const { paysOut, settle, sold, bank, seen, shop } = await open();
  const first = await sold('10.00');
  // More than are booked together; a line that comes again is booked once.
  const many = Array.from({ length: 600 }, () => ({ ...first, netMinor: 0n }));
  paysOut([first, ...many, await sold('5.00')]);
  seen.failsAtPage = 590;
  expect(await codeOf(settle())).toBe('GatewayFailed');
  expect(await bank()).toBe(10);
  expect((await settle()).items).toMatchObject([{ lines: 602, agreed: 602, booked: 1 }]);
  expect(await bank()).toBe(15);
  expect((await shop.settlements.list({ limit: 10 })).items).toHaveLength(1);
});

it.each([
  { amountMinor: 0n },
  { feeMinor: -1n },
  { currency: 'QQQ' },
  { kind: 'rent' },
  { reference: '' },
  { reference: 'x'.repeat(129) },
])('is a failure of the gateway where a line has %o', async (fault) => {
  const { paysOut, settle, sold, bank } = await open();
  paysOut([{ ...(await sold('10.00')), ...fault } as never]);
  expect(await codeOf(settle())).toBe('GatewayFailed');
  expect(await bank()).toBe(0);
});

it('is refused where the gateway says no payouts, and checks what it is given', async () => {
  const { settle, ledger } = await open();
  expect(await codeOf(settle({ sandbox: true }))).toBe('InputInvalid');
  expect(await codeOf(settle({ since: 'yesterday' }))).toBe('InputInvalid');
  const visitor = ledger.as({ tenantId: TENANT, actor: 'shop', environment: 'test' });
  const live = visitor.settlements.settle({ merchantAccountId: 1, sandbox: false });
  expect(await codeOf(live)).toBe('LiveDataForbidden');
});
