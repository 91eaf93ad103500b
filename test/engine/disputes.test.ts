/** Disputes as providers report them: matched, booked once, in any order, and answered. */
import { TenantId, Transaction } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeOf, OPERATOR, order, disputeReport as report, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const NOW = '2026-03-01T12:00:00.000Z';
const PROPERTY_MS = 60_000;

let now = NOW;
let ledger: Ledger;

beforeAll(async () => {
  ledger = await openLedger({
    storage: 'memory:',
    logger,
    masterKey: Buffer.alloc(32, 7),
    clock: { now: () => now },
  });
  await withShop(ledger, TENANT);
});
afterAll(() => ledger.close());

const shop = () => ledger.as({ tenantId: TENANT, actor: 'shop' });
const paid = async (more: object = {}) => (await shop().payments.submit(order(more))).payment;

const alertOf = (more: object = {}) => ({
  ...report(),
  type: 'CustomerDispute' as const,
  source: 'CDRN' as const,
  ...more,
});

async function booksOf(id: string) {
  const entries = await shop().books.entries(id);
  return entries.flatMap(({ description, lines }) =>
    lines.map((line) => [description, line.account, line.debit, line.credit]),
  );
}

const chargebacksOf = async (id: string) => (await shop().payments.get(id)).payment.chargebacks;

describe('a reported chargeback', () => {
  it.each([
    ['transactionId', (p: Transaction.Payment) => ({ transactionId: p.transactionId })],
    [
      'gatewayTransactionId',
      (p: Transaction.Payment) => ({ gatewayTransactionId: p.gatewayTransactionId }),
    ],
    ['arn', (p: Transaction.Payment) => ({ arn: p.arn })],
    ['orderId', (p: Transaction.Payment) => ({ orderId: p.orderId })],
  ])('finds its payment by %s', async (_, places) => {
    const payment = await paid();
    const reported = await shop().disputes.reportChargeback(report(places(payment)));
    expect(reported).toMatchObject({
      status: 'matched',
      transactionId: payment.transactionId,
      disputeStatus: 'ChargebackOpen',
    });
  });

  it('is not dated in the future, beyond what a time zone explains', async () => {
    const { transactionId } = await paid();
    const dated = (openedAt: string) =>
      shop().disputes.reportChargeback(report({ transactionId, openedAt }));
    expect(await codeOf(dated('2026-03-02T12:00:00.001Z'))).toBe('InputInvalid');
    expect(await chargebacksOf(transactionId)).toEqual([]);
    expect(await dated('2026-03-02T12:00:00.000Z')).toMatchObject({ status: 'matched' });
  });

  it('is booked when it is recorded, and dated as the bank opened it', async () => {
    const { transactionId } = await paid();
    const openedAt = '2026-02-20T00:00:00.000Z';
    await shop().disputes.reportChargeback(report({ transactionId, openedAt }));
    const [chargeback] = await chargebacksOf(transactionId);
    expect(chargeback).toMatchObject({ openedAt, changedAt: NOW });
    // NetworkA wants an answer within thirty days.
    expect(chargeback?.respondBy).toBe('2026-03-22T00:00:00.000Z');
  });

  it('is answered within the days of the settings, whatever they become later', async () => {
    const settingsWith = (NetworkA: number) =>
      ledger.tenants.changeSettings(TENANT, { chargebackAnswerDays: { NetworkA } }, OPERATOR);
    const { transactionId } = await paid();
    await settingsWith(10);
    onTestFinished(() => settingsWith(30));
    const openedAt = '2026-02-20T00:00:00.000Z';
    await shop().disputes.reportChargeback(report({ transactionId, openedAt }));
    const respondBy = '2026-03-02T00:00:00.000Z';
    expect(await chargebacksOf(transactionId)).toMatchObject([{ respondBy }]);
    await settingsWith(5);
    expect(await chargebacksOf(transactionId)).toMatchObject([{ respondBy }]);
  });

  it('chooses among the payments of an order by the amount', async () => {
    const orderId = 880_010;
    await paid({ amount: '10.00', orderId });
    const other = await paid({ amount: '11.00', orderId });
    const reported = await shop().disputes.reportChargeback(report({ orderId, amount: '11.00' }));
    expect(reported.transactionId).toBe(other.transactionId);
    const open = await shop().disputes.reportChargeback(report({ orderId, amount: '3.00' }));
    expect(open.status).toBe('unmatched');
  });

  it('under review that is withdrawn gives the money back', async () => {
    const { transactionId } = await paid();
    const chargeback = report({ transactionId });
    for (const status of ['ChargebackUnderReview', 'ChargebackWithdrawn'] as const) {
      await shop().disputes.reportChargeback({ ...chargeback, status });
    }
    expect(await chargebacksOf(transactionId)).toMatchObject([{ status: 'ChargebackWon' }]);
  });

  it('of the same reference with another amount is refused', async () => {
    const { transactionId } = await paid();
    const chargeback = report({ transactionId });
    await shop().disputes.reportChargeback(chargeback);
    const other = shop().disputes.reportChargeback({ ...chargeback, amount: '1.00' });
    expect(await codeOf(other)).toBe('DisputeDiffers');
  });

  it('of two providers with one reference is two', async () => {
    const { transactionId } = await paid();
    const chargeback = report({ transactionId, amount: '1.00' });
    await shop().disputes.reportChargeback(chargeback);
    await shop().disputes.reportChargeback({ ...chargeback, provider: 'other' });
    expect(await chargebacksOf(transactionId)).toHaveLength(2);
  });

  it.each([
    ['no payment', { transactionId: undefined }, 'InputInvalid'],
    ['no amount', { amount: '0' }, 'AmountNotPositive'],
    ['too many decimals', { amount: '1.999' }, 'AmountTooFine'],
    ['a provider in capitals', { provider: 'Acme' }, 'InputInvalid'],
  ])('with %s is refused', async (_, wrong, code) => {
    const given = report({ transactionId: '0195a000-0000-7000-8000-000000000001', ...wrong });
    expect(await codeOf(shop().disputes.reportChargeback(given))).toBe(code);
  });

  it('gives the same state and books in any order and number of deliveries', {
    timeout: PROPERTY_MS,
  }, async () => {
    const lives = [
      ['ChargebackOpen', 'ChargebackUnderReview', 'ChargebackWon'],
      ['ChargebackOpen', 'ChargebackUnderReview', 'ChargebackLost'],
      ['ChargebackOpen', 'ChargebackLost'],
      ['ChargebackOpen', 'ChargebackAccepted'],
      ['ChargebackOpen', 'ChargebackWithdrawn'],
    ] as const;
    const after = async (statuses: readonly (typeof lives)[number][number][]) => {
      const { transactionId } = await paid();
      const chargeback = report({ transactionId });
      for (const status of statuses) {
        await shop().disputes.reportChargeback({ ...chargeback, status });
      }
      const [{ status, amountMinor, completedAt } = {} as Transaction.Chargeback, ...others] =
        await chargebacksOf(transactionId);
      return { status, amountMinor, completedAt, others, books: await booksOf(transactionId) };
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lives),
        fc.array(fc.nat(2), { maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        async (life, repeats, draws) => {
          const delivered = [...life, ...repeats.map((at) => life[at % life.length] ?? life[0])];
          const shuffled = delivered
            .map((status) => ({ status, at: draws.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ status }) => status);
          expect(await after(shuffled)).toEqual(await after(life));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a report without a payment', () => {
  it('is kept, shown first to be unmatched, and matched when there is one', async () => {
    const orderId = 880_001;
    const kept = await shop().disputes.reportChargeback(report({ orderId }));
    expect(kept).toMatchObject({ status: 'unmatched', transactionId: null, disputeStatus: null });
    const { transactionId } = await paid({ orderId });
    // Five seconds later nothing is due; a minute after the report the work looks again.
    now = '2026-03-01T12:02:00.000Z';
    await expect
      .poll(async () => (await chargebacksOf(transactionId)).map(({ status }) => status), {
        timeout: 20_000,
      })
      .toEqual(['ChargebackOpen']);
    now = NOW;
  });

  it('is matched by hand with a payment in its currency, and in no other', async () => {
    const dollars = report({ orderId: 880_003, currency: 'USD' });
    const { disputeId } = await shop().disputes.reportChargeback(dollars);
    const { transactionId } = await paid();
    const matched = shop().disputes.match(disputeId, { transactionId });
    await expect(matched).rejects.toMatchObject({
      code: 'InputInvalid',
      refusal: { faults: [{ path: 'transactionId', detail: 'must be a payment in USD' }] },
    });
  });

  it('is matched by the next report that names it', async () => {
    const { transactionId, arn } = await paid();
    const alert = alertOf({ orderId: 880_002 });
    expect(await shop().disputes.reportAlert(alert)).toMatchObject({ status: 'unmatched' });
    const again = await shop().disputes.reportAlert({ ...alert, arn });
    expect(again).toMatchObject({ status: 'matched', transactionId });
  });
});

describe('a reported alert', () => {
  it('by RDR is a credit of the network, which no gateway is asked for', async () => {
    const { transactionId } = await paid();
    const alert = alertOf({ source: 'RDR', type: 'AutoResolved', transactionId });
    const reported = await shop().disputes.reportAlert(alert);
    await shop().disputes.reportAlert(alert);
    expect(reported.disputeStatus).toBe('AlertResolved');
    const { payment } = await shop().payments.get(transactionId);
    expect(payment.refunds).toMatchObject([
      { source: 'RDR', status: 'Refunded', alertId: reported.disputeId, gatewayTransactionId: '' },
    ]);
    expect(Transaction.isChargedBack(payment)).toBe(false);
    expect(Transaction.hasAlert(payment)).toBe(true);
  });

  it.each([
    ['AlertProvider', '2026-03-02T06:00:00.000Z'],
    ['CDRN', '2026-03-04T06:00:00.000Z'],
    ['Acquirer', null],
  ] as const)('of %s is to be answered by %s', async (source, deadline) => {
    const { transactionId } = await paid();
    const openedAt = '2026-03-01T06:00:00.000Z';
    await shop().disputes.reportAlert(alertOf({ source, transactionId, openedAt }));
    const { payment } = await shop().payments.get(transactionId);
    expect(payment.alerts).toMatchObject([{ source, deadline, status: 'AlertOpen' }]);
  });

  it('comes to its first outcome', async () => {
    const { transactionId } = await paid();
    const alert = alertOf({ transactionId });
    for (const status of ['AlertDeclined', 'AlertOpen', 'AlertExpired'] as const) {
      await shop().disputes.reportAlert({ ...alert, status });
    }
    const { payment } = await shop().payments.get(transactionId);
    expect(payment.alerts).toMatchObject([{ status: 'AlertDeclined' }]);
  });
});
