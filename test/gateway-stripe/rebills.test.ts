/** Rebills at Stripe: off-session, with the customer and the payment method of the first charge. */
import { expect, it } from 'vitest';
import { club } from './club.ts';
import { order } from './shop.ts';

const PLANS = [{ name: 'Club', rebillAmount: '9.99', frequencyDays: 30 }];

it('charges a year of cycles, each once, without the customer', async () => {
  const { server, shop, advance } = await club();
  const first = await shop.payments.submit(order('pm_card_visa', { plans: PLANS }));
  expect(first.status).toBe('Captured');
  await advance(365);
  const cycles = Math.floor(365 / 30);
  expect(server.takenMinor('gbp')).toBe(1_999n + BigInt(cycles) * 999n);
  const intents = server.paymentIntents();
  expect(intents).toHaveLength(1 + cycles);
  expect(new Set(intents.map(({ customer }) => customer)).size).toBe(1);
  expect(new Set(intents.map(({ payment_method: method }) => method)).size).toBe(1);
  expect(intents.at(-1)?.setup_future_usage).toBe('off_session');
});

it('freezes what the bank wants the customer for', async () => {
  const { server, shop, advance } = await club();
  const waiting = await shop.payments.submit(
    order('pm_card_authenticationRequired', { plans: PLANS }),
  );
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  expect((await shop.payments.confirm(waiting.id)).status).toBe('Captured');
  await advance(40);
  const [rebill] = server.paymentIntents();
  expect(rebill?.last_payment_error?.code).toBe('authentication_required');
  expect(server.paymentIntents()).toHaveLength(2);
  expect(server.takenMinor('gbp')).toBe(1_999n);
});

it('charges a cycle once, whose answer was lost', async () => {
  const { server, shop, advance } = await club();
  await shop.payments.submit(order('pm_card_visa', { plans: PLANS }));
  server.fail({ kind: 'cut', when: 'after', on: 'POST /v1/payment_intents' });
  await advance(31);
  expect(server.takenMinor('gbp')).toBe(1_999n + 999n);
  expect(server.paymentIntents()).toHaveLength(2);
  const page = await shop.payments.list({ sandbox: true });
  expect(page.payments.map(({ status }) => status)).toEqual(['Captured', 'Captured']);
});
