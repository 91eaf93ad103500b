/**
 * What each promise of a payment costs: `node bench/experiments/payment-floor.ts [payments] [rounds]`. A ladder
 * from bare inserts of the events of a payment to the whole of `submit`, which adds one promise a step,
 * 64 payments at once. Every round runs each step once, and a ratio is that of one round: the speed
 * beside the inserts, and their processor time beside that of all threads of the step.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AppendRequest,
  type CommandId,
  decodeRecord,
  type EncodedEvent,
  type Event,
  type EventStore,
  encodeEvent,
  eventIdOf,
  execute,
  type Loaded,
  type Position,
  type StateCache,
  type StoredEvent,
  type StreamName,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import type { Host } from '@counterfoil/http-host';
import { ACTOR, openOwnHost, TENANT } from '../data/own-host.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import { spread } from '../report/numbers.ts';

const [PAYMENTS = 3_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
const CUSTOMERS = 1_000;
const IN_FLIGHT = 64;
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };
const REST_MS = 600_000;
const SECOND_MS = 1_000;

/** The commands and the events of one payment, as the engine has made them. */
interface Paid {
  readonly commands: readonly [Transaction.Command, Transaction.Command];
  /** In the append of the intent, and in that of the outcome. */
  readonly events: readonly [readonly Event[], readonly Event[]];
  readonly stored: readonly [readonly StoredEvent[], readonly StoredEvent[]];
}

interface Cost {
  readonly perSecond: number;
  /** Of the main thread, and of all threads, for a payment. */
  readonly mainUs: number;
  readonly allUs: number;
}

/** `pay` for each payment, and `rest` until the threads beside it have caught up. */
async function measured(
  count: number,
  pay: (index: number) => Promise<unknown>,
  rest: () => Promise<unknown> = async () => undefined,
): Promise<Cost> {
  let begun = 0;
  const before = { main: process.threadCpuUsage(), all: process.cpuUsage() };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (begun < count) {
        begun += 1;
        await pay(begun - 1);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  await rest();
  return { perSecond: count / seconds, ...usedSince(before, count) };
}

type Used = ReturnType<typeof process.cpuUsage>;

function usedSince(before: { main: Used; all: Used }, count: number) {
  const us = ({ user, system }: Used) => (user + system) / count;
  return {
    mainUs: us(process.threadCpuUsage(before.main)),
    allUs: us(process.cpuUsage(before.all)),
  };
}

async function atRest({ events, engine }: Host): Promise<void> {
  const head = (await events.head()) as Position;
  await engine.followerProgress.reached(head, { timeoutMs: REST_MS });
  await engine.stores.progress.reached(head, { timeoutMs: REST_MS });
}

async function submit({ engine }: Host, number: number): Promise<void> {
  const { payments } = engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
  const email = `customer-${number % CUSTOMERS}@shop.example`;
  const order = { amount: '19.99', currency: 'GBP', email, card: CARD };
  const { payment } = await payments.submit(order);
  if (payment.status !== 'Captured') throw new Error(`a payment is ${payment.status}`);
}

/** Payments of known customers that the host has taken, with what their events came from. */
async function paidBy(host: Host): Promise<readonly Paid[]> {
  for (const count of [CUSTOMERS, PAYMENTS]) await measured(count, (each) => submit(host, each));
  await atRest(host);
  const streams = new Map<StreamName, StoredEvent[]>();
  for await (const batch of host.events.subscribe({ untilHead: true })) {
    for (const stored of batch) {
      if (!stored.stream.startsWith('transaction-')) continue;
      streams.set(stored.stream, [...(streams.get(stored.stream) ?? []), stored]);
    }
  }
  return [...streams.values()].slice(-PAYMENTS).map((stored) => paidOf(host, stored));
}

function paidOf({ engine }: Host, stored: readonly StoredEvent[]): Paid {
  const vault = engine.stores.personalKeys as Parameters<typeof decodeRecord>[1];
  const [submitted, started, captured] = stored.map((each) => decodeRecord(each, vault).event);
  if (
    submitted?.type !== 'PaymentSubmitted' ||
    started?.type !== 'AttemptStarted' ||
    captured?.type !== 'PaymentCaptured'
  ) {
    throw new Error('not the events of a payment that was captured at once');
  }
  const transactionId = stored[0]?.stream.split('-').slice(2).join('-') as TransactionId;
  const addressed = { tenantId: TENANT, transactionId };
  const { route } = started;
  const intent = { ...submitted, ...addressed, route, blackListing: 0, type: 'SubmitPayment' };
  const outcome = { ...captured, result: 'captured' };
  const { at } = captured;
  return {
    commands: [
      intent as Transaction.Command,
      { type: 'RecordOutcome', ...addressed, attempt: 1, outcome, at } as Transaction.Command,
    ],
    events: [[submitted, started], [captured]],
    stored: [stored.slice(0, 2), stored.slice(2)],
  };
}

function requestOf(
  events: readonly EncodedEvent[],
  { stream, revision, commandId, commandFingerprint }: StoredEvent,
): AppendRequest {
  return {
    stream,
    events,
    expected: revision === 0 ? { kind: 'noStream' } : { kind: 'exact', revision: revision - 1 },
    command: { id: commandId, fingerprint: commandFingerprint },
  };
}

async function append(store: EventStore, request: AppendRequest): Promise<void> {
  const { outcome } = await store.append(request);
  if (outcome !== 'appended') throw new Error(`an append is ${outcome}`);
}

function mapCache(): StateCache {
  const states = new Map<StreamName, Loaded<unknown>>();
  return {
    get: (stream) => states.get(stream),
    set: (stream, loaded) => void states.set(stream, loaded),
  };
}

/** The same commands for a payment of another id. */
function renamed({ commands }: Paid): readonly Transaction.Command[] {
  const transactionId = crypto.randomUUID() as TransactionId;
  return commands.map((command) => ({ ...command, transactionId }) as Transaction.Command);
}

type Step = readonly [what: string, run: (path: string) => Promise<Cost>];

function ladder(host: Host, paid: readonly Paid[]): readonly Step[] {
  const vault = host.engine.stores.personalKeys as Parameters<typeof decodeRecord>[1];
  const of = (index: number) => paid[index] as Paid;
  const onLog = async (path: string, pay: (store: EventStore, each: Paid) => Promise<unknown>) => {
    const store = await openSqliteEventStore({ path });
    const cost = await measured(PAYMENTS, (index) => pay(store, of(index)));
    await store.close();
    return cost;
  };
  return [
    [
      'raw inserts, 64 events a commit',
      async (path) => {
        const events = paid.flatMap(({ stored }) => stored.flat());
        const raw = new RawSqlite(path);
        const before = { main: process.threadCpuUsage(), all: process.cpuUsage() };
        const startedAt = performance.now();
        raw.insert(events, IN_FLIGHT);
        const seconds = (performance.now() - startedAt) / SECOND_MS;
        raw.close();
        return { perSecond: PAYMENTS / seconds, ...usedSince(before, PAYMENTS) };
      },
    ],
    [
      '+ through the event store, an append a payment',
      (path) =>
        onLog(path, (store, { stored }) =>
          append(store, requestOf(stored.flat(), stored[0][0] as StoredEvent)),
        ),
    ],
    [
      '+ the intent durable before the outcome',
      (path) =>
        onLog(path, async (store, { stored }) => {
          for (const events of stored) {
            await append(store, requestOf(events, events[0] as StoredEvent));
          }
        }),
    ],
    [
      '+ encoding, checks and seal of personal data',
      (path) =>
        onLog(path, async (store, { events, stored }) => {
          for (const [index, decoded] of events.entries()) {
            const first = stored[index]?.[0] as StoredEvent;
            const { commandId, stream, time, metadata } = first;
            const encoded = decoded.map((event, at) => ({
              ...encodeEvent(event, vault && { tenantId: TENANT, vault }),
              id: eventIdOf(commandId, stream, at),
              tenantId: TENANT,
              time,
              metadata,
            }));
            await append(store, requestOf(encoded, first));
          }
        }),
    ],
    [
      '+ deciding, marks and states (`execute`)',
      (path) => {
        const cache = mapCache();
        return onLog(path, async (store, { commands }) => {
          for (const command of commands) {
            const done = await execute(
              { store, cache, ...(vault !== undefined && { vault }) },
              Transaction,
              command,
              {
                commandId: crypto.randomUUID() as CommandId,
                metadata: ACTOR,
                recordedAt: new Date().toISOString(),
              },
            );
            if (done.outcome !== 'accepted') throw new Error(`a command is ${done.outcome}`);
          }
        });
      },
    ],
    [
      '+ read models and followers beside',
      () =>
        measured(
          PAYMENTS,
          async (index) => {
            for (const command of renamed(of(index))) {
              const name = { commandId: crypto.randomUUID() };
              await host.commands.execute(Transaction, command, name, ACTOR);
            }
          },
          () => atRest(host),
        ),
    ],
    [
      '+ admission, gateway, activity: `submit`',
      () =>
        measured(
          PAYMENTS,
          (index) => submit(host, index),
          () => atRest(host),
        ),
    ],
  ];
}

const results = fileURLToPath(new URL('../results/', import.meta.url));
const folder = mkdtempSync(join(results, 'payment-floor-'));
try {
  const host = await openOwnHost(join(folder, 'host'));
  const steps = ladder(host, await paidBy(host));
  const costs: Cost[][] = steps.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, [, run]] of steps.entries()) {
      const cost = await run(join(folder, `${round}-${index}.db`));
      // Round 0 warms up.
      if (round > 0) costs[index]?.push(cost);
    }
  }
  await host.close();
  const raw = costs[0] ?? [];
  console.log('| step | of the speed | of the processor time | main thread µs | all threads µs |');
  console.log('|---|---|---|---|---|');
  for (const [index, [what]] of steps.entries()) {
    const own = costs[index] ?? [];
    const cells = [
      spread(
        own.map(({ perSecond }, at) => perSecond / (raw[at]?.perSecond ?? 0)),
        3,
      ),
      spread(
        own.map(({ allUs }, at) => (raw[at]?.allUs ?? 0) / allUs),
        3,
      ),
      spread(
        own.map(({ mainUs }) => mainUs),
        0,
      ),
      spread(
        own.map(({ allUs }) => allUs),
        0,
      ),
    ];
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
