/** What providers of mitigation see of a payment, its children and its subscriptions. */
import type { Event } from '@counterfoil/core';
import { MitigationView } from '@counterfoil/projections';
import { describe, expect, it } from 'vitest';
import { append, NOW, paymentStream, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const AT = {
  sent: '2025-06-01T10:00:00.000Z',
  captured: '2025-06-01T10:00:01.000Z',
  asked: '2025-11-03T10:00:00.000Z',
  paid: '2025-11-05T10:00:00.000Z',
};

async function after(story: readonly Event[]): Promise<{ here: World; view: MitigationView }> {
  const here = world();
  const paid = [A.submitted({ at: AT.sent }), A.started(), A.captured({ at: AT.captured })];
  await append(here.events, { stream: paymentStream(A.PAYMENT) }, [...paid, ...story]);
  await here.catchUp();
  return { here, view: new MitigationView(here.store, here.reference) };
}

const EMAIL = { emails: [A.submitted().email] };

describe('a search for mitigation', () => {
  it('says what was refunded and charged back, of a payment and of each child', async () => {
    const { view } = await after([
      A.refundRequested({ at: AT.asked, amountMinor: 300n }),
      A.refunded({ at: AT.paid, amountMinor: 300n }),
      A.chargebackOpened({ at: '2025-11-20T10:00:00.000Z', amountMinor: 100n }),
    ]);
    const found = await view.search({ tenantId: 1, filter: EMAIL, now: NOW });
    const of = (id: string) => found.find(({ transactionId }) => transactionId === id);
    expect(of(A.PAYMENT)).toMatchObject({
      refundedAmount: 3,
      refundDate: AT.paid,
      chargebackDate: '2025-11-20T10:00:00.000Z',
      chargebackStatus: 'ChargebackOpen',
      subscriptionActive: false,
    });
    expect(of(A.REFUND)).toMatchObject({ refundedAmount: 3, chargebackStatus: '' });
    expect(of(A.CHARGEBACK)).toMatchObject({ refundedAmount: 0, refundDate: null });
    expect(of(A.CHARGEBACK)).toMatchObject({ chargebackStatus: 'ChargebackOpen' });
  });

  it('counts a refund only once it is paid', async () => {
    const { view } = await after([A.refundRequested({ at: AT.asked, amountMinor: 300n })]);
    const [payment] = await view.search({
      tenantId: 1,
      filter: { ...EMAIL, transactionIds: [A.PAYMENT] },
      now: NOW,
    });
    expect(payment).toMatchObject({ refundedAmount: 0, refundDate: null });
  });
});

describe('includeUpdated', () => {
  const ids = async (view: MitigationView, filter: object) => {
    const query = { tenantId: 1, filter: { includeUpdated: true, ...filter }, now: NOW };
    const { transactions } = await view.transactions(query);
    return transactions.map(({ transactionId }) => transactionId);
  };
  const november = { dateFrom: '2025-11-05', dateTo: '2025-11-05' };

  it('finds a payment on the day that its refund was paid', async () => {
    const story = [A.refundRequested({ at: AT.asked }), A.refunded({ at: AT.paid })];
    const { view } = await after(story);
    expect(await ids(view, november)).toEqual([A.REFUND, A.PAYMENT]);
    expect(await ids(view, { ...november, includeUpdated: false })).toEqual([]);
    expect(await ids(view, { dateFrom: '2025-11-06' })).toEqual([]);
  });

  it('does not count a settlement as a change', async () => {
    const settled = { ...A.BOOKS, amountMinor: 1n, reference: '', at: AT.paid };
    const { view } = await after([{ type: 'PaymentSettled', ...settled }]);
    expect(await ids(view, november)).toEqual([]);
  });

  it('reaches thirty days back without any filter', async () => {
    const { view } = await after([A.chargebackOpened({ at: '2025-12-20T00:00:00.000Z' })]);
    expect(await ids(view, {})).toEqual([A.CHARGEBACK, A.PAYMENT]);
    expect(await ids(view, { includeUpdated: false })).toEqual([A.CHARGEBACK]);
  });
});
