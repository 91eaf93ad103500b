/** The disputes queue, and what is done about chargebacks and alerts. */
import { TenantId, Transaction } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, order, disputeReport as report, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const NOW = '2026-03-01T12:00:00.000Z';
const PDF = Buffer.from('%PDF-1.7 a receipt');
const NOTHING = '0195a000-0000-7000-8000-000000000001';

let ledger: Ledger;

beforeAll(async () => {
  ledger = await openLedger({
    storage: 'memory:',
    logger,
    masterKey: Buffer.alloc(32, 7),
    clock: { now: () => NOW },
  });
  await withShop(ledger, TENANT);
});
afterAll(() => ledger.close());

const shop = (more: object = {}) => ledger.as({ tenantId: TENANT, actor: 'shop', ...more });
const disputes = () => shop().disputes;

async function chargeback(more: object = {}): Promise<string> {
  const { id } = await shop().payments.submit(order());
  return (await disputes().reportChargeback(report({ transactionId: id, ...more }))).disputeId;
}

async function alert(more: object = {}): Promise<string> {
  const { id } = await shop().payments.submit(order());
  const given = { ...report({ transactionId: id }), type: 'CustomerDispute', source: 'CDRN' };
  return (await disputes().reportAlert({ ...given, ...more } as never)).disputeId;
}

async function paymentOf(disputeId: string): Promise<Transaction.Payment> {
  const { dispute } = await disputes().get(disputeId);
  return (await shop().payments.get(dispute.transactionId ?? '')).payment;
}

describe('the queue', () => {
  it('shows what took money twice first, then the nearest deadline, in pages', async () => {
    const late = await chargeback({ openedAt: '2026-02-25T00:00:00.000Z' });
    const soon = await alert({ openedAt: '2026-02-28T00:00:00.000Z' });
    const { id } = await shop().payments.submit(order());
    await shop().payments.refund(id);
    const twice = await disputes().reportChargeback(report({ transactionId: id }));
    const pages: string[][] = [];
    let after: object | undefined;
    do {
      const page = await disputes().list({ limit: 2, ...(after && { after: after as never }) });
      pages.push(page.disputes.map(({ disputeId }) => disputeId));
      after = page.moreResults ? page.end : undefined;
    } while (after !== undefined);
    const all = pages.flat();
    expect(all[0]).toBe(twice.disputeId);
    expect(all.indexOf(soon)).toBeLessThan(all.indexOf(late));
    const [first] = (await disputes().list({ limit: 1 })).disputes;
    expect(first).toMatchObject({ exceedsCaptured: true, refundedBefore: 19.99, midName: 'Main' });
  });

  it('is narrowed by status, kind, account and date', async () => {
    const open = await alert({ source: 'AlertProvider' });
    const declined = await alert();
    await disputes().decline(declined);
    const ids = async (list: object) =>
      (await disputes().list({ limit: 100, ...list })).disputes.map((each) => each.disputeId);
    expect(await ids({ statuses: ['AlertDeclined'] })).toContain(declined);
    expect(await ids({})).not.toContain(declined);
    expect(await ids({ kind: 'chargeback' })).not.toContain(open);
    expect(await ids({ merchantAccountIds: [2] })).toEqual([]);
    expect(await ids({ kind: 'alert', dueBy: '2026-03-02T12:00:00.000Z' })).toContain(open);
    expect(await ids({ kind: 'alert', dueBy: '2026-03-02T11:59:59.999Z' })).not.toContain(open);
  });

  it('has reports without a payment, which are matched by hand', async () => {
    const { disputeId } = await disputes().reportChargeback(report({ arn: 'nowhere' }));
    expect((await disputes().get(disputeId)).dispute).toMatchObject({
      status: 'Unmatched',
      transactionId: null,
    });
    expect(await codeOf(disputes().accept(disputeId))).toBe('DisputeUnmatched');
    expect(await codeOf(disputes().match(disputeId, { transactionId: NOTHING }))).toBe(
      'TransactionUnknown',
    );
    const { id } = await shop().payments.submit(order());
    await disputes().match(disputeId, { transactionId: id });
    const list = await disputes().list({ limit: 100 });
    expect(list.disputes.filter((each) => each.disputeId === disputeId)).toMatchObject([
      { status: 'ChargebackOpen', transactionId: id },
    ]);
  });

  it('is that of the caller’s tenant and environment', async () => {
    const id = await chargeback();
    const other = ledger.as({ tenantId: 8, actor: 'shop' }).disputes;
    expect(await codeOf(other.get(id))).toBe('DisputeUnknown');
    expect(await codeOf(shop({ environment: 'test' }).disputes.get(id))).toBe('DisputeUnknown');
  });
});

describe('a chargeback', () => {
  it('is accepted, once', async () => {
    const id = await chargeback();
    expect(await disputes().accept(id, { note: 'ours' })).toMatchObject({
      status: 'ChargebackAccepted',
      note: 'ours',
    });
    expect(await disputes().accept(id)).toMatchObject({ status: 'ChargebackAccepted' });
    expect(await codeOf(disputes().represent(id))).toBe('WrongStatus');
  });

  it('is represented with files and fields', async () => {
    const id = await chargeback();
    const kept = await disputes().keepEvidence(id, { name: 'receipt.pdf', content: PDF });
    await disputes().keepEvidence(id, { name: 'again.pdf', content: PDF });
    const fields = { trackingNumber: 'RM1' };
    expect(await disputes().represent(id, { fields })).toMatchObject({
      status: 'ChargebackUnderReview',
    });
    const { evidence } = await disputes().get(id);
    expect(evidence).toMatchObject({ fields, submittedAt: NOW, submittedDigests: [kept.digest] });
    expect(evidence.files).toMatchObject([{ digest: kept.digest, mediaType: 'application/pdf' }]);
    expect((await disputes().evidence(id, kept.digest))?.content).toEqual(PDF);
  });

  it.each([
    ['neither a file nor a field', {}],
    ['fields that say nothing', { fields: { explanation: '  ' } }],
    ['none of its files', { digests: [] }],
  ])('is not represented with %s', async (_, given) => {
    const id = await chargeback();
    if ('digests' in given) await disputes().keepEvidence(id, { name: 'a.pdf', content: PDF });
    expect(await codeOf(disputes().represent(id, given))).toBe('EvidenceMissing');
    const { dispute, evidence } = await disputes().get(id);
    expect([dispute.status, evidence.submittedAt]).toEqual(['ChargebackOpen', null]);
    await disputes().represent(id, { digests: [], fields: { explanation: 'Delivered' } });
    // A repetition hands in nothing else.
    expect(await disputes().represent(id, given)).toMatchObject({
      status: 'ChargebackUnderReview',
    });
    expect((await disputes().get(id)).evidence.fields).toEqual({ explanation: 'Delivered' });
  });

  it('on top of a refund has the refund as evidence', async () => {
    const { id } = await shop().payments.submit(order());
    const refund = await shop().payments.refund(id);
    const { disputeId } = await disputes().reportChargeback(report({ transactionId: id }));
    await disputes().represent(disputeId);
    const { evidence } = await disputes().get(disputeId);
    expect(evidence.fields['refunds']).toContain(`19.99 GBP refund ${refund.id}`);
  });

  it.each([
    ['a program', Buffer.from('MZ\u0000\u0001'), 'EvidenceTypeUnknown'],
    ['nothing', Buffer.alloc(0), 'EvidenceTypeUnknown'],
    ['too much', Buffer.alloc(5 * 2 ** 20 + 1, 0x20), 'EvidenceTooLarge'],
  ])('takes no evidence that is %s', async (_, content, code) => {
    const id = await chargeback();
    expect(await codeOf(disputes().keepEvidence(id, { name: 'x', content }))).toBe(code);
  });

  it('keeps no evidence readable of an erased customer', async () => {
    const customer = await shop().customers.register({ email: 'gone@shop.example' });
    const { id } = await shop().payments.submit(order({ email: 'gone@shop.example' }));
    const { disputeId } = await disputes().reportChargeback(report({ transactionId: id }));
    const { digest } = await disputes().keepEvidence(disputeId, { name: 'a.pdf', content: PDF });
    await shop().customers.erase(customer.customerId);
    expect(await disputes().evidence(disputeId, digest)).toBeUndefined();
    expect((await disputes().get(disputeId)).evidence.files).toMatchObject([{ name: '' }]);
  });
});

describe('an alert', () => {
  it('is resolved by a refund of its source, once', async () => {
    const id = await alert();
    const [first, again] = await Promise.all([disputes().refund(id), disputes().refund(id)]);
    expect(first.status).toBe('AlertResolved');
    expect(again.disputeId).toBe(id);
    const { refunds } = await paymentOf(id);
    expect(refunds).toMatchObject([{ source: 'CDRN', status: 'Refunded', amountMinor: 1_999n }]);
  });

  it('goes by the rule for money that leaves', async () => {
    const id = await alert();
    const payment = await paymentOf(id);
    await shop().payments.refund(payment.transactionId, { amount: '19.98' });
    expect(await codeOf(disputes().refund(id))).toBe('RefundExceedsRemaining');
    expect(Transaction.refundedMinor(await paymentOf(id))).toBe(1_998n);
  });

  it('that is answered is not answered again', async () => {
    const id = await alert();
    await disputes().decline(id);
    expect(await codeOf(disputes().refund(id))).toBe('WrongStatus');
    expect((await paymentOf(id)).refunds).toEqual([]);
    expect(await codeOf(disputes().accept(id))).toBe('ChargebackUnknown');
  });
});
