/** Two hosts on one log: when the leader ends, the other takes over, and nothing is lost or doubled. */
import { randomBytes } from 'node:crypto';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { faultsOf, readMembers, takenBy } from '../simulation/club.ts';
import { newStores } from './engines.ts';
import { KillableHost } from './killable-host.ts';
import { MailServer } from './mail-server.ts';
import {
  type Answer,
  type Caller,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantOptions,
} from './running-host.ts';
import { CLUB } from './subscribers.ts';
import { atHost, SHARED_ENGINES } from './two-hosts.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const TENANT = 31;
const BEGIN = Date.parse('2026-03-10T12:00:00.000Z');
const MINUTE_MS = 60_000;
const STEP_MS = 10 * MINUTE_MS;
const DAY_MS = 86_400_000;
const POLLING = { timeout: 90_000, interval: 50 };
const FROM = 'receipts@crockery.example';
/** In order, a host hands over leases and mails, which lie in PostgreSQL whatever the log: once is enough. */
const ENDS = { postgres: ['SIGTERM', 'SIGKILL'], eventstoredb: ['SIGKILL'] } as const;

/** A leading host in a separate process, and a standby in this one. */
class Pair {
  nowMs = BEGIN;
  leading!: KillableHost;
  other!: Running;
  here!: Caller;
  there!: Caller;
  readonly #ends: (() => Promise<unknown>)[] = [];

  static async open(
    engine: (typeof SHARED_ENGINES)[number],
    env: Readonly<Record<string, string>> = {},
    tenant: TenantOptions = {},
  ): Promise<Pair> {
    const pair = new Pair();
    const stores = await newStores(engine);
    pair.#ends.push(stores.release);
    const masterKey = randomBytes(32).toString('base64');
    const shared = { ...stores.env, MASTER_KEY: masterKey, ...env };
    pair.leading = await KillableHost.startLeading(shared, BEGIN);
    pair.#ends.push(() => pair.leading.end('SIGKILL'));
    const clock = { now: () => new Date(pair.nowMs).toISOString() };
    pair.other = await startHost({ env: shared, clock, onDisk: true });
    pair.#ends.push(() => pair.other.close());
    pair.here = await openTenant(pair.other, TENANT, tenant);
    pair.there = atHost(pair.leading, pair.here);
    return pair;
  }

  get gateway(): SandboxGateway {
    return this.other.host.gateways.gateways[0] as SandboxGateway;
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.leading.setClock(this.nowMs);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }
}

let pair: Pair | undefined;
afterEach(async () => {
  await pair?.close();
  pair = undefined;
});

describe.each(SHARED_ENGINES)('two hosts on %s, of which the leading one ends', (engine) => {
  it.each(ENDS[engine])('by %s while it bills: each cycle is charged once', async (signal) => {
    const opened = await Pair.open(engine);
    pair = opened;
    const members = 24;
    const joins = Array.from({ length: members }, (_, index) =>
      (index % 2 === 0 ? opened.here : opened.there).paid({
        email: `member-${index}@example.com`,
        subscription: { ...CLUB, frequency: 10 },
      }),
    );
    await Promise.all(joins);
    const chargesOf = async () => (await takenBy(opened.gateway)).size;
    const begun = firstOf('RebillDue', opened.other);
    opened.advance(10 * DAY_MS);
    await begun;
    await opened.leading.end(signal);
    // What was not put on record is asked about a little later; what was not sent is sent a day later.
    for (const cycles of [2, 3]) {
      await vi.waitUntil(async () => {
        opened.advance(STEP_MS);
        const seen = await readMembers(opened.other.host.events);
        return [...seen.values()].every(({ renewals }) => renewals.length >= cycles - 1);
      }, POLLING);
      if (cycles === 2) opened.advance(10 * DAY_MS);
    }
    const seen = await readMembers(opened.other.host.events);
    expect(seen.size).toBe(members);
    expect(faultsOf(seen, await takenBy(opened.gateway))).toEqual([]);
    expect(await chargesOf()).toBe(3 * members);
  });

  it('during payments: their follow-ups are completed, once', async () => {
    const opened = await Pair.open(engine);
    pair = opened;
    const payments = 16;
    const emailOf = (index: number) => `buyer-${index}@example.com`;
    const pay = (caller: Caller, index: number): Promise<Answer> =>
      caller.pay(
        { email: emailOf(index), subscription: CLUB },
        { 'Idempotency-Key': `order-${index}` },
      );
    const asked = Array.from({ length: payments }, (_, index) =>
      pay(opened.there, index).catch(() => undefined),
    );
    await firstOf('PaymentCaptured', opened.other);
    await opened.leading.end('SIGKILL');
    await Promise.all(asked);
    // What was captured and not answered starts its subscription without anybody asking again.
    await vi.waitUntil(async () => {
      opened.advance(MINUTE_MS);
      const { paid, started, open } = await startsOf(opened.other);
      return open === 0 && started.length === paid;
    }, POLLING);
    expect((await startsOf(opened.other)).paid).toBeGreaterThan(0);
    let unsent = 0;
    for (let index = 0; index < payments; index += 1) {
      const again = await pay(opened.here, index);
      if (again.status === 402) {
        // Killed between the intent and the call.
        expect(again.body.message).toBe('the gateway never received the payment');
        unsent += 1;
        continue;
      }
      expect(again.status, again.text).toBe(201);
      const { customerId, subscriptions } = again.body;
      expect(await opened.here.found({ emails: [emailOf(index)] })).toEqual([again.body.id]);
      const customer = await eventually(
        () => opened.here.get('/customers/{id}', { path: { id: customerId } }),
        ({ status }) => status === 200,
      );
      expect(customer.body.email).toBe(emailOf(index));
      const [{ id }] = subscriptions;
      expect((await opened.here.get('/v1/subscriptions/{id}', { path: { id } })).body.active).toBe(
        true,
      );
    }
    const { paid, started } = await startsOf(opened.other);
    const sent = payments - unsent;
    expect([paid, new Set(started).size, started.length]).toEqual([sent, sent, sent]);
    const taken = await takenBy(opened.gateway);
    expect([...taken.values()]).toEqual(Array.from({ length: sent }, () => 1));
  });

  it.runIf(engine === 'postgres')('by SIGTERM while it mails: each is sent once', async () => {
    const server = await MailServer.start();
    try {
      const opened = await Pair.open(engine, {
        SMTP_URL: server.url,
        MAIL_FROM: FROM,
      });
      pair = opened;
      const refunds = 12;
      const paid: Json[] = [];
      for (let index = 0; index < refunds; index += 1) {
        paid.push(await opened.here.paid({ email: `reader-${index}@example.com` }));
      }
      const give = (caller: Caller, { id }: Json) =>
        caller.refund(id, { amount: 5, sendUserCommunication: true });
      const half = refunds / 2;
      for (const [index, payment] of paid.slice(0, half).entries()) {
        const { status, text } = await give(index % 2 === 0 ? opened.there : opened.here, payment);
        expect(status, text).toBe(200);
      }
      await vi.waitUntil(() => server.mails.length > 0, POLLING);
      await opened.leading.end('SIGTERM');
      for (const payment of paid.slice(half)) await give(opened.here, payment);
      const delivered = () => new Set(server.mails.map(({ parsed }) => parsed.messageId));
      await vi.waitUntil(() => {
        opened.advance(MINUTE_MS);
        return delivered().size >= refunds;
      }, POLLING);
      const readers = server.mails.map(({ to }) => to.join());
      expect(new Set(readers).size).toBe(refunds);
      expect(readers).toHaveLength(refunds);
    } finally {
      await pair?.close();
      pair = undefined;
      await server.close();
    }
  });
});

/** Resolves at the first event of a type. */
async function firstOf(wanted: string, { host }: Running): Promise<void> {
  const stopping = new AbortController();
  for await (const batch of host.events.subscribe({ signal: stopping.signal })) {
    if (batch.some(({ type }) => type === wanted)) break;
  }
  stopping.abort();
}

interface Starts {
  readonly paid: number;
  /** Payments that were begun and have no outcome. */
  readonly open: number;
  readonly started: readonly number[];
}

async function startsOf({ host }: Running): Promise<Starts> {
  const begun = new Set<string>();
  const started: number[] = [];
  let paid = 0;
  for await (const batch of host.events.subscribe({ untilHead: true })) {
    for (const { type, data, stream } of batch) {
      if (type === 'PaymentSubmitted') begun.add(stream);
      if (type === 'PaymentCaptured') paid += 1;
      if (type === 'PaymentCaptured' || type === 'PaymentFailed') begun.delete(stream);
      if (type === 'SubscriptionStarted') started.push(JSON.parse(data).subscriptionId);
    }
  }
  return { paid, open: begun.size, started };
}
