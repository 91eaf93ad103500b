/** Disputes, inquiries and early fraud warnings through the official SDK. */
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, serverOfTest } from './stripe-clients.ts';

const DAY_MS = 86_400_000;
const PDF = { data: Buffer.from('%PDF-1.7 receipt'), name: 'receipt.pdf', type: 'application/pdf' };

async function start() {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const pay = async (token = 'pm_card_visa') =>
    (
      await stripe.paymentIntents.create({
        amount: 5_000,
        currency: 'usd',
        payment_method: token,
        allowed_payment_method_types: ['card'],
        confirm: true,
      })
    ).id;
  const disputed = async (options: { inquiry?: boolean; amount?: number } = {}) => {
    const intent = await pay();
    return { intent, dispute: server.createDispute({ of: intent, ...options }) };
  };
  const typesOf = () => server.events().map(({ type }) => type);
  const balance = () => server.balanceTransactions().reduce((total, { net }) => total + net, 0);
  return { server, stripe, pay, disputed, typesOf, balance };
}

describe('a dispute', () => {
  it('withdraws its amount and a fee', async () => {
    const { server, stripe, disputed, balance } = await start();
    const { intent, dispute } = await disputed();
    const shown = await stripe.disputes.retrieve(dispute);
    expect(shown).toMatchObject({
      status: 'needs_response',
      amount: 5_000,
      payment_intent: intent,
      balance_transactions: [{ amount: -5_000, fee: 1_500, net: -6_500 }],
    });
    const [charge] = server.charges();
    expect(charge?.disputed).toBe(true);
    expect(balance()).toBe(5_000 - 175 - 6_500);
    expect((await stripe.disputes.list({ payment_intent: intent })).data[0]?.id).toBe(dispute);
  });

  it('that is won is reinstated, without its fee', async () => {
    const { server, stripe, disputed, typesOf } = await start();
    const { dispute } = await disputed({ amount: 2_000 });
    server.winDispute(dispute);
    const shown = await stripe.disputes.retrieve(dispute);
    expect(shown.status).toBe('won');
    expect(shown.balance_transactions.map(({ net }) => net)).toEqual([-3_500, 2_000]);
    expect(typesOf().slice(0, 4)).toEqual([
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.created',
    ]);
  });

  it('is accepted by closing it', async () => {
    const { stripe, disputed } = await start();
    const { dispute } = await disputed();
    expect((await stripe.disputes.close(dispute)).status).toBe('lost');
    expect((await refusalOf(stripe.disputes.close(dispute))).code).toBe(
      'status_transition_invalid',
    );
  });

  it('is lost where nobody answers in time', async () => {
    const { server, stripe, disputed } = await start();
    const { dispute } = await disputed();
    server.advance(9 * DAY_MS);
    const shown = await stripe.disputes.retrieve(dispute);
    expect([shown.status, shown.evidence_details.past_due]).toEqual(['lost', true]);
  });

  it('takes evidence with files, first staged and then submitted', async () => {
    const { server, stripe, disputed } = await start();
    const { dispute } = await disputed();
    const file = await stripe.files.create({ purpose: 'dispute_evidence', file: PDF });
    expect(Buffer.from(server.fileContent(file.id)).toString()).toBe('%PDF-1.7 receipt');
    const staged = await stripe.disputes.update(dispute, {
      evidence: { receipt: file.id, uncategorized_text: 'It was delivered.' },
      submit: false,
    });
    expect(staged).toMatchObject({
      status: 'needs_response',
      evidence: { receipt: file.id },
      evidence_details: { has_evidence: true, submission_count: 0 },
    });
    const sent = await stripe.disputes.update(dispute, { submit: true });
    expect(sent).toMatchObject({
      status: 'under_review',
      evidence_details: { submission_count: 1 },
    });
    const late = stripe.disputes.update(dispute, { evidence: { product_description: 'A box' } });
    expect((await refusalOf(late)).code).toBe('status_transition_invalid');
    server.loseDispute(dispute);
    expect((await stripe.disputes.retrieve(dispute)).status).toBe('lost');
  });

  it.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('with %s is %s', async (uncategorized_text, status) => {
    const { stripe, disputed } = await start();
    const { dispute } = await disputed();
    await stripe.disputes.update(dispute, { evidence: { uncategorized_text } });
    expect((await stripe.disputes.retrieve(dispute)).status).toBe(status);
  });

  it('refuses files of another purpose, and files that are none', async () => {
    const { stripe, disputed } = await start();
    const { dispute } = await disputed();
    const update = (receipt: string) => stripe.disputes.update(dispute, { evidence: { receipt } });
    expect((await refusalOf(update('file_none'))).code).toBe('resource_missing');
    const logo = await stripe.files.create({ purpose: 'business_logo', file: PDF });
    expect((await refusalOf(update(logo.id))).param).toBe('evidence[receipt]');
  });

  it('keeps its charge from being refunded', async () => {
    const { stripe, disputed } = await start();
    const { intent } = await disputed();
    const refusal = await refusalOf(stripe.refunds.create({ payment_intent: intent }));
    expect(refusal.code).toBe('charge_disputed');
  });

  it.each([
    ['pm_card_createDispute', 'fraudulent', 'needs_response'],
    ['pm_card_createDisputeProductNotReceived', 'product_not_received', 'needs_response'],
    ['pm_card_createDisputeInquiry', 'fraudulent', 'warning_needs_response'],
  ])('comes with %s', async (token, reason, status) => {
    const { stripe, pay } = await start();
    const payment_intent = await pay(token);
    const [dispute] = (await stripe.disputes.list({ payment_intent })).data;
    expect(dispute).toMatchObject({ reason, status });
  });
});

describe('an inquiry', () => {
  it('moves no money, and is closed', async () => {
    const { server, stripe, disputed, balance } = await start();
    const { dispute } = await disputed({ inquiry: true });
    const before = balance();
    await stripe.disputes.update(dispute, { evidence: { product_description: 'A box' } });
    expect((await stripe.disputes.retrieve(dispute)).status).toBe('warning_under_review');
    server.winDispute(dispute);
    const shown = await stripe.disputes.retrieve(dispute);
    expect([shown.status, shown.balance_transactions]).toEqual(['warning_closed', []]);
    expect(balance()).toBe(before);
  });

  it('leaves the charge refundable', async () => {
    const { stripe, disputed } = await start();
    const { intent } = await disputed({ inquiry: true });
    expect((await stripe.refunds.create({ payment_intent: intent })).status).toBe('succeeded');
  });

  it('may become a dispute', async () => {
    const { server, stripe, disputed } = await start();
    const { dispute } = await disputed({ inquiry: true });
    server.escalateDispute(dispute);
    const shown = await stripe.disputes.retrieve(dispute);
    expect([shown.status, shown.balance_transactions.length]).toEqual(['needs_response', 1]);
  });
});

describe('an early fraud warning', () => {
  it('is actionable until the charge is refunded', async () => {
    const { stripe, pay } = await start();
    const payment_intent = await pay('pm_card_createIssuerFraudRecord');
    const [warning] = (await stripe.radar.earlyFraudWarnings.list({ payment_intent })).data;
    expect(warning?.actionable).toBe(true);
    await stripe.refunds.create({ payment_intent });
    const shown = await stripe.radar.earlyFraudWarnings.retrieve(String(warning?.id));
    expect(shown.actionable).toBe(false);
  });

  it('comes when a test says, and ends with a dispute', async () => {
    const { server, stripe, pay, typesOf } = await start();
    const intent = await pay();
    const warning = server.createEarlyFraudWarning(intent, 'made_with_stolen_card');
    server.createDispute({ of: intent });
    const shown = await stripe.radar.earlyFraudWarnings.retrieve(warning);
    expect([shown.fraud_type, shown.actionable]).toEqual(['made_with_stolen_card', false]);
    expect(typesOf()).toContain('radar.early_fraud_warning.created');
  });
});

it('files that are no evidence are refused', async () => {
  const { stripe } = await start();
  const file: Stripe.FileCreateParams['file'] = { ...PDF, name: 'a.exe', type: 'text/plain' };
  const refusal = await refusalOf(stripe.files.create({ purpose: 'dispute_evidence', file }));
  expect(refusal.param).toBe('file');
});
