/**
 * What each promise of a payment costs: `node bench/experiments/payment-floor.ts [payments] [rounds]`. A ladder
 * from bare inserts of the events of a payment to the whole of `submit`, which adds one promise a step,
 * 64 payments at once.
 */
import { join } from 'node:path';
import {
  type AppendRequest,
  type CommandId,
  decodeRecord,
  type Event,
  type EventStore,
  execute,
  openerOf,
  type StoredEvent,
  type StreamName,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import type { Host } from '@counterfoil/http-host';
import { ACTOR, atRest, openOwnHost, TENANT } from '../data/own-host.ts';
import { secondsOf } from '../stages/appending.ts';
import {
  type Cost,
  commandsOf,
  costOf,
  encodedRequestOf,
  IN_FLIGHT,
  mapCache,
  measureSteps,
  type PaymentCommands,
  rawInserts,
  requestOf,
  type Step,
  withFolder,
} from './floor.ts';

const [PAYMENTS = 3_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
const CUSTOMERS = 1_000;
/** As the row is to. */
const REACH = 0.4;
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

/** The commands and the events of one payment, as the engine has made them. */
interface Paid {
  readonly commands: PaymentCommands;
  /** In the append of the intent, and in that of the outcome. */
  readonly events: readonly [readonly Event[], readonly Event[]];
  readonly stored: readonly [readonly StoredEvent[], readonly StoredEvent[]];
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);

async function submit({ engine }: Host, number: number): Promise<void> {
  const { payments } = engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
  const email = `customer-${number % CUSTOMERS}@shop.example`;
  const order = { amount: '19.99', currency: 'GBP', email, card: CARD };
  const { payment } = await payments.submit(order);
  if (payment.status !== 'Captured') throw new Error(`a payment is ${payment.status}`);
}

/** Payments of known customers that the host has taken, with what their events came from. */
async function paidBy(host: Host): Promise<readonly Paid[]> {
  for (const count of [CUSTOMERS, PAYMENTS]) {
    await secondsOf(numbersTo(count), IN_FLIGHT, (number) => submit(host, number));
  }
  await atRest(host);
  const streams = new Map<StreamName, StoredEvent[]>();
  for await (const batch of host.events.subscribe({ untilHead: true })) {
    for (const stored of batch) {
      if (!stored.stream.startsWith('transaction-')) continue;
      streams.set(stored.stream, [...(streams.get(stored.stream) ?? []), stored]);
    }
  }
  const latest = [...streams.values()].slice(-PAYMENTS);
  return Promise.all(latest.map((stored) => paidOf(host, stored)));
}

async function paidOf({ engine }: Host, stored: readonly StoredEvent[]): Promise<Paid> {
  const opener = await openerOf(engine.stores.personalKeys, stored);
  const events = stored.map((each) => decodeRecord(each, opener).event);
  const transactionId = stored[0]?.stream.split('-').slice(2).join('-') as TransactionId;
  return {
    commands: commandsOf({ tenantId: TENANT, transactionId }, events),
    events: [events.slice(0, 2), events.slice(2)],
    stored: [stored.slice(0, 2), stored.slice(2)],
  };
}

async function append(store: EventStore, request: AppendRequest): Promise<void> {
  const { outcome } = await store.append(request);
  if (outcome !== 'appended') throw new Error(`an append is ${outcome}`);
}

/** The same commands for a payment of another id. */
function renamed({ commands }: Paid): readonly Transaction.Command[] {
  const transactionId = crypto.randomUUID() as TransactionId;
  return commands.map((command) => ({ ...command, transactionId }) as Transaction.Command);
}

function ladder(host: Host, paid: readonly Paid[]): readonly Step[] {
  const vault = host.engine.stores.personalKeys;
  const each = (pay: (one: Paid, number: number) => Promise<unknown>, rest = atRest) => {
    const numbers = numbersTo(PAYMENTS);
    const work = () => secondsOf(numbers, IN_FLIGHT, (number) => pay(paid[number] as Paid, number));
    return costOf(PAYMENTS, work, () => rest(host));
  };
  const onLog = async (
    path: string,
    pay: (store: EventStore, one: Paid) => Promise<unknown>,
  ): Promise<Cost> => {
    const store = await openSqliteEventStore({ path });
    const cost = await each(
      (one) => pay(store, one),
      async () => undefined,
    );
    await store.close();
    return cost;
  };
  return [
    rawInserts(
      paid.flatMap(({ stored }) => stored.flat()),
      PAYMENTS,
    ),
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
            await append(store, await encodedRequestOf(decoded, first, vault));
          }
        }),
    ],
    [
      '+ deciding, marks and states (`execute`)',
      (path) => {
        const cache = mapCache();
        return onLog(path, async (store, { commands }) => {
          for (const command of commands) {
            const done = await execute({ store, cache, vault }, Transaction, command, {
              commandId: crypto.randomUUID() as CommandId,
              metadata: ACTOR,
              recordedAt: new Date().toISOString(),
            });
            if (done.outcome !== 'accepted') throw new Error(`a command is ${done.outcome}`);
          }
        });
      },
    ],
    [
      '+ read models and followers beside',
      () =>
        each(async (one) => {
          for (const command of renamed(one)) {
            const name = { commandId: crypto.randomUUID() };
            await host.commands.execute(Transaction, command, name, ACTOR);
          }
        }),
    ],
    ['+ admission, gateway, activity: `submit`', () => each((_, number) => submit(host, number))],
  ];
}

await withFolder('payment-floor', async (folder) => {
  const host = await openOwnHost(join(folder, 'host'));
  await measureSteps(ladder(host, await paidBy(host)), { rounds: ROUNDS, folder, reach: REACH });
  await host.close();
});
