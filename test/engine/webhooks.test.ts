/** Webhooks through the face of the engine, to a receiver on this machine: what is sent, when, and in which order. */
import { randomUUID } from 'node:crypto';
import tls from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeOf, order } from './shop.ts';
import {
  CERTIFICATE,
  openSender,
  POLLING,
  paidLead,
  type Received,
  type Sender,
  Sink,
  TENANT,
} from './webhook-sink.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Of the tries after the first, with all of the jitter. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
].map((ms) => ms * 1.2);

const typesOf = (received: readonly Received[]) => received.map(({ body }) => body.type);
const idsOf = (received: readonly Received[]) => new Set(received.map(({ body }) => body.id));

/** The only delivery of an endpoint, once it has made as many tries. */
async function deliveryOf({ shop }: Sender, endpointId: string, attempts: number) {
  return vi.waitUntil(async () => {
    const [first] = (await shop.webhooks.deliveries(endpointId)).items;
    return first !== undefined && first.attempts >= attempts ? first : undefined;
  }, POLLING);
}

it('webhooks are found by their payment at every endpoint, in its data alone', async () => {
  const { shop, ledger, sink, out } = await openSender();
  const receivers = [await shop.webhookEndpoints.create(out)];
  receivers.push(await shop.webhookEndpoints.create({ ...out, eventTypes: ['refund.succeeded'] }));
  const { id } = await shop.payments.submit(order());
  await shop.payments.refund(id, { amount: '1.00' });
  const { id: other } = await shop.payments.submit(order());
  await sink.has(4);
  const found = await shop.webhooks.ofPayment(id);
  expect(found.map(({ endpointId, type }) => [endpointId, type]).toSorted()).toEqual(
    [
      [receivers[0]?.id, 'payment.captured'],
      [receivers[0]?.id, 'refund.succeeded'],
      [receivers[1]?.id, 'refund.succeeded'],
    ].toSorted(),
  );
  const story = await shop.transactions.story(id);
  expect(story && (await shop.webhooks.ofStory(story))).toEqual(found);
  expect(await shop.webhooks.ofPayment(other)).toHaveLength(1);
  expect(await shop.webhooks.ofPayment('none')).toEqual([]);
  const tester = ledger.as({ tenantId: TENANT, actor: 'shop', environment: 'test' });
  expect(await tester.webhooks.ofPayment(id)).toEqual([]);
  const stranger = ledger.as({ tenantId: 99, actor: 'shop' });
  expect(await stranger.webhooks.ofPayment(id)).toEqual([]);
});

describe('a paid lead', () => {
  it('is sent once, signed as a stranger verifies it', async () => {
    const sender = await openSender();
    const { shop, sink, out } = sender;
    const { id, signingSecret } = await shop.webhookEndpoints.create(out);
    const lead = await paidLead(sender);
    const [received] = await sink.has(1);
    if (received === undefined) throw new Error('nothing was received');
    const headers = received.headers as Record<string, string>;
    const verified = new Webhook(signingSecret).verify(received.text, headers);
    expect(verified).toEqual({
      id: headers['webhook-id'],
      type: 'customer_lead.paid',
      timestamp: expect.any(String),
      data: {
        lead: expect.objectContaining({
          id: lead.leadId,
          session_id: lead.sessionId,
          email: 'ann@shop.example',
          first_name: 'Ann',
          status: 'paid',
          application_id: 1,
        }),
        transaction: expect.objectContaining({
          id: expect.stringMatching(/^t-/),
          orderId: null,
          amount: 19.99,
          currency: 'GBP',
          applicationId: 1,
          sandbox: false,
        }),
      },
    });
    expect(await deliveryOf(sender, id, 1)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('has the signatures of both secrets while one takes the place of the other', async () => {
    const sender = await openSender();
    const { shop, sink, out, clock } = sender;
    const { id, signingSecret } = await shop.webhookEndpoints.create(out);
    const { signingSecret: next } = await shop.webhookEndpoints.rotate(id, { overlapDays: 1 });
    await paidLead(sender);
    const [received] = await sink.has(1);
    const headers = received?.headers as Record<string, string>;
    for (const secret of [signingSecret, next]) {
      expect(() => new Webhook(secret).verify(received?.text ?? '', headers)).not.toThrow();
    }
    clock.forward(25 * HOUR_MS);
    await paidLead(sender);
    const [, later] = await sink.has(2);
    expect(later?.headers['webhook-signature']).not.toContain(' ');
  });

  it('has one id at every endpoint, and is sent to those that ask for it in its environment', async () => {
    const sender = await openSender();
    const { shop, sink, out } = sender;
    const at = (name: string) => ({ ...out, url: `${sink.url}/${name}` });
    await shop.webhookEndpoints.create({ ...at('all') });
    await shop.webhookEndpoints.create({ ...at('leads'), eventTypes: ['customer_lead.paid'] });
    await shop.webhookEndpoints.create({ ...at('refunds'), eventTypes: ['refund.succeeded'] });
    await shop.webhookEndpoints.create({ ...at('sandbox'), environment: 'test' });
    await paidLead(sender);
    await sink.has(2);
    await paidLead(sender, { sandbox: true });
    await sink.has(3);
    const paths = sink.received.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['/in/all', '/in/leads', '/in/sandbox']);
    expect(idsOf(sink.received.slice(0, 2)).size).toBe(1);
  });
});

describe('over TLS', () => {
  function trust(certificate: string): void {
    const known = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...known, certificate]);
    onTestFinished(() => tls.setDefaultCACertificates(known));
  }

  it('is sent to a receiver whose certificate is trusted', async () => {
    trust(CERTIFICATE);
    const sender = await openSender();
    const sink = await Sink.start({ isTls: true });
    await sender.shop.webhookEndpoints.create({ direction: 'out', url: sink.url });
    await paidLead(sender);
    const [received] = await sink.has(1);
    expect(received?.body.type).toBe('customer_lead.paid');
  });

  it.each([
    { certificate: 'that is not trusted', name: 'localhost', isTrusted: false },
    { certificate: 'of another name', name: '127.0.0.1', isTrusted: true },
  ])('is not sent to a receiver with a certificate $certificate', async ({ name, isTrusted }) => {
    if (isTrusted) trust(CERTIFICATE);
    const sender = await openSender();
    const sink = await Sink.start({ isTls: true });
    const url = sink.url.replace('localhost', name);
    const { id } = await sender.shop.webhookEndpoints.create({ direction: 'out', url });
    await paidLead(sender);
    expect(await deliveryOf(sender, id, 1)).toMatchObject({ reason: 'certificate_refused' });
    expect(sink.received).toEqual([]);
  });
});

it('a mail that was given up is sent, without its address', async () => {
  const { shop, sink, out } = await openSender();
  await shop.webhookEndpoints.create({ ...out, eventTypes: ['email.failed'] });
  await shop.senderDomains.create({ domain: 'shop.example' });
  await shop.suppressions.create({ email: 'ann@example.com' });
  const { id } = await shop.mails.submit({
    from: 'post@shop.example',
    to: 'ann@example.com',
    subject: 'Hello',
    templateType: 'string',
    templateContent: 'Hello',
  });
  const [received] = await sink.has(1);
  const email = { id, kind: 'submitted', reason: 'suppressed', sandbox: false };
  expect(received?.body).toMatchObject({ type: 'email.failed', data: { email } });
  expect(received?.text).not.toContain('ann@');
});

it('payments, refunds, chargebacks and alerts are sent in the order of each payment', async () => {
  const { shop, sink, out } = await openSender();
  await shop.webhookEndpoints.create(out);
  const { id } = await shop.payments.submit(order());
  await shop.payments.refund(id, { amount: '5.00' });
  const report = { provider: 'acme', amount: '14.99', currency: 'GBP', transactionId: id };
  await shop.disputes.reportChargeback({ ...report, reference: 'c-1' });
  await shop.disputes.reportChargeback({ ...report, reference: 'c-1', status: 'ChargebackLost' });
  await shop.disputes.reportAlert({
    ...report,
    reference: 'a-1',
    source: 'AlertProvider',
    type: 'CustomerDispute',
  });
  const received = await sink.has(5);
  expect(typesOf(received)).toEqual([
    'payment.captured',
    'refund.succeeded',
    'chargeback.opened',
    'chargeback.closed',
    'alert.received',
  ]);
  expect(received.map(({ body }) => body.data['payment'])).toMatchObject([
    { id, refundedAmount: 0 },
    ...Array.from({ length: 4 }, () => ({ id, refundedAmount: 5 })),
  ]);
  expect(received.map(({ text }) => text).join()).not.toContain('ann@');
});

describe('a delivery that fails', () => {
  it('is tried eight times under one id, is then a dead letter, and can be replayed', async () => {
    const sender = await openSender();
    const { shop, sink, out, clock } = sender;
    const { id } = await shop.webhookEndpoints.create(out);
    sink.status(503);
    await paidLead(sender);
    for (const [index, delayMs] of DELAYS_MS.entries()) {
      const { nextAttemptAt } = await deliveryOf(sender, id, index + 1);
      const waitMs = Date.parse(nextAttemptAt ?? '') - Date.parse(clock.now());
      expect(waitMs).toBeGreaterThanOrEqual(delayMs / 1.2);
      expect(waitMs).toBeLessThanOrEqual(delayMs);
      clock.forward(delayMs);
    }
    const dead = await deliveryOf(sender, id, 8);
    expect(dead).toMatchObject({ status: 'dead', reason: '503', nextAttemptAt: null });
    sink.status(200);
    await shop.webhooks.replay(id, dead.id);
    expect(await deliveryOf(sender, id, 9)).toMatchObject({ status: 'delivered', reason: null });
    expect(sink.received).toHaveLength(9);
    expect(idsOf(sink.received).size).toBe(1);
    const { attemptLog, body } = await shop.webhooks.delivery(id, dead.id);
    expect(attemptLog.map(({ status }) => status)).toEqual([...Array(8).fill(503), 200]);
    expect(attemptLog[0]).toMatchObject({ answer: 'as it is', error: null });
    expect(body).toEqual(sink.received[0]?.body);
  });

  it('waits as long as the receiver asks, a day at most', async () => {
    const sender = await openSender();
    const { shop, sink, out, clock } = sender;
    const { id } = await shop.webhookEndpoints.create(out);
    sink.status(429, { 'retry-after': '3600' });
    await paidLead(sender);
    const dueAt = async (attempts: number) => {
      const { nextAttemptAt } = await deliveryOf(sender, id, attempts);
      return Date.parse(nextAttemptAt ?? '') - Date.parse(clock.now());
    };
    expect(await dueAt(1)).toBe(HOUR_MS);
    sink.status(503, { 'retry-after': new Date(Date.now() + 90 * 24 * HOUR_MS).toUTCString() });
    clock.forward(HOUR_MS);
    expect(await dueAt(2)).toBe(24 * HOUR_MS);
  });

  it('is not sent where it is redirected to', async () => {
    const sender = await openSender();
    const { shop, sink, out } = sender;
    const other = await Sink.start();
    const { id } = await shop.webhookEndpoints.create(out);
    sink.status(307, { location: other.url });
    await paidLead(sender);
    expect(await deliveryOf(sender, id, 1)).toMatchObject({ status: 'pending', reason: '307' });
    expect(other.received).toEqual([]);
  });

  it('holds back what is later of its subject, and nothing else', async () => {
    const sender = await openSender();
    const { shop, sink, out, clock } = sender;
    await shop.webhookEndpoints.create(out);
    sink.answer = ({ body }, response) =>
      response.writeHead(body.type === 'payment.captured' ? 500 : 200).end();
    const { id } = await shop.payments.submit(order());
    await sink.has(1);
    await shop.payments.refund(id, { amount: '5.00' });
    await paidLead(sender);
    await sink.has(2);
    expect(typesOf(sink.received)).toEqual(['payment.captured', 'customer_lead.paid']);
    sink.status(200);
    clock.forward(6 * SECOND_MS);
    await sink.has(4);
    expect(typesOf(sink.received.slice(2))).toEqual(['payment.captured', 'refund.succeeded']);
  });

  it('holds nothing back where the endpoint wants no order', async () => {
    const { shop, sink, out } = await openSender();
    await shop.webhookEndpoints.create({ ...out, ordered: false });
    sink.status(500);
    const { id } = await shop.payments.submit(order());
    await shop.payments.refund(id, { amount: '5.00' });
    expect(new Set(typesOf(await sink.has(2)))).toEqual(
      new Set(['payment.captured', 'refund.succeeded']),
    );
  });
});

describe('an endpoint', () => {
  it('that is gone is disabled, and what waits for it is given up', async () => {
    const sender = await openSender();
    const { shop, sink, out, clock } = sender;
    const { id } = await shop.webhookEndpoints.create(out);
    sink.status(500);
    await paidLead(sender);
    await deliveryOf(sender, id, 1);
    sink.status(410);
    await paidLead(sender);
    await vi.waitUntil(
      async () => (await shop.webhookEndpoints.get(id)).status === 'disabled',
      POLLING,
    );
    clock.forward(6 * SECOND_MS);
    const all = await vi.waitUntil(async () => {
      const { items } = await shop.webhooks.deliveries(id);
      return items.every(({ status }) => status === 'dead') ? items : undefined;
    }, POLLING);
    expect(all.map(({ reason }) => reason).toSorted()).toEqual(['410', 'endpoint_disabled']);
    expect(await codeOf(shop.webhooks.test(id))).toBe('WebhookEndpointDisabled');
    await paidLead(sender);
    sink.status(200);
    await shop.webhookEndpoints.change(id, { status: 'active' });
    // Later than all in GMT, though its text would stand before theirs.
    const beyond = { since: '9999-12-31T23:59:59-01:00' };
    expect(await codeOf(shop.webhooks.replayRange(id, beyond))).toBe('InputInvalid');
    const since = '1970-01-01T01:00:00+01:00';
    expect(await shop.webhooks.replayRange(id, { since })).toEqual({ replayed: 2, next: null });
    await sink.has(4);
  });

  it('that never answers does not delay the others', async () => {
    const sender = await openSender();
    const { shop, sink, out } = sender;
    const silent = await Sink.start();
    silent.answer = () => undefined;
    await shop.webhookEndpoints.create({ ...out, url: silent.url });
    await shop.webhookEndpoints.create(out);
    await paidLead(sender);
    await Promise.all([silent.has(1), sink.has(1)]);
    for (let lead = 0; lead < 20; lead += 1) await paidLead(sender);
    expect(await sink.has(21)).toHaveLength(21);
    expect(silent.received).toHaveLength(1);
  });

  it('that is paused is sent what happened meanwhile once it is resumed', async () => {
    const sender = await openSender();
    const { shop, sink, out } = sender;
    const { id } = await shop.webhookEndpoints.create(out);
    await shop.webhookEndpoints.change(id, { status: 'paused' });
    await paidLead(sender);
    await vi.waitUntil(async () => {
      const [first] = (await shop.webhooks.deliveries(id)).items;
      return first?.status === 'held';
    }, POLLING);
    expect(sink.received).toEqual([]);
    await shop.webhookEndpoints.change(id, { status: 'active' });
    expect(typesOf(await sink.has(1))).toEqual(['customer_lead.paid']);
  });

  it('is sent one test of an id, however often that is asked for', async () => {
    const { shop, sink, out } = await openSender();
    const { id } = await shop.webhookEndpoints.create(out);
    const messageId = randomUUID();
    const [first, again] = [
      await shop.webhooks.test(id, { messageId }),
      await shop.webhooks.test(id, { messageId }),
    ];
    expect(again.id).toBe(first.id);
    await sink.has(1);
    expect((await shop.webhooks.deliveries(id)).items).toHaveLength(1);
  });

  it('is sent a test on demand, whatever it asks for', async () => {
    const { shop, sink, out } = await openSender();
    const { id } = await shop.webhookEndpoints.create({ ...out, eventTypes: ['email.failed'] });
    const { messageId } = await shop.webhooks.test(id);
    const [received] = await sink.has(1);
    expect(received?.body).toMatchObject({
      id: messageId,
      type: 'webhook.test',
      data: { endpointId: id },
    });
  });
});
