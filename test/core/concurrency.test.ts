/** Commands that race on one stream: whatever the order of their reads and writes, it was a serial one. */
import {
  type CommandId,
  createMemoryEventStore,
  decodeEvent,
  type EventStore,
  execute,
  fold,
  type Loaded,
  type StateCache,
  type StreamName,
  Transaction,
} from '@counterfoil/core';
import { arbitraries, commandOf, type Move, move, paymentHistory } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from './payment-commands.ts';
import { past, tenantId, transactionId } from './payment-story.ts';

const stream = Transaction.streamOf({ tenantId, transactionId });

const recordedAt = '2026-01-10T12:00:00.000Z';
const metadata = { actor: 'ada@example.com' };
/** Fewer than the decisions that execute takes: each racer loses at most once to each other. */
const RACERS = 6;

type Racer = readonly [commandId: CommandId, drawn: Move];
const racers = fc.uniqueArray(fc.tuple(arbitraries.commandId(), move()), {
  minLength: 2,
  maxLength: RACERS,
  selector: ([commandId]: Racer) => commandId,
});

/** Lets the scheduler choose when each read and each append happens. */
function scheduled(store: EventStore, scheduler: fc.Scheduler): EventStore {
  const turn = (what: string) => scheduler.schedule(Promise.resolve(), what);
  return {
    append: async (request) => {
      await turn('append');
      return store.append(request);
    },
    read: async (name, options) => {
      await turn('read');
      return store.read(name, options);
    },
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    close: () => store.close(),
  };
}

function mapCache(): StateCache {
  const kept = new Map<StreamName, Loaded<unknown>>();
  return { get: (name) => kept.get(name), set: (name, loaded) => kept.set(name, loaded) };
}

/** Stores the captured payment of the stories by an aggregate that decides on exactly these events. */
async function captured(store: EventStore): Promise<Transaction.Payment> {
  const payment = fold(Transaction, past.captured) as Transaction.Payment;
  const deciding: typeof Transaction = {
    ...Transaction,
    decide: () => ({ _tag: 'Right', right: past.captured }),
  };
  const command = { type: 'CompleteAction', tenantId, transactionId, at: recordedAt } as const;
  const commandId = 'ffffffff-0000-4000-8000-000000000000' as CommandId;
  await execute({ store }, deciding, command, { commandId, metadata, recordedAt });
  return payment;
}

interface Raced {
  readonly commandId: CommandId;
  readonly command: Transaction.Command;
}

/** Races the commands in a random order of the scheduler, and returns the outcome of each. */
async function race(
  store: EventStore,
  scheduler: fc.Scheduler,
  raced: readonly Raced[],
  cached: boolean,
) {
  const executor = {
    store: scheduled(store, scheduler),
    ...(cached ? { cache: mapCache() } : {}),
  };
  const answers = await scheduler.waitFor(
    Promise.all(
      raced.map(({ commandId, command }) =>
        execute(executor, Transaction, command, { commandId, metadata, recordedAt }),
      ),
    ),
  );
  return raced.map((each, index) => ({ ...each, answer: answers[index] }));
}

/** What the log says happened: who was appended, in which order, and with which events. */
async function logOf(store: EventStore) {
  const stored = await store.read(stream);
  const order = [...new Set(stored.map(({ commandId }) => commandId))];
  return order.map((commandId) => ({
    commandId,
    events: stored
      .filter((each) => each.commandId === commandId)
      .map((each) => decodeEvent(each)) as Transaction.Event[],
  }));
}

describe('racing commands', () => {
  it('end as if they had come one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), racers, fc.boolean(), async (scheduler, drawn, cached) => {
        const store = createMemoryEventStore();
        const payment = await captured(store);
        const raced = drawn.map(([commandId, each]) => ({
          commandId,
          command: commandOf(each, payment, tenantId, payment.changedAt),
        }));
        const answered = await race(store, scheduler, raced, cached);
        const commandOfId = new Map(raced.map((each) => [each.commandId, each.command]));

        // In the order of the log, each command decided on the state it found gives its events.
        const states = [payment];
        for (const { commandId, events } of (await logOf(store)).slice(1)) {
          const before = states.at(-1) as Transaction.Payment;
          const command = commandOfId.get(commandId) as Transaction.Command;
          expect(Transaction.decide(before, command)).toEqual({ _tag: 'Right', right: events });
          states.push(fold(Transaction, events, before) as Transaction.Payment);
        }
        // Commands without events were answered correctly for one of those states.
        for (const { command, answer } of answered) {
          if (answer?.outcome === 'accepted' && answer.events.length > 0) continue;
          const decided =
            answer?.outcome === 'rejected'
              ? { _tag: 'Left', left: answer.rejection }
              : { _tag: 'Right', right: [] };
          expect(states.map((state) => Transaction.decide(state, command))).toContainEqual(decided);
        }
        expectSound(states.at(-1) as Transaction.Payment);
      }),
    );
  });

  it('over more than half each: one refund succeeds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), racers, fc.boolean(), async (scheduler, drawn, cached) => {
        const store = createMemoryEventStore();
        await captured(store);
        const raced = drawn.map(([commandId]) => ({
          commandId,
          command: ask.refund({
            refundId: commandId as string as Transaction.Payment['transactionId'],
            amountMinor: 6_000n,
          }),
        }));
        const answered = await race(store, scheduler, raced, cached);
        const outcomes = answered.map(({ answer }) => answer?.outcome);
        expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
        expect(outcomes.filter((outcome) => outcome === 'rejected')).toHaveLength(drawn.length - 1);
      }),
    );
  });

  it('of one id and one content run once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), racers, async (scheduler, [first]) => {
        const [commandId] = first as Racer;
        const store = createMemoryEventStore();
        await captured(store);
        const command = ask.refund({ amountMinor: 10n });
        const raced = Array.from({ length: RACERS }, () => ({ commandId, command }));
        const answered = await race(store, scheduler, raced, false);
        expect(await logOf(store)).toHaveLength(2);
        const receipts = answered.map(({ answer }) =>
          answer?.outcome === 'accepted' ? answer.receipt : undefined,
        );
        expect(new Set(receipts.map((receipt) => receipt?.position)).size).toBe(1);
        expect(receipts[0]).toBeDefined();
      }),
    );
  });
});

function expectSound(payment: Transaction.Payment): void {
  const out = Transaction.refundedMinor(payment) + Transaction.pendingRefundMinor(payment);
  expect(out <= payment.capturedMinor).toBe(true);
}

describe('a life sent a second time, under the same ids', () => {
  it('leaves the log as it was, every event id in it unique', async () => {
    const ids = fc.uniqueArray(arbitraries.commandId(), { minLength: 31, maxLength: 31 });
    await fc.assert(
      fc.asyncProperty(paymentHistory(), ids, async ({ steps, events }, commandIds) => {
        const store = createMemoryEventStore();
        const send = (command: Transaction.Command, index: number) =>
          execute({ store }, Transaction, command, {
            commandId: commandIds[index] as CommandId,
            metadata,
            recordedAt,
          });
        for (const [index, { command }] of steps.entries()) await send(command, index);
        const head = await store.head();
        const carriedOut = [...steps.entries()].filter(([, step]) => step.events.length > 0);
        for (const [index, step] of carriedOut) {
          const again = await send(step.command, index);
          expect(again).toMatchObject({ outcome: 'accepted', repeated: true });
          expect(again.outcome === 'accepted' && again.events).toEqual(step.events);
        }
        expect(await store.head()).toBe(head);

        const first = steps[0]?.command as Transaction.Command;
        const stored = await store.read(Transaction.streamOf(first));
        expect(stored.map((each) => decodeEvent(each))).toEqual(events);
        expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
      }),
      { numRuns: 40 },
    );
  });
});
