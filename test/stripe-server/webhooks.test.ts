/** Events as the SDK lists and verifies them, and deliveries as tests plan them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, serverOfTest } from './stripe-clients.ts';

const PAYMENT: Stripe.PaymentIntentCreateParams = {
  amount: 1_099,
  currency: 'usd',
  payment_method: 'pm_card_visa',
  allowed_payment_method_types: ['card'],
  confirm: true,
};

interface Received {
  readonly body: string;
  readonly signature: string;
}

async function receiver() {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({
      body: Buffer.concat(chunks).toString('utf8'),
      signature: String(message.headers['stripe-signature']),
    });
    response.writeHead(answers.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  const typesOf = () => received.map(({ body }) => (JSON.parse(body) as Stripe.Event).type);
  return { url, received, answers, typesOf };
}

async function start() {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const target = await receiver();
  return { server, stripe, target };
}

describe('events', () => {
  it('tell what happened to a payment, by the request that did it', async () => {
    const { stripe } = await start();
    await stripe.paymentIntents.create(PAYMENT, { idempotencyKey: 'k' });
    const { data } = await stripe.events.list();
    expect(data.map(({ type }) => type)).toEqual([
      'charge.updated',
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_intent.created',
    ]);
    // The balance transaction of a charge comes later, by itself.
    expect(data[0]?.request?.id).toBeNull();
    expect(data[1]?.request?.idempotency_key).toBe('k');
  });

  it('are listed since one of them, by time and by type', async () => {
    const { server, stripe } = await start();
    await stripe.paymentIntents.create(PAYMENT);
    const [last] = (await stripe.events.list({ limit: 1 })).data;
    server.advance(60_000);
    await stripe.paymentIntents.create(PAYMENT);
    const since = await stripe.events.list({ ending_before: String(last?.id) });
    expect(since.data).toHaveLength(4);
    const later = await stripe.events.list({ created: { gt: last?.created ?? 0 } });
    expect(later.data.map(({ id }) => id)).toEqual(since.data.map(({ id }) => id));
    const typed = await stripe.events.list({ types: ['payment_intent.succeeded'] });
    expect(typed.data).toHaveLength(2);
  });

  it('hold the object as it was', async () => {
    const { stripe } = await start();
    const held = await stripe.paymentIntents.create({ ...PAYMENT, capture_method: 'manual' });
    await stripe.paymentIntents.capture(held.id);
    const [event] = (await stripe.events.list({ type: 'payment_intent.amount_capturable_updated' }))
      .data;
    expect(event?.data.object).toMatchObject({ id: held.id, status: 'requires_capture' });
    expect((await stripe.events.retrieve(String(event?.id))).id).toBe(event?.id);
  });

  it('are forgotten after 30 days', async () => {
    const { server, stripe } = await start();
    await stripe.paymentIntents.create(PAYMENT);
    server.advance(30 * 86_400_000);
    expect((await stripe.events.list()).data).toEqual([]);
  });
});

describe('webhooks', () => {
  it('are signed so that the SDK accepts them', async () => {
    const { server, stripe, target } = await start();
    const endpoint = server.addWebhookEndpoint({ url: target.url });
    await stripe.customers.create();
    await server.deliverWebhooks();
    const [got] = target.received;
    const event = stripe.webhooks.constructEvent(
      String(got?.body),
      String(got?.signature),
      endpoint.secret,
    );
    expect(event.type).toBe('customer.created');
    expect(server.pendingWebhooks()).toEqual([]);
  });

  it('sign with both secrets while one is rolled', async () => {
    const { server, stripe, target } = await start();
    const endpoint = server.addWebhookEndpoint({ url: target.url });
    const secret = server.rollWebhookSecret(endpoint.id);
    await stripe.customers.create();
    await server.deliverWebhooks({ times: 2 });
    server.advance(86_400_000);
    await stripe.customers.create();
    await server.deliverWebhooks();
    const [first, , late] = target.received;
    const verify = (got: Received | undefined, key: string) =>
      stripe.webhooks.constructEvent(String(got?.body), String(got?.signature), key, 1e9).type;
    for (const key of [secret, endpoint.secret])
      expect(verify(first, key)).toBe('customer.created');
    expect(verify(late, secret)).toBe('customer.created');
    expect(() => verify(late, endpoint.secret)).toThrow('No signatures found');
  });

  it('come late, as a replay would', async () => {
    const { server, stripe, target } = await start();
    const { secret } = server.addWebhookEndpoint({ url: target.url });
    await stripe.customers.create();
    await server.deliverWebhooks({ signedSecondsAgo: 301 });
    const [got] = target.received;
    expect(() =>
      stripe.webhooks.constructEvent(String(got?.body), String(got?.signature), secret),
    ).toThrow(Stripe.errors.StripeSignatureVerificationError);
  });

  it('come reversed, doubled, some of them, or not at all', async () => {
    const { server, stripe, target } = await start();
    server.addWebhookEndpoint({ url: target.url, events: ['payment_intent.*'] });
    await stripe.paymentIntents.create(PAYMENT);
    await server.deliverWebhooks({ order: 'newestFirst', times: 2 });
    expect(target.typesOf()).toEqual([
      'payment_intent.succeeded',
      'payment_intent.succeeded',
      'payment_intent.created',
      'payment_intent.created',
    ]);
    await stripe.paymentIntents.create(PAYMENT);
    expect(server.dropWebhooks(['payment_intent.created'])).toBe(1);
    await server.deliverWebhooks();
    expect(target.typesOf().slice(4)).toEqual(['payment_intent.succeeded']);
  });

  it('that are refused are sent again', async () => {
    const { server, stripe, target } = await start();
    server.addWebhookEndpoint({ url: target.url });
    await stripe.customers.create();
    target.answers.push(500);
    expect(await server.deliverWebhooks()).toMatchObject([{ status: 500 }]);
    const [event] = (await stripe.events.list({ delivery_success: false })).data;
    expect(event?.pending_webhooks).toBe(1);
    expect(await server.deliverWebhooks()).toMatchObject([{ status: 200 }]);
    expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
  });

  it('go by themselves where a test wants so', async () => {
    const { server, stripe, target } = await start();
    server.addWebhookEndpoint({ url: target.url, automatic: true });
    await stripe.customers.create();
    await server.webhooksSettled();
    expect(target.typesOf()).toEqual(['customer.created']);
  });

  it('of a platform name the connected account', async () => {
    const { server, stripe, target } = await start();
    const connected = server.createAccount({ platform: server.account });
    server.addWebhookEndpoint({ url: target.url, connect: true });
    await stripe.customers.create({}, { stripeAccount: connected });
    await stripe.customers.create();
    await server.deliverWebhooks();
    expect(target.received.map(({ body }) => (JSON.parse(body) as Stripe.Event).account)).toEqual([
      connected,
    ]);
  });
});
