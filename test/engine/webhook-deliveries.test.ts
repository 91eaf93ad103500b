/** Deliveries of webhooks: in order for each subject, claimed once, and ended; wherever they are kept. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import {
  type Delivery,
  type DeliveryStore,
  type NewDelivery,
  type Outcome,
  openDeliveries,
} from '@counterfoil/engine/storage';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject, hasServers } from '../setup/stores.ts';

type Place = Parameters<typeof openDeliveries>[0];

const hostDatabase = hostDatabaseOfFile();

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-webhooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'webhooks.db');
}

const PLACES = casesOfProject<readonly [string, () => Place]>({
  embedded: [
    ['memory', () => ':memory:'],
    ['a file', newFile],
  ],
  postgres: [['PostgreSQL', () => hostDatabase().pool]],
});

const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const RUNS = hasServers ? 15 : 60;
const MAX_TRIES = 3;
/** No run has the endpoints of another one: a database is shared. */
let endpoints = 0;
let ids = 0;

const at = (ms: number) => new Date(BEGIN_MS + ms).toISOString();

function opened(place: Place): DeliveryStore {
  const store = openDeliveries(place, { gatherMs: 0 });
  onTestFinished(() => store.close());
  return store;
}

function newEndpoint(): string {
  endpoints += 1;
  return `endpoint-${process.pid}-${endpoints}`;
}

function delivery(endpointId: string, more: Partial<NewDelivery> = {}): NewDelivery {
  ids += 1;
  const id = `delivery-${process.pid}-${String(ids).padStart(6, '0')}`;
  return {
    id,
    messageId: `message-${ids}`,
    tenantId: TenantId.parse(7),
    endpointId,
    type: 'payment.captured',
    subject: `transaction-7-${ids}`,
    place: String(ids).padStart(12, '0'),
    revision: 0,
    data: null,
    sandbox: false,
    customerId: null,
    createdAt: at(0),
    ...more,
  };
}

const ATTEMPT = { durationMs: 5, status: 500, error: null, answer: 'no' };
const PERSONAL = 'Brunhilde says no';

/** Records a try of one that was taken. */
function tried(store: DeliveryStore, each: Delivery, outcome: Outcome, now: string) {
  const attempt = { ...ATTEMPT, number: each.attempts + 1, at: now };
  return store.record({ delivery: each, attempt, outcome, ordered: true });
}

const ended = (status: 'delivered' | 'dead', now: string): Outcome => ({
  status,
  dueAt: now,
  reason: status === 'dead' ? '500' : '',
});

describe.each(PLACES)('in %s', (_, placeOf) => {
  it('each is sent after those before it of its subject, and ends, whatever fails', async () => {
    const step = fc.record({
      /** Of the subject of a delivery that is added first. */
      added: fc.option(fc.nat(3)),
      again: fc.boolean(),
      waitMs: fc.nat(50),
      fails: fc.infiniteStream(fc.boolean()),
    });
    const store = opened(placeOf());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const endpoint = { endpointId: newEndpoint(), ordered: true };
        const { endpointId } = endpoint;
        const names = Array.from({ length: 4 }, () => `subject-${newEndpoint()}`);
        const all: NewDelivery[] = [];
        const order = new Map<string, string[]>();
        let nowMs = 0;
        const sendAll = async (fails: () => boolean) => {
          for (;;) {
            const due = await store.take(endpoint, at(nowMs), 3);
            if (due.length === 0) break;
            expect(new Set(due.map(({ subject }) => subject)).size).toBe(due.length);
            for (const each of due) {
              const isLast = each.tries + 1 === MAX_TRIES;
              const hasFailed = fails();
              if (!hasFailed || isLast) {
                order.set(each.subject, [...(order.get(each.subject) ?? []), each.place]);
              }
              const later: Outcome = { status: 'pending', dueAt: at(nowMs + 20), reason: '500' };
              const isOver = hasFailed && !isLast ? undefined : hasFailed ? 'dead' : 'delivered';
              const outcome = isOver === undefined ? later : ended(isOver, at(nowMs));
              await tried(store, each, outcome, at(nowMs));
            }
          }
          // What is behind a failure waits with it: nothing is due that cannot be sent.
          const waiting = await store.waiting('pending');
          const own = waiting.find((each) => each.endpointId === endpointId);
          if (own !== undefined) expect(own.dueAt > at(nowMs)).toBe(true);
        };
        for (const { added, again, waitMs, fails } of steps) {
          if (added !== null) {
            all.push(delivery(endpointId, { subject: names[added] ?? '' }));
          }
          // After a crash the log is read again.
          await store.add(again ? all : all.slice(-1), at(nowMs));
          await sendAll(() => fails.next().value);
          nowMs += waitMs;
        }
        for (let round = 0; round < MAX_TRIES * (all.length + 1); round += 1) {
          nowMs += 25;
          await sendAll(() => true);
        }
        const found = await store.page(endpointId, {}, { limit: 100 });
        expect(found.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id));
        expect(found.every(({ status }) => status === 'delivered' || status === 'dead')).toBe(true);
        for (const places of order.values()) expect(places).toEqual(places.toSorted());
      }),
      { numRuns: RUNS },
    );
  });

  it('one is claimed once until it is settled, and by nobody who saw it before', async () => {
    const place = placeOf();
    const store = opened(place);
    // A file has one process.
    const other = hasServers ? opened(place) : store;
    const endpoint = { endpointId: newEndpoint(), ordered: true };
    await store.add([delivery(endpoint.endpointId)], at(0));
    const takes = [store.take(endpoint, at(0), 1), other.take(endpoint, at(0), 1)];
    const taken = await Promise.all(takes);
    const [one] = taken.flat();
    if (one === undefined || taken.flat().length > 1) throw new Error('not taken once');
    expect(await store.take(endpoint, at(0), 1)).toEqual([]);
    expect(await store.replay(one.id, at(0))).toBe(false);
    const [holder, stranger] = taken[0]?.length === 1 ? [store, other] : [other, store];
    if (hasServers) {
      await stranger.giveBack([one]);
      await tried(stranger, one, ended('dead', at(0)), at(0));
      expect(await store.get(endpoint.endpointId, one.id)).toMatchObject({ status: 'pending' });
    }
    await tried(holder, one, { status: 'pending', dueAt: at(10), reason: '500' }, at(0));
    expect(await store.take(endpoint, at(9), 1)).toEqual([]);
    const again = await store.take(endpoint, at(10), 1);
    expect(again).toMatchObject([{ id: one.id, tries: 1, attempts: 1 }]);
    await store.giveBack(again);
    expect(await store.take(endpoint, at(10), 1)).toHaveLength(1);
  });

  it.each([
    { ordered: true, taken: 0 },
    { ordered: false, taken: 1 },
  ])('one that is added behind a failed one: ordered $ordered', async ({ ordered, taken }) => {
    const store = opened(placeOf());
    const endpoint = { endpointId: newEndpoint(), ordered };
    const subject = `transaction-7-${endpoint.endpointId}`;
    const add = () =>
      store.add([{ ...delivery(endpoint.endpointId, { subject }), ordered }], at(0));
    await add();
    const [first] = await store.take(endpoint, at(0), 1);
    if (first === undefined) throw new Error('nothing was taken');
    const attempt = { ...ATTEMPT, number: 1, at: at(0) };
    const outcome: Outcome = { status: 'pending', dueAt: at(10), reason: '500' };
    await store.record({ delivery: first, attempt, outcome, ordered });
    await add();
    expect(await store.take(endpoint, at(9), 9)).toHaveLength(taken);
  });

  it('those of a paused endpoint are held, and of a removed one given up', async () => {
    const store = opened(placeOf());
    const endpoint = { endpointId: newEndpoint(), ordered: true };
    const { endpointId } = endpoint;
    await store.add([delivery(endpointId), delivery(endpointId)], at(0));
    const ownOf = async (status: 'pending' | 'held') =>
      (await store.waiting(status)).filter((each) => each.endpointId === endpointId);
    expect(await ownOf('pending')).toEqual([{ endpointId, tenantId: 7, dueAt: at(0) }]);
    await store.hold(endpointId);
    expect(await ownOf('pending')).toEqual([]);
    expect(await store.take(endpoint, at(5), 9)).toEqual([]);
    expect(await ownOf('held')).toHaveLength(1);
    await store.resume(endpointId);
    const taken = await store.take(endpoint, at(5), 9);
    expect(taken).toHaveLength(2);
    await store.giveBack(taken);
    await store.abandon(endpointId, 'endpoint_removed', at(5));
    expect(await store.take(endpoint, at(5), 9)).toEqual([]);
    const given = await store.page(endpointId, { status: 'dead' }, { limit: 9 });
    expect(given.map(({ reason }) => reason)).toEqual(['endpoint_removed', 'endpoint_removed']);
  });

  it('a page is that of all that match, the newest first', async () => {
    const store = opened(placeOf());
    const types = ['payment.captured', 'refund.failed'];
    const hour = fc.nat(5);
    const drawn = fc.record({ hour, type: fc.constantFrom(...types), isDead: fc.boolean() });
    const filter = fc.record({
      status: fc.constantFrom('pending' as const, 'dead' as const, undefined),
      types: fc.constantFrom(undefined, [], [types[0] ?? ''], types),
      since: fc.option(hour.map(at), { nil: undefined }),
      until: fc.option(hour.map(at), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 12 }), filter, async (given, asked) => {
        const endpointId = newEndpoint();
        const all = given.map((each) => ({
          ...delivery(endpointId, { type: each.type, createdAt: at(each.hour) }),
          status: each.isDead ? 'dead' : 'pending',
        }));
        await store.add(all, at(0));
        for (const each of await store.take({ endpointId, ordered: false }, at(0), 99)) {
          const isDead = all.find(({ id }) => id === each.id)?.status === 'dead';
          if (isDead) await tried(store, each, ended('dead', at(0)), at(0));
        }
        const expected = all
          .filter(({ status, type, createdAt }) => {
            const { since = '', until = 'z' } = asked;
            const isOfType = !asked.types?.length || asked.types.includes(type);
            const isOfStatus = asked.status === undefined || asked.status === status;
            return isOfType && isOfStatus && createdAt >= since && createdAt < until;
          })
          .toSorted((one, two) =>
            `${one.createdAt}${one.id}` < `${two.createdAt}${two.id}` ? 1 : -1,
          );
        const found: Delivery[] = [];
        for (let after: Delivery | undefined; ; after = found.at(-1)) {
          const page = await store.page(endpointId, asked, { after, limit: 3 });
          found.push(...page);
          if (page.length < 3) break;
        }
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: RUNS },
    );
  });

  it('those of a time are replayed with all their tries, the oldest first', async () => {
    const store = opened(placeOf());
    const endpoint = { endpointId: newEndpoint(), ordered: true };
    const { endpointId } = endpoint;
    const all = [0, 1, 2, 3].map((ms) => delivery(endpointId, { createdAt: at(ms) }));
    await store.add(all, at(0));
    for (const [index, each] of (await store.take(endpoint, at(0), 9)).entries()) {
      await tried(store, each, ended(index === 3 ? 'delivered' : 'dead', at(4)), at(4));
    }
    const page = { now: at(9), limit: 2 };
    const filter = { status: 'dead', since: at(0), until: at(9) } as const;
    expect(await store.replayAll(endpointId, filter, page)).toHaveLength(2);
    const again = await store.take(endpoint, at(9), 9);
    expect(again.map(({ id }) => id)).toEqual(all.slice(0, 2).map(({ id }) => id));
    expect(again).toMatchObject([{ tries: 0, attempts: 1 }, { tries: 0 }]);
  });

  it('answers about a person are emptied, those that come later too, and no others', async () => {
    const place = placeOf();
    const store = opened(place);
    const endpoint = { endpointId: newEndpoint(), ordered: false };
    const { endpointId } = endpoint;
    const customerId = 1_000 + endpoints;
    const ann = delivery(endpointId, { customerId });
    const ben = delivery(endpointId, { customerId: customerId + 1_000_000 });
    const sandbox = delivery(endpointId, { customerId, sandbox: true });
    await store.add([ann, ben, sandbox], at(0));
    const fail = async (now: string) => {
      const later: Outcome = { status: 'pending', dueAt: now, reason: '500' };
      for (const each of await store.take(endpoint, now, 9)) {
        const answer = each.id === ann.id ? PERSONAL : 'no';
        const attempt = { ...ATTEMPT, answer, number: each.attempts + 1, at: now };
        await store.record({ delivery: each, attempt, outcome: later, ordered: false });
      }
    };
    await fail(at(0));
    await store.forget({ tenantId: 7, sandbox: false, customerId });
    await fail(at(1));
    const answersOf = async ({ id }: NewDelivery) =>
      (await store.attemptsOf(id)).map(({ answer }) => answer);
    expect(await answersOf(ann)).toEqual(['', '']);
    for (const each of [ben, sandbox]) expect(await answersOf(each)).toEqual(['no', 'no']);
    expect(await store.scrub()).toBe(true);
    if (typeof place !== 'string' || place === ':memory:') return;
    const files = readdirSync(dirname(place)).map((name) =>
      readFileSync(join(dirname(place), name)),
    );
    expect(files.filter((bytes) => bytes.includes(PERSONAL))).toEqual([]);
  });

  it('those that ended before a time are removed with their tries', async () => {
    const store = opened(placeOf());
    const endpoint = { endpointId: newEndpoint(), ordered: true };
    const { endpointId } = endpoint;
    const [old, young, waiting] = [0, 1, 2].map(() => delivery(endpointId));
    if (old === undefined || young === undefined || waiting === undefined) throw new Error('three');
    await store.add([old, young, waiting], at(0));
    // Long before what other tests of a shared database made.
    const longAgo = (ms: number) => at(ms - 1e9);
    for (const each of await store.take(endpoint, at(0), 9)) {
      if (each.id === old.id) await tried(store, each, ended('dead', longAgo(0)), longAgo(0));
      if (each.id === young.id) await tried(store, each, ended('dead', longAgo(9)), longAgo(9));
    }
    expect(await store.removeBefore(longAgo(5), 10)).toBe(1);
    expect(await store.attemptsOf(old.id)).toEqual([]);
    const left = await store.page(endpointId, {}, { limit: 9 });
    expect(left.map(({ id }) => id).toSorted()).toEqual([young.id, waiting.id]);
  });
});
