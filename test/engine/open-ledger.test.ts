/** The engine as an embedder meets it: a ledger in a few calls, without a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import {
  type Ledger,
  type LedgerOptions,
  silentLogger as logger,
  openLedger,
  type Storage,
} from '@counterfoil/engine';
import { openSandboxGateway, type PaymentGateway, sandbox } from '@counterfoil/engine/gateways';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { casesOfProject, hasServers } from '../setup/stores.ts';
import { codeOf, OPERATOR, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const SLOW = 2;
const TIMEOUT_MS = 60_000;
const masterKey = Buffer.alloc(32, 7);

const open: Ledger[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function opened(options: LedgerOptions): Promise<Ledger> {
  const ledger = await openLedger({ logger, ...options });
  open.push(ledger);
  return ledger;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function newDatabase(): Promise<Storage> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return { log: url, readModels: url };
}

const shopOf = (ledger: Ledger) => ledger.as({ tenantId: TENANT, actor: 'shop' });

/** Gateway 2, with some of its calls replaced. */
function gatewayWith(calls: (inner: PaymentGateway) => Partial<PaymentGateway>): PaymentGateway {
  const inner = openSandboxGateway({ path: ':memory:', gatewayId: SLOW });
  const own = calls(inner);
  return new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function withSlowAccount(ledger: Ledger): Promise<void> {
  await withShop(ledger, TENANT);
  const account = { ...SHOP_ACCOUNT, gatewayId: SLOW };
  await ledger.merchantAccounts.openOnce(TENANT, 2, account, OPERATOR);
}

const STORAGES = casesOfProject<readonly [string, () => Storage | Promise<Storage>]>({
  embedded: [['a folder', newFolder]],
  postgres: [['PostgreSQL', newDatabase]],
});

describe.each(STORAGES)('closing a ledger in %s', { timeout: TIMEOUT_MS }, (_, newStorage) => {
  it('finishes the calls under way, refuses new ones, and shows all when opened again', async () => {
    const charging = Promise.withResolvers<void>();
    const answering = Promise.withResolvers<void>();
    const slow = gatewayWith((inner) => ({
      async charge(...request) {
        charging.resolve();
        await answering.promise;
        return inner.charge(...request);
      },
    }));
    const options = { storage: await newStorage(), masterKey, gateways: [sandbox(), slow] };
    const ledger = await opened(options);
    await withSlowAccount(ledger);
    const shop = shopOf(ledger);
    const asked = [1, 2, 3].map((each) =>
      order({ merchantAccountId: 2, idempotencyKey: `order-${each}` }),
    );
    const paying = asked.map((each) => shop.payments.submit(each));
    const search = shop.transactions.search();
    await charging.promise;
    const closing = ledger.close();
    const later = [
      shop.payments.submit(order()),
      shop.books.trialBalance(),
      ledger.tenants.keysOf(TENANT),
      ledger.runDue(),
    ];
    expect(new Set(await Promise.all(later.map(codeOf)))).toEqual(new Set(['LedgerClosed']));
    answering.resolve();
    const paid = await Promise.all(paying);
    expect(paid.map(({ status }) => status)).toEqual(['Captured', 'Captured', 'Captured']);
    await search;
    await Promise.all([closing, ledger.close()]);
    await ledger.close();
    expect(await codeOf(shop.transactions.search())).toBe('LedgerClosed');
    expect(await codeOf(ledger.checks['event-store']?.() as Promise<void>)).toBe('LedgerClosed');

    const otherKey = openLedger({ ...options, logger, masterKey: Buffer.alloc(32, 8) });
    await expect(otherKey).rejects.toMatchObject({
      name: 'ConfigError',
      problems: [expect.stringMatching(/^the master key is not the one that the data in/)],
    });

    // Without background work, where that is left to another process.
    const again = shopOf(await opened({ ...options, ...(hasServers && { background: false }) }));
    expect((await again.transactions.search()).count).toBe(3);
    const [first = order()] = asked;
    expect((await again.payments.submit(first)).id).toBe(paid[0]?.id);
    // The first number of a new block: the repetition has taken none.
    const next = { merchantAccountId: 1, email: 'bob@shop.example' };
    expect((await again.payments.submit(order(next))).orderId % 100).toBe(0);
  });
});

describe.runIf(hasServers)('without a process that does the background work', () => {
  it('opens, takes payments and refuses reads', { timeout: TIMEOUT_MS }, async () => {
    const options = { storage: await newDatabase(), masterKey };
    const working = await opened(options);
    await withShop(working, TENANT);
    await working.close();
    const requestsOnly = { ...options, background: false };
    const paying = shopOf(await opened(requestsOnly)).payments.submit(order());
    expect(await paying).toMatchObject({ status: 'Captured' });
    const asking = shopOf(await opened(requestsOnly));
    expect(await codeOf(asking.transactions.search())).toBe('ReadModelsBehind');
  });
});

describe.runIf(hasServers)('beside a process that does the background work', () => {
  it('forgets persons and emails that the other has changed', async () => {
    const options = { storage: await newDatabase(), masterKey };
    const working = await opened(options);
    await withShop(working, TENANT);
    const { customers } = shopOf(working);
    const { payments } = shopOf(await opened({ ...options, background: false }));

    const [ann, bob] = ['ann@shop.example', 'bob@shop.example'];
    const paidBy = (email: string) => payments.submit(order({ email, merchantAccountId: 1 }));
    const [annsFirst, bobsFirst] = [await paidBy(ann), await paidBy(bob)];
    await payments.get(annsFirst.id);
    await customers.erase(annsFirst.customerId);
    const { rowVersion } = await customers.get(bobsFirst.customerId);
    await customers.replace(bobsFirst.customerId, { rowVersion, email: 'robert@shop.example' });
    const { customerId: other } = await customers.register({ email: bob });

    await expect.poll(() => payments.get(annsFirst.id)).toMatchObject({ payment: { email: '' } });
    const customerOf = async (email: string) => (await paidBy(email)).customerId;
    await expect.poll(() => customerOf(ann)).not.toBe(annsFirst.customerId);
    await expect.poll(() => customerOf(bob)).toBe(other);
  });
});

describe.skipIf(hasServers)('a ledger with a custom clock', () => {
  it('bills a subscription when its clock reaches the date', async () => {
    let now = '2026-01-31T12:00:00.000Z';
    const ledger = await opened({ storage: 'memory:', clock: { now: () => now } });
    await withShop(ledger, TENANT);
    const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
    const plans = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
    await shop.payments.submit(order({ plans }));
    await ledger.runDue();
    expect((await shop.transactions.search()).count).toBe(1);
    now = '2026-03-02T12:00:00.000Z';
    await ledger.runDue();
    const { transactions } = await shop.transactions.search({ dateFrom: '2026-01-01' });
    expect(transactions.map(({ amount }) => amount)).toEqual([9.99, 19.99]);
  });
});

const FOLDER = 'storage must be a folder, memory:, or { log, readModels } with URLs';
const NO_BACKGROUND = 'background must be true, or absent, where storage has no URLs';
const URL = 'postgres://u@h:1/db';

describe.skipIf(hasServers)('a ledger', () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    ['no options', undefined, ['options must be an object', FOLDER]],
    ['nothing', {}, [FOLDER]],
    ...['', URL, 'sqlite:./data', 'memory', 'postgres//h/db', import.meta.filename].map(
      (storage) => [`storage ${storage}`, { storage }, [FOLDER]] as const,
    ),
    [
      'URLs of other stores',
      { storage: { log: 'memory:', readModels: 'sqlite:a', prefix: 'a' } },
      [
        'storage.log must be a postgres:// or esdb:// URL',
        'storage.readModels must be a postgres:// URL',
        'storage.prefix is no option',
        'masterKey must be given where storage has URLs',
      ],
    ],
    [
      'parts of other shapes',
      {
        storage: 'memory:',
        masterKey: 'a'.repeat(32),
        gateways: [sandbox(), {}, gatewayWith(() => ({ gatewayId: 1.5 }))],
        projections: [{}],
        clock: { now: () => 'today' },
        logger: {},
        mail: {},
        gateway: sandbox(),
      },
      [
        'masterKey must be 32 bytes, as a Uint8Array or Buffer',
        'gateways[1] must be a PaymentGateway with a name and a gatewayId from 1, or sandbox()',
        'gateways[2] must be a PaymentGateway with a name and a gatewayId from 1, or sandbox()',
        'projections[0] must be made by defineProjection',
        'clock must be { now } that answers as 2026-01-31T12:00:00.000Z',
        'logger must be { debug, info, warn, error }, four functions',
        'mail.server must be an object',
        'mail.from must be an object',
        'mail.sandbox must be true or false',
        'gateway is no option',
      ],
    ],
    ...[Number.NaN, -1, 0, 2 ** 40, '10'].map(
      (number) =>
        [
          `numbers ${number}`,
          {
            storage: 'memory:',
            gatewayTimeoutMs: number,
            gatewayMaxInFlight: Number(number) * -1,
            dueWorkIntervalMs: number,
          },
          [
            'gatewayTimeoutMs must be a whole number of milliseconds, 1 to 2147483647',
            ...(number === -1 ? [] : ['gatewayMaxInFlight must be a whole number from 1']),
            'dueWorkIntervalMs must be a whole number of milliseconds, 1 to 2147483647',
          ],
        ] as const,
    ),
    ['background in memory', { storage: 'memory:', background: false }, [NO_BACKGROUND]],
    ['background in a folder', { storage: './data', background: false }, [NO_BACKGROUND]],
    [
      'two gateways of one id',
      { storage: 'memory:', logger, gateways: [sandbox(), sandbox()] },
      ['gateways: Sandbox and Sandbox both claim gateway id 1'],
    ],
  ])('refuses %s, and names each option at fault', async (_, options, problems) => {
    const opening = openLedger(options as LedgerOptions);
    await expect(opening).rejects.toMatchObject({ name: 'ConfigError', problems });
  });

  it('refuses storage that cannot be used', async () => {
    const nowhere = 'postgres://u@127.0.0.1:1/db';
    const shared = { storage: { log: nowhere, readModels: nowhere }, masterKey };
    for (const options of [{ storage: join(import.meta.filename, 'data') }, shared]) {
      const opening = openLedger({ ...options, logger });
      await expect(opening).rejects.toMatchObject({ name: 'StorageError' });
      await expect(opening).rejects.not.toThrow(/\bhosts?\b|[A-Z]_URL/);
    }
  });
});
