/** Checkout sessions and crashes: wherever a process dies, a session is paid at most once, and can be paid. */
import { TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settingsOf } from '../ledger-options.ts';
import { silentLogger } from '../logger.ts';
import { type Engine, openEngine } from '../open-engine.ts';
import { CheckoutPayments } from './checkout-payments.ts';

const TENANT = TenantId.parse(7);
const CALLER = { actor: 'shop' };
const NUMBERS = ['4242424242424242', '4000000000000002', '4000000000003220'] as const;

class Died extends Error {}

let engine: Engine;

beforeAll(async () => {
  const options = { storage: 'memory:', masterKey: Buffer.alloc(32, 7) } as const;
  engine = await openEngine(settingsOf(options), { logger: silentLogger });
  const { tenants, merchantAccounts } = engine;
  await tenants.onboard(TENANT, { name: 'Acme' }, CALLER);
  const at = engine.clock.now();
  await tenants.define(
    { type: 'DefineCompany', tenantId: TENANT, companyId: 1, name: 'Acme', at },
    CALLER,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  const account = { mid: '7001', title: 'Main', companyId: 1, gatewayId: 1, descriptor: 'ACME' };
  const opened = { ...account, defaultCurrency: 'GBP', currencies };
  await merchantAccounts.openOnce(TENANT, 1, opened, CALLER);
});
afterAll(() => engine.close());

/** Dies before or after the nth call of a function of its parts. */
function dying(at: number, isBefore: boolean): CheckoutPayments {
  let calls = 0;
  const fragile = <Part extends object>(part: Part, names: readonly string[]): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (!names.includes(String(name))) return member.bind(target);
        return async (...given: unknown[]) => {
          calls += 1;
          if (calls === at && isBefore) throw new Died();
          const answer = await member.apply(target, given);
          if (calls === at) throw new Died();
          return answer;
        };
      },
    });
  return new CheckoutPayments({
    commands: fragile(engine.commands, ['execute']),
    payments: fragile(engine.payments, ['submitNamed', 'confirm']),
  });
}

const step = fc.record({
  number: fc.constantFrom(...NUMBERS),
  diesAt: fc.integer({ min: 1, max: 4 }),
  isBefore: fc.boolean(),
  acts: fc.boolean(),
});
let runs = 0;

it('a session is paid once, wherever tries die, and another card pays it in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 5 }), async (steps) => {
      runs += 1;
      const shop = engine.ledgers.as({ tenantId: TENANT, actor: 'shop' });
      const email = `run-${runs}@shop.example`;
      const pages = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
      const order = { amount: '19.99', currency: 'GBP', email, ...pages };
      const { id, clientSecret } = await shop.checkoutSessions.open(order);
      const foreseen = (error: unknown) => {
        const isRefusal = (error as { code?: string }).code === 'CheckoutTryUnderWay';
        if (!(error instanceof Died) && !isRefusal) throw error;
      };
      for (const { number, diesAt, isBefore, acts } of steps) {
        const checkout = dying(diesAt, isBefore);
        const card = { number, expMonth: 12, expYear: 2040, cvv: '123', holder: '' };
        const content = ['checkout', id, number];
        const read = () => ({ instrument: { card }, visit: null });
        const one = { attempt: undefined, content, cvv: card.cvv, read };
        const found = await checkout.find(TENANT, id);
        await checkout.pay(found, one, CALLER).catch(foreseen);
        if (acts) await checkout.confirm(await checkout.find(TENANT, id), CALLER).catch(foreseen);
      }
      await shop.checkoutSessions.conclude(id, { clientSecret, outcome: 'given-up' });
      const card = { number: NUMBERS[0], expMonth: 12, expYear: 2040, cvv: '123' };
      // A try that died before its answer is concluded with its own card, or by the sweeper.
      const last = await shop.checkoutSessions.pay(id, { clientSecret, card }).catch(foreseen);
      const { payments } = await shop.payments.list({ emails: [email] });
      const paid = payments.filter(({ status }) => status === 'Captured');
      expect(paid.length).toBeLessThanOrEqual(1);
      expect(payments.every(({ amount }) => amount === '19.99')).toBe(true);
      const { status } = await shop.checkoutSessions.get(id);
      expect(status === 'complete').toBe(paid.length === 1);
      if (last !== undefined) expect(last.status).toBe('complete');
    }),
    { numRuns: 40 },
  );
});
