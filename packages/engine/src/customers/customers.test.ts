/** Unique emails: after a crash at any write, and in any order of concurrent requests. */
import {
  type CommandId,
  Customer,
  createMemoryEventStore,
  type EventStore,
  type StreamName,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Caller, CommandRunner } from '../command-runner.ts';
import { cardBrands } from '../gateways/card-brands.ts';
import { cardFingerprints } from '../gateways/card-fingerprint.ts';
import { gatewayRegistry } from '../gateways/registry.ts';
import { Identities } from '../identities/identities.ts';
import { CredentialVault } from '../merchant-accounts/credential-vault.ts';
import { CardTokens } from '../payments/card-tokens.ts';
import { Cards } from '../payments/cards.ts';
import { GatewayAccounts } from '../payments/gateway-accounts.ts';
import { Refused } from '../refusal.ts';
import { References } from '../tenants/references.ts';
import { Customers } from './customers.ts';

const tenantId = 7 as TenantId;
const CALLER: Caller = { actor: 'agent@example.com' };
const SECRET = Buffer.alloc(32, 7);
const [A, B, C] = ['a@example.com', 'b@example.com', 'c@example.com'];

const clock = { now: () => '2026-01-01T00:00:00.000Z' };

/** Not used by these tests. */
const REFERENCES = new References(
  new CommandRunner({ store: createMemoryEventStore() }, clock, () => {}),
  {
    merchantAccountIdsOf: async () => [],
    companyIdsOf: async () => [],
    namesOf: () => Promise.reject(new Error('not asked for')),
  },
);
const gateways = gatewayRegistry([], {
  timeoutMs: 1_000,
  maxInFlight: 1,
  logger: { error() {} },
});
const cards = new Cards({
  gateways,
  gatewayAccounts: new GatewayAccounts({ gateways, vault: new CredentialVault(SECRET) }),
  brandOf: cardBrands(),
  tokens: new CardTokens(SECRET),
  fingerprintsOf: () => cardFingerprints(SECRET),
  customerOf: async () => null,
});

const contactOf = (email: string): Customer.Contact => ({
  email,
  firstName: 'Ada',
  lastName: '',
  phone: '',
  addresses: [],
});

type Through = Pick<EventStore, 'append' | 'appendAll' | 'read'>;

/** A log that outlives its hosts. `through` intercepts a host's reads and writes. */
class World {
  readonly store = createMemoryEventStore();
  /** A host that only reads. */
  readonly #reader = this.host();
  #registrations = 0;
  /** Facts of what was logged. */
  readonly errors: object[] = [];

  /** A new host with empty caches. */
  host(through: Through = this.store) {
    const { appendAll } = through;
    const store: EventStore = {
      append: (request) => through.append(request),
      ...(appendAll && { appendAll: (requests) => appendAll.call(through, requests) }),
      read: (stream, options) => through.read(stream, options),
      subscribe: (options) => this.store.subscribe(options),
      head: () => this.store.head(),
      close: () => this.store.close(),
    };
    const commands = new CommandRunner({ store }, clock, () => {});
    const identities = new Identities(commands, SECRET);
    const customers = new Customers({
      commands,
      identities,
      references: REFERENCES,
      cards,
      followedUp: async () => {},
      logger: { error: (facts) => void this.errors.push(facts) },
    });
    return { commands, identities, customers };
  }

  async register(
    email: string,
    { requestId = this.#newRequest(), through }: { requestId?: string; through?: Through } = {},
  ): Promise<Customer.Customer> {
    const contact = contactOf(email);
    const registration = { tenantId, sandbox: false, requestId, content: contact, contact };
    return this.host(through).customers.register(registration, CALLER);
  }

  #newRequest(): string {
    this.#registrations += 1;
    return `request-${this.#registrations}`;
  }

  async replace(
    { customerId, rowVersion }: Pick<Customer.Customer, 'customerId' | 'rowVersion'>,
    email: string,
    through?: Through,
  ): Promise<Customer.Customer> {
    const replacement = { rowVersion, contact: contactOf(email) };
    return this.host(through).customers.replace(named(customerId), replacement, CALLER);
  }

  async read(customerId: number): Promise<Customer.Customer> {
    return this.#reader.customers.get(named(customerId));
  }

  /** As an erasure does it. */
  async releaseAllOf(customerId: number): Promise<void> {
    const { identities, commands } = this.#reader;
    const at = commands.clock.now();
    const { emails } = await this.read(customerId);
    const request = { type: 'RequestErasure', ...named(customerId), at } as const;
    await commands.execute(Customer, request, { commandId: crypto.randomUUID() }, CALLER);
    for (const email of emails) {
      await identities.release({ tenantId, sandbox: false, email }, { customerId }, CALLER);
    }
  }

  async holderOf(email: string): Promise<number | undefined> {
    const { identities } = this.#reader;
    return (await identities.holderOf({ tenantId, sandbox: false, email }))?.customerId;
  }

  /** Every customer in the log. */
  async customers(): Promise<Customer.Customer[]> {
    const streams = new Set<StreamName>();
    for await (const batch of this.store.subscribe({ untilHead: true })) {
      for (const { stream, type } of batch) if (type === 'CustomerRegistered') streams.add(stream);
    }
    const { commands } = this.#reader;
    const states = await Promise.all([...streams].map((each) => commands.stateOf(Customer, each)));
    return states.filter((state) => state !== null);
  }
}

function named(customerId: number): Subject {
  return { tenantId, sandbox: false, customerId };
}

const PROPERTY_LIMIT_MS = 60_000;

class Crash extends Error {}

type Append = Parameters<EventStore['append']>[0];

interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
  readonly asOne: boolean;
}

/** Crashes at a write: before it reaches the log, or after it is durable and before the answer. */
function dying(
  store: EventStore,
  { at, when, asOne }: Death,
): Through & { readonly died: boolean } {
  let writes = 0;
  let died = false;
  const write = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    writes += 1;
    if (died || (writes === at && when === 'before')) {
      died = true;
      throw new Crash();
    }
    const result = await act();
    if (writes !== at) return result;
    died = true;
    throw new Crash();
  };
  return {
    get died() {
      return died;
    },
    append: (request: Append) => write(() => store.append(request)),
    ...(asOne && { appendAll: (requests) => write(() => allOf(store, requests)) }),
    read: (...args: Parameters<EventStore['read']>) => store.read(...args),
  };
}

async function allOf(store: EventStore, requests: readonly Append[]) {
  const result = await store.appendAll?.(requests);
  if (result === undefined) throw new Error('the store appends to one stream at a time');
  return result;
}

/** Crashes an operation at each of its writes, each time in a new world, on both kinds of logs. */
async function atEveryWrite(
  play: (world: World, through: Through) => Promise<unknown>,
  then: (world: World) => Promise<void>,
  prepare: (world: World) => Promise<unknown> = async () => {},
): Promise<void> {
  for (const asOne of [false, true]) {
    let crashes = 0;
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; ; at += 1) {
        const world = new World();
        await prepare(world);
        const through = dying(world.store, { at, when, asOne });
        const played = await play(world, through).catch((error: unknown) => error);
        if (!through.died) break;
        expect(played).toBeInstanceOf(Crash);
        crashes += 1;
        await then(world);
      }
    }
    expect(crashes).toBeGreaterThanOrEqual(4);
  }
}

describe('a crash at any write', () => {
  const requestId = 'the-request';

  it('of a registration is repaired by its retry', async () => {
    await atEveryWrite(
      (world, through) => world.register(A, { requestId, through }),
      async (world) => {
        const { customerId } = await world.register(A, { requestId });
        expect(await world.customers()).toHaveLength(1);
        expect(await world.holderOf(A)).toBe(customerId);
        await expect(world.register(A)).rejects.toMatchObject({ code: 'EmailTaken' });
      },
    );
  });

  it('of a registration is repaired by another one, unless it was done', async () => {
    await atEveryWrite(
      (world, through) => world.register(A, { requestId, through }),
      async (world) => {
        const done = (await world.customers()).length === 1;
        const next = world.register(A);
        if (done) await expect(next).rejects.toMatchObject({ code: 'EmailTaken' });
        else expect((await next).customerId).toBe(await world.holderOf(A));
        expect(await world.customers()).toHaveLength(1);
      },
    );
  });

  const registerFirst = (world: World) => world.register(A, { requestId });
  const firstOf = async (world: World) => {
    const [first] = await world.customers();
    if (first === undefined) throw new Error('no customer is registered');
    return first;
  };
  const moveToB = async (world: World, through: Through) =>
    world.replace(await firstOf(world), B, through);

  it('of another email is repaired by the next replacement', async () => {
    await atEveryWrite(
      moveToB,
      async (world) => {
        const present = await firstOf(world);
        await world.replace(present, B);
        expect(await world.holderOf(B)).toBe(present.customerId);
        expect(await world.holderOf(A)).toBeUndefined();
        expect((await world.register(A)).customerId).not.toBe(present.customerId);
      },
      registerFirst,
    );
  });

  it('of another email leaves the one in force to the customer', async () => {
    await atEveryWrite(
      moveToB,
      async (world) => {
        const { email, customerId } = await firstOf(world);
        expect([A, B]).toContain(email);
        expect(await world.holderOf(email)).toBe(customerId);
      },
      registerFirst,
    );
  });

  it('of another email leaves the other free again once it goes elsewhere', async () => {
    await atEveryWrite(
      moveToB,
      async (world) => {
        const present = await firstOf(world);
        await world.replace(present, C);
        for (const email of [A, B]) {
          expect((await world.register(email)).customerId).not.toBe(present.customerId);
        }
      },
      registerFirst,
    );
  });

  it('of another email leaves nothing that an erasure does not find', async () => {
    await atEveryWrite(
      moveToB,
      async (world) => {
        const { customerId } = await firstOf(world);
        await world.releaseAllOf(customerId);
        for (const email of [A, B]) expect(await world.holderOf(email)).toBeUndefined();
      },
      registerFirst,
    );
  });

  it('behind another email lets the former be registered at once', async () => {
    await atEveryWrite(
      moveToB,
      async (world) => {
        const { email, customerId } = await firstOf(world);
        if (email !== B) return;
        expect((await world.register(A)).customerId).not.toBe(customerId);
      },
      registerFirst,
    );
  });
});

/** Runs something right before a host's first write of a kind, or right after its first read. */
function interrupted(
  store: EventStore,
  { before, meanwhile }: { before: string; meanwhile: () => Promise<unknown> },
): Through {
  let happened = false;
  const happen = async () => {
    if (happened) return;
    happened = true;
    await meanwhile();
  };
  return {
    async append(request) {
      if (request.events[0]?.type === before) await happen();
      return store.append(request);
    },
    async read(...args) {
      const events = await store.read(...args);
      if (before === AFTER_READ) await happen();
      return events;
    },
  };
}
const AFTER_READ = 'after a read';

describe('a list', () => {
  it('leaves out who cannot be read, and logs it', async () => {
    const world = new World();
    const all = [await world.register(A), await world.register(B), await world.register(C)];
    const names = all.map(({ customerId }) => named(customerId));
    const [first, second, third] = all;
    const stream = Customer.streamOf(named(second?.customerId ?? 0));
    const unknown = { type: 'CustomerTeleported', schemaVersion: 1, data: '{}', metadata: '{}' };
    await world.store.append({
      stream,
      events: [{ ...unknown, id: crypto.randomUUID(), tenantId, time: clock.now() }],
      expected: { kind: 'exists' },
      command: { id: crypto.randomUUID() as CommandId, fingerprint: '' },
    });
    expect(await world.host().customers.all(names)).toEqual([first, third]);
    expect(world.errors).toMatchObject([{ stream, err: { name: 'DamagedEvent' } }]);
  });
});

describe('at the worst moment', () => {
  it('an email that is wanted back is not released', async () => {
    const world = new World();
    const first = await world.register(A);
    const through = interrupted(world.store, {
      before: 'EmailReleased',
      meanwhile: async () => {
        const { customerId } = await world.replace({ ...first, rowVersion: 2 }, A);
        expect(await world.holderOf(A)).toBe(customerId);
      },
    });
    await world.replace(first, B, through);
    expect(await world.read(first.customerId)).toMatchObject({ email: A, rowVersion: 3 });
    expect(await world.holderOf(A)).toBe(first.customerId);
    await expect(world.register(A)).rejects.toMatchObject({ code: 'EmailTaken' });
  });

  it('a version of the future is stale, though it has come by then', async () => {
    const world = new World();
    const first = await world.register(A);
    const through = interrupted(world.store, {
      before: AFTER_READ,
      meanwhile: () => world.replace(first, B),
    });
    const early = world.replace({ ...first, rowVersion: 2 }, A, through);
    await expect(early).rejects.toMatchObject({ code: 'StaleRowVersion' });
    expect(await world.read(first.customerId)).toMatchObject({ email: B });
  });

  it('a released email is not cached for its former customer', async () => {
    const world = new World();
    const { customerId } = await world.register(A);
    const customer = { tenantId, sandbox: false, email: A };
    const through = interrupted(world.store, {
      before: AFTER_READ,
      meanwhile: () => identities.release(customer, { customerId }, CALLER),
    });
    const { identities } = world.host(through);
    await identities.customerOf(customer, undefined, CALLER);
    expect(identities.knownCustomer(customer)).toBeUndefined();
    expect(await identities.customerOf(customer, undefined, CALLER)).not.toBe(customerId);
  });
});

describe('at the same time, in any order', () => {
  const someEmail = fc.constantFrom(A, B, C);
  const doing = fc.oneof(
    fc.record({ what: fc.constant('register' as const), email: someEmail }),
    fc.record({
      what: fc.constant('replace' as const),
      email: someEmail,
      who: fc.nat(1),
      again: fc.boolean(),
    }),
    fc.record({ what: fc.constant('pay' as const), email: someEmail }),
  );

  it(
    'no two customers have one email, and each holds the claim of its own',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(doing, { minLength: 2, maxLength: 5 }),
          fc.boolean(),
          async (scheduler, doings, asOne) => {
            const world = new World();
            const there = [await world.register(A), await world.register(B)];
            const { store } = world;
            const through: Through = {
              append: scheduler.scheduleFunction((request: Append) => store.append(request)),
              ...(asOne && {
                appendAll: scheduler.scheduleFunction((requests: readonly Append[]) =>
                  allOf(store, requests),
                ),
              }),
              read: scheduler.scheduleFunction((...args: Parameters<EventStore['read']>) =>
                store.read(...args),
              ),
            };
            const host = world.host(through);
            const replaced = async (who: number, email: string) => {
              const { customerId } = there[who] as Customer.Customer;
              const { rowVersion } = await host.customers.get(named(customerId));
              const replacement = { rowVersion, contact: contactOf(email) };
              await host.customers.replace(named(customerId), replacement, CALLER);
            };
            const all = doings.map(async (each, index) => {
              const customer = { tenantId, sandbox: false, email: each.email };
              if (each.what === 'pay') {
                const paid =
                  asOne &&
                  host.identities.knownCustomer(customer) === undefined &&
                  (await host.identities.recordedWithClaim(customer, ({ claim }) =>
                    host.commands.executeTogether([claim], CALLER),
                  ));
                if (!paid) await host.identities.customerOf(customer, undefined, CALLER);
              } else if (each.what === 'register') {
                const contact = contactOf(each.email);
                const registration = { tenantId, sandbox: false, content: index, contact };
                const request = { ...registration, requestId: `at-once-${index}` };
                await host.customers.register(request, CALLER);
              } else {
                await replaced(each.who, each.email);
                if (each.again) await replaced(each.who, each.who === 0 ? A : B);
              }
            });
            const settled = Promise.allSettled(all);
            await scheduler.waitFor(settled);
            for (const each of await settled) {
              if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(Refused);
            }
            const customers = await world.customers();
            const emails = customers.map(({ email }) => email);
            expect(new Set(emails).size).toBe(emails.length);
            for (const { email, customerId } of customers) {
              expect(await world.holderOf(email)).toBe(customerId);
              // The cached claims match the log.
              const remembered = host.identities.knownCustomer({ tenantId, sandbox: false, email });
              expect([undefined, customerId]).toContain(remembered);
            }
          },
        ),
      );
    },
    PROPERTY_LIMIT_MS,
  );
});
