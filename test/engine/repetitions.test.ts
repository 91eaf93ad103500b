/** The same request twice does one thing: also in a process that has kept nothing of the first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CARD, codeOf, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const DECLINED = { ...CARD, number: '4000000000000002' };
const OTHER_CARD = { ...CARD, number: '5555555555554444' };
const PLAN = { name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 };
/** Each opens a ledger of its own. */
const RUNS = Number(process.env['FC_RUNS'] ?? '8');
const GIVEN_CUSTOMER = 5_001;
const PAGE = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/cart' };

type Shop = ReturnType<Ledger['as']>;

/** A request under a key, and what it was answered: an id, or the code of a refusal. */
interface Sent {
  readonly what: string;
  readonly send: (shop: Shop) => Promise<unknown>;
  readonly answer: unknown;
}

let folder: string;
let sent: Sent[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-repetitions-'));
  const ledger = await opened();
  await withShop(ledger, TENANT);
  sent = await livePast(shopOf(ledger));
  await ledger.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened(): Promise<Ledger> {
  return openLedger({ storage: folder, masterKey: Buffer.alloc(32, 7), logger });
}

function shopOf(ledger: Ledger): Shop {
  return ledger.as({ tenantId: TENANT, actor: 'shop' });
}

async function logSize(): Promise<number> {
  const log = await openSqliteEventStore({ path: join(folder, 'events.db'), follow: true });
  const head = Number(await log.head());
  await log.close();
  return head;
}

/** Every kind of request that takes a key, accepted and refused, on people who are new and who are known. */
async function livePast(shop: Shop): Promise<Sent[]> {
  const past: Sent[] = [];
  const keyed = async <Answer>(
    what: string,
    ask: (shop: Shop, key: { readonly idempotencyKey: string }) => Promise<Answer>,
    idOf: (answer: Answer) => unknown,
  ): Promise<Answer | undefined> => {
    const key = { idempotencyKey: `${what}-${past.length}` };
    let made: Answer | undefined;
    const send = async (to: Shop) => {
      const asked = ask(to, key);
      const code = await codeOf(asked);
      if (code !== 'accepted') return code;
      made = await asked;
      return idOf(made);
    };
    past.push({ what, send, answer: await send(shop) });
    return made;
  };
  const pay = (what: string, more: object) =>
    keyed(
      what,
      (to, key) => to.payments.submit(order({ ...more, ...key })),
      (paid) => [paid.id, paid.orderId, paid.payment.customerId],
    );

  const first = await pay('pay', { email: 'new@shop.example' });
  await pay('pay again', { email: 'NEW@shop.example' });
  await pay('pay by token', { email: 'new@shop.example', card: undefined, token: first?.token });
  await pay('pay as', { email: 'given@shop.example', customerId: GIVEN_CUSTOMER });
  await pay('pay as another', { email: 'new@shop.example', customerId: GIVEN_CUSTOMER });
  await pay('be declined', { email: 'declined@shop.example', card: DECLINED });
  await pay('pay too little', { email: 'little@shop.example', amount: '0.00' });
  const club = await pay('join', { email: 'club@shop.example', plans: [PLAN] });
  const captured = await pay('authorize', { email: 'hold@shop.example', capture: false });
  const voided = await pay('authorize another', { email: 'void@shop.example', capture: false });

  const idOf = ({ id }: { readonly id: string }) => id;
  const onPayment = {
    first: first?.id ?? '',
    captured: captured?.id ?? '',
    voided: voided?.id ?? '',
  };
  await keyed(
    'refund a part',
    (to, key) => to.payments.refund(onPayment.first, { amount: '5', ...key }),
    idOf,
  );
  await keyed('refund the rest', (to, key) => to.payments.refund(onPayment.first, key), idOf);
  await keyed(
    'refund too much',
    (to, key) => to.payments.refund(onPayment.first, { amount: '1', ...key }),
    idOf,
  );
  await keyed(
    'capture',
    (to, key) => to.payments.capture(onPayment.captured, { amount: '9.99', ...key }),
    idOf,
  );
  await keyed('capture again', (to, key) => to.payments.capture(onPayment.captured, key), idOf);
  await keyed('void', (to, key) => to.payments.void(onPayment.voided, key), idOf);

  const subscriptionId = club?.payment.plans[0]?.subscriptionId ?? 0;
  const stateOf = ({ subscriptionId: id }: { readonly subscriptionId: number }) => id;
  await keyed('freeze', (to, key) => to.subscriptions.freeze(subscriptionId, key), stateOf);
  await keyed('unfreeze', (to, key) => to.subscriptions.unfreeze(subscriptionId, key), stateOf);
  await keyed(
    'change the plan',
    (to, key) => to.subscriptions.changePlan(subscriptionId, { rebillAmount: '7.99', ...key }),
    stateOf,
  );
  await keyed(
    'change the card',
    (to, key) => to.subscriptions.changeCard(subscriptionId, { card: OTHER_CARD, ...key }),
    stateOf,
  );
  await keyed('end', (to, key) => to.subscriptions.unsubscribe(subscriptionId, key), stateOf);

  const registered = await keyed(
    'register',
    (to, key) => to.customers.register({ email: 'registered@shop.example', ...key }),
    ({ customerId }) => customerId,
  );
  await keyed(
    'register the same',
    (to, key) => to.customers.register({ email: 'registered@shop.example', ...key }),
    ({ customerId }) => customerId,
  );
  const customerId = registered?.customerId ?? 0;
  await keyed(
    'add a card',
    (to, key) => to.customers.addPaymentMethod(customerId, { card: CARD, ...key }),
    ({ paymentMethodId }) => paymentMethodId,
  );

  await keyed(
    'open an account',
    (to, key) => to.merchantAccounts.open({ ...SHOP_ACCOUNT, mid: '7002', ...key }),
    ({ id }) => id,
  );
  await keyed(
    'open a session',
    (to, key) =>
      to.checkoutSessions.open({
        amount: '19.99',
        currency: 'GBP',
        email: 'page@shop.example',
        ...PAGE,
        ...key,
      }),
    idOf,
  );
  return past;
}

it('asks for every kind of request, and is refused some', () => {
  const codes = sent.map(({ answer }) => answer).filter((answer) => /^[A-Z]/.test(String(answer)));
  expect(codes).toEqual([
    'CustomerMismatch',
    'AmountNotPositive',
    'NothingLeftToRefund',
    'WrongStatus',
    'EmailTaken',
  ]);
});

it('sent again to a process that knows nothing of it, in any order, does nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(sent, { minLength: 1 }),
      fc.boolean(),
      async (again, isWarm) => {
        const ledger = await opened();
        const shop = shopOf(ledger);
        // Then it has numbers at hand for what would be new.
        if (isWarm)
          await shop.payments.submit(order({ email: `${crypto.randomUUID()}@shop.example` }));
        const before = await logSize();
        const answers: unknown[] = [];
        for (const { send } of again) answers.push(await send(shop));
        await ledger.close();
        expect(answers).toEqual(again.map(({ answer }) => answer));
        expect((await logSize()) - before, 'new events').toBe(0);
      },
    ),
    { numRuns: RUNS },
  );
});
