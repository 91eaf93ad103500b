/** Answers to disputes at Stripe: evidence with its files, and acceptance, each once. */
import { expect, it, onTestFinished } from 'vitest';
import { codeOf } from '../engine/shop.ts';
import { openClub } from './club.ts';
import { order } from './shop.ts';

const PDF = Buffer.from('%PDF-1.7 receipt');
const UPDATE = 'POST /v1/disputes/{dispute}';
const CLOSE = 'POST /v1/disputes/{dispute}/close';
const FILE = 'POST /v1/files';
/** More than between two looks for events. */
const A_MOMENT_DAYS = 0.01;
const HOUR_DAYS = 1 / 24;

async function club() {
  const opened = await openClub();
  onTestFinished(() => opened.close());
  const { server, shop, advance } = opened;
  return {
    ...opened,
    pass: (days = A_MOMENT_DAYS) => advance(days),
    async disputed() {
      const paid = await shop.payments.submit(order('pm_card_visa'));
      const reference = server.createDispute({ of: paid.payment.gatewayTransactionId });
      await advance(A_MOMENT_DAYS);
      const { payment } = await shop.payments.get(paid.id);
      return { reference, paymentId: paid.id, id: payment.chargebacks[0]?.chargebackId ?? '' };
    },
    sent: async (id: string) => (await shop.disputes.get(id)).evidence.sent,
    atStripe: (reference: string) => {
      const found = server.disputes().find((each) => each.id === reference);
      if (found === undefined) throw new Error(`no ${reference}`);
      return found;
    },
    calls: (on: string) => server.requests().filter(({ endpoint }) => endpoint === on).length,
  };
}

it('hands in what is said and the files, under the names of Stripe', async () => {
  const { server, shop, pass, disputed, sent, atStripe } = await club();
  const { id, reference, paymentId } = await disputed();
  await shop.disputes.keepEvidence(id, { name: 'Receipt.pdf', content: PDF });
  await shop.disputes.keepEvidence(id, { name: 'page.pdf', content: Buffer.from('%PDF-1.7 b') });
  const fields = { trackingNumber: 'T-1', customerName: 'Ann', remark: 'She was there' };
  await shop.disputes.represent(id, { fields });
  await pass();
  const { evidence, status } = atStripe(reference);
  expect(status).toBe('under_review');
  expect(evidence).toMatchObject({
    shipping_tracking_number: 'T-1',
    customer_name: 'Ann',
    uncategorized_text: 'remark: She was there',
  });
  const contentOf = (file: unknown) => Buffer.from(server.fileContent(String(file))).toString();
  expect(contentOf(evidence.receipt)).toBe('%PDF-1.7 receipt');
  expect(contentOf(evidence.uncategorized_file)).toBe('%PDF-1.7 b');
  expect(await sent(id)).toMatchObject([{ answer: 'evidence', submission: 1, result: 'taken' }]);
  server.winDispute(reference);
  await pass();
  const { payment } = await shop.payments.get(paymentId);
  expect(payment.chargebacks).toMatchObject([{ status: 'ChargebackWon' }]);
});

it('gives up the money', async () => {
  const { shop, pass, disputed, sent, atStripe, calls } = await club();
  const { id, reference } = await disputed();
  await shop.disputes.accept(id);
  await pass();
  expect(atStripe(reference).status).toBe('lost');
  expect(await sent(id)).toMatchObject([{ answer: 'acceptance', submission: 0, result: 'taken' }]);
  await pass(2 * HOUR_DAYS);
  expect(calls(CLOSE)).toBe(1);
});

it.each([
  [FILE, 'before'],
  [FILE, 'after'],
  [UPDATE, 'before'],
  [UPDATE, 'after'],
] as const)('has one effect where %s is cut %s it', async (on, when) => {
  const { server, shop, pass, disputed, sent, atStripe } = await club();
  const { id, reference } = await disputed();
  await shop.disputes.keepEvidence(id, { name: 'receipt.pdf', content: PDF });
  server.fail({ kind: 'cut', when, on });
  await shop.disputes.represent(id);
  await pass();
  // The keys that Stripe knows may be forgotten meanwhile.
  server.forgetIdempotencyKeys();
  await pass(HOUR_DAYS);
  const { evidence_details: details, status } = atStripe(reference);
  expect([status, details.submission_count]).toEqual(['under_review', 1]);
  expect(await sent(id)).toMatchObject([{ result: 'taken' }]);
});

it('is accepted once though the answer was lost', async () => {
  const { server, shop, pass, disputed, sent, calls } = await club();
  const { id } = await disputed();
  server.fail({ kind: 'cut', when: 'after', on: CLOSE });
  await shop.disputes.accept(id);
  await pass();
  server.forgetIdempotencyKeys();
  await pass(HOUR_DAYS);
  expect(await sent(id)).toMatchObject([{ answer: 'acceptance', result: 'taken' }]);
  expect(calls(CLOSE)).toBe(1);
});

it('shows what Stripe refuses, and takes other evidence then', async () => {
  const { shop, pass, disputed, sent, atStripe } = await club();
  const { id, reference } = await disputed();
  const text = await shop.disputes.keepEvidence(id, {
    name: 'note.txt',
    content: Buffer.from('She was there'),
  });
  await shop.disputes.represent(id, {});
  await pass();
  const [refusal] = await sent(id);
  expect(refusal).toMatchObject({ submission: 1, result: 'refused' });
  expect(refusal?.note).toContain(text.digest);
  expect(atStripe(reference).status).toBe('needs_response');
  await shop.disputes.represent(id, { digests: [], fields: { remark: 'She was there' } });
  await pass();
  expect((await sent(id)).map(({ result }) => result)).toEqual(['refused', 'taken']);
  expect(atStripe(reference).evidence.uncategorized_text).toBe('remark: She was there');
  // What was taken is not replaced.
  await shop.disputes.represent(id, { digests: [], fields: { remark: 'No' } });
  await pass();
  expect(await sent(id)).toHaveLength(2);
  expect(atStripe(reference).evidence.uncategorized_text).toBe('remark: She was there');
});

it('sends nothing of a customer who was erased meanwhile', async () => {
  const { server, shop, pass, disputed, sent, calls } = await club();
  const { id, paymentId } = await disputed();
  const on = 'GET /v1/disputes/{dispute}';
  server.fail({ kind: 'error', when: 'before', kept: false, on, times: 5 });
  await shop.disputes.represent(id, { fields: { remark: 'She was there' } });
  await pass();
  const { payment } = await shop.payments.get(paymentId);
  await shop.customers.erase(payment.customerId, { sandbox: true });
  await pass(HOUR_DAYS);
  expect(await sent(id)).toMatchObject([
    { result: 'refused', note: 'the evidence is not there any more' },
  ]);
  expect(calls(UPDATE)).toBe(0);
});

it('is too late for what has ended, or was answered, at Stripe', async () => {
  const { server, shop, pass, disputed, sent } = await club();
  const { id, reference } = await disputed();
  server.winDispute(reference);
  await shop.disputes.accept(id);
  await pass();
  expect(await sent(id)).toMatchObject([
    { result: 'refused', note: 'the dispute is won at Stripe' },
  ]);
});

it('sends nothing of disputes that Stripe has not reported', async () => {
  const { shop, pass, calls } = await club();
  const paid = await shop.payments.submit(order('pm_card_visa'));
  const { disputeId } = await shop.disputes.reportChargeback({
    provider: 'acme',
    reference: 'case-1',
    amount: '19.99',
    currency: 'GBP',
    transactionId: paid.id,
    sandbox: true,
  });
  await shop.disputes.represent(disputeId, { fields: { remark: 'She was there' } });
  await pass();
  const { evidence } = await shop.disputes.get(disputeId);
  expect([evidence.sent, evidence.submittedAt === null]).toEqual([[], false]);
  expect(calls(UPDATE)).toBe(0);
  expect(await codeOf(shop.disputes.accept(disputeId))).toBe('WrongStatus');
});
