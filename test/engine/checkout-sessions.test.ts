/** Checkout sessions as an embedder meets them: the price is the server's, and one payment pays. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARD, codeOf, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const OTHER = TenantId.parse(8);
const NUMBERS = {
  approve: '4242424242424242',
  decline: '4000000000000002',
  action: '4000000000003220',
  actionDecline: '4000008400001629',
  lost: '4000000000040818',
} as const;
const DAY_MS = 86_400_000;

let ledger: Ledger;
let now = Date.parse('2026-03-01T12:00:00.000Z');

beforeAll(async () => {
  const clock = { now: () => new Date(now).toISOString() };
  const masterKey = Buffer.alloc(32, 7);
  ledger = await openLedger({ storage: 'memory:', masterKey, logger, clock });
  for (const tenant of [TENANT, OTHER]) await withShop(ledger, tenant);
});
afterAll(() => ledger.close());

const shop = (more: object = {}) => ledger.as({ tenantId: TENANT, actor: 'shop', ...more });
const sessions = () => shop().checkoutSessions;
const input = (more: object = {}) => ({
  amount: '19.99',
  currency: 'GBP',
  email: 'ann@shop.example',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/cart',
  ...more,
});
const cardOf = (number: string) => ({ ...CARD, number });
const act = (id: string, pass: { clientSecret: string }) =>
  sessions().conclude(id, { ...pass, outcome: 'done' });
const giveUp = (id: string, pass: { clientSecret: string }) =>
  sessions().conclude(id, { ...pass, outcome: 'given-up' });
const opened = (more: object = {}) => sessions().open(input(more));

async function captured(email: string): Promise<number> {
  const { payments } = await shop().payments.list({ emails: [email] });
  return payments.filter(({ status }) => status === 'Captured').length;
}

describe('a checkout session', () => {
  it('is paid with a card at its own price', async () => {
    const { id, clientSecret } = await opened({ partnerSession: 'visit-1' });
    const paid = await sessions().pay(id, { clientSecret, card: CARD });
    expect(paid).toMatchObject({ status: 'complete', amount: '19.99' });
    expect(paid.payment).toMatchObject({
      amountMinor: 1_999n,
      email: 'ann@shop.example',
      partnerSession: 'visit-1',
      serviceSession: paid.session.serviceSession,
    });
    expect(await sessions().get(id)).toMatchObject({ status: 'complete' });
  });

  it('starts the subscriptions of its order', async () => {
    const plans = [{ name: 'Tea club', rebillAmount: '5.00', frequencyDays: 30 }];
    const { id, clientSecret } = await opened({ plans });
    const { payment } = await sessions().pay(id, { clientSecret, card: CARD });
    expect(payment?.subscriptionId).toEqual(expect.any(Number));
  });

  it('takes another card after a decline, by the number of the try', async () => {
    const { id, clientSecret } = await opened();
    const declined = await sessions().pay(id, {
      clientSecret,
      attempt: 1,
      card: cardOf(NUMBERS.decline),
    });
    expect(declined).toMatchObject({ status: 'open', nextAttempt: 2 });
    // The second click of the same form.
    const again = await sessions().pay(id, { clientSecret, attempt: 1, card: CARD });
    expect(again.payment?.transactionId).toBe(declined.payment?.transactionId);
    const paid = await sessions().pay(id, { clientSecret, attempt: 2, card: CARD });
    expect(paid.status).toBe('complete');
  });

  it('is one payment, however many clicks race', async () => {
    const email = 'clicks@shop.example';
    const { id, clientSecret } = await opened({ email });
    const clicks = Array.from({ length: 8 }, () =>
      sessions().pay(id, { clientSecret, card: CARD }),
    );
    const answers = await Promise.all(clicks);
    expect(new Set(answers.map(({ payment }) => payment?.transactionId)).size).toBe(1);
    expect(await captured(email)).toBe(1);
  });

  it('has one card under way: another is refused until the first is over', async () => {
    const { id, clientSecret } = await opened();
    const card = cardOf(NUMBERS.action);
    const asked = await sessions().pay(id, { clientSecret, card });
    expect(asked).toMatchObject({ status: 'open', payment: { status: 'RequiresAction' } });
    expect(await codeOf(sessions().pay(id, { clientSecret, card: CARD }))).toBe(
      'CheckoutTryUnderWay',
    );
    const given = await giveUp(id, { clientSecret });
    expect(given).toMatchObject({ nextAttempt: 2, payment: { status: 'Expired' } });
    expect((await sessions().pay(id, { clientSecret, card: CARD })).status).toBe('complete');
    expect((await giveUp(id, { clientSecret })).status).toBe('complete');
  });

  it('goes on once the buyer acted', async () => {
    const { id, clientSecret } = await opened();
    await sessions().pay(id, { clientSecret, card: cardOf(NUMBERS.action) });
    expect((await act(id, { clientSecret })).status).toBe('complete');
    const declined = await opened();
    const pass = { clientSecret: declined.clientSecret };
    await sessions().pay(declined.id, { ...pass, card: cardOf(NUMBERS.actionDecline) });
    const after = await act(declined.id, pass);
    expect(after).toMatchObject({ status: 'open', payment: { status: 'Declined' } });
  });

  it('waits for an answer that was lost, and takes no other card meanwhile', async () => {
    const { id, clientSecret } = await opened();
    const lost = await sessions().pay(id, { clientSecret, card: cardOf(NUMBERS.lost) });
    expect(lost.status).toBe('processing');
    expect(await codeOf(sessions().pay(id, { clientSecret, card: CARD }))).toBe(
      'CheckoutTryUnderWay',
    );
  });

  it('begins no try with a card that cannot be right', async () => {
    const { id, clientSecret } = await opened();
    const wrong = { ...CARD, number: '4242424242424241' };
    expect(await codeOf(sessions().pay(id, { clientSecret, card: wrong }))).toBe('CardInvalid');
    expect(await sessions().get(id)).toMatchObject({ nextAttempt: 1, payment: null });
  });

  it('takes nothing from its end on', async () => {
    const { id, clientSecret } = await opened({ expiresInSeconds: 600 });
    const waiting = await opened({ expiresInSeconds: 600 });
    await sessions().pay(waiting.id, {
      clientSecret: waiting.clientSecret,
      card: cardOf(NUMBERS.action),
    });
    now += 600_000;
    expect((await sessions().get(id)).status).toBe('expired');
    const refusal = 'CheckoutSessionNotOpen';
    expect(await codeOf(sessions().pay(id, { clientSecret, card: CARD }))).toBe(refusal);
    const pass = { clientSecret: waiting.clientSecret };
    expect(await codeOf(act(waiting.id, pass))).toBe(refusal);
  });

  it('opens for the shortest time, however long the opening takes', async () => {
    // A clock that goes on between any two looks.
    const tick = () => {
      now += 1;
      return new Date(now).toISOString();
    };
    const going = { now: tick };
    const own = {
      storage: 'memory:',
      masterKey: Buffer.alloc(32, 7),
      logger,
      clock: going,
    } as const;
    const slow = await openLedger(own);
    await withShop(slow, TENANT);
    const { checkoutSessions } = slow.as({ tenantId: TENANT, actor: 'shop' });
    for (const expiresInSeconds of [300, 2_592_000]) {
      expect((await checkoutSessions.open(input({ expiresInSeconds }))).status).toBe('open');
    }
    await slow.close();
  });

  it('ends after a day where nothing else is said', async () => {
    const { session } = await opened();
    expect(Date.parse(session.expiresAt) - now).toBe(DAY_MS);
  });

  it('is the same one for the same idempotency key', async () => {
    const key = { idempotencyKey: 'order-1' };
    const first = await opened(key);
    now += 1_000;
    expect(await opened(key)).toMatchObject({ id: first.id, clientSecret: first.clientSecret });
    expect(await codeOf(opened({ ...key, amount: '1.00' }))).toBe('IdempotencyKeyReused');
  });

  it.each([
    ['a shop that is not there', { shopId: 99 }, 'ReferenceUnknown'],
    ['an application that is not there', { applicationId: 999 }, 'ReferenceUnknown'],
    ['nothing to pay', { amount: '0' }, 'AmountNotPositive'],
    ['too many decimals', { amount: '1.999' }, 'AmountTooFine'],
    ['no address to go to', { successUrl: 'javascript:alert(1)' }, 'InputInvalid'],
    ['a card', { card: CARD }, 'InputInvalid'],
  ])('does not open with %s', async (_, more, code) => {
    expect(await codeOf(opened(more))).toBe(code);
  });

  it('is unknown to everybody else', async () => {
    const { id, clientSecret } = await opened();
    const own = { clientSecret, card: CARD };
    const unknown = 'CheckoutSessionUnknown';
    const strangers = ledger.as({ tenantId: OTHER, actor: 'x' }).checkoutSessions;
    const testing = shop({ environment: 'test' }).checkoutSessions;
    for (const other of [strangers, testing]) {
      expect(await codeOf(other.get(id))).toBe(unknown);
      expect(await codeOf(other.show(id, { clientSecret }))).toBe(unknown);
      expect(await codeOf(other.pay(id, own))).toBe(unknown);
    }
    const another = await opened();
    const wrong = { clientSecret: another.clientSecret };
    expect(await codeOf(sessions().show(id, wrong))).toBe(unknown);
    expect(await codeOf(sessions().pay(id, { ...own, ...wrong }))).toBe(unknown);
    expect(await codeOf(sessions().pay(id, { ...own, applicationId: 2 }))).toBe(unknown);
  });

  it('of an erased person has ended, and says nothing of them', async () => {
    const email = 'gone@shop.example';
    await shop().payments.submit({ amount: '1.00', currency: 'GBP', email, card: CARD });
    const { id, clientSecret, session } = await opened({ email });
    await shop().customers.erase(session.customerId, {});
    const after = await sessions().get(id);
    expect(after.session).toMatchObject({ email: '', successUrl: '', addresses: [] });
    expect(await codeOf(sessions().pay(id, { clientSecret, card: CARD }))).toBe(
      'CheckoutSessionNotOpen',
    );
  });
});

describe('whatever pages do', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('pay'), card: fc.constantFrom(...Object.values(NUMBERS)) }),
    fc.constant({ do: 'confirm', card: '' }),
    fc.constant({ do: 'abandon', card: '' }),
  );
  let runs = 0;

  it('a session is paid at most once, at its price, and complete when it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }),
        async (rounds) => {
          runs += 1;
          const email = `run-${runs}@shop.example`;
          const { id, clientSecret } = await opened({ email });
          for (const round of rounds) {
            const calls = round.map((each) => {
              if (each.do === 'confirm') return act(id, { clientSecret });
              if (each.do === 'abandon') return giveUp(id, { clientSecret });
              return sessions().pay(id, { clientSecret, card: cardOf(each.card) });
            });
            const codes = await Promise.all(calls.map(codeOf));
            const foreseen = ['accepted', 'CheckoutTryUnderWay', 'CheckoutTriesUsedUp'];
            expect(foreseen).toEqual(expect.arrayContaining(codes));
          }
          const { payments } = await shop().payments.list({ emails: [email] });
          const paid = payments.filter(({ status }) => status === 'Captured');
          expect(paid.length).toBeLessThanOrEqual(1);
          expect(payments.every(({ amount }) => amount === '19.99')).toBe(true);
          const { status } = await sessions().get(id);
          expect(status === 'complete').toBe(paid.length === 1);
        },
      ),
      { numRuns: 25 },
    );
  });
});
