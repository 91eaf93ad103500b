/** The black list through the face of the engine: what it blocks, how it is kept, and what it keeps. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlackList, TenantId } from '@counterfoil/core';
import { type Ledger, openLedger, silentLogger } from '@counterfoil/engine';
import { openSandboxGateway, type PaymentGateway } from '@counterfoil/engine/gateways';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CARD, codeOf, disputeReport, OPERATOR, order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const OTHER = TenantId.parse(8);
const NOW = '2026-03-01T12:00:00.000Z';
const LATER = '2026-03-02T12:00:00.000Z';
const PROPERTY_MS = 60_000;
const UNKNOWN = '0198c0de-0000-7000-8000-000000000000';
const OTHER_CARD = { ...CARD, number: '5555555555554444' };

let now = NOW;
let ledger: Ledger;
/** The calls of the gateway, by name. */
let calls: string[] = [];

function noting(gateway: PaymentGateway): PaymentGateway {
  return new Proxy(gateway, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        calls.push(String(name));
        return member.apply(target, given);
      };
    },
  });
}

beforeAll(async () => {
  ledger = await openLedger({
    storage: 'memory:',
    logger: silentLogger,
    masterKey: Buffer.alloc(32, 7),
    gateways: [noting(openSandboxGateway({ path: ':memory:', gatewayId: 1 }))],
    clock: { now: () => now },
  });
  for (const tenantId of [TENANT, OTHER]) await withShop(ledger, tenantId);
});
afterAll(() => ledger.close());

const as = (tenantId: TenantId, environment: 'live' | 'test' = 'live') =>
  ledger.as({ tenantId, actor: 'shop', environment });
const shop = () => as(TENANT);

let payers = 0;
/** A payer whom nothing else knows. */
function payer(more: object = {}) {
  payers += 1;
  return order({ email: `payer-${payers}@shop.example`, ...more });
}

/** Takes an entry off the list again when the test is over. */
async function listed(entry: Parameters<ReturnType<typeof shop>['blackList']['add']>[0]) {
  const { blackList } = shop();
  const made = await blackList.add(entry);
  onTestFinished(async () => void (await codeOf(blackList.remove(made.id))));
  return made;
}

const maskOf = async (submission: Parameters<ReturnType<typeof shop>['payments']['submit']>[0]) =>
  (await shop().payments.submit(submission)).payment.blackListing;

describe('a payer on the black list', () => {
  it('is blocked before any gateway hears of the payment', async () => {
    const { email } = payer();
    await listed({ kind: 'email', value: email });
    calls = [];
    const view = await shop().payments.submit(order({ email }));
    expect(view.status).toBe('Blocked');
    expect(view.payment).toMatchObject({
      blackListing: 1,
      attempts: [],
      card: { bin: '424242', last4: '4242', brandId: 1, token: '' },
    });
    expect(view.token).toBeNull();
    expect(calls.filter((name) => name !== 'noticesOf')).toEqual([]);
  });

  it.each([
    ['email', 'EVE@xn--bcher-kva.example', { email: 'eve@bücher.example' }],
    ['bin', '555555', { card: OTHER_CARD }],
    ['extendedBin', '55555555', { card: OTHER_CARD }],
    ['ip', '203.0.113.7', { session: { ip: '::ffff:203.0.113.7' } }],
    ['ip', '2001:DB8:0:0::1', { session: { ip: '2001:db8::1' } }],
  ] as const)('is known by %s %s', async (kind, value, more) => {
    await listed({ kind, value });
    expect(await maskOf(payer(more))).toBe(BlackList.maskOf([kind]));
  });

  it('is known by the card and the customer of an earlier payment', async () => {
    const given = payer({ card: { ...CARD, number: '4000056655665556' } });
    const paid = await shop().payments.submit(given);
    const { id: transactionId } = paid;
    await listed({ kind: 'cardFingerprint', transactionId });
    expect(await maskOf(payer({ card: given.card }))).toBe(2);
    await listed({ kind: 'customer', transactionId });
    const { email } = given;
    expect(await maskOf(order({ email }))).toBe(32);
    const { token } = paid;
    expect(await maskOf(order({ email, card: undefined, token: token ?? '' }))).toBe(34);
  });

  it('has the sum of all that matches', async () => {
    const given = payer({ card: OTHER_CARD, session: { ip: '198.51.100.9' } });
    await listed({ kind: 'email', value: given.email });
    await listed({ kind: 'bin', value: '555555' });
    await listed({ kind: 'ip', value: '198.51.100.9' });
    expect(await maskOf(given)).toBe(1 + 4 + 16);
  });

  it('is blocked until the entry expires or is removed', async () => {
    const { email } = payer();
    const { id } = await listed({ kind: 'email', value: email, expiresAt: LATER });
    expect(await maskOf(order({ email }))).toBe(1);
    now = LATER;
    onTestFinished(() => {
      now = NOW;
    });
    expect(await maskOf(order({ email }))).toBe(0);
    await shop().blackList.add({ kind: 'email', value: email });
    expect(await maskOf(order({ email }))).toBe(1);
    await shop().blackList.remove(id);
    expect(await maskOf(order({ email }))).toBe(0);
  });

  it('keeps the answer of a payment that is repeated', async () => {
    const given = { ...payer(), idempotencyKey: 'before-the-list' };
    expect((await shop().payments.submit(given)).status).toBe('Captured');
    const { id } = await listed({ kind: 'email', value: given.email });
    expect((await shop().payments.submit(given)).status).toBe('Captured');
    const blocked = { ...given, idempotencyKey: 'on-the-list' };
    expect((await shop().payments.submit(blocked)).status).toBe('Blocked');
    await shop().blackList.remove(id);
    expect((await shop().payments.submit(blocked)).status).toBe('Blocked');
  });

  it('is still blocked after an erasure', async () => {
    const given = payer();
    const { customerId } = await shop().payments.submit(given);
    await listed({ kind: 'email', value: given.email });
    await shop().customers.erase(customerId);
    expect(await maskOf(given)).toBe(1);
  });
});

describe('an entry', () => {
  it('shows what is on the list, masked', async () => {
    const made = await listed({ kind: 'email', value: 'Mallory@example.com', reason: 'Fraud' });
    const shown = {
      kind: 'email',
      value: 'm***@***',
      reason: 'Fraud',
      source: 'admin',
      sandbox: false,
      transactionId: null,
      createdAt: NOW,
      expiresAt: null,
      rowVersion: 1,
    };
    expect(made).toMatchObject(shown);
    expect(await shop().blackList.get(made.id)).toEqual(made);
    expect((await shop().blackList.list({ value: 'mallory@EXAMPLE.com' })).items).toEqual([made]);
    expect((await shop().blackList.list({ kind: 'email' })).items).toContainEqual(made);
    expect((await shop().blackList.list({ kind: 'ip' })).items).not.toContainEqual(made);
  });

  it('is the same for the same value, and changed by its version', async () => {
    const value = 'twice@example.com';
    const made = await listed({ kind: 'email', value });
    expect(await shop().blackList.add({ kind: 'email', value })).toEqual(made);
    const differs = shop().blackList.add({ kind: 'email', value, reason: 'Other' });
    expect(await codeOf(differs)).toBe('BlackListEntryExists');
    const changed = await shop().blackList.change(made.id, { reason: 'Other', rowVersion: 1 });
    expect(changed).toMatchObject({ reason: 'Other', rowVersion: 2 });
    const stale = shop().blackList.change(made.id, { reason: 'Third', rowVersion: 1 });
    expect(await codeOf(stale)).toBe('StaleRowVersion');
    expect(await shop().blackList.remove(made.id)).toEqual(changed);
    expect(await codeOf(shop().blackList.remove(made.id))).toBe('BlackListEntryUnknown');
    expect(await shop().blackList.add({ kind: 'email', value })).toMatchObject({ rowVersion: 4 });
  });

  it.each([
    ['an email without a domain', { kind: 'email', value: 'eve' }, 'BlackListValueInvalid'],
    ['five digits as a BIN', { kind: 'bin', value: '42424' }, 'BlackListValueInvalid'],
    ['an address out of range', { kind: 'ip', value: '256.1.1.1' }, 'BlackListValueInvalid'],
    [
      'a value and a payment',
      { kind: 'ip', value: '192.0.2.1', transactionId: UNKNOWN },
      'ValueOrTransaction',
    ],
    ['neither', { kind: 'ip' }, 'ValueOrTransaction'],
    ['no such payment', { kind: 'ip', transactionId: UNKNOWN }, 'TransactionUnknown'],
    [
      'an expiry that has passed',
      { kind: 'bin', value: '424242', expiresAt: NOW },
      'ExpiryInThePast',
    ],
    ['an unknown kind', { kind: 'phone', value: '1' }, 'InputInvalid'],
  ])('with %s is refused', async (_, entry, code) => {
    expect(await codeOf(shop().blackList.add(entry as never))).toBe(code);
  });

  it('needs a value that the payment has', async () => {
    const { id: transactionId } = await shop().payments.submit(payer());
    const entry = { kind: 'ip', transactionId } as const;
    expect(await codeOf(shop().blackList.add(entry))).toBe('PayerValueUnknown');
  });

  it('is found page by page, newest first', async () => {
    const tenantId = TenantId.parse(11);
    await withShop(ledger, tenantId);
    const { blackList } = as(tenantId);
    const ids: string[] = [];
    for (const minute of [10, 20, 30]) {
      now = `2026-03-01T13:${minute}:00.000Z`;
      ids.unshift((await blackList.add({ kind: 'bin', value: `4000${minute}` })).id);
    }
    now = NOW;
    const first = await blackList.list({ limit: 2 });
    const second = await blackList.list({ limit: 2, after: first.next ?? '' });
    expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(second.next).toBeUndefined();
    expect((await blackList.list({ after: 'nowhere' })).items).toEqual([]);
  });
});

describe('disputes', () => {
  const settings = (blackListing: object) =>
    ledger.tenants.changeSettings(TENANT, { blackListing }, OPERATOR);

  it('put payers on the list by the settings, once for each', async () => {
    await settings({ onChargeback: BlackList.maskOf(['email', 'ip']), onConfirmedFraud: 32 });
    onTestFinished(() => settings({ onChargeback: 0, onConfirmedFraud: 0 }));
    const given = payer({ session: { ip: '203.0.113.44' } });
    const { id: transactionId, customerId } = await shop().payments.submit(given);
    const report = disputeReport({ transactionId, reasonCode: '10.4' });
    await shop().disputes.reportChargeback(report);
    const { email } = given;
    const found = await expect.poll(
      async () => (await shop().blackList.list({ value: email })).items,
    );
    await found.toMatchObject([{ source: 'chargeback', reason: '10.4', transactionId }]);
    const [entry] = (await shop().blackList.list({ value: email })).items;
    expect((await shop().blackList.list({ value: '203.0.113.44' })).items).toHaveLength(1);
    // The same report again does not undo what an admin has done since.
    await shop().blackList.remove(entry?.id ?? '');
    await shop().disputes.reportChargeback({ ...report, status: 'ChargebackUnderReview' });
    const alert = () => ({ ...disputeReport({ transactionId }), source: 'CDRN' as const });
    await shop().disputes.reportAlert({ ...alert(), type: 'CustomerDispute' });
    await shop().disputes.reportAlert({ ...alert(), type: 'ConfirmedFraud' });
    const customer = { kind: 'customer', value: String(customerId) } as const;
    const byCustomer = expect.poll(async () => (await shop().blackList.list(customer)).items);
    await byCustomer.toMatchObject([{ source: 'confirmed-fraud', reason: 'CDRN' }]);
    expect((await shop().blackList.list({ value: email })).items).toEqual([]);
  });

  it('put nothing on the list where the settings are the default', async () => {
    const given = payer();
    const { id: transactionId } = await shop().payments.submit(given);
    await shop().disputes.reportChargeback(disputeReport({ transactionId }));
    expect(await maskOf(given)).toBe(0);
  });
});

it('blocks exactly what the list of a tenant and environment has, after any changes', {
  timeout: PROPERTY_MS,
}, async () => {
  const tenants = [TenantId.parse(21), TenantId.parse(22)] as const;
  for (const tenantId of tenants) await withShop(ledger, tenantId);
  const where = fc.record({ tenantId: fc.constantFrom(...tenants), sandbox: fc.boolean() });
  const value = fc.constantFrom(
    { kind: 'email', value: 'ann@shop.example' } as const,
    { kind: 'email', value: 'Bob@shop.example' } as const,
    { kind: 'bin', value: '424242' } as const,
    { kind: 'bin', value: '555555' } as const,
    { kind: 'ip', value: '192.0.2.1' } as const,
  );
  const step = fc.record({ does: fc.constantFrom('add', 'remove', 'pay'), where, value });
  const listOf = ({ tenantId, sandbox }: { tenantId: TenantId; sandbox: boolean }) =>
    `${tenantId}/${sandbox}/`;
  const keyOf = (at: Parameters<typeof listOf>[0], each: { kind: string; value: string }) =>
    `${listOf(at)}${each.kind}/${each.value.toLowerCase()}`;
  const onList = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const { does, where: at, value: each } of steps) {
        const { blackList, payments } = as(at.tenantId);
        const { sandbox } = at;
        if (does === 'add') {
          await blackList.add({ ...each, sandbox });
          onList.add(keyOf(at, each));
        } else if (does === 'remove') {
          const [entry] = (await blackList.list({ ...each, sandbox })).items;
          expect(entry !== undefined).toBe(onList.delete(keyOf(at, each)));
          if (entry !== undefined) await blackList.remove(entry.id);
        } else {
          const email = 'bob@shop.example';
          const given = order({ email, sandbox, session: { ip: '192.0.2.1' } });
          const { payment } = await payments.submit(given);
          const has = (kind: BlackList.Kind, text: string) =>
            onList.has(keyOf(at, { kind, value: text }));
          const mask =
            Number(has('email', email)) +
            4 * Number(has('bin', '424242')) +
            16 * Number(has('ip', '192.0.2.1'));
          expect(payment.blackListing).toBe(mask);
          expect(payment.status).toBe(mask === 0 ? 'Captured' : 'Blocked');
        }
      }
    }),
    { numRuns: 30 },
  );
  for (const tenantId of tenants) {
    for (const sandbox of [true, false]) {
      const { items } = await as(tenantId).blackList.list({ sandbox });
      const expected = [...onList].filter((key) => key.startsWith(listOf({ tenantId, sandbox })));
      expect(items).toHaveLength(expected.length);
    }
  }
});

it('is kept by those who work on disputes, and read by viewers', async () => {
  const scopesOf = async (role: string) => (await shop().users.getRole(role)).scopes;
  const own = ['blacklist:read', 'blacklist:write'];
  expect(await scopesOf('disputes')).toEqual(expect.arrayContaining(own));
  expect(await scopesOf('viewer')).toContain('blacklist:read');
  expect(await scopesOf('agent')).not.toContain('blacklist:read');
});

it('shows a caller of the test environment the sandbox list alone', async () => {
  const { id } = await listed({ kind: 'email', value: 'live@example.com' });
  const test = as(TENANT, 'test').blackList;
  expect(await codeOf(test.get(id))).toBe('BlackListEntryUnknown');
  expect(await codeOf(test.remove(id))).toBe('BlackListEntryUnknown');
  expect((await test.list({ value: 'live@example.com' })).items).toEqual([]);
  const sandbox = await test.add({ kind: 'email', value: 'live@example.com' });
  expect(sandbox).toMatchObject({ sandbox: true });
  expect(sandbox.id).not.toBe(id);
  expect(await codeOf(as(OTHER).blackList.get(id))).toBe('BlackListEntryUnknown');
});

it('keeps no personal value in any file, whatever it is', { timeout: PROPERTY_MS }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'black-list-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kept = await openLedger({ storage: folder, logger: silentLogger });
  await withShop(kept, TENANT);
  const { blackList } = kept.as({ tenantId: TENANT, actor: 'agent' });
  const values: string[] = [];
  const word = fc.stringMatching(/^[a-z0-9]{6,12}$/);
  const email = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example`);
  const entry = fc.oneof(
    email.map((value) => ({ kind: 'email' as const, value })),
    fc.ipV4().map((value) => ({ kind: 'ip' as const, value })),
    fc
      .stringMatching(/^[0-9a-f]{32}$/)
      .map((value) => ({ kind: 'cardFingerprint' as const, value })),
    fc.stringMatching(/^[1-9]\d{14}$/).map((value) => ({ kind: 'customer' as const, value })),
  );
  await fc.assert(
    fc.asyncProperty(entry, async (each) => {
      const { value, id } = await blackList.add(each);
      expect([value, id].join()).not.toContain(each.value);
      values.push(each.value);
    }),
    { numRuns: 25 },
  );
  await blackList.list();
  await kept.close();
  const stored = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  expect(values.filter((value) => stored.some((text) => text.includes(value)))).toEqual([]);
});
