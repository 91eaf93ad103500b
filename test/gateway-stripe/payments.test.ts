/** Payments of a ledger at Stripe: what is recorded, what is asked, and what is refused before either. */
import { describe, expect, it } from 'vitest';
import { codeOf } from '../engine/shop.ts';
import type { StripeServer } from '../stripe-server/index.ts';
import { order, stripeShop } from './shop.ts';

const VISA = 'pm_card_visa';
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

const callsOf = (server: StripeServer, endpoint: string) =>
  server.requests().filter((each) => each.endpoint === endpoint);

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error.refusal,
  );

describe('a payment with a token of the browser', () => {
  it('is captured, and says what Stripe said of the card', async () => {
    const { server, shop } = await stripeShop();
    const paid = await shop.payments.submit(order(VISA));
    expect(paid.payment).toMatchObject({
      status: 'Captured',
      card: { brandId: 1, last4: '4242', bin: '', binCountry: 'US' },
      authCode: expect.stringMatching(/^\w{6}$/),
      note: expect.stringContaining('funding credit'),
    });
    expect(server.takenMinor('gbp')).toBe(1_999n);
    expect(server.paymentIntents()[0]?.metadata).toEqual({
      counterfoil_key: `${paid.id}/charge/1`,
      counterfoil_payment: paid.id,
      counterfoil_transaction: paid.id,
      counterfoil_customer: `7/sandbox/${paid.customerId}`,
    });
  });

  it('is taken once for each key', async () => {
    const { server, shop } = await stripeShop();
    const keyed = order(VISA, { idempotencyKey: 'order-1' });
    const [first, again] = [await shop.payments.submit(keyed), await shop.payments.submit(keyed)];
    expect(again.id).toBe(first.id);
    expect(server.takenMinor('gbp')).toBe(1_999n);
  });

  it('gives a token that pays again', async () => {
    const { server, shop } = await stripeShop();
    const { token } = await shop.payments.submit(order(VISA));
    const again = await shop.payments.submit(order(VISA, { gatewayToken: undefined, token }));
    expect(again.status).toBe('Captured');
    expect(new Set(server.paymentIntents().map(({ customer }) => customer)).size).toBe(1);
  });

  it('is refused what a customer has already, and what there is not', async () => {
    const { server, shop } = await stripeShop();
    await shop.payments.submit(order(VISA));
    const [kept] = server.charges();
    for (const gatewayToken of [String(kept?.payment_method), 'pm_unknown', 'cus_1', '']) {
      expect(await codeOf(shop.payments.submit(order(gatewayToken)))).toBe('TokenUnknown');
    }
    expect(server.charges()).toHaveLength(1);
  });

  it('comes without a card or another token', async () => {
    const { shop } = await stripeShop();
    expect(await codeOf(shop.payments.submit(order(VISA, { card: CARD })))).toBe('CardOrToken');
    expect(await codeOf(shop.payments.submit(order(VISA, { token: 't' })))).toBe('CardOrToken');
  });
});

describe('declines', () => {
  it.each([
    ['pm_card_visa_chargeDeclined', 'new', 'generic_decline', false],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'new', 'insufficient_funds', false],
    ['pm_card_chargeDeclinedExpiredCard', 'new', 'expired_card', true],
    ['pm_card_visa_chargeDeclinedStolenCard', 'new', 'stolen_card', true],
    ['pm_card_radarBlock', 'new', 'fraudulent', true],
  ])('%s', async (gatewayToken, _, declineCode, hard) => {
    const { server, shop } = await stripeShop();
    const { payment } = await shop.payments.submit(order(gatewayToken));
    expect(payment).toMatchObject({ status: 'Declined', declineCode });
    expect(payment.gatewayTransactionId).toBe(server.paymentIntents()[0]?.id);
    expect(server.takenMinor('gbp')).toBe(0n);
    expect(hard).toBe(/expired|stolen|fraud/.test(declineCode));
  });
});

describe('amounts', () => {
  it('are whole units of currencies without decimals', async () => {
    const { server, shop } = await stripeShop();
    await shop.payments.submit(order(VISA, { amount: '1999', currency: 'JPY' }));
    expect(server.takenMinor('jpy')).toBe(1_999n);
  });

  it('that Stripe does not take are refused before anything is recorded or sent', async () => {
    const { server, shop } = await stripeShop();
    const kwd = { currency: 'KWD', idempotencyKey: 'order-1' };
    const call = shop.payments.submit(order(VISA, { ...kwd, amount: '5.124' }));
    expect(await refusalOf(call)).toMatchObject({
      type: 'NoMerchantAccount',
      skipped: [{ merchantAccountId: 1, reason: 'amount-not-taken' }],
    });
    expect(server.charges()).toEqual([]);
    const id = shop.payments.idOf('order-1');
    expect(await codeOf(shop.payments.get(id))).toBe('TransactionUnknown');

    const paid = await shop.payments.submit(order(VISA, { ...kwd, amount: '5.120' }));
    expect(server.takenMinor('kwd')).toBe(5_120n);
    expect(await codeOf(shop.payments.refund(paid.id, { amount: '1.001' }))).toBe('AmountNotTaken');
    await shop.payments.refund(paid.id, { amount: '1.010' });
    expect(server.refundedMinor('kwd')).toBe(1_010n);
  });
});

describe('card numbers', () => {
  it('go to Stripe only where the account says so', async () => {
    const { server, shop } = await stripeShop();
    const typed = order('', { gatewayToken: undefined, card: CARD });
    expect(await refusalOf(shop.payments.submit(typed))).toMatchObject({
      skipped: [{ merchantAccountId: 1, reason: 'card-number-not-taken' }],
    });
    expect(server.requests()).toEqual([]);
  });

  it('are exchanged for a token where it does', async () => {
    const { server, shop } = await stripeShop({ credentials: { cardNumbers: true } });
    server.acceptCardNumbers(true);
    const { payment } = await shop.payments.submit(
      order('', { gatewayToken: undefined, card: CARD }),
    );
    expect(payment).toMatchObject({ status: 'Captured', card: { bin: '424242', brandId: 1 } });
    expect(JSON.stringify(server.paymentIntents())).not.toContain(CARD.number);
  });
});

describe('AVS of a typed card', () => {
  const billing = { address: '1 High Street', city: 'Leeds', postalCode: 'LS1 1AA' };
  const paidWith = async (number: string, addresses: object[]) => {
    const { server, shop } = await stripeShop({ credentials: { cardNumbers: true } });
    server.acceptCardNumbers(true);
    const card = { ...CARD, number };
    const typed = order('', { gatewayToken: undefined, card, addresses });
    const { payment } = await shop.payments.submit(typed);
    return { payment, charged: server.charges()[0]?.billing_details.address };
  };

  it.each([
    ['4242424242424242', 'pass'],
    ['4000000000000036', 'fail'],
  ])('of %s: %s', async (number, postalCode) => {
    const { payment, charged } = await paidWith(number, [billing]);
    expect(payment).toMatchObject({
      status: 'Captured',
      note: expect.stringContaining(`address line pass, postal code ${postalCode}`),
    });
    expect(charged).toMatchObject({ line1: '1 High Street', postal_code: 'LS1 1AA', state: null });
  });

  it('is none without an address, and none of where the goods go', async () => {
    for (const addresses of [[], [{ ...billing, addressType: 'SHIPPING' }]]) {
      const { payment, charged } = await paidWith(CARD.number, addresses);
      expect(payment.status).toBe('Captured');
      expect(payment.note).not.toContain('address line');
      expect(charged?.line1).toBeNull();
    }
  });
});

it('uses no test key for live data', async () => {
  const { server, shop } = await stripeShop();
  expect(await refusalOf(shop.payments.submit(order(VISA, { sandbox: false })))).toMatchObject({
    skipped: [{ merchantAccountId: 1, reason: 'credentials-unusable' }],
  });
  expect(server.requests()).toEqual([]);
});

it('captures in part, refunds in parts, and voids what is only authorized', async () => {
  const { server, shop } = await stripeShop();
  const held = await shop.payments.submit(order(VISA, { capture: false }));
  expect(held.status).toBe('Authorized');
  const captured = await shop.payments.capture(held.id, { amount: '10.00' });
  expect(captured).toMatchObject({ outcome: 'done', capturedAmount: '10.00' });
  for (const amount of ['4.00', '6.00']) {
    expect((await shop.payments.refund(held.id, { amount })).status).toBe('Refunded');
  }
  expect([server.takenMinor('gbp'), server.refundedMinor('gbp')]).toEqual([1_000n, 1_000n]);

  const second = await shop.payments.submit(order(VISA, { capture: false }));
  expect(await shop.payments.void(second.id)).toMatchObject({ outcome: 'done', status: 'Voided' });
  const third = await shop.payments.submit(order(VISA));
  expect((await shop.payments.void(third.id)).outcome).toBe('refused');
  expect(server.takenMinor('gbp')).toBe(1_000n + 1_999n);
});

describe('3-D Secure', () => {
  const SECURE = 'pm_card_threeDSecure2Required';

  it('returns to our address, and is confirmed once however often the browser returns', async () => {
    const { server, shop } = await stripeShop();
    const waiting = await shop.payments.submit(order(SECURE));
    expect(waiting.status).toBe('RequiresAction');
    const [intent] = server.paymentIntents();
    expect(waiting.payment.nextAction?.url).toContain(intent?.id);
    const back = server.completeChallenge(intent?.id ?? '');
    expect(back).toMatch(/^https:\/\/pay\.shop\.example\/back\?/);
    // The customer is back, and nothing has moved yet.
    expect(server.takenMinor('gbp')).toBe(0n);
    const times = [1, 2, 3].map(() => shop.payments.confirm(waiting.id).catch(() => undefined));
    await Promise.all(times);
    expect((await shop.payments.get(waiting.id)).status).toBe('Captured');
    expect(server.takenMinor('gbp')).toBe(1_999n);
    const confirmed = callsOf(server, 'POST /v1/payment_intents/{intent}/confirm');
    expect(confirmed).toHaveLength(1);
  });

  it('waits for a customer who came back without it, and ends where it failed', async () => {
    const { server, shop } = await stripeShop();
    const waiting = await shop.payments.submit(order(SECURE));
    expect((await shop.payments.confirm(waiting.id)).status).toBe('RequiresAction');
    expect((await shop.payments.confirm(waiting.id)).status).toBe('RequiresAction');
    server.failChallenge(server.paymentIntents()[0]?.id ?? '');
    expect((await shop.payments.confirm(waiting.id, { idempotencyKey: 'again' })).status).toBe(
      'Declined',
    );
    expect(server.takenMinor('gbp')).toBe(0n);
  });
});

describe('failures of the network', () => {
  const keyed = order(VISA, { idempotencyKey: 'order-1' });
  const CREATE = 'POST /v1/payment_intents';

  it.each([
    ['the connection is cut before the effect', { kind: 'cut', when: 'before' }],
    ['the connection is cut after the effect', { kind: 'cut', when: 'after' }],
    ['500 before the effect', { kind: 'error', when: 'before', kept: false }],
    ['500 after the effect', { kind: 'error', when: 'after' }],
  ] as const)('%s: unknown, then asked for, and charged once', async (_, fault) => {
    const { server, shop } = await stripeShop();
    server.fail({ ...fault, on: CREATE });
    expect((await shop.payments.submit(keyed)).status).toBe('Unknown');
    expect((await shop.payments.submit(keyed)).status).toBe('Captured');
    expect(server.takenMinor('gbp')).toBe(1_999n);
  });

  it.each(['rateLimit', 'lockTimeout'] as const)('%s: is tried again', async (kind) => {
    const { server, shop } = await stripeShop();
    const planned = server.fail({ kind, on: CREATE, times: 3 });
    expect((await shop.payments.submit(keyed)).status).toBe('Captured');
    expect(planned.met).toBe(3);
  });

  it('a refund whose answer is lost is made once', async () => {
    const { server, shop } = await stripeShop();
    const { id } = await shop.payments.submit(keyed);
    server.fail({ kind: 'cut', when: 'after', on: 'POST /v1/refunds' });
    const refund = { idempotencyKey: 'refund-1', amount: '5.00' };
    expect((await shop.payments.refund(id, refund)).status).toBe('RefundPending');
    expect((await shop.payments.refund(id, refund)).status).toBe('Refunded');
    expect(server.refundedMinor('gbp')).toBe(500n);
  });

  it('a card that could not be taken fails the payment before anything is recorded', async () => {
    const { server, shop } = await stripeShop();
    server.fail({ kind: 'error', when: 'before', on: 'POST /v1/customers', kept: false });
    expect(await codeOf(shop.payments.submit(keyed))).toBe('GatewayFailed');
    expect((await shop.payments.submit(keyed)).status).toBe('Captured');
  });
});
