/** The customer of an email: read from the log once; and which ids may be given for it. */
import {
  type AppendResult,
  Customer,
  createMemoryEventStore,
  type EventStore,
  type TenantId,
} from '@counterfoil/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Caller, CommandRunner } from '../command-runner.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { Identities, type NamedCustomer } from './identities.ts';

const tenantId = 7 as TenantId;
const CALLER: Caller = { actor: 'agent@example.com' };
const FIRST_ALLOCATED = 1_000_000_000;
const OWN = 4_711;
const named = (email: string, sandbox = false): NamedCustomer => ({ tenantId, sandbox, email });

let reads: number;
let appended: string[];
let commands: CommandRunner;
let identities: Identities;

beforeEach(() => {
  const store = createMemoryEventStore();
  const counting: EventStore = {
    append: (request): Promise<AppendResult> => {
      appended.push(...request.events.map(({ type }) => type));
      return store.append(request);
    },
    read: (...args) => {
      reads += 1;
      return store.read(...args);
    },
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    close: () => store.close(),
  };
  commands = new CommandRunner(
    { store: counting },
    { now: () => '2026-01-01T00:00:00.000Z' },
    () => {},
  );
  identities = new Identities(commands, Buffer.alloc(32, 7));
  reads = 0;
  appended = [];
});

describe('the customer of an email', () => {
  it('takes one append when it is new, and no access to the log when it is cached', async () => {
    await identities.next(tenantId, 'customer');
    appended = [];
    reads = 0;
    const customerId = await identities.customerOf(named('a@example.com'), undefined, CALLER);
    expect(appended).toEqual(['CustomerIdentified']);
    expect(reads).toBe(0);
    for (const email of ['a@example.com', 'A@EXAMPLE.com']) {
      expect(identities.knownCustomer(named(email))).toBe(customerId);
      expect(await identities.customerOf(named(email), undefined, CALLER)).toBe(customerId);
    }
    expect([reads, appended.length]).toEqual([0, 1]);
  });

  it('takes no number where a host that does not remember it has to look for it', async () => {
    const customerId = await identities.customerOf(named('a@example.com'), undefined, CALLER);
    const restarted = new Identities(commands, Buffer.alloc(32, 7));
    const first = await restarted.next(tenantId, 'customer');
    expect(await restarted.customerOf(named('a@example.com'), undefined, CALLER)).toBe(customerId);
    const next = await restarted.customerOf(named('b@example.com'), undefined, CALLER);
    expect(next).toBe(first + 1);
    expect(await restarted.next(tenantId, 'customer')).toBe(first + 2);
  });

  it('is the one that asked first, whatever is wanted later', async () => {
    expect(await identities.customerOf(named('a@example.com'), OWN, CALLER)).toBe(OWN);
    expect(await identities.customerOf(named('a@example.com'), 4_712, CALLER)).toBe(OWN);
    const raced = await Promise.all(
      [1, 2, 3].map((id) => identities.customerOf(named('b@example.com'), id, CALLER)),
    );
    expect(new Set(raced).size).toBe(1);
  });

  it('is another one in the sandbox', async () => {
    const live = await identities.customerOf(named('a@example.com'), undefined, CALLER);
    expect(identities.knownCustomer(named('a@example.com', true))).toBeUndefined();
    const test = await identities.customerOf(named('a@example.com', true), undefined, CALLER);
    expect(test).not.toBe(live);
  });

  it('is another one after a release, which only its holder can make', async () => {
    await identities.customerOf(named('a@example.com'), OWN, CALLER);
    await identities.release(named('a@example.com'), { customerId: 4_712 }, CALLER);
    await identities.release(named('a@example.com', true), { customerId: OWN }, CALLER);
    expect(await identities.holderOf(named('a@example.com'))).toEqual({
      customerId: OWN,
      claim: 1,
    });
    await identities.release(named('A@example.com'), { customerId: OWN }, CALLER);
    expect(await identities.holderOf(named('a@example.com'))).toBeUndefined();
    expect(identities.knownCustomer(named('a@example.com'))).toBeUndefined();
    expect(await identities.customerOf(named('a@example.com'), 4_712, CALLER)).toBe(4_712);
  });
});

describe('what is recorded with the claim of an email', () => {
  const register = (customerId: number) =>
    ({
      aggregate: Customer,
      command: {
        type: 'RegisterCustomer',
        ...{ tenantId, sandbox: false, customerId, email: 'a@example.com' },
        ...{ firstName: '', lastName: '', phone: '', addresses: [], at: commands.clock.now() },
      },
      name: { commandId: crypto.randomUUID() },
    }) as const;
  const registered = () =>
    identities.recordedWithClaim(named('a@example.com'), ({ customerId, claim }) =>
      commands.executeTogether([claim, register(customerId)], CALLER),
    );

  beforeEach(() => {
    const executor = { store: createMemoryEventStore(), cache: createStateCache() };
    commands = new CommandRunner(executor, { now: () => '2026-01-01T00:00:00.000Z' }, () => {});
    identities = new Identities(commands, Buffer.alloc(32, 7));
  });

  it('is there with the claim', async () => {
    const done = await registered();
    const holder = await identities.holderOf(named('a@example.com'));
    expect(holder).toEqual({ customerId: done?.[1].state?.customerId, claim: 1 });
    expect(identities.knownCustomer(named('a@example.com'))).toBe(holder?.customerId);
  });

  it('keeps its number where the store has lost its answer, and appended again', async () => {
    const store = createMemoryEventStore();
    const forgetful: EventStore = {
      append: (request) => store.append(request),
      appendAll: async (requests) => {
        await store.appendAll?.(requests);
        return store.appendAll?.(requests) ?? Promise.reject(new Error('one stream at a time'));
      },
      read: (...asked) => store.read(...asked),
      subscribe: (options) => store.subscribe(options),
      head: () => store.head(),
      close: () => store.close(),
    };
    commands = new CommandRunner({ store: forgetful }, commands.clock, () => {});
    identities = new Identities(commands, Buffer.alloc(32, 7));
    expect(await registered()).toBeUndefined();
    const holder = await identities.holderOf(named('a@example.com'));
    expect(holder?.customerId).toBe(FIRST_ALLOCATED);
    const other = await identities.customerOf(named('b@example.com'), undefined, CALLER);
    expect(other).not.toBe(holder?.customerId);
  });

  it.each([true, false])(
    'is nothing where another holds the email, its claim cached: %s',
    async (isCached) => {
      const holder = await identities.customerOf(named('a@example.com'), undefined, CALLER);
      if (!isCached) {
        const { store } = commands.executor;
        commands = new CommandRunner({ store }, commands.clock, () => {});
        identities = new Identities(commands, Buffer.alloc(32, 7));
      }
      identities.forget();
      const next = await identities.next(tenantId, 'customer');
      expect(await registered()).toBeUndefined();
      const looked = { claimsFirst: false };
      const found = await identities.customerOf(named('a@example.com'), undefined, CALLER, looked);
      expect(found).toBe(holder);
      // The number is taken by the next new customer.
      expect(await identities.next(tenantId, 'customer')).toBe(next + 1);
    },
  );
});

describe('an id given by the caller', () => {
  it('belongs to one email, also when two claim it concurrently', async () => {
    const emails = ['a@example.com', 'b@example.com', 'c@example.com'];
    const other = new Identities(commands, Buffer.alloc(32, 7));
    const raced = await Promise.all(
      emails.map((email, index) =>
        (index === 0 ? other : identities).customerOf(named(email), OWN, CALLER),
      ),
    );
    expect(raced.filter((each) => each === OWN)).toHaveLength(1);
    const winner = emails[raced.indexOf(OWN)] as string;
    for (const email of emails) {
      const holder = await identities.holderOf(named(email));
      expect(holder?.customerId).toBe(email === winner ? OWN : undefined);
      const again = await new Identities(commands, Buffer.alloc(32, 7)).customerOf(
        named(email),
        OWN,
        CALLER,
      );
      expect(again).toBe(email === winner ? OWN : undefined);
    }
    expect(await identities.customerOf(named('b@example.com', true), OWN, CALLER)).toBe(OWN);
  });

  it('is free again when its email belongs to another customer', async () => {
    const raced = await Promise.all(
      [OWN, 4_712].map((id) => identities.customerOf(named('a@example.com'), id, CALLER)),
    );
    expect(new Set(raced).size).toBe(1);
    const lost = raced[0] === OWN ? 4_712 : OWN;
    expect(await identities.customerOf(named('b@example.com'), lost, CALLER)).toBe(lost);
    expect(await identities.customerOf(named('c@example.com'), raced[0], CALLER)).toBeUndefined();
  });

  it('is read from the log after another host released the email', async () => {
    const other = new Identities(commands, Buffer.alloc(32, 7));
    await identities.customerOf(named('a@example.com'), OWN, CALLER);
    await other.release(named('a@example.com'), { customerId: OWN }, CALLER);
    expect(identities.knownCustomer(named('a@example.com'))).toBe(OWN);
    expect(await identities.holderOf(named('a@example.com'))).toBeUndefined();
    expect(identities.knownCustomer(named('a@example.com'))).toBeUndefined();
  });
});

it.each([
  ['released', undefined],
  ['given to another', OWN],
] as const)('a customer is not gone by whose email another host has %s', async (_, holder) => {
  const email = named('a@example.com');
  const [here, there] = [0, 1].map(
    () => new Identities(commands, Buffer.alloc(32, 7), { othersWrite: true }),
  ) as [Identities, Identities];
  const customerId = await here.customerOf(email, undefined, CALLER);
  expect(await here.presentCustomer(email)).toBe(customerId);
  await there.release(email, { customerId: customerId ?? 0 }, CALLER);
  if (holder !== undefined) await there.customerOf(email, holder, CALLER);
  expect(await here.presentCustomer(email)).toBeUndefined();
  const next = await here.customerOf(email, undefined, CALLER);
  expect(next).not.toBe(customerId);
  if (holder !== undefined) expect(next).toBe(holder);
});

describe('who may be named for an email', () => {
  const register = (customerId: number) =>
    commands.execute(
      Customer,
      {
        type: 'RegisterCustomer',
        tenantId,
        sandbox: false,
        customerId,
        email: 'other@example.com',
        firstName: '',
        lastName: '',
        phone: '',
        addresses: [],
        at: commands.clock.now(),
      },
      { commandId: crypto.randomUUID() },
      CALLER,
    );

  it.each<[string, number, boolean]>([
    ['its customer', OWN, true],
    ['another one', 4_712, false],
    ['one that the service may have allocated', FIRST_ALLOCATED, false],
  ])('of a customer: %s', async (_, customerId, may) => {
    await identities.customerOf(named('a@example.com'), OWN, CALLER);
    expect(await identities.mayBe(named('A@example.com'), customerId)).toBe(may);
  });

  it.each<[string, number, boolean]>([
    ['an id given by the caller', OWN, true],
    ['the last one below those of the service', FIRST_ALLOCATED - 1, true],
    ['the first one of the service', FIRST_ALLOCATED, false],
    ['the last one of the service', 2_147_483_647, false],
    ['the first one above them', 2_147_483_648, true],
    ['one that is registered', 4_713, false],
  ])('of no customer: %s', async (_, customerId, may) => {
    await register(4_713);
    expect(await identities.mayBe(named('a@example.com'), customerId)).toBe(may);
    expect(await identities.mayBe(named('a@example.com', true), 4_713)).toBe(true);
  });
});
