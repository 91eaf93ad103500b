/** A property of the EventStoreDB adapter: whatever fails meanwhile, the log equals a model of a few lines. */
import type { AppendRequest, AppendResult, EventStore, Expected } from '@counterfoil/core';
import type { ClientKind } from '@counterfoil/event-stores/eventstoredb';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { FaultSwitch, Refusal } from '../../eventstoredb-server/server.ts';
import { idsOf, newAppend, wholeLog } from './appends.ts';
import { closeStores, open, serverForThisFile } from './eventstoredb.ts';

const TIMEOUT_MS = 120_000;
const DEADLINE_MS = { eventstore: 150, kurrentdb: 1_500 };
const RUNS = { eventstore: 25, kurrentdb: 6 };
/** How often a caller tries again what was answered with `unavailable`. */
const CALLER_TRIES = 20;

const moment = fc.constantFrom('beforeApply', 'afterApply');
const reason = fc.constantFrom<Refusal[]>('notReady', 'tooBusy', 'noLeader', 'commitTimeout');
const fault: fc.Arbitrary<FaultSwitch> = fc.oneof(
  fc.record({ kind: fc.constant('drop' as const), when: moment, on: fc.constant('append') }),
  fc.record({ kind: fc.constant('drop' as const), when: moment, on: fc.constant('append') }),
  fc.record({ kind: fc.constant('stall' as const), when: moment, on: fc.constant('append') }),
  fc.record({ kind: fc.constant('refuse' as const), reason, when: moment }),
  fc.record({ kind: fc.constant('duplicate' as const), on: fc.constant('append') }),
  fc.record({
    kind: fc.constant('cut' as const),
    afterEvents: fc.nat(3),
    how: fc.constantFrom('drop', 'stall', 'cancel'),
  }),
) as fc.Arbitrary<FaultSwitch>;

interface Step {
  readonly stream: number;
  readonly command: number;
  readonly count: number;
  readonly expected: Expected;
  readonly faults: readonly FaultSwitch[];
  /** Lets what was stalled so far come now. */
  readonly release: boolean;
  /** By the store that tries again itself, or by the one that leaves it to its caller. */
  readonly patient: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  stream: fc.nat(2),
  command: fc.nat(12),
  count: fc.integer({ min: 1, max: 3 }),
  expected: fc.oneof(
    fc.constantFrom<Expected[]>({ kind: 'any' }, { kind: 'noStream' }, { kind: 'exists' }),
    fc.nat(8).map((revision): Expected => ({ kind: 'exact', revision })),
  ),
  faults: fc.array(fault, { maxLength: 2 }),
  release: fc.boolean(),
  patient: fc.boolean(),
});

interface ModelStream {
  readonly ids: string[];
  readonly commands: Map<string, number>;
}

function appendToModel(stream: ModelStream, request: AppendRequest): Partial<AppendResult> {
  const known = stream.commands.get(request.command.id);
  if (known !== undefined) return { outcome: 'repeated', revision: known };
  const actual = stream.ids.length - 1;
  const { expected } = request;
  const fits =
    expected.kind === 'any' ||
    (expected.kind === 'noStream' && actual < 0) ||
    (expected.kind === 'exists' && actual >= 0) ||
    (expected.kind === 'exact' && expected.revision === actual);
  if (!fits) return { outcome: 'conflict', actual };
  stream.ids.push(...idsOf(request.events));
  stream.commands.set(request.command.id, stream.ids.length - 1);
  return { outcome: 'appended', revision: stream.ids.length - 1 };
}

/** Tries again while the store is unavailable, as a caller does. */
async function insist(
  store: EventStore,
  request: AppendRequest,
): Promise<{ readonly result: AppendResult; readonly tries: number }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { result: await store.append(request), tries };
    } catch (error) {
      expect(error).toMatchObject({ code: 'unavailable' });
      if (tries === CALLER_TRIES) throw error;
    }
  }
}

export function describeModel(client: ClientKind): void {
  const server = serverForThisFile();
  afterEach(closeStores);

  async function compare(steps: readonly Step[]): Promise<void> {
    const { faults } = server();
    const options = { url: server().url, client, deadlineMs: DEADLINE_MS[client], stallMs: 100 };
    const prefix = `model_${crypto.randomUUID().replaceAll('-', '')}.`;
    const patient = await open({ ...options, prefix });
    const impatient = await open({ ...options, prefix, retryMs: 0 });
    const names = [newAppend().stream, newAppend().stream, newAppend().stream];
    const model = names.map((): ModelStream => ({ ids: [], commands: new Map() }));
    const commands = Array.from({ length: 13 }, () => newAppend().command);
    for (const { stream, command, count, expected, ...turn } of steps) {
      const parts = { stream: names[stream] ?? '', command: commands[command], expected };
      const request = newAppend(count, parts as Partial<AppendRequest>);
      for (const each of turn.faults) faults.set(each);
      const { result, tries } = await insist(turn.patient ? patient : impatient, request);
      if (turn.release) faults.release();
      const wanted = appendToModel(model[stream] as ModelStream, request);
      // Who had to ask again may learn that the first time had done it.
      const isOld = tries > 1 && wanted.outcome === 'appended' && result.outcome === 'repeated';
      expect({ ...result, position: '' }).toEqual({
        ...wanted,
        ...(isOld ? { outcome: 'repeated' } : {}),
        position: '',
      });
    }
    faults.clear();
    faults.release();
    await expectEqual(patient, names, model);
    await closeStores();
  }

  async function expectEqual(
    store: EventStore,
    names: readonly string[],
    model: readonly ModelStream[],
  ): Promise<void> {
    const log = await wholeLog(store);
    for (const [index, { ids }] of model.entries()) {
      const kept = await store.read(names[index] as AppendRequest['stream']);
      expect(idsOf(kept)).toEqual(ids);
      expect(log.filter(({ stream }) => stream === names[index])).toEqual(kept);
    }
    expect(log).toHaveLength(model.reduce((sum, { ids }) => sum + ids.length, 0));
    const positions = log.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort());
  }

  it(`eventstoredb, client ${client}: random faults during random appends leave the log of the model`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    await fc.assert(fc.asyncProperty(steps, compare), {
      numRuns: Number(process.env['FC_RUNS'] ?? RUNS[client]),
      endOnFailure: true,
    });
  });
}
