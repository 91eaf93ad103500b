/** 3-D Secure and cards kept for later, through the official SDK. */
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, serverOfTest } from './stripe-clients.ts';

const RETURN_URL = 'https://shop.example/back?order=7';
const THREE_D_SECURE = 'pm_card_threeDSecure2Required';
const UNLESS_SET_UP = 'pm_card_authenticationRequiredOnSetup';

async function start() {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const pay = (params: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
    stripe.paymentIntents.create({
      amount: 1_099,
      currency: 'usd',
      payment_method: THREE_D_SECURE,
      allowed_payment_method_types: ['card'],
      confirm: true,
      return_url: RETURN_URL,
      ...params,
    });
  const statusOf = async (id: string) => (await stripe.paymentIntents.retrieve(id)).status;
  return { server, stripe, pay, statusOf };
}

describe('a challenge', () => {
  it('that is completed on its page takes the money and sends back', async () => {
    const { server, stripe, pay } = await start();
    const asked = await pay();
    expect(asked.status).toBe('requires_action');
    const page = String(asked.next_action?.redirect_to_url?.url);
    expect(await (await fetch(page)).text()).toContain('<form method="post"');
    const answer = await fetch(page, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    });
    const back = new URL(String(answer.headers.get('location')));
    expect(back.searchParams.get('order')).toBe('7');
    expect(back.searchParams.get('payment_intent')).toBe(asked.id);
    expect(back.searchParams.get('redirect_status')).toBe('succeeded');
    const paid = await stripe.paymentIntents.retrieve(asked.id, { expand: ['latest_charge'] });
    expect(paid).toMatchObject({
      status: 'succeeded',
      latest_charge: {
        payment_method_details: { card: { three_d_secure: { result: 'authenticated' } } },
      },
    });
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('that fails leaves the intent without a payment method', async () => {
    const { server, stripe, pay } = await start();
    const asked = await pay();
    expect(server.failChallenge(asked.id)).toContain('redirect_status=failed');
    expect(await stripe.paymentIntents.retrieve(asked.id)).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
  });

  it('is passed once, however often its page is posted', async () => {
    const { server, pay } = await start();
    const asked = await pay();
    server.completeChallenge(asked.id);
    server.completeChallenge(asked.id);
    server.failChallenge(asked.id);
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('waits for a confirmation where the caller confirms', async () => {
    const { server, stripe, pay, statusOf } = await start();
    const asked = await pay({ confirmation_method: 'manual' });
    server.completeChallenge(asked.id);
    expect(await statusOf(asked.id)).toBe('requires_confirmation');
    expect((await stripe.paymentIntents.confirm(asked.id)).status).toBe('succeeded');
  });

  it('may end in a decline of the bank', async () => {
    const { server, stripe, pay } = await start();
    const asked = await pay({
      payment_method: 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
    });
    server.completeChallenge(asked.id);
    expect(await stripe.paymentIntents.retrieve(asked.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { decline_code: 'insufficient_funds' },
    });
  });

  it('holds the money where it is captured later', async () => {
    const { server, pay, statusOf } = await start();
    const asked = await pay({ capture_method: 'manual' });
    server.completeChallenge(asked.id);
    expect(await statusOf(asked.id)).toBe('requires_capture');
  });

  it('without a return address is left to the SDK of the browser', async () => {
    const { stripe } = await start();
    const asked = await stripe.paymentIntents.create({
      amount: 1_099,
      currency: 'usd',
      payment_method: THREE_D_SECURE,
      allowed_payment_method_types: ['card'],
      confirm: true,
    });
    expect(asked.next_action?.type).toBe('use_stripe_sdk');
  });

  it('is an error where the caller cannot have one', async () => {
    const { pay, statusOf } = await start();
    const refusal = await refusalOf(pay({ error_on_requires_action: true }));
    expect(refusal.code).toBe('authentication_required');
    expect(await statusOf(String(refusal.payment_intent?.id))).toBe('requires_payment_method');
  });

  it('of a card that only supports it comes where it is asked for', async () => {
    const { pay } = await start();
    const card = 'pm_card_threeDSecureOptional';
    expect((await pay({ payment_method: card })).status).toBe('succeeded');
    const asked = await pay({
      payment_method: card,
      payment_method_options: { card: { request_three_d_secure: 'any' } },
    });
    expect(asked.status).toBe('requires_action');
  });
});

describe('off-session', () => {
  async function kept(token: string) {
    const parts = await start();
    const customer = (await parts.stripe.customers.create()).id;
    const method = (await parts.stripe.paymentMethods.attach(token, { customer })).id;
    const rebill = () => parts.pay({ ...OFF_SESSION, customer, payment_method: method });
    return { ...parts, customer, method, rebill };
  }
  const OFF_SESSION = { off_session: true };

  it('a card that was not set up needs its holder', async () => {
    const { stripe, server, method, rebill } = await kept(UNLESS_SET_UP);
    const refusal = await refusalOf(rebill());
    expect(refusal).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      decline_code: 'authentication_required',
    });
    const intent = String(refusal.payment_intent?.id);
    const asked = await stripe.paymentIntents.confirm(intent, {
      payment_method: method,
      return_url: RETURN_URL,
    });
    expect(asked.status).toBe('requires_action');
    server.completeChallenge(intent);
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('a card that a payment set up is charged', async () => {
    const { server, pay, customer, method, rebill } = await kept(UNLESS_SET_UP);
    const first = await pay({
      customer,
      payment_method: method,
      setup_future_usage: 'off_session',
    });
    expect(first.status).toBe('requires_action');
    server.completeChallenge(first.id);
    expect((await rebill()).status).toBe('succeeded');
  });

  it('a card that is always asked about is refused', async () => {
    const { rebill } = await kept('pm_card_authenticationRequired');
    expect((await refusalOf(rebill())).code).toBe('authentication_required');
  });

  it('a card that was set up elsewhere is charged', async () => {
    const { rebill } = await kept('pm_card_authenticationRequiredSetupForOffSession');
    expect((await rebill()).status).toBe('succeeded');
  });
});

describe('a SetupIntent', () => {
  async function startSetup() {
    const parts = await start();
    const customer = (await parts.stripe.customers.create()).id;
    const setUp = (token: string) =>
      parts.stripe.setupIntents.create({
        customer,
        payment_method: token,
        confirm: true,
        return_url: RETURN_URL,
      });
    return { ...parts, customer, setUp };
  }

  it('keeps a card that is charged off-session later', async () => {
    const { server, stripe, pay, customer, setUp } = await startSetup();
    const asked = await setUp(UNLESS_SET_UP);
    expect(asked.status).toBe('requires_action');
    expect(server.completeChallenge(asked.id)).toContain(`setup_intent=${asked.id}`);
    const done = await stripe.setupIntents.retrieve(asked.id);
    expect(done.status).toBe('succeeded');
    const rebill = await pay({
      customer,
      payment_method: String(done.payment_method),
      off_session: true,
    });
    expect(rebill.status).toBe('succeeded');
  });

  it('succeeds at once for a card that nothing is asked about', async () => {
    const { setUp } = await startSetup();
    expect((await setUp('pm_card_visa')).status).toBe('succeeded');
  });

  it('fails with its challenge, and with its card', async () => {
    const { server, stripe, setUp } = await startSetup();
    const asked = await setUp(UNLESS_SET_UP);
    server.failChallenge(asked.id);
    const failed = await stripe.setupIntents.retrieve(asked.id);
    expect(failed.last_setup_error?.code).toBe('setup_intent_authentication_failure');
    const refusal = await refusalOf(setUp('pm_card_visa_chargeDeclined'));
    expect(refusal.setup_intent?.status).toBe('requires_payment_method');
  });
});
