/**
 * What each promise of a rebill costs: `node bench/experiments/rebill-floor.ts [subscriptions] [rounds]`. A
 * ladder from bare inserts of the events of a rebill to the host's own worker, which adds one promise a step,
 * 64 rebills at once. The steps on a log of their own take the first 10,000 subscriptions at most. As in the
 * row, a month ends when the read models have applied it.
 */
import {
  type AnyVault,
  type AppendRequest,
  type CommandId,
  decodeRecord,
  type Event,
  type EventStore,
  executeTogether,
  load,
  openerOf,
  type Position,
  type StoredEvent,
  type StreamName,
  Subscription,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import type { Host } from '@counterfoil/http-host';
import { dueRebills } from '@counterfoil/projections';
import { MonthlyClock, openBillingHost } from '../data/billing-host.ts';
import { ACTOR, atRest, TENANT } from '../data/own-host.ts';
import { secondsOf } from '../stages/appending.ts';
import {
  type Cost,
  commandsOf,
  costOf,
  encodedRequestOf,
  IN_FLIGHT,
  mapCache,
  measureSteps,
  rawInserts,
  requestOf,
  type Step,
  withFolder,
} from './floor.ts';

const [SUBSCRIPTIONS = 5_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
/** The peer of the row inserts 50,000 events at most. */
const MOST_SAMPLED = 10_000;
const SEED = 1;
/** As the row is to. */
const REACH = 0.3;
const EVENTS_OF_A_REBILL = 5;

/** What one append has on one of its two streams. */
interface Part {
  readonly aggregate: typeof Subscription | typeof Transaction;
  readonly command: Subscription.Command | Transaction.Command;
  readonly events: readonly Event[];
  readonly stored: readonly StoredEvent[];
}

interface Rebill {
  /** The first event of the subscription, which a log has before the rebill. */
  readonly started: StoredEvent;
  /** The intent and the outcome, each durable as one. */
  readonly appends: readonly (readonly [Part, Part])[];
}

/** A host whose subscriptions are billed month after month. */
class Club {
  readonly host: Host;
  readonly clock: MonthlyClock;

  constructor(host: Host, clock: MonthlyClock) {
    this.host = host;
    this.clock = clock;
  }

  /** Another month by the host's own worker, until the read models list nothing as due. */
  async bill(): Promise<void> {
    const { readModels, timed } = this.host;
    const billing = timed.works.find(({ name }) => name === 'billing');
    if (billing === undefined) throw new Error('the host has no work called billing');
    this.clock.leap();
    const query = { limit: 1, now: this.clock.now() };
    do await timed.run(billing);
    while ((await dueRebills(readModels, query)).work.length > 0);
  }

  async eventsAfter(position: Position | undefined): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    const options = { untilHead: true, ...(position !== undefined && { after: position }) };
    for await (const batch of this.host.events.subscribe(options)) events.push(...batch);
    return events;
  }
}

/** The rebills of the first month, in the order of their intents. */
async function firstMonth(club: Club): Promise<readonly Rebill[]> {
  const { host } = club;
  const started = new Map<StreamName, StoredEvent>();
  for (const stored of await club.eventsAfter(undefined)) {
    if (stored.type === 'SubscriptionStarted') started.set(stored.stream, stored);
  }
  const before = await host.events.head();
  await club.bill();
  await atRest(host);
  const events = await club.eventsAfter(before);
  if (events.length !== SUBSCRIPTIONS * EVENTS_OF_A_REBILL) {
    throw new Error(`${events.length} events are not those of ${SUBSCRIPTIONS} rebills`);
  }
  const byStream = Map.groupBy(events, ({ stream }) => stream);
  const subscriptions = [...byStream.keys()].filter((stream) => started.has(stream));
  return Promise.all(
    subscriptions
      .slice(0, MOST_SAMPLED)
      .map((stream) =>
        rebillOf(host.engine.stores.personalKeys, started.get(stream) as StoredEvent, byStream),
      ),
  );
}

async function rebillOf(
  vault: AnyVault,
  started: StoredEvent,
  byStream: ReadonlyMap<StreamName, readonly StoredEvent[]>,
): Promise<Rebill> {
  const eventsOf = async (stream: StreamName) => {
    const stored = byStream.get(stream) ?? [];
    const opener = await openerOf(vault, stored);
    return { stored, events: stored.map((each) => decodeRecord(each, opener).event) };
  };
  const cycle = await eventsOf(started.stream);
  const [due, renewed] = cycle.events;
  if (due?.type !== 'RebillDue' || renewed?.type !== 'SubscriptionRenewed') {
    throw new Error('not the events of a subscription that was renewed at once');
  }
  const subscriptionId = Number(started.stream.split('-').at(-1));
  const { transactionId } = due;
  const payment = await eventsOf(Transaction.streamOf({ tenantId: TENANT, transactionId }));
  const [intent, outcome] = commandsOf({ tenantId: TENANT, transactionId }, payment.events);
  const attempt = {
    ...{ tenantId: TENANT, subscriptionId, transactionId },
    ...{ cycle: due.cycle, attempt: due.attempt },
  };
  const part = (
    of: Pick<Part, 'aggregate' | 'command'>,
    { stored, events }: Pick<Part, 'stored' | 'events'>,
    [from, to]: readonly [number, number],
  ): Part => ({ ...of, stored: stored.slice(from, to), events: events.slice(from, to) });
  const begin = { type: 'BeginRebill', ...attempt, at: due.at } as const;
  const { amountMinor, at } = renewed;
  const renew = { type: 'RecordRenewal', ...attempt, amountMinor, at } as const;
  return {
    started,
    appends: [
      [
        part({ aggregate: Subscription, command: begin }, cycle, [0, 1]),
        part({ aggregate: Transaction, command: intent }, payment, [0, 2]),
      ],
      [
        part({ aggregate: Transaction, command: outcome }, payment, [2, 3]),
        part({ aggregate: Subscription, command: renew }, cycle, [1, 2]),
      ],
    ],
  };
}

/** All events of a rebill as one append, in the order of its streams. */
function asOne({ appends: [intent, outcome] }: Rebill): readonly AppendRequest[] {
  const [begun, submitted] = intent ?? [];
  const [captured, renewed] = outcome ?? [];
  return [
    [begun, renewed],
    [submitted, captured],
  ].map((parts) => {
    const stored = parts.flatMap((part) => part?.stored ?? []);
    return requestOf(stored, stored[0] as StoredEvent);
  });
}

async function append(store: EventStore, requests: readonly AppendRequest[]): Promise<void> {
  const appended = await store.appendAll?.(requests);
  if (appended?.outcome !== 'appended') throw new Error(`an append is ${appended?.outcome}`);
}

/** The same commands for the cycle that is due next, whatever its number. */
function repeated({ appends }: Rebill, cycle: number, at: string) {
  const transactionId = crypto.randomUUID() as TransactionId;
  return appends.map((parts) =>
    parts.map(({ aggregate, command }) => {
      const next = {
        ...command,
        ...{ transactionId, at },
        ...('cycle' in command && { cycle }),
        ...('paymentNumber' in command && { paymentNumber: cycle }),
        ...('outcome' in command && { outcome: { ...command.outcome, at } }),
      } as Part['command'];
      return { aggregate, command: next, name: { commandId: crypto.randomUUID() } };
    }),
  );
}

function ladder(club: Club, rebills: readonly Rebill[]): readonly Step[] {
  const { host, clock } = club;
  const vault = host.engine.stores.personalKeys;
  const each = (
    bill: (rebill: Rebill) => Promise<unknown>,
    rest: () => Promise<unknown> = async () => undefined,
  ) =>
    costOf(rebills.length, async () => {
      await secondsOf(rebills, IN_FLIGHT, bill);
      await rest();
    });
  const onLog = async (
    path: string,
    bill: (store: EventStore, rebill: Rebill) => Promise<unknown>,
    prepare: (store: EventStore) => Promise<unknown> = async () => undefined,
  ): Promise<Cost> => {
    const store = await openSqliteEventStore({ path });
    await secondsOf(rebills, IN_FLIGHT, ({ started }) =>
      append(store, [requestOf([started], started)]),
    );
    await prepare(store);
    const cost = await each((rebill) => bill(store, rebill));
    await store.close();
    return cost;
  };
  const stored = rebills.flatMap(({ appends }) => appends.flat().flatMap((part) => part.stored));
  return [
    rawInserts(
      stored.sort((one, other) => Number(one.position) - Number(other.position)),
      rebills.length,
    ),
    [
      '+ through the event store, an append a rebill',
      (path) => onLog(path, (store, rebill) => append(store, asOne(rebill))),
    ],
    [
      '+ the intent durable before the outcome',
      (path) =>
        onLog(path, async (store, { appends }) => {
          for (const parts of appends) {
            const requests = parts.map((part) =>
              requestOf(part.stored, part.stored[0] as StoredEvent),
            );
            await append(store, requests);
          }
        }),
    ],
    [
      '+ encoding, checks and seal of personal data',
      (path) =>
        onLog(path, async (store, { appends }) => {
          for (const parts of appends) {
            const requests: AppendRequest[] = [];
            for (const part of parts) {
              const first = part.stored[0] as StoredEvent;
              requests.push(await encodedRequestOf(part.events, first, vault));
            }
            await append(store, requests);
          }
        }),
    ],
    [
      '+ deciding, marks and states (`execute`)',
      (path) => {
        const cache = mapCache();
        return onLog(
          path,
          async (store, { appends }) => {
            for (const parts of appends) {
              const recordedAt = new Date().toISOString();
              const steps = parts.map(({ aggregate, command }) => {
                const commandId = crypto.randomUUID() as CommandId;
                const context = { commandId, metadata: ACTOR, recordedAt };
                return { aggregate, command, context };
              });
              const done = await executeTogether({ store, cache, vault }, steps);
              if (done === undefined) throw new Error('a rebill is not executed');
            }
          },
          // The states of subscriptions are kept from the month before.
          (store) =>
            secondsOf(rebills, IN_FLIGHT, ({ started: { stream } }) =>
              load({ store, cache, vault }, Subscription, stream),
            ),
        );
      },
    ],
    [
      '+ read models and followers beside',
      async () => {
        const at = clock.nextDueAt;
        const first = rebills[0]?.started.stream as StreamName;
        const cycle = (await host.commands.stateOf(Subscription, first))?.cycle ?? 0;
        const cost = await each(
          async (rebill) => {
            for (const steps of repeated(rebill, cycle, at)) {
              const done = await host.commands.executeTogether(steps, ACTOR);
              if (done === undefined) throw new Error('a rebill is not executed');
            }
          },
          () => atRest(host),
        );
        // The month is billed, for these: the worker does not meet it.
        clock.leap();
        return cost;
      },
    ],
    [
      '+ look-ups, gateway, follow-ups: the worker',
      async () => {
        const before = await host.events.head();
        const cost = await costOf(
          SUBSCRIPTIONS,
          () => club.bill(),
          () => atRest(host),
        );
        const events = await club.eventsAfter(before);
        const renewals = events.filter(({ type }) => type === 'SubscriptionRenewed').length;
        if (renewals !== SUBSCRIPTIONS) throw new Error(`${renewals} of the rebills are made`);
        return cost;
      },
    ],
  ];
}

await withFolder('rebill-floor', async (folder) => {
  const clock = new MonthlyClock();
  const say = (what: string) => console.error(what);
  const host = await openBillingHost({ folder, seed: SEED, say }, SUBSCRIPTIONS, clock);
  const club = new Club(host, clock);
  await measureSteps(ladder(club, await firstMonth(club)), {
    rounds: ROUNDS,
    folder,
    reach: REACH,
  });
  await host.close();
});
