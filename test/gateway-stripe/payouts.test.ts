/** Payouts of Stripe become settlements, reconciled to the cent. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf, OPERATOR } from '../engine/shop.ts';
import { ranCommand } from '../setup/command-line.ts';
import { clientOf } from '../stripe-server/stripe-clients.ts';
import { openClub } from './club.ts';
import { accountAt, order, stripeShop, TENANT } from './shop.ts';

/** As the protocol server charges them in pounds. */
const TERMS = { discountRatePercentage: 2.9, gatewayTransactionFee: 0.3, chargebackFee: 15 };
const LINES = 'GET /v1/balance_transactions';
const VISA = 'pm_card_visa';
/** Its charges are available at once. */
const AT_ONCE = 'pm_card_bypassPending';
const sandbox = true;

async function open() {
  // Nothing is done by itself between two steps.
  const options = { dueWorkIntervalMs: 3_600_000 };
  const opened = await stripeShop({ terms: TERMS, options });
  const { server, shop, ledger } = opened;
  let orders = 0;
  const unmatched = async () => (await shop.settlements.unmatched({ limit: 100, sandbox })).items;
  return {
    ...opened,
    unmatched,
    async pay(amount: string, more: object = {}, card = VISA) {
      orders += 1;
      const keyed = { idempotencyKey: `order-${orders}`, amount, ...more };
      const { id, payment } = await shop.payments.submit(order(card, keyed));
      return { id, intent: payment.gatewayTransactionId };
    },
    payOut(currency = 'gbp', parts: object = {}) {
      const id = server.createPayout({ currency, ...parts });
      const made = server.payouts().find((each) => each.id === id);
      if (made === undefined) throw new Error('nothing is available');
      return made;
    },
    settle: (more: object = {}) =>
      shop.settlements.settle({ merchantAccountId: 1, sandbox, ...more }),
    /** What the statements of the account say of the bank, in pence. */
    async settled() {
      const now = Date.now();
      const days = [0, 10, 20, 30, 40].map((day) => new Date(now + day * 86_400_000));
      let sum = 0;
      for (const month of new Set(days.map((each) => each.toISOString().slice(0, 7)))) {
        const query = { merchantAccountId: 1, month, sandbox, currency: 'GBP' };
        const { currencies } = await shop.books.statement(query);
        for (const each of currencies) sum += Math.round(Number(each.settled) * 100);
      }
      return sum;
    },
    /** Beside the ledger, by the same account at Stripe. */
    async payElsewhere(amount: number, currency: string) {
      const { id } = await clientOf(server).paymentIntents.create({
        amount,
        currency,
        payment_method: AT_ONCE,
        allowed_payment_method_types: ['card'],
        confirm: true,
      });
      return id;
    },
    differences: async () =>
      (await unmatched()).map(({ type, amount, expected }) => ({ type, amount, expected })),
    openAccount: (merchantAccountId: number) =>
      ledger.merchantAccounts.openOnce(
        TENANT,
        merchantAccountId,
        accountAt(JSON.stringify({ key: server.restrictedKey, apiBase: server.url })),
        OPERATOR,
      ),
  };
}

/** What a week brings: captures in part, refunds, one that failed, disputes lost and won. */
async function aWeek({ server, shop, pay, pass }: Awaited<ReturnType<typeof open>>) {
  const sold = await pay('100.00');
  const held = await pay('50.00', { capture: false });
  await shop.payments.capture(held.id, { amount: '40.00' });
  const returned = await pay('30.15');
  const lost = await pay('20.55');
  const won = await pay('10.01');
  await shop.payments.refund(sold.id, { amount: '25.00' });
  await shop.payments.refund(returned.id, {});
  const [refund] = (await shop.payments.get(returned.id)).payment.refunds;
  server.failRefund(refund?.gatewayTransactionId ?? '');
  server.loseDispute(server.createDispute({ of: lost.intent }));
  server.winDispute(server.createDispute({ of: won.intent }));
  await pass(2);
}

describe('a payout', () => {
  it('is booked to the cent once it has arrived, by the timer', async () => {
    const opened = await open();
    const { settled, payOut, pass, settle, unmatched, shop } = opened;
    await aWeek(opened);
    const { id, amount } = payOut();
    expect(await settle()).toEqual({ items: [], waiting: 1 });
    expect(await settled()).toBe(0);
    await pass(3);
    expect(await settled()).toBe(amount);
    expect(await unmatched()).toEqual([]);
    const { items } = await shop.settlements.list({ limit: 10, sandbox });
    expect(items).toMatchObject([{ name: id, status: 'finished', lines: 11, agreed: 11 }]);
  });

  it('is booked once, by hand too, and however often it is read', async () => {
    const opened = await open();
    const { settled, payOut, pass, settle } = opened;
    await aWeek(opened);
    const { amount } = payOut();
    await pass(3);
    expect(await settle()).toEqual({ items: [], waiting: 0 });
    expect((await settle({ since: '2026-01-01' })).items).toEqual([]);
    expect(await settled()).toBe(amount);
  });

  it('that could not be read to its end is finished the next time', async () => {
    const opened = await open();
    const { server, settled, payOut, pass, settle, shop } = opened;
    await aWeek(opened);
    const first = payOut();
    await opened.pay('12.00', {}, AT_ONCE);
    const second = payOut();
    server.fail({ kind: 'cut', when: 'after', on: LINES, times: 1, skip: 1 });
    await pass(3);
    expect(await settled()).toBe(first.amount);
    expect((await settle()).items).toMatchObject([{ name: second.id, booked: 1 }]);
    expect(await settled()).toBe(first.amount + second.amount);
    const { items } = await shop.settlements.list({ limit: 10, sandbox });
    expect(items.map(({ status }) => status)).toEqual(['finished', 'finished']);
  });

  it('waits for its list', async () => {
    const { pay, payOut, pass, settle, settled, server } = await open();
    await pay('10.00', {}, AT_ONCE);
    const { id, amount } = payOut('gbp', { reconciled: false });
    await pass(3);
    expect(await settle()).toEqual({ items: [], waiting: 1 });
    server.reconcilePayout(id);
    await pass(1);
    expect(await settled()).toBe(amount);
  });

  it('that failed is paid with a later one', async () => {
    const { pay, payOut, pass, settled, unmatched, server } = await open();
    await pay('10.00', {}, AT_ONCE);
    server.failPayout(payOut().id);
    await pay('20.00', {}, AT_ONCE);
    const { amount } = payOut();
    await pass(3);
    expect(await settled()).toBe(amount);
    expect(await unmatched()).toEqual([]);
  });

  it('is of one of the accounts that share it at Stripe', async () => {
    const { pay, payOut, pass, shop, unmatched, openAccount, settled } = await open();
    await openAccount(2);
    await pay('10.00', {}, AT_ONCE);
    const there = await pay('20.00', { merchantAccountId: 2 }, AT_ONCE);
    const refund = await shop.payments.refund(there.id, { amount: '5.00' });
    expect(refund.status).toBe('Refunded');
    payOut();
    await pass(3);
    const { items } = await shop.settlements.list({ limit: 10, sandbox });
    const lines = items.map(({ merchantAccountId, lines: all }) => [merchantAccountId, all]);
    expect(lines.sort()).toEqual([
      [1, 1],
      [2, 2],
    ]);
    // The other account has no terms: Stripe's fee is not in its books.
    expect((await unmatched()).map(({ merchantAccountId: id, type }) => [id, type])).toEqual([
      [2, 'fee'],
    ]);
    expect(await settled()).toBe(1_000 - 59);
  });
});

describe('what differs', () => {
  it('is listed: fees of Stripe, charges of others, currencies that the ledger lacks', async () => {
    const { payOut, pass, payElsewhere, differences, server } = await open();
    await payElsewhere(1_000, 'gbp');
    server.chargeFee({ amount: 200, currency: 'gbp', description: 'Radar' });
    await payElsewhere(50_000, 'uyu');
    payOut();
    payOut('uyu');
    await pass(3);
    expect((await differences()).toSorted((a, b) => Number(a.amount) - Number(b.amount))).toEqual([
      { type: 'unreadable', amount: null, expected: null },
      { type: 'missing-here', amount: 2, expected: null },
      { type: 'missing-here', amount: 10, expected: null },
    ]);
  });

  it('is read to the last page', async () => {
    const { payOut, pass, settle, server } = await open();
    const fees = Array.from({ length: 205 }, (_, amount) => amount + 1);
    for (const amount of fees) {
      server.chargeFee({ amount, currency: 'gbp', description: 'Radar' });
    }
    payOut();
    await pass(3);
    const { items } = await settle({ since: '2026-01-01' });
    expect(items).toMatchObject([{ lines: 205, differences: { 'missing-here': 205 } }]);
  });

  it('is what another line has settled, in a file of before', async () => {
    const { pay, payOut, pass, shop, differences, settled } = await open();
    const { intent } = await pay('10.00', {}, AT_ONCE);
    const file = `reference,kind,gatewayTransactionId,amount,currency,fee,settledDate
a-1,capture,${intent},10.00,GBP,0.59,2026-03-10
`;
    const content = (async function* () {
      yield Buffer.from(file);
    })();
    await shop.settlements.import({ merchantAccountId: 1, sandbox }, content);
    const { amount } = payOut();
    await pass(3);
    expect(await differences()).toEqual([{ type: 'settled', amount: 10, expected: 'a-1' }]);
    expect(await settled()).toBe(amount);
  });

  it('is in the decimals of the currency', async () => {
    const { pay, payOut, pass, differences } = await open();
    await pay('1999', { currency: 'JPY' }, AT_ONCE);
    await pay('5.120', { currency: 'KWD' }, AT_ONCE);
    payOut('jpy');
    payOut('kwd');
    await pass(3);
    // The terms of the account are in pounds.
    expect(await differences()).toEqual(
      expect.arrayContaining([
        { type: 'fee', amount: 1_999, expected: 58 },
        { type: 'fee', amount: 5.12, expected: 0.148 },
      ]),
    );
  });

  it('is a payout by hand, whose parts Stripe does not list', async () => {
    const { pay, payOut, pass, unmatched } = await open();
    await pay('10.00', {}, AT_ONCE);
    const { id } = payOut('gbp', { automatic: false });
    await pass(3);
    const [only] = await unmatched();
    expect(only).toMatchObject({ type: 'unreadable', reference: id });
    expect(only?.detail).toContain('9.41 GBP');
  });

  it('is read again by hand, from a day on', async () => {
    const { payOut, pass, payElsewhere, settle } = await open();
    await payElsewhere(1_000, 'gbp');
    const { id } = payOut();
    await pass(3);
    expect((await settle()).items).toEqual([]);
    const { items } = await settle({ since: '2026-01-01' });
    expect(items).toMatchObject([{ name: id, differences: { 'missing-here': 1 } }]);
  });
});

it('is refused for live data with a test key, an account that is not there, a key without the right', async () => {
  const { settle, server, useKey } = await open();
  expect(await codeOf(settle({ sandbox: false }))).toBe('InputInvalid');
  expect(await codeOf(settle({ merchantAccountId: 9 }))).toBe('ReferenceUnknown');
  await useKey(server.issueKey({ kind: 'restricted', permissions: { payouts: 'none' } }));
  expect(await codeOf(settle())).toBe('CredentialsRefused');
});

it('books nothing while the events of before cannot be read', async () => {
  const opened = await open();
  const { server, pass, payOut, settle, settled } = opened;
  await aWeek(opened);
  const { amount } = payOut();
  const planned = server.fail({ kind: 'rateLimit', on: 'GET /v1/events', times: 1 });
  await pass(3);
  expect(planned.met).toBe(1);
  server.fail({ kind: 'error', when: 'before', kept: false, on: 'GET /v1/events', times: 1 });
  expect(await codeOf(settle())).toBe('GatewayFailed');
  await settle();
  expect(await settled()).toBe(amount);
});

it('is settled at the address of a host, by a command', async () => {
  const { server, shop, host, url, close } = await openClub({ listens: true });
  onTestFinished(close);
  await shop.payments.submit(order(AT_ONCE));
  const id = server.createPayout({ currency: 'gbp' }) ?? '';
  // It has an end at once so.
  server.failPayout(id);
  const scopes = ['settlements:write'];
  const asked = { label: 'finance', kind: 'api', environment: 'test', scopes } as const;
  const { key } = await host.tenants.issueKey(TENANT, asked, OPERATOR);
  // The host settles by itself too: what differs is read again.
  const since = ['--since', '2026-01-01'];
  const of = ['settle', String(TENANT), '--merchant-account', '1', '--sandbox', '--url', url];
  const words = [...of, ...since];
  const env = { COUNTERFOIL_KEY: key, COUNTERFOIL_USER: 'ada@club.example' };
  const { out } = await ranCommand([...words, '--json'], env);
  expect(JSON.parse(out)).toMatchObject({ items: [{ name: id, lines: 1 }], waiting: 0 });
  const again = await ranCommand(words, env);
  expect(again.out).toBe(
    `${id}: 1 lines: 0 booked, 0 before\nfee: 1\n1 payouts read, 0 are on their way\n`,
  );
  const wrong = await ranCommand([...of, '--since', 'yesterday'], env);
  expect(wrong).toMatchObject({ code: 1, out: '' });
});
