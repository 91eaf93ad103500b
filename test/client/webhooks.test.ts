/** Webhooks that the engine has sent, as the client verifies them. */
import {
  verifyWebhook,
  type WebhookChargeback,
  type WebhookLead,
  type WebhookPayment,
  type WebhookRefund,
  WebhookRefused,
  type WebhookSubscription,
} from '@counterfoil/client';
import type { Subscription, Transaction } from '@counterfoil/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { disputeReport, order } from '../engine/shop.ts';
import { openSender, paidLead, type Received } from '../engine/webhook-sink.ts';

const TOLERANCE_MS = 300_000;

async function sentEvent() {
  const sender = await openSender();
  const { id, signingSecret: secret } = await sender.shop.webhookEndpoints.create(sender.out);
  await paidLead(sender);
  const [received] = await sender.sink.has(1);
  if (received === undefined) throw new Error('nothing was received');
  return { sender, id, secret, received };
}

const messageOf = ({ text, headers }: Received, secret: string | readonly string[]) => ({
  body: text,
  headers,
  secret,
});

const codeOf = (message: Parameters<typeof verifyWebhook>[0]) =>
  verifyWebhook(message).then(
    () => 'verified',
    (error: unknown) => (error instanceof WebhookRefused ? error.code : error),
  );

describe('a message', () => {
  it('is verified as text, as bytes, and with the headers of fetch', async () => {
    const { secret, received } = await sentEvent();
    const message = messageOf(received, secret);
    const event = await verifyWebhook(message);
    expect(event).toEqual(received.body);
    expect(event.type === 'customer_lead.paid' && event.data.lead.email).toBe('ann@shop.example');
    const body = new TextEncoder().encode(received.text);
    const headers = new Headers(received.headers as Record<string, string>);
    expect(await verifyWebhook({ ...message, body, headers })).toEqual(event);
  });

  it('is verified with either secret while the receiver changes its own', async () => {
    const { sender, id, secret } = await sentEvent();
    const { signingSecret: next } = await sender.shop.webhookEndpoints.rotate(id);
    await paidLead(sender);
    const [before, during] = await sender.sink.has(2);
    if (before === undefined || during === undefined) throw new Error('two are expected');
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(await codeOf(messageOf(during, secret))).toBe('verified');
    expect(await codeOf(messageOf(during, next))).toBe('verified');
    expect(await codeOf(messageOf(before, next))).toBe('signature_invalid');
    expect(await codeOf(messageOf(before, [next, secret]))).toBe('verified');
  });

  it('is refused where a part of it is another', async () => {
    const { secret, received } = await sentEvent();
    const message = messageOf(received, secret);
    const { headers, text } = received;
    const now = Number(headers['webhook-timestamp']) * 1_000;
    const other = `whsec_${btoa('another secret of thirty-two bytes')}`;
    const withHeader = (name: string, value: string | undefined) => ({
      ...message,
      headers: { ...headers, [name]: value },
    });
    expect(await codeOf({ ...message, secret: other })).toBe('signature_invalid');
    expect(await codeOf({ ...message, secret: [] })).toBe('signature_invalid');
    expect(await codeOf({ ...message, body: `${text} ` })).toBe('signature_invalid');
    expect(await codeOf(withHeader('webhook-id', 'another'))).toBe('signature_invalid');
    expect(await codeOf(withHeader('webhook-signature', 'v1,%'))).toBe('signature_invalid');
    expect(await codeOf(withHeader('webhook-signature', 'v2,AAAA'))).toBe('signature_invalid');
    expect(await codeOf(withHeader('webhook-signature', undefined))).toBe('headers_missing');
    expect(await codeOf(withHeader('webhook-id', ''))).toBe('headers_missing');
    expect(await codeOf(withHeader('webhook-timestamp', 'now'))).toBe('timestamp_invalid');
    const late = { ...message, now: now + TOLERANCE_MS + 1_000 };
    expect(await codeOf(late)).toBe('timestamp_out_of_tolerance');
    const early = { ...message, now: now - TOLERANCE_MS - 1_000 };
    expect(await codeOf(early)).toBe('timestamp_out_of_tolerance');
    expect(await codeOf({ ...late, toleranceSeconds: 600 })).toBe('verified');
  });

  it.each(['', 'whsec_', 'whsec_%', 'plain'])('takes no secret %j', async (secret) => {
    const { received } = await sentEvent();
    await expect(verifyWebhook(messageOf(received, secret))).rejects.toThrow(TypeError);
  });
});

/** Every member, and no other. */
const MEMBERS = {
  lead: {
    ...{ id: true, session_id: true, email: true, first_name: true, last_name: true },
    ...{ cfa_device: true, scans: true, status: true, application_id: true, sandbox: true },
    ...{ created_at: true, updated_at: true, paid_at: true },
  } satisfies Record<keyof WebhookLead, true>,
  payment: {
    ...{ id: true, status: true, amount: true, capturedAmount: true, refundedAmount: true },
    ...{ currency: true, sandbox: true, orderId: true, customerId: true, companyId: true },
    ...{ applicationId: true, merchantAccountId: true, partnerSession: true },
    ...{ subscriptionId: true, paymentNumber: true, createdAt: true, capturedAt: true },
  } satisfies Record<keyof WebhookPayment, true>,
  refund: {
    ...{ id: true, status: true, amount: true, currency: true, source: true, reason: true },
    ...{ requestedAt: true, completedAt: true },
  } satisfies Record<keyof WebhookRefund, true>,
  chargeback: {
    ...{ id: true, status: true, amount: true, currency: true, reference: true },
    ...{ reasonCode: true, exceedsCaptured: true, openedAt: true, respondBy: true },
    completedAt: true,
  } satisfies Record<keyof WebhookChargeback, true>,
  subscription: {
    ...{ id: true, orderId: true, customerId: true, companyId: true, name: true },
    ...{ rebillAmount: true, currency: true, sandbox: true, rebillDate: true },
    ...{ frozenDate: true, unsubDate: true },
  } satisfies Record<keyof WebhookSubscription, true>,
};

describe('the types of events', () => {
  it('have the members that are sent', async () => {
    const { sender, secret } = await sentEvent();
    const { shop, sink } = sender;
    const plan = { name: 'Club', rebillAmount: '9.99', frequencyDays: 30 };
    const { id } = await shop.payments.submit(order({ plans: [plan] }));
    await shop.payments.refund(id, { amount: '5.00' });
    await shop.disputes.reportChargeback({ ...disputeReport(), transactionId: id });
    // With the paid lead and the subscription that the chargeback ends.
    const received = await sink.has(6);
    const events = await Promise.all(
      received.map((each) => verifyWebhook(messageOf(each, secret))),
    );
    const sent = Object.assign({}, ...events.map(({ data }) => data)) as Record<string, object>;
    for (const [name, members] of Object.entries(MEMBERS)) {
      expect({ [name]: Object.keys(sent[name] ?? {}).sort() }).toEqual({
        [name]: Object.keys(members).sort(),
      });
    }
  });

  it('are those of what the engine keeps', () => {
    type Same<Kept, Told> = Pick<Told, Extract<keyof Told, keyof Kept>>;
    expectTypeOf<Transaction.Payment>().toExtend<Same<Transaction.Payment, WebhookPayment>>();
    expectTypeOf<Transaction.Refund>().toExtend<Same<Transaction.Refund, WebhookRefund>>();
    expectTypeOf<Transaction.Chargeback>().toExtend<
      Same<Transaction.Chargeback, WebhookChargeback>
    >();
    expectTypeOf<Subscription.Subscription>().toExtend<
      Same<Subscription.Subscription, WebhookSubscription>
    >();
  });
});
