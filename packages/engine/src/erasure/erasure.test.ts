/** An erasure interrupted between any two steps is finished once by the next process. */

import { randomBytes } from 'node:crypto';
import {
  type CommandId,
  Customer,
  createMemoryEventStore,
  type EventStore,
  Subscription,
  type TenantId,
} from '@counterfoil/core';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { Identities } from '../identities/identities.ts';
import { silentLogger } from '../logger.ts';
import { PersonalKeys } from '../personal-keys/personal-keys.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import { openCheckpoints } from '../storage/checkpoints.ts';
import { Erasure, type ErasureServices } from './erasure.ts';
import { followErasures } from './erasures.ts';

const TENANT = 1 as TenantId;
const CUSTOMER = { tenantId: TENANT, sandbox: false, customerId: 7 };
const EMAILS = ['ada@example.com', 'countess@example.com'];
const AT = '2026-01-01T00:00:00.000Z';
const POLLING = { timeout: 10_000, interval: 5 };
const emailSecret = randomBytes(32);
const wrappingKey = randomBytes(32);

const named = (email: string) => ({ tenantId: TENANT, sandbox: false, email });

/** The state of a host that survives its crash. */
class Life {
  readonly events: EventStore = createMemoryEventStore();
  readonly keys = new PersonalKeys({ path: ':memory:', wrappingKey });
  commands!: CommandRunner;
  identities!: Identities;
  calls: string[] = [];

  constructor() {
    this.#restart();
  }

  #restart(): void {
    const clock = { now: () => AT };
    this.commands = new CommandRunner({ store: this.events, vault: this.keys }, clock, () => {});
    this.identities = new Identities(this.commands, emailSecret);
  }

  /** An erasure in a new process that crashes at its nth step, if there is one. */
  erasure(dyingAt = Number.POSITIVE_INFINITY): Erasure {
    this.#restart();
    this.calls = [];
    const { commands, identities, keys } = this;
    const step = (name: string) => {
      this.calls.push(name);
      if (this.calls.length >= dyingAt) throw new Error(`killed before ${name}`);
    };
    const dying = <Part extends object>(part: Part, methods: readonly string[]): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const member = Reflect.get(target, name) as unknown;
          if (typeof member !== 'function') return member;
          return (...words: unknown[]) => {
            const command = words[1] as { type?: string } | undefined;
            if (methods.includes(String(name))) step(command?.type ?? String(name));
            return Reflect.apply(member, target, words);
          };
        },
      });
    const services: ErasureServices = {
      commands: dying(commands, ['execute']),
      identities: dying(identities, ['release']),
      keys: dying(keys, ['destroy']),
      subscriptions: {
        unsubscribeAllOf: async () => {
          step('unsubscribe');
          await this.#unsubscribe();
        },
      },
      clearStates: () => {},
      eraseElsewhere: async () => step('elsewhere'),
      deleteAnswers: async () => step('answers'),
      hurry: () => undefined,
      scrub: async () => step('scrub'),
    };
    return new Erasure(services);
  }

  async #unsubscribe(): Promise<void> {
    const command = { type: 'Unsubscribe', tenantId: TENANT, subscriptionId: 9 } as const;
    const asked = { reason: 'erasure', requestedBy: 'a', notifyCustomer: false, at: AT } as const;
    const name = { commandId: '0195a000-0000-8000-8000-000000000009' as CommandId };
    await this.commands.execute(Subscription, { ...command, ...asked }, name, SYSTEM);
  }

  async customer(): Promise<Customer.Customer | null> {
    return this.commands.stateOf(Customer, Customer.streamOf(CUSTOMER));
  }

  /** How often each event was recorded, over all streams. */
  async counts(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for await (const batch of this.events.subscribe({ untilHead: true })) {
      for (const { type } of batch) counts[type] = (counts[type] ?? 0) + 1;
    }
    return counts;
  }

  /** A customer with two emails and a subscription. */
  async begin(): Promise<void> {
    const [email = '', second = ''] = EMAILS;
    for (const each of EMAILS) {
      await this.identities.claim(named(each), { customerId: 7 }, SYSTEM);
    }
    const contact = { email, firstName: 'Ada', lastName: 'King', phone: '', addresses: [] };
    const id = (n: number) => ({ commandId: `0195a000-0000-8000-8000-00000000000${n}` });
    await this.commands.execute(
      Customer,
      { type: 'RegisterCustomer', ...CUSTOMER, ...contact, at: AT },
      id(1),
      SYSTEM,
    );
    await this.commands.execute(
      Customer,
      { type: 'ReserveEmail', ...CUSTOMER, rowVersion: 1, email: second, at: AT },
      id(2),
      SYSTEM,
    );
    await this.commands.execute(
      Subscription,
      {
        type: 'StartSubscription',
        tenantId: TENANT,
        subscriptionId: 9,
        transactionId: '0195a000-0000-7000-8000-000000000001' as never,
        sandbox: false,
        customerId: 7,
        email,
        orderId: 1,
        companyId: 1,
        merchantAccountId: 1,
        currency: 'GBP',
        plan: {
          name: 'c',
          description: '',
          rebillAmountMinor: 1n,
          interval: 'day',
          intervalCount: 30,
          trialDays: 0,
        },
        card: null,
        at: AT,
      },
      id(3),
      SYSTEM,
    );
  }
}

let life: Life;
beforeEach(async () => {
  life = new Life();
  onTestFinished(() => life.keys.close());
  await life.begin();
});

async function expectErased(): Promise<void> {
  expect(await life.customer()).toMatchObject({ email: '', emails: [], erasedAt: AT });
  expect(life.keys.stateOf(CUSTOMER)).toBe('erased');
  for (const email of EMAILS) expect(await life.identities.holderOf(named(email))).toBeUndefined();
  expect(await life.counts()).toMatchObject({
    CustomerErasureRequested: 1,
    SubscriptionUnsubscribed: 1,
    EmailReleased: 2,
    CustomerErased: 1,
  });
}

/** Follows the log until the customer is erased, as the next process does. */
async function follow(erasure: Erasure, until: () => Promise<boolean>): Promise<void> {
  const stopping = new AbortController();
  const checkpoints = openCheckpoints(':memory:');
  const following = followErasures({
    erasure,
    events: life.events,
    checkpoints,
    progress: new FollowerProgress(),
    logger: silentLogger,
    signal: stopping.signal,
  });
  try {
    await vi.waitUntil(until, POLLING);
  } finally {
    stopping.abort();
    await following;
    checkpoints.close();
  }
}

const isErased = async () => (await life.customer())?.erasedAt !== null;

const STEPS = [
  'RequestErasure',
  'elsewhere',
  'unsubscribe',
  'release',
  'release',
  'destroy',
  'scrub',
  'answers',
  'scrub',
  'RecordErasure',
];

describe('an erasure', () => {
  it('runs its steps in order, and leaves no personal data', async () => {
    await life.erasure().erase(CUSTOMER, SYSTEM);
    expect(life.calls).toEqual(STEPS);
    await expectErased();
    await life.erasure().erase(CUSTOMER, SYSTEM);
    await expectErased();
  });

  it('of an unknown customer is refused', async () => {
    const nobody = { ...CUSTOMER, customerId: 8 };
    await expect(life.erasure().erase(nobody, SYSTEM)).rejects.toMatchObject({
      code: 'CustomerUnknown',
    });
    expect(life.calls).toEqual([]);
  });

  it.each(STEPS.map((name, index) => [index + 1, name]))(
    'killed at step %i (%s) has either not begun, or is finished by the next process',
    async (step) => {
      await expect(life.erasure(step as number).erase(CUSTOMER, SYSTEM)).rejects.toThrow('killed');
      if (step === 1) {
        expect(await life.customer()).toMatchObject({ email: EMAILS[0], erasureRequestedAt: null });
        return;
      }
      expect(await isErased()).toBe(false);
      await follow(life.erasure(), isErased);
      await expectErased();
    },
  );

  it.each(STEPS.map((name, index) => [index + 1, name]))(
    'killed at step %i (%s) may be asked for again',
    async (step) => {
      await expect(life.erasure(step as number).erase(CUSTOMER, SYSTEM)).rejects.toThrow('killed');
      await life.erasure().erase(CUSTOMER, SYSTEM);
      await expectErased();
    },
  );

  it('by two at once is done once', async () => {
    const erasure = life.erasure();
    await Promise.all([erasure.erase(CUSTOMER, SYSTEM), erasure.erase(CUSTOMER, SYSTEM)]);
    await expectErased();
  });
});

it('destroys again a key that an older backup has brought back', async () => {
  await life.erasure().erase(CUSTOMER, SYSTEM);
  const restored = new PersonalKeys({ path: ':memory:', wrappingKey });
  onTestFinished(() => restored.close());
  restored.seal(CUSTOMER, { eventType: 'e', text: 'x' });
  Object.assign(life, { keys: restored });
  expect(restored.stateOf(CUSTOMER)).toBe('kept');
  await follow(life.erasure(), async () => restored.stateOf(CUSTOMER) === 'erased');
  expect((await life.counts())['CustomerErased']).toBe(1);
});

it('is finished though another one cannot be read', async () => {
  const nonsense = {
    type: 'CustomerErasureRequested',
    schemaVersion: 1,
    data: '{',
    metadata: '{}',
  };
  const id = '0195a000-0000-8000-8000-00000000000d';
  await life.events.append({
    stream: Customer.streamOf({ ...CUSTOMER, customerId: 8 }),
    events: [{ ...nonsense, id, tenantId: TENANT, time: AT }],
    expected: { kind: 'any' },
    command: { id: id as CommandId, fingerprint: '' },
  });
  await expect(life.erasure(2).erase(CUSTOMER, SYSTEM)).rejects.toThrow('killed');
  await follow(life.erasure(), isErased);
  expect(life.keys.stateOf(CUSTOMER)).toBe('erased');
});

it('frees the emails for the next customer', async () => {
  await life.erasure().erase(CUSTOMER, SYSTEM);
  const [email = ''] = EMAILS;
  await life.identities.claim(named(email), { customerId: 8 }, SYSTEM);
  await life.erasure().erase(CUSTOMER, SYSTEM);
  expect(await life.identities.holderOf(named(email))).toMatchObject({ customerId: 8 });
});
