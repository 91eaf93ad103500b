/** Checkout sessions whose cards are typed into Stripe's own frame: when, and how they are paid. */
import { describe, expect, it } from 'vitest';
import { codeOf } from '../engine/shop.ts';
import { type StripeShop, stripeShop } from './shop.ts';

const PUBLISHABLE = 'pk_test_0123456789';
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

async function session({ shop }: StripeShop, more: object = {}) {
  const pages = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const order = { amount: '19.99', currency: 'GBP', email: 'ann@shop.example', ...pages };
  return shop.checkoutSessions.open({ ...order, ...more });
}

async function entryAt(credentials: object, asksForScript = false) {
  const opened = await stripeShop({ credentials, environment: 'test' });
  const { id } = await session(opened);
  return {
    url: opened.server.url,
    entry: await opened.shop.checkoutSessions.cardEntry(id, { asksForScript }),
  };
}

describe('how a page takes the card', () => {
  it('is the script where no account takes card numbers', async () => {
    const { url, entry } = await entryAt({ publishableKey: PUBLISHABLE, account: 'acct_12345' });
    expect(entry).toEqual({
      by: 'script',
      script: {
        src: `${url}/v3/`,
        global: 'Stripe',
        publishableKey: PUBLISHABLE,
        options: { stripeAccount: 'acct_12345' },
        scriptSources: [url],
        frameSources: [url],
        connectSources: [url],
      },
    });
  });

  it.each([
    ['cardNumbers', { publishableKey: PUBLISHABLE, cardNumbers: true }, 'form', 'script'],
    ['no publishable key', {}, 'form', 'none'],
    ['that of live data', { publishableKey: 'pk_live_0123456789' }, 'form', 'none'],
  ])('with %s', async (_, credentials, by, asked) => {
    expect((await entryAt(credentials)).entry.by).toBe(by);
    expect((await entryAt(credentials, true)).entry.by).toBe(asked);
  });

  it('tells nothing of sessions of other applications, and of none', async () => {
    const opened = await stripeShop({
      credentials: { publishableKey: PUBLISHABLE },
      environment: 'test',
    });
    const { checkoutSessions } = opened.shop;
    const { id } = await session(opened);
    expect(await checkoutSessions.cardEntry(id, { applicationId: 2 })).toEqual({ by: 'form' });
    expect(await checkoutSessions.cardEntry('none')).toEqual({ by: 'form' });
  });

  it('is the form where no account takes the currency', async () => {
    const opened = await stripeShop({
      credentials: { publishableKey: PUBLISHABLE },
      environment: 'test',
    });
    const { id } = await session(opened, { currency: 'EUR' });
    expect((await opened.shop.checkoutSessions.cardEntry(id)).by).toBe('form');
  });
});

describe('a session that is paid with what the script made', () => {
  it('takes another after a decline, and each once', async () => {
    const opened = await stripeShop({ environment: 'test' });
    const { checkoutSessions } = opened.shop;
    const { id, clientSecret } = await session(opened);
    const pay = (gatewayToken: string, attempt: number) =>
      checkoutSessions.pay(id, { clientSecret, gatewayToken, attempt });
    const declined = await pay('pm_card_visa_chargeDeclined', 1);
    expect([declined.status, declined.payment?.status]).toEqual(['open', 'Declined']);
    const all = [pay('pm_card_visa', 2), pay('pm_card_visa', 2), pay('pm_card_visa', 2)];
    for (const { status } of await Promise.all(all)) expect(status).toBe('complete');
    expect(opened.server.takenMinor('gbp')).toBe(1_999n);
  });

  it('takes no other token in the place of one that is under way', async () => {
    const opened = await stripeShop({ environment: 'test' });
    const { checkoutSessions } = opened.shop;
    const { id, clientSecret } = await session(opened);
    const pay = (gatewayToken: string) =>
      checkoutSessions.pay(id, { clientSecret, gatewayToken, attempt: 1 });
    await pay('pm_card_threeDSecureRequired');
    expect(await codeOf(pay('pm_card_visa'))).toBe('CheckoutTryUnderWay');
    expect(opened.server.takenMinor('gbp')).toBe(0n);
  });

  it('takes one of card and token, and no token that Stripe does not know', async () => {
    const opened = await stripeShop({ environment: 'test' });
    const { checkoutSessions } = opened.shop;
    const { id, clientSecret } = await session(opened);
    const pay = (given: object) => checkoutSessions.pay(id, { clientSecret, ...given });
    expect(await codeOf(pay({}))).toBe('CardOrToken');
    expect(await codeOf(pay({ card: CARD, gatewayToken: 'pm_card_visa' }))).toBe('CardOrToken');
    expect(await codeOf(pay({ gatewayToken: 'pm_unknown' }))).toBe('TokenUnknown');
    expect((await pay({ gatewayToken: 'pm_card_visa' })).status).toBe('complete');
  });
});
