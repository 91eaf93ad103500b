/** Connected accounts: a platform's key acts for them, and its endpoint reports the events of all of them. */
import { expect, it, onTestFinished } from 'vitest';
import { OPERATOR } from '../engine/shop.ts';
import { clientOf } from '../stripe-server/stripe-clients.ts';
import { openClub } from './club.ts';
import { accountAt, order, TENANT } from './shop.ts';

const VISA = 'pm_card_visa';

/** Merchant accounts 1 and 2 at one platform, each a connected account, with one endpoint that reports to 1. */
async function platform() {
  const club = await openClub({ listens: true });
  onTestFinished(() => club.close());
  const { server, host, shop, eventsUrl } = club;
  const { secret } = server.addWebhookEndpoint({ url: eventsUrl, connect: true });
  const connected = [1, 2].map(() => server.createAccount({ platform: server.account }));
  for (const [index, account] of connected.entries()) {
    const at = { key: server.restrictedKey, apiBase: server.url, account };
    const apiKey = JSON.stringify({ ...at, signingSecrets: [secret] });
    await host.merchantAccounts.define(TENANT, index + 1, accountAt(apiKey), OPERATOR);
  }
  const pay = async (merchantAccountId: number) => {
    const paid = await shop.payments.submit(order(VISA, { merchantAccountId }));
    expect(paid.status).toBe('Captured');
    return { id: paid.id, intent: paid.payment.gatewayTransactionId };
  };
  const chargebacksOf = async ({ id }: { readonly id: string }) =>
    (await shop.payments.get(id)).payment.chargebacks.map(({ status }) => status);
  return { ...club, connected, pay, chargebacksOf };
}

it('are charged, and not the platform', async () => {
  const { server, connected, pay } = await platform();
  const { intent } = await pay(2);
  const found = (stripeAccount?: string) =>
    clientOf(server)
      .paymentIntents.retrieve(intent, {}, stripeAccount === undefined ? {} : { stripeAccount })
      .then(
        ({ status }) => status,
        ({ code }) => code,
      );
  expect(await found(connected[1])).toBe('succeeded');
  expect(await found(connected[0])).toBe('resource_missing');
  expect(await found()).toBe('resource_missing');
});

it('have their events taken in by webhook, each at its own account', async () => {
  const { server, advance, pay, chargebacksOf } = await platform();
  const [first, second] = [await pay(1), await pay(2)];
  for (const { intent } of [first, second]) server.createDispute({ of: intent });
  const delivered = await server.deliverWebhooks();
  expect(new Set(delivered.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await chargebacksOf(first)).toEqual(['ChargebackOpen']);
  // The endpoint is that of account 1, and there is no such dispute there: the list of account 2 has it.
  await advance(1);
  for (const each of [first, second]) expect(await chargebacksOf(each)).toEqual(['ChargebackOpen']);
});

it('have their events listed, each by its own account', async () => {
  const { server, advance, pay, chargebacksOf } = await platform();
  const paid = [await pay(1), await pay(2)];
  for (const { intent } of paid) server.createDispute({ of: intent });
  server.dropWebhooks();
  await advance(1);
  for (const each of paid) expect(await chargebacksOf(each)).toEqual(['ChargebackOpen']);
  const listed = server.requests().filter(({ endpoint }) => endpoint === 'GET /v1/events');
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set([200]));
});

it('rest when the platform has lost access to them', async () => {
  const { server, host, shop } = await platform();
  const stranger = server.createAccount();
  const apiKey = JSON.stringify({
    key: server.restrictedKey,
    apiBase: server.url,
    account: stranger,
  });
  await host.merchantAccounts.define(TENANT, 1, accountAt(apiKey), OPERATOR);
  const refusal = await shop.payments.submit(order(VISA, { merchantAccountId: 1 })).then(
    () => undefined,
    (error) => error.refusal,
  );
  expect(refusal).toEqual({
    type: 'NoMerchantAccount',
    skipped: [{ merchantAccountId: 1, reason: 'credentials-refused' }],
  });
});
