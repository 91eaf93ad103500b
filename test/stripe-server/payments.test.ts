/** Payments through the official SDK: the life of a PaymentIntent, refunds, limits. */
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, serverOfTest } from './stripe-clients.ts';

async function start(options: Parameters<typeof serverOfTest>[0] = {}) {
  const server = await serverOfTest(options);
  const stripe = clientOf(server);
  const pay = (params: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
    stripe.paymentIntents.create({
      amount: 1_099,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      confirm: true,
      ...params,
    });
  return { server, stripe, pay };
}

describe('a PaymentIntent', () => {
  it('takes the money when it is confirmed', async () => {
    const { server, pay } = await start();
    expect(await pay()).toMatchObject({ status: 'succeeded', amount_received: 1_099 });
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('waits for a payment method, then for its confirmation', async () => {
    const { stripe } = await start();
    const made = await stripe.paymentIntents.create({
      amount: 1_099,
      currency: 'usd',
      allowed_payment_method_types: ['card'],
    });
    expect(made.status).toBe('requires_payment_method');
    const given = await stripe.paymentIntents.update(made.id, { payment_method: 'pm_card_visa' });
    expect(given.status).toBe('requires_confirmation');
    expect((await stripe.paymentIntents.confirm(made.id)).status).toBe('succeeded');
  });

  it('is captured in part: the rest is released', async () => {
    const { server, stripe, pay } = await start();
    const held = await pay({ capture_method: 'manual' });
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 1_099 });
    expect(server.takenMinor('usd')).toBe(0n);
    const taken = await stripe.paymentIntents.capture(held.id, { amount_to_capture: 600 });
    expect(taken).toMatchObject({ status: 'succeeded', amount_received: 600 });
    expect(server.takenMinor('usd')).toBe(600n);
    const [release] = (await stripe.refunds.list({ payment_intent: held.id })).data;
    expect(release).toMatchObject({ amount: 499, balance_transaction: null });
    expect(server.refundedMinor('usd')).toBe(0n);
    const rest = await stripe.refunds.create({ payment_intent: held.id });
    expect(rest.amount).toBe(600);
  });

  it('is not captured for more than it holds', async () => {
    const { stripe, pay } = await start();
    const held = await pay({ capture_method: 'manual' });
    const refusal = await refusalOf(
      stripe.paymentIntents.capture(held.id, { amount_to_capture: 1_100 }),
    );
    expect(refusal.code).toBe('amount_too_large');
  });

  it('is canceled until it has succeeded', async () => {
    const { stripe, pay } = await start();
    const held = await pay({ capture_method: 'manual' });
    const canceled = await stripe.paymentIntents.cancel(held.id, {
      cancellation_reason: 'requested_by_customer',
    });
    expect(canceled).toMatchObject({ status: 'canceled', amount_capturable: 0 });
    const refusal = await refusalOf(stripe.paymentIntents.cancel((await pay()).id));
    expect(refusal.code).toBe('payment_intent_unexpected_state');
  });

  it('loses its authorization after seven days', async () => {
    const { server, stripe, pay } = await start();
    const held = await pay({ capture_method: 'manual' });
    server.advance(7 * 86_400_000);
    expect(await stripe.paymentIntents.retrieve(held.id)).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'automatic',
    });
  });

  it('can be held as processing', async () => {
    const { server, stripe, pay } = await start();
    server.holdProcessing();
    const held = await pay();
    expect(held.status).toBe('processing');
    server.finishProcessing(held.id);
    expect((await stripe.paymentIntents.retrieve(held.id)).status).toBe('succeeded');
  });

  it('asks for a return address where payment methods may redirect', async () => {
    const { stripe } = await start();
    const refusal = await refusalOf(
      stripe.paymentIntents.create({
        amount: 1_099,
        currency: 'usd',
        payment_method: 'pm_card_visa',
        confirm: true,
      }),
    );
    expect(refusal.message).toContain('you must provide a `return_url`');
  });

  it('takes no statement descriptor for a card, only a suffix', async () => {
    const { stripe, pay } = await start();
    const refusal = await refusalOf(pay({ statement_descriptor: 'SHOP' }));
    expect(refusal.param).toBe('statement_descriptor');
    const paid = await pay({ statement_descriptor_suffix: 'order 7' });
    const charge = await stripe.charges.retrieve(String(paid.latest_charge));
    expect(charge.calculated_statement_descriptor).toBe('TESTSHOP* order 7');
  });
});

describe('cards', () => {
  const declines = [
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['pm_card_visa_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
    ['pm_card_radarBlock', 'card_declined', 'fraudulent'],
  ] as const;

  it.each(declines)('%s is declined as %s, %s', async (token, code, declineCode) => {
    const { stripe, pay } = await start();
    const refusal = await refusalOf(pay({ payment_method: token }));
    expect(refusal).toMatchObject({ statusCode: 402, code, decline_code: declineCode });
    const intent = await stripe.paymentIntents.retrieve(String(refusal.payment_intent?.id));
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code, decline_code: declineCode, charge: refusal.charge },
    });
  });

  it('are taken by number, with the checks of their address and code', async () => {
    const { stripe, pay } = await start();
    const method = await stripe.paymentMethods.create({
      type: 'card',
      card: { number: '4000000000000036', exp_month: 12, exp_year: 2040, cvc: '123' },
      billing_details: { address: { line1: '1 Main Street', postal_code: '94107' } },
    });
    const paid = await pay({ payment_method: method.id });
    const charge = await stripe.charges.retrieve(String(paid.latest_charge));
    expect(charge.payment_method_details?.card?.checks).toEqual({
      address_line1_check: 'pass',
      address_postal_code_check: 'fail',
      cvc_check: 'pass',
    });
  });

  it('of the wrong code are only declined where a code is given', async () => {
    const { stripe, pay } = await start();
    const card = { number: '4000000000000127', exp_month: 12, exp_year: 2040 };
    const method = await stripe.paymentMethods.create({ type: 'card', card });
    expect((await pay({ payment_method: method.id })).status).toBe('succeeded');
  });

  const numbers = [
    [{ number: '4242424242424241' }, 'incorrect_number'],
    [{ exp_month: 13 }, 'invalid_expiry_month'],
    [{ exp_year: 2020 }, 'invalid_expiry_year'],
    [{ cvc: '1' }, 'invalid_cvc'],
    [{ number: '4539578763621486' }, 'card_declined'],
  ] as const;

  it.each(numbers)('with %j are refused: %s', async (wrong, code) => {
    const { stripe } = await start();
    const card = {
      number: '4242424242424242',
      exp_month: 12,
      exp_year: 2040,
      cvc: '123',
      ...wrong,
    };
    const refusal = await refusalOf(stripe.paymentMethods.create({ type: 'card', card }));
    expect(refusal).toMatchObject({ statusCode: 402, code });
  });

  it('by number are refused where the account may not send them', async () => {
    const { server, stripe } = await start();
    server.acceptCardNumbers(false);
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2040 };
    const refusal = await refusalOf(stripe.paymentMethods.create({ type: 'card', card }));
    expect(refusal.message).toContain('generally unsafe');
    const browser = clientOf(server, server.publishableKey);
    expect((await browser.paymentMethods.create({ type: 'card', card })).type).toBe('card');
  });

  it('are declined as a test plans', async () => {
    const { server, pay } = await start();
    server.decline({ code: 'card_declined', declineCode: 'do_not_honor', message: 'No.' });
    expect((await refusalOf(pay())).decline_code).toBe('do_not_honor');
    expect((await pay()).status).toBe('succeeded');
  });
});

describe('customers', () => {
  it('keep a card that was charged for future use', async () => {
    const { stripe, pay } = await start();
    const customer = await stripe.customers.create({ email: 'a@example.com' });
    const first = await pay({ customer: customer.id, setup_future_usage: 'off_session' });
    const again = await pay({
      customer: customer.id,
      payment_method: String(first.payment_method),
      off_session: true,
    });
    expect(again.status).toBe('succeeded');
  });

  it('do not share a card, and a card without one is used once', async () => {
    const { stripe, pay } = await start();
    const customer = await stripe.customers.create();
    const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    expect((await refusalOf(pay({ payment_method: method.id }))).message).toContain('customer');
    const alone = await pay();
    const twice = await refusalOf(pay({ payment_method: String(alone.payment_method) }));
    expect(twice.message).toContain('It may not be used again');
  });

  it('are made with a card, or not at all where it does not attach', async () => {
    const { stripe, pay } = await start();
    const method = await stripe.paymentMethods.create({
      type: 'card',
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040 },
    });
    const customer = await stripe.customers.create({ payment_method: method.id });
    const paid = await pay({ customer: customer.id, payment_method: method.id });
    expect(paid.status).toBe('succeeded');
    const declined = { payment_method: 'pm_card_visa_chargeDeclined' };
    expect((await refusalOf(stripe.customers.create(declined))).code).toBe('card_declined');
    expect((await stripe.events.list({ type: 'customer.created' })).data).toHaveLength(1);
  });

  it('lose a detached card for ever', async () => {
    const { stripe } = await start();
    const customer = await stripe.customers.create();
    const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    expect((await stripe.paymentMethods.detach(method.id)).customer).toBeNull();
    const refusal = await refusalOf(
      stripe.paymentMethods.attach(method.id, { customer: customer.id }),
    );
    expect(refusal.message).toContain('It may not be used again');
  });

  it('take no card that is always declined, but the one that fails later', async () => {
    const { stripe, pay } = await start();
    const customer = await stripe.customers.create();
    const attach = (token: string) =>
      stripe.paymentMethods.attach(token, { customer: customer.id });
    expect((await refusalOf(attach('pm_card_visa_chargeDeclined'))).code).toBe('card_declined');
    const kept = await attach('pm_card_chargeCustomerFail');
    const refusal = await refusalOf(pay({ customer: customer.id, payment_method: kept.id }));
    expect(refusal.code).toBe('card_declined');
  });

  it('are deleted, and said to be', async () => {
    const { stripe } = await start();
    const customer = await stripe.customers.create({ metadata: { ref: '7' } });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ metadata: { ref: '7' } });
    await stripe.customers.del(customer.id);
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  });
});

describe('refunds', () => {
  it('give back in part, never more than was taken', async () => {
    const { server, stripe, pay } = await start();
    const paid = await pay();
    await stripe.refunds.create({ payment_intent: paid.id, amount: 600 });
    const over = await refusalOf(stripe.refunds.create({ payment_intent: paid.id, amount: 500 }));
    expect(over.param).toBe('amount');
    await stripe.refunds.create({ payment_intent: paid.id });
    const again = await refusalOf(stripe.refunds.create({ payment_intent: paid.id }));
    expect(again.code).toBe('charge_already_refunded');
    expect(server.refundedMinor('usd')).toBe(1_099n);
  });

  it('may be pending for a day', async () => {
    const { server, stripe, pay } = await start();
    const paid = await pay({ payment_method: 'pm_card_pendingRefund' });
    const refund = await stripe.refunds.create({ payment_intent: paid.id });
    expect(refund.status).toBe('pending');
    server.advance(86_400_000);
    expect((await stripe.refunds.retrieve(refund.id)).status).toBe('succeeded');
  });

  it('may fail a day later: the money comes back', async () => {
    const { server, stripe, pay } = await start();
    const paid = await pay({ payment_method: 'pm_card_refundFail' });
    const refund = await stripe.refunds.create({ payment_intent: paid.id });
    expect(refund.status).toBe('succeeded');
    server.advance(86_400_000);
    const failed = await stripe.refunds.retrieve(refund.id);
    expect(failed.status).toBe('failed');
    expect(failed.failure_balance_transaction).toMatch(/^txn_/);
    expect(server.refundedMinor('usd')).toBe(0n);
    expect((await stripe.refunds.create({ payment_intent: paid.id })).amount).toBe(1_099);
  });

  it('are canceled only while they require an action', async () => {
    const { server, stripe, pay } = await start();
    server.holdRefunds();
    const held = await stripe.refunds.create({ payment_intent: (await pay()).id });
    expect(held.status).toBe('requires_action');
    expect((await stripe.refunds.cancel(held.id)).status).toBe('canceled');
    const done = await stripe.refunds.create({ payment_intent: (await pay()).id });
    expect((await refusalOf(stripe.refunds.cancel(done.id))).statusCode).toBe(400);
  });
});

describe('amounts', () => {
  const refused = [
    ['usd', 49, 'amount_too_small'],
    ['usd', 100_000_000, 'amount_too_large'],
    ['usd', 0, 'parameter_invalid_integer'],
    ['kwd', 5_124, undefined],
    ['isk', 1_050, undefined],
    ['ugx', 50_001, undefined],
    ['xyz', 1_000, undefined],
  ] as const;

  it.each(refused)('%s %d is refused', async (currency, amount, code) => {
    const { pay } = await start();
    const refusal = await refusalOf(pay({ currency, amount }));
    expect(refusal).toMatchObject({ statusCode: 400, code });
  });

  it.each([
    ['jpy', 50],
    ['kwd', 5_120],
    ['isk', 1_000],
  ])('%s %d is taken', async (currency, amount) => {
    const { pay } = await start();
    expect((await pay({ currency, amount })).amount_received).toBe(amount);
  });
});

describe('lists', () => {
  it('page from the newest to the oldest, and back', async () => {
    const { stripe, pay } = await start();
    const made: string[] = [];
    for (let each = 0; each < 5; each += 1) made.unshift((await pay()).id);
    const first = await stripe.paymentIntents.list({ limit: 2 });
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([made.slice(0, 2), true]);
    const rest = await stripe.paymentIntents.list({ starting_after: String(made[1]) });
    expect([rest.data.map(({ id }) => id), rest.has_more]).toEqual([made.slice(2), false]);
    const newer = await stripe.paymentIntents.list({ ending_before: String(made[3]), limit: 2 });
    expect([newer.data.map(({ id }) => id), newer.has_more]).toEqual([made.slice(1, 3), true]);
    const all: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 2 })) all.push(id);
    expect(all).toEqual(made);
  });

  it('are narrowed by time, customer and charge', async () => {
    const { server, stripe, pay } = await start({ now: () => new Date('2026-03-01T10:00:00Z') });
    const customer = await stripe.customers.create();
    await pay();
    server.advance(60_000);
    const late = await pay({ customer: customer.id });
    const created = { gte: Math.floor(server.now().getTime() / 1_000) };
    const ids = async (params: Stripe.PaymentIntentListParams) =>
      (await stripe.paymentIntents.list(params)).data.map(({ id }) => id);
    expect(await ids({ created })).toEqual([late.id]);
    expect(await ids({ customer: customer.id })).toEqual([late.id]);
    const refund = await stripe.refunds.create({ payment_intent: late.id, amount: 100 });
    const found = await stripe.refunds.list({ payment_intent: late.id });
    expect(found.data.map(({ id }) => id)).toEqual([refund.id]);
  });

  it('found by search are a minute behind', async () => {
    const { server, stripe, pay } = await start();
    const paid = await pay({ metadata: { attempt: 'a-1' } });
    const search = async () =>
      (await stripe.paymentIntents.search({ query: "metadata['attempt']:'a-1'" })).data;
    expect(await search()).toEqual([]);
    server.advance(60_000);
    expect((await search()).map(({ id }) => id)).toEqual([paid.id]);
  });

  it('show objects in place of ids where asked to', async () => {
    const { stripe, pay } = await start();
    const paid = await pay();
    const shown = await stripe.paymentIntents.retrieve(paid.id, {
      expand: ['latest_charge.payment_intent', 'payment_method'],
    });
    expect(shown.latest_charge).toMatchObject({
      object: 'charge',
      payment_intent: { id: paid.id },
    });
    const refusal = await refusalOf(
      stripe.paymentIntents.retrieve(paid.id, { expand: ['amount'] }),
    );
    expect(refusal.message).toBe('This property cannot be expanded (amount).');
  });
});
