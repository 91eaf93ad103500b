/** Every endpoint, once, through the official SDK: each request and answer held to the document. */
import { expect, it } from 'vitest';
import { publishedDocument } from './document.ts';
import { ROUTES } from './router.ts';
import { clientOf, serverOfTest } from './stripe-clients.ts';

it('serves every endpoint to the SDK, as the document says', async () => {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const payment = {
    amount: 5_000,
    currency: 'usd',
    allowed_payment_method_types: ['card' as const],
    payment_method: 'pm_card_visa',
    confirm: true,
  };

  const { id: customer } = await stripe.customers.create({
    address: { line1: '1 Main Street', country: 'US', postal_code: '94107' },
    description: 'A customer',
    email: 'a@example.com',
    metadata: { ours: '7' },
    name: 'A',
    phone: '+15550100',
  });
  await stripe.customers.retrieve(customer);
  const { id: method } = await stripe.paymentMethods.create({
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    billing_details: { name: 'A', address: { line1: '1 Main Street', postal_code: '94107' } },
    metadata: { ours: '7' },
  });
  await stripe.paymentMethods.attach(method, { customer });
  await stripe.paymentMethods.retrieve(method);

  const made = await stripe.paymentIntents.create({
    amount: 1_000,
    currency: 'usd',
    customer,
    capture_method: 'manual',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    setup_future_usage: 'off_session',
    statement_descriptor_suffix: 'order 7',
  });
  await stripe.paymentIntents.update(made.id, { description: 'Order 7', metadata: { ours: '8' } });
  await stripe.paymentIntents.confirm(made.id, {
    payment_method: method,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
  });
  await stripe.paymentIntents.capture(made.id, { amount_to_capture: 800 });
  const shown = await stripe.paymentIntents.retrieve(made.id, { expand: ['latest_charge'] });
  const canceled = await stripe.paymentIntents.create({ ...payment, capture_method: 'manual' });
  await stripe.paymentIntents.cancel(canceled.id);
  await stripe.paymentIntents.list({ customer, created: { gte: 1 }, limit: 1 });
  await stripe.paymentIntents.search({ query: "metadata['ours']:'8' AND status:'succeeded'" });
  const { id: charge } = shown.latest_charge as { id: string };
  await stripe.charges.retrieve(charge);

  const challenged = await stripe.paymentIntents.create({
    ...payment,
    payment_method: 'pm_card_threeDSecure2Required',
    return_url: 'https://shop.example/back',
  });
  server.completeChallenge(challenged.id);
  await stripe.paymentIntents
    .create({ ...payment, payment_method: 'pm_card_visa_chargeDeclined' })
    .catch(() => undefined);

  const setup = await stripe.setupIntents.create({
    customer,
    payment_method: method,
    allowed_payment_method_types: ['card'],
    confirm: true,
    return_url: 'https://shop.example/back',
    usage: 'off_session',
  });
  await stripe.setupIntents.retrieve(setup.id);

  const refund = await stripe.refunds.create({
    payment_intent: made.id,
    amount: 100,
    reason: 'requested_by_customer',
    metadata: { ours: '9' },
  });
  await stripe.refunds.retrieve(refund.id);
  await stripe.refunds.list({ charge });
  server.holdRefunds();
  await stripe.refunds.cancel((await stripe.refunds.create({ payment_intent: made.id })).id);
  server.failRefund(refund.id);

  const dispute = server.createDispute({ of: challenged.id });
  await stripe.disputes.list({ charge });
  await stripe.disputes.retrieve(dispute);
  const file = await stripe.files.create({
    purpose: 'dispute_evidence',
    file: { data: Buffer.from('%PDF-1.7'), name: 'receipt.pdf', type: 'application/pdf' },
  });
  await stripe.disputes.update(dispute, { evidence: { receipt: file.id }, submit: false });
  await stripe.disputes.close(dispute);
  server.winDispute(server.createDispute({ of: made.id, amount: 100 }));
  const warning = server.createEarlyFraudWarning(made.id);
  await stripe.radar.earlyFraudWarnings.list({ charge });
  await stripe.radar.earlyFraudWarnings.retrieve(warning);

  server.advance(2 * 86_400_000);
  const payout = String(server.createPayout({ currency: 'usd' }));
  await stripe.payouts.list({ status: 'in_transit' });
  await stripe.payouts.retrieve(payout);
  server.failPayout(payout);
  const lines = await stripe.balanceTransactions.list({ payout });
  await stripe.balanceTransactions.retrieve(String(lines.data[0]?.id));

  const events = await stripe.events.list({ types: ['payment_intent.succeeded'], limit: 2 });
  await stripe.events.retrieve(String(events.data[0]?.id));
  await stripe.accounts.retrieveCurrent();
  await stripe.paymentMethods.detach(method);
  await stripe.customers.del(customer);

  const called = new Set(server.requests().map(({ endpoint }) => endpoint));
  expect([...called].toSorted()).toEqual(
    ROUTES.map(({ method: verb, path }) => `${verb} ${path}`).toSorted(),
  );
  expect(server.mismatches()).toEqual([]);
  const document = publishedDocument();
  const shownByEvents = server.events().flatMap(({ data }) => {
    const object = data.object as { readonly object: string };
    return document?.checkObject(object.object, object) ?? [];
  });
  expect(shownByEvents).toEqual([]);
});
