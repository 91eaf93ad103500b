/** Keys that Stripe refuses: the account rests, rebills wait, and nobody is declined. */
import type { Clock } from '@counterfoil/engine';
import { expect, it } from 'vitest';
import { codeOf } from '../engine/shop.ts';
import { club } from './club.ts';
import { order, stripeShop } from './shop.ts';

const VISA = 'pm_card_visa';
const PLANS = [{ name: 'Club', rebillAmount: '9.99', frequencyDays: 30 }];

it('a payment is refused with the reason, and the key is not asked with again for a minute', async () => {
  let nowMs = Date.now();
  const clock: Clock = { now: () => new Date(nowMs).toISOString() };
  const { server, shop } = await stripeShop({ options: { clock } });
  server.revokeKey(server.restrictedKey);
  const pay = () =>
    shop.payments.submit(order(VISA)).then(
      () => undefined,
      (error) => error.refusal,
    );
  for (let time = 0; time < 3; time += 1) {
    expect(await pay()).toEqual({
      type: 'NoMerchantAccount',
      skipped: [{ merchantAccountId: 1, reason: 'credentials-refused' }],
    });
  }
  const asked = () => server.requests().filter(({ status }) => status === 401).length;
  expect(asked()).toBe(1);
  nowMs += 60_000;
  await pay();
  expect(asked()).toBe(2);
});

it('a key without the right to charge leaves the payment open, which is charged once it may', async () => {
  const { server, shop, useKey } = await stripeShop();
  await useKey(server.issueKey({ kind: 'restricted', permissions: { payment_intents: 'read' } }));
  const keyed = order(VISA, { idempotencyKey: 'order-1' });
  expect(await codeOf(shop.payments.submit(keyed))).toBe('CredentialsRefused');
  expect((await shop.payments.get(shop.payments.idOf('order-1'))).status).toBe('Processing');
  await useKey(server.restrictedKey);
  expect((await shop.payments.submit(keyed)).status).toBe('Captured');
  expect(server.takenMinor('gbp')).toBe(1_999n);
});

it('rebills wait for a key that is refused, and are charged once with the next one', async () => {
  const { server, shop, advance, useKey } = await club();
  for (const email of ['ann@shop.example', 'ben@shop.example']) {
    const paid = await shop.payments.submit(order(VISA, { email, plans: PLANS }));
    expect(paid.status).toBe('Captured');
  }
  server.revokeKey(server.restrictedKey);
  await advance(33);
  const { payments } = await shop.payments.list({ sandbox: true });
  expect(payments.filter(({ status }) => status === 'Declined' || status === 'Failed')).toEqual([]);
  expect(server.takenMinor('gbp')).toBe(2n * 1_999n);
  await useKey(server.issueKey({ kind: 'restricted' }));
  await advance(1);
  expect(server.takenMinor('gbp')).toBe(2n * 1_999n + 2n * 999n);
});
