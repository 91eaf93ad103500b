/** Events of Stripe at the host: signed, in any order, any number of times, or never delivered. */
import { createHmac } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openClub } from './club.ts';
import { order, TENANT } from './shop.ts';

const WRONG = 'whsec_wrongwrongwrong';

async function club() {
  const opened = await openClub({ listens: true });
  onTestFinished(() => opened.close());
  const { shop } = opened;
  let orders = 0;
  return {
    ...opened,
    async pay() {
      orders += 1;
      const paid = await shop.payments.submit(
        order('pm_card_visa', { idempotencyKey: `o-${orders}` }),
      );
      return { id: paid.id, intent: paid.payment.gatewayTransactionId };
    },
    payment: async (id: string) => (await shop.payments.get(id)).payment,
  };
}

it('records a refund that failed later, once, and its amount may be refunded again', async () => {
  const { server, shop, pay, payment } = await club();
  const { id } = await pay();
  const refund = await shop.payments.refund(id, { idempotencyKey: 'r-1' });
  const [sent] = (await payment(id)).refunds;
  server.failRefund(sent?.gatewayTransactionId ?? '');
  const delivered = await server.deliverWebhooks({ times: 3, order: 'newestFirst' });
  expect(new Set(delivered.map(({ status }) => status))).toEqual(new Set([200]));
  const [failed] = (await payment(id)).refunds;
  expect(failed).toMatchObject({ refundId: refund.id, status: 'RefundFailed' });
  expect(failed?.note).toBe('lost_or_stolen_card');
  const again = await shop.payments.refund(id, { idempotencyKey: 'r-2' });
  expect(again.status).toBe('Refunded');
  const { currencies } = await shop.books.trialBalance({ sandbox: true });
  const refunds = currencies[0]?.accounts.find(({ account }) => account === 'refunds');
  expect(refunds).toMatchObject({ debit: 39.98, credit: 19.99 });
});

it('records a chargeback when the money is withdrawn, and its end', async () => {
  const { server, pay, payment } = await club();
  const lost = await pay();
  const won = await pay();
  const disputes = [lost, won].map(({ intent }) => server.createDispute({ of: intent }));
  const delivered = await server.deliverWebhooks({ order: 'newestFirst' });
  expect(delivered.filter(({ status }) => status !== 200)).toEqual([]);
  const [chargeback] = (await payment(lost.id)).chargebacks;
  expect(chargeback).toMatchObject({
    status: 'ChargebackOpen',
    provider: 'stripe',
    reference: disputes[0],
    amountMinor: 1_999n,
    reasonCode: '10.4',
  });
  server.loseDispute(disputes[0] ?? '');
  server.winDispute(disputes[1] ?? '');
  await server.deliverWebhooks({ times: 2 });
  const statuses = [await payment(lost.id), await payment(won.id)].map(
    ({ chargebacks: [own] }) => own?.status,
  );
  expect(statuses).toEqual(['ChargebackLost', 'ChargebackWon']);
});

it('records inquiries and early fraud warnings as alerts, which move no money', async () => {
  const { server, shop, pay, payment } = await club();
  const asked = await pay();
  const warned = await pay();
  const inquiry = server.createDispute({ of: asked.intent, inquiry: true });
  server.createEarlyFraudWarning(warned.intent);
  await server.deliverWebhooks();
  expect((await payment(asked.id)).alerts).toMatchObject([
    { status: 'AlertOpen', alertType: 'OrderInquiry', reference: inquiry, amountMinor: 1_999n },
  ]);
  expect((await payment(warned.id)).alerts).toMatchObject([
    { status: 'AlertOpen', alertType: 'EarlyFraudWarning' },
  ]);
  const { currencies } = await shop.books.trialBalance({ sandbox: true });
  expect(currencies[0]?.accounts.map(({ account }) => account)).not.toContain('chargebacks');
  server.escalateDispute(inquiry);
  await server.deliverWebhooks();
  expect((await payment(asked.id)).chargebacks).toMatchObject([{ status: 'ChargebackOpen' }]);
});

it('asks for what was never delivered', async () => {
  const { server, shop, pay, payment, advance } = await club();
  const disputed = await pay();
  const refunded = await pay();
  await shop.payments.refund(refunded.id, { idempotencyKey: 'r-1' });
  const [sent] = (await payment(refunded.id)).refunds;
  server.createDispute({ of: disputed.intent });
  server.failRefund(sent?.gatewayTransactionId ?? '');
  expect(server.dropWebhooks()).toBeGreaterThan(0);
  await advance(1);
  expect((await payment(disputed.id)).chargebacks).toMatchObject([{ status: 'ChargebackOpen' }]);
  expect((await payment(refunded.id)).refunds).toMatchObject([{ status: 'RefundFailed' }]);
});

it('is asked again where Stripe cannot be read', async () => {
  const { server, pay, payment } = await club();
  const { id, intent } = await pay();
  server.createDispute({ of: intent });
  const on = 'GET /v1/disputes/{dispute}';
  server.fail({ kind: 'error', when: 'before', kept: false, status: 503, on, times: 1 });
  const created = ['charge.dispute.created'];
  const first = await server.deliverWebhooks({ only: created });
  expect(first.map(({ status }) => status)).toEqual([502]);
  const second = await server.deliverWebhooks({ only: created });
  expect(second.map(({ status }) => status)).toEqual([200]);
  expect((await payment(id)).chargebacks).toHaveLength(1);
});

it('takes two secrets while one is replaced, and nothing that is signed otherwise', async () => {
  const { server, eventsUrl, secrets, pay } = await club();
  await pay();
  // Ids of Stripe may look like the number of a card.
  const data = { object: { id: 'pm_4242424242424242', fingerprint: '4242424242424242' } };
  const event = { id: 'evt_4242424242424242', object: 'event', type: 'x', created: 1, data };
  const body = JSON.stringify(event);
  const signed = (secret: string, agoSeconds = 0, content = body) => {
    const seconds = Math.floor(server.now().getTime() / 1_000) - agoSeconds;
    const mac = createHmac('sha256', secret).update(`${seconds}.${content}`).digest('hex');
    return `t=${seconds},v1=${mac}`;
  };
  const sent = async (signature: string, url = eventsUrl) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const answer = await fetch(url, { method: 'POST', headers, body });
    const { code } = (await answer.json()) as { readonly code?: string };
    return { status: answer.status, code };
  };
  for (const secret of secrets) {
    expect((await sent(signed(secret))).status).toBe(200);
    expect((await sent(signed(secret, 299))).status).toBe(200);
  }
  const [secret = ''] = secrets;
  const refusedOnes = [
    signed(WRONG),
    signed(secret, 301),
    signed(secret, 0, '{}'),
    '',
    't=1',
    'v1=ff',
  ];
  for (const signature of refusedOnes) {
    expect(await sent(signature)).toMatchObject({ status: 401, code: 'signature_invalid' });
  }
  const elsewhere = [
    eventsUrl.replace('/stripe/', '/other/'),
    eventsUrl.replace('/1/', '/2/'),
    eventsUrl.replace(`clientId=${TENANT}`, 'clientId=8'),
    eventsUrl.replace(`?clientId=${TENANT}`, ''),
  ];
  for (const url of elsewhere) {
    expect(await sent(signed(secret), url)).toMatchObject({ status: 401 });
  }
});

it('shows for how long an account was not caught up with', async () => {
  const { server, url, advance } = await club();
  const lag = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^gateway_events_lag_seconds\{gateway="Stripe"\} (\S+)$/m.exec(text)?.[1]);
  };
  await advance(1);
  expect(await lag()).toBeLessThan(700);
  server.fail({ kind: 'error', when: 'before', kept: false, on: 'GET /v1/events', times: 1_000 });
  await advance(1);
  expect(await lag()).toBeGreaterThan(86_000);
});
