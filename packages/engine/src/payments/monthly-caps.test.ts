/** Room under monthly caps: what a crash leaves, what a crowd shares, and what two hosts agree on. */

import { setImmediate } from 'node:timers/promises';
import {
  createMemoryEventStore,
  DamagedEvent,
  decodeEvent,
  type EventStore,
  EventStoreError,
  type MerchantAccount,
  MerchantAccount as MerchantAccounts,
  MonthlyCap,
  Routing,
  type StreamName,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { silentLogger } from '../logger.ts';
import { refused } from '../refusal.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { openCheckpoints } from '../storage/checkpoints.ts';
import { followOutcomes } from './cap-settlement.ts';
import { type Choice, MonthlyCaps } from './monthly-caps.ts';

const tenantId = 7 as TenantId;
const BEGIN_MS = Date.parse('2026-11-21T12:00:00.000Z');
const LEASE_MS = 15 * 60_000;
const ACCOUNT = 31;
const book = { tenantId, sandbox: false, merchantAccountId: ACCOUNT, month: '2026-11' } as const;
const none = { apiKey: '', username: '', password: '', emailAddress: '' };

function accountOf(monthlyCap: number, id = ACCOUNT): MerchantAccount.MerchantAccount {
  const settings = MerchantAccounts.withDefaults({
    mid: String(id),
    title: 'Main',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'SHOP',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials: none }],
    monthlyCap,
  });
  return { merchantAccountId: id, settings, rowVersion: 1 };
}

let nowMs = BEGIN_MS;
let events: EventStore;
let commands: CommandRunner;
let caps: MonthlyCaps;

/** Keeps count of what is read and appended, takes its time for it, and fails when it is told to. */
class Watched {
  readonly store: EventStore;
  readonly reads: StreamName[] = [];
  readonly appends: StreamName[] = [];
  broken = false;
  /** The most appends that were under way at one time. */
  mostAtOnce = 0;
  #underWay = 0;

  constructor(store: EventStore) {
    this.store = {
      append: async (request) => {
        if (this.broken) throw new Error('the disk is full');
        this.appends.push(request.stream);
        this.#underWay += 1;
        this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
        await setImmediate();
        this.#underWay -= 1;
        return store.append(request);
      },
      read: (stream, options) => {
        this.reads.push(stream);
        return store.read(stream, options);
      },
      subscribe: (...args) => store.subscribe(...args),
      head: () => store.head(),
      close: () => store.close(),
    };
  }
}

let watched: Watched;

/** A host of its own on the same log, with nothing in memory. */
function host(): { commands: CommandRunner; caps: MonthlyCaps } {
  const clock = { now: () => new Date(nowMs).toISOString() };
  const made = new CommandRunner({ store: events, cache: createStateCache() }, clock, () => {});
  return { commands: made, caps: new MonthlyCaps(made) };
}

beforeEach(() => {
  nowMs = BEGIN_MS;
  watched = new Watched(createMemoryEventStore());
  events = watched.store;
  ({ commands, caps } = host());
});

const newId = () => uuidV7() as TransactionId;
const at = () => new Date(nowMs).toISOString();
const payable = (amountMinor: bigint): Routing.Routable => ({
  currency: 'GBP',
  amountMinor,
  brandId: 1,
  tried: [],
});

/** Reserves room for the first attempt of a payment. */
function choose(
  transactionId: TransactionId,
  { amountMinor = 10_000n, cap = 100, on = caps } = {},
): Promise<Choice> {
  const planned = { tenantId, sandbox: false, transactionId, attempt: 1, at: at() };
  return on.choose([accountOf(cap)], payable(amountMinor), planned);
}

async function submit(
  transactionId: TransactionId,
  { amountMinor = 10_000n, captureMode = 'automatic' as 'automatic' | 'manual' } = {},
): Promise<void> {
  const facts = { orderId: 1, customerId: 1, companyId: 1, email: 'ada@example.com' };
  const order = { ...Transaction.orderOf({ ...facts, amountMinor, currency: 'GBP' }), captureMode };
  const described = { orderId: 1, brandId: 0, shop: '', product: '' };
  const routing = { gateway: 'G', reserveHoldDays: 0, skipped: [], payment: described };
  const route = Routing.routeTo(accountOf(100), routing);
  const about = { tenantId, transactionId, at: at() };
  await execute({ type: 'SubmitPayment', ...about, ...order, route, blackListing: 0 });
}

const said = {
  captured: {
    result: 'captured',
    authCode: 'A',
    gatewayTransactionId: 'g',
    arn: '',
    avsChecked: false,
    note: '',
  },
  declined: {
    result: 'declined',
    declineCode: '05',
    hard: true,
    gatewayTransactionId: 'g',
    retryElsewhere: false,
    note: '',
  },
} as const;

async function answer(transactionId: TransactionId, result: keyof typeof said): Promise<void> {
  const outcome = { ...said[result], at: at() };
  await execute({ type: 'RecordOutcome', tenantId, transactionId, attempt: 1, outcome, at: at() });
}

async function execute(command: Transaction.Command): Promise<void> {
  await commands.execute(Transaction, command, { commandId: uuidV7() }, SYSTEM);
}

async function settle(transactionId: TransactionId): Promise<void> {
  const stream = Transaction.streamOf({ tenantId, transactionId });
  const payment = await commands.stateOf(Transaction, stream);
  if (payment === null) throw new Error('no payment');
  await caps.settle(tenantId, payment);
}

const present = () => commands.stateOf(MonthlyCap, MonthlyCap.streamOf(book));
const story = async () => (await events.read(MonthlyCap.streamOf(book))).map(({ type }) => type);
const isTaken = ({ account }: Choice) => account !== undefined;

describe('a reservation whose payment never came', () => {
  it('keeps its room until its lease is over, and then no longer', async () => {
    await choose(newId());
    nowMs += LEASE_MS - 1;
    expect(isTaken(await choose(newId()))).toBe(false);
    nowMs += 1;
    expect(isTaken(await choose(newId()))).toBe(true);
    expect(await story()).toEqual([
      'RoomReserved',
      'MonthlyCapReached',
      'RoomLapsed',
      'RoomReserved',
    ]);
  });

  it('counts when the payment comes after all', async () => {
    const late = newId();
    await choose(late);
    nowMs += LEASE_MS;
    expect(isTaken(await choose(newId()))).toBe(true);
    await submit(late);
    await answer(late, 'captured');
    await settle(late);
    expect(await present()).toMatchObject({ usedMinor: 10_000n, reservedMinor: 10_000n });
    await settle(late);
    expect(await present()).toMatchObject({ usedMinor: 10_000n });
  });

  it('takes its room again when it is sent again', async () => {
    const again = newId();
    await choose(again);
    expect((await choose(again)).room).toBeUndefined();
    nowMs += LEASE_MS;
    expect(isTaken(await choose(newId(), { amountMinor: 10_000n, cap: 200 }))).toBe(true);
    expect(isTaken(await choose(again, { cap: 200 }))).toBe(true);
    expect(await present()).toMatchObject({ reservedMinor: 20_000n });
  });
});

describe('a reservation whose payment came', () => {
  it('keeps its room as long as the payment is open, and is looked up once', async () => {
    const open = newId();
    await choose(open);
    await submit(open, { captureMode: 'manual' });
    nowMs += LEASE_MS;
    watched.reads.length = 0;
    for (let n = 0; n < 3; n += 1) expect(isTaken(await choose(newId()))).toBe(false);
    const stream = Transaction.streamOf({ tenantId, transactionId: open });
    expect(watched.reads.filter((each) => each === stream)).toHaveLength(1);
    expect(await story()).toEqual(['RoomReserved', 'MonthlyCapReached']);
  });

  it.each([
    ['captured', 10_000n, false],
    ['declined', 0n, true],
  ] as const)(
    'and was %s unseen is settled when room is short',
    async (result, usedMinor, fits) => {
      const id = newId();
      await choose(id);
      await submit(id);
      await answer(id, result);
      nowMs += LEASE_MS;
      // The process that recorded the outcome has stopped.
      ({ commands, caps } = host());
      expect(isTaken(await choose(newId()))).toBe(fits);
      expect(await present()).toMatchObject({ usedMinor });
    },
  );
});

describe('work that holds room', () => {
  it.each([
    { error: refused({ type: 'TokenUnknown' }), reservedMinor: 0n },
    { error: new Error('the gateway is absent'), reservedMinor: 0n },
    { error: new EventStoreError('unavailable', 'no answer'), reservedMinor: 10_000n },
  ])('gives it back unless the log may have the attempt: $error', async (failure) => {
    const { room } = await choose(newId());
    await expect(caps.holding(room, () => Promise.reject(failure.error))).rejects.toBe(
      failure.error,
    );
    expect(await present()).toMatchObject({ reservedMinor: failure.reservedMinor });
  });

  it('gives back no room that an attempt is made in', async () => {
    const id = newId();
    const { room } = await choose(id);
    await submit(id);
    if (room === undefined) throw new Error('no room');
    await caps.release(room);
    expect(await present()).toMatchObject({ reservedMinor: 10_000n });
  });
});

describe('a crowd', () => {
  it('shares appends, one after the other', async () => {
    const crowd = () => Array.from({ length: 100 }, () => choose(newId(), { cap: 15_000 }));
    const first = crowd();
    await setImmediate();
    const choices = await Promise.all([...first, ...crowd()]);
    expect(choices.filter(isTaken)).toHaveLength(150);
    expect(watched.appends.length).toBeLessThan(5);
    expect(watched.mostAtOnce).toBe(1);
  });

  it('receives an error, and can continue after it', async () => {
    watched.broken = true;
    const failed = await Promise.allSettled([choose(newId()), choose(newId())]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    watched.broken = false;
    expect(isTaken(await choose(newId()))).toBe(true);
  });

  it('finds the rest of the room for what is small', async () => {
    const amounts = [6_000n, 6_000n, 4_000n];
    const choices = await Promise.all(
      amounts.map((amountMinor) => choose(newId(), { amountMinor })),
    );
    expect(choices.map(isTaken)).toEqual([true, false, true]);
  });
});

it('has no instant at which 256 payments at once hold more than the cap', async () => {
  const CAP = 500;
  const payment = fc.record({
    amountMinor: fc.bigInt({ min: 1n, max: 9_000n }),
    host: fc.constantFrom(0, 1),
    ends: fc.constantFrom('captured', 'declined', 'open'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(payment, { minLength: 256, maxLength: 256 }), async (payments) => {
      events = createMemoryEventStore();
      ({ commands, caps } = host());
      const hosts = [caps, host().caps];
      const pay = async ({ amountMinor, host: n, ends }: (typeof payments)[number]) => {
        const id = newId();
        if (!isTaken(await choose(id, { amountMinor, cap: CAP, on: hosts[n] ?? caps }))) return;
        await submit(id, { amountMinor });
        if (ends === 'open') return;
        await answer(id, ends);
        await settle(id);
      };
      await Promise.all(payments.map(pay));
      const stored = await events.read(MonthlyCap.streamOf(book));
      let state = MonthlyCap.initial;
      for (const each of stored) {
        state = MonthlyCap.evolve(state, decodeEvent(each) as MonthlyCap.Event);
        expect(state.usedMinor + state.reservedMinor).toBeLessThanOrEqual(BigInt(CAP) * 100n);
      }
      expect(state.usedMinor).toBeGreaterThan(0n);
    }),
    { numRuns: 10 },
  );
});

describe('who follows the log', () => {
  /** Follows the log from its beginning to its end; answers what it has complained of. */
  async function follow(): Promise<unknown[]> {
    const complaints: unknown[] = [];
    const progress = new FollowerProgress();
    const stopping = new AbortController();
    const checkpoints = openCheckpoints(':memory:');
    const following = followOutcomes({
      commands,
      caps,
      events,
      checkpoints,
      progress,
      logger: { ...silentLogger, error: (line) => void complaints.push(line) },
      signal: stopping.signal,
      firstAfter: undefined,
    });
    const head = await events.head();
    if (head === undefined) throw new Error('nothing to follow');
    expect(await progress.reached(head, { timeoutMs: 10_000 })).toBe(true);
    stopping.abort();
    await following;
    checkpoints.close();
    return complaints;
  }

  it('settles unsettled reservations, once', async () => {
    const ids = [newId(), newId(), newId()];
    for (const id of ids) await choose(id, { cap: 300 });
    for (const id of ids) await submit(id);
    for (const id of ids) await answer(id, id === ids[1] ? 'declined' : 'captured');
    expect(await follow()).toEqual([]);
    expect(await present()).toMatchObject({ usedMinor: 20_000n, reservedMinor: 0n });
    // From the beginning, as after the loss of its place.
    expect(await follow()).toEqual([]);
    expect(await story()).toEqual(['RoomReserved', 'RoomReserved', 'RoomReserved', 'RoomSettled']);
  });

  it('is not held up by a payment that cannot be read', async () => {
    const [broken, sound] = [newId(), newId()];
    for (const id of [broken, sound]) await choose(id, { cap: 300 });
    for (const id of [broken, sound]) await submit(id);
    const stream = Transaction.streamOf({ tenantId, transactionId: broken });
    const nonsense = { type: 'PaymentCaptured', schemaVersion: 1, data: '{', metadata: '{}' };
    await events.append({
      stream,
      events: [{ ...nonsense, id: newId(), tenantId, time: at() }],
      expected: { kind: 'any' },
      command: { id: newId() as never, fingerprint: '' },
    });
    await answer(sound, 'captured');
    const complaints = await follow();
    expect(complaints).toEqual([{ err: expect.any(DamagedEvent), stream }]);
    expect(await present()).toMatchObject({ usedMinor: 10_000n, reservedMinor: 10_000n });
  });
});

it('costs an account without a cap neither a read nor an append', async () => {
  expect(isTaken(await choose(newId(), { cap: 0 }))).toBe(true);
  const { reads, appends } = watched;
  expect({ reads, appends }).toEqual({ reads: [], appends: [] });
});

describe('two hosts, callers, crashes and outcomes in any order', () => {
  type Paying = {
    readonly do: 'pay' | 'crash' | 'decline';
    readonly host: 0 | 1;
    readonly amountMinor: bigint;
  };
  type Step = Paying | { readonly do: 'wait' | 'restart' | 'settle' };
  const paying: fc.Arbitrary<Paying> = fc.record({
    do: fc.constantFrom('pay', 'crash', 'decline'),
    host: fc.constantFrom(0, 1),
    amountMinor: fc.bigInt({ min: 1n, max: 6_000n }),
  });
  const other: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('wait', 'restart', 'settle') });
  const step = fc.oneof({ weight: 2, arbitrary: paying }, other);
  /** The steps of a round are taken at the same time. */
  const rounds = fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 });

  it('capture no more than the cap together', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        events = createMemoryEventStore();
        ({ commands, caps } = host());
        const hosts = [host().caps, host().caps];
        const ended: TransactionId[] = [];
        let capturedMinor = 0n;
        const pay = async ({ do: how, host: n, amountMinor }: Paying) => {
          const id = newId();
          const chosen = await choose(id, { amountMinor, on: hosts[n] ?? caps });
          if (!isTaken(chosen) || how === 'crash') return;
          await submit(id, { amountMinor });
          await answer(id, how === 'pay' ? 'captured' : 'declined');
          if (how === 'pay') capturedMinor += amountMinor;
          ended.push(id);
        };
        const take = async (each: Step): Promise<void> => {
          if ('host' in each) await pay(each);
          else if (each.do === 'wait') nowMs += LEASE_MS;
          else if (each.do === 'restart') hosts[1] = host().caps;
          else await Promise.all(ended.map(settle));
        };
        for (const round of all) {
          await Promise.all(round.map(take));
          expect(capturedMinor).toBeLessThanOrEqual(10_000n);
        }
        await Promise.all(ended.map(settle));
        expect(await present()).toMatchObject({ usedMinor: capturedMinor });
      }),
      { numRuns: 20 },
    );
  });
});
