/** Cases of the event-store contract that compare made-up histories with a model of a few lines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppendRequest, AppendResult, EventStore, Expected } from '../../event-store.ts';
import type { EncodedEvent } from '../../kernel/envelope.ts';
import type { CommandId, StreamName } from '../../kernel/ids.ts';
import type { Harness } from './harness.ts';
import {
  ANY,
  collect,
  EXISTS,
  exact,
  expectRisingPositions,
  expectWholeStreams,
  fromHere,
  idsOf,
  NO_STREAM,
  newEvent,
} from './harness.ts';

const MAX_STEPS = 24;

export interface Step {
  readonly stream: number;
  readonly command: number;
  readonly fingerprint: string;
  readonly expected: Expected;
  readonly texts: readonly string[];
}

/** Few streams, commands and fingerprints, so that repeats, reuses and conflicts are common. */
export const step: fc.Arbitrary<Step> = fc.record({
  stream: fc.nat(2),
  command: fc.nat(9),
  fingerprint: fc.constantFrom('first', 'first', 'first', 'other'),
  expected: fc.oneof(
    fc.constantFrom(ANY, NO_STREAM, EXISTS),
    fc.nat(6).map((revision) => exact(revision)),
  ),
  texts: fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 3 }),
});

const steps = fc.array(step, { maxLength: MAX_STEPS });

interface Known {
  readonly fingerprint: string;
  readonly revision: number;
}

interface ModelStream {
  readonly events: EncodedEvent[];
  readonly commands: Map<CommandId, Known>;
}

interface Shape {
  readonly outcome: AppendResult['outcome'];
  readonly revision?: number;
}

/** The contract in its shortest form: what an append answers and what a stream holds. */
export class Model {
  readonly log: EncodedEvent[] = [];
  readonly streams = new Map<StreamName, ModelStream>();

  append(request: AppendRequest): Shape {
    const trial = this.trial(request);
    if (trial.outcome !== 'appended') return trial;
    const stream = this.#streamOf(request);
    stream.events.push(...request.events);
    this.log.push(...request.events);
    const revision = stream.events.length - 1;
    stream.commands.set(request.command.id, { fingerprint: request.command.fingerprint, revision });
    this.streams.set(request.stream, stream);
    return { outcome: 'appended', revision };
  }

  /** What an append would answer, without its revision where it would be made. */
  trial(request: AppendRequest): Shape {
    const stream = this.#streamOf(request);
    const known = stream.commands.get(request.command.id);
    if (known !== undefined) {
      if (known.fingerprint !== request.command.fingerprint)
        return { outcome: 'command-id-reused' };
      return { outcome: 'repeated', revision: known.revision };
    }
    const actual = stream.events.length - 1;
    const { expected } = request;
    const fits =
      expected.kind === 'any' ||
      (expected.kind === 'noStream' && actual < 0) ||
      (expected.kind === 'exists' && actual >= 0) ||
      (expected.kind === 'exact' && actual === expected.revision);
    return fits ? { outcome: 'appended' } : { outcome: 'conflict', revision: actual };
  }

  #streamOf({ stream }: AppendRequest): ModelStream {
    return this.streams.get(stream) ?? { events: [], commands: new Map() };
  }
}

/** Turns steps into appends on streams and commands of this history alone. */
export function requestsOf(history: readonly Step[]): readonly AppendRequest[] {
  const run = crypto.randomUUID();
  const commands = new Map<number, CommandId>();
  return history.map(({ stream, command, fingerprint, expected, texts }) => {
    const id = commands.get(command) ?? (crypto.randomUUID() as CommandId);
    commands.set(command, id);
    return {
      stream: `transaction-1-${run}_${stream}` as StreamName,
      events: texts.map((text) => newEvent({ text })),
      expected,
      command: { id, fingerprint },
    };
  });
}

export function shapeOf(result: AppendResult): Shape {
  if (result.outcome === 'command-id-reused') return { outcome: result.outcome };
  const revision = result.outcome === 'conflict' ? result.actual : result.revision;
  return { outcome: result.outcome, revision };
}

async function compare(store: EventStore, history: readonly Step[]): Promise<void> {
  const here = await fromHere(store);
  const model = new Model();
  for (const request of requestsOf(history)) {
    expect(shapeOf(await store.append(request))).toEqual(model.append(request));
  }
  for (const [name, { events }] of model.streams) {
    const kept = await store.read(name);
    expect(kept.map(encodedOf)).toEqual(events);
    expect(kept.map((event) => event.revision)).toEqual(events.map((_, index) => index));
  }
  const log = await collect(store, { ...here, batchSize: 5 });
  expectRisingPositions(log);
  expect(log.map(encodedOf)).toEqual(model.log);
}

/** Appends all at once: whatever the order, the log must match the answers. */
async function compareConcurrent(store: EventStore, history: readonly Step[]): Promise<void> {
  const here = await fromHere(store);
  const requests = requestsOf(history);
  const results = await Promise.all(requests.map((request) => store.append(request)));
  const log = await collect(store, here);
  expectRisingPositions(log);
  expectWholeStreams(log);
  const answered = requests.flatMap((request, index) =>
    results[index]?.outcome === 'appended' ? idsOf(request.events) : [],
  );
  expect([...idsOf(log)].sort()).toEqual([...answered].sort());
  for (const [index, result] of results.entries()) {
    const request = requests[index];
    if (request === undefined || (result.outcome !== 'appended' && result.outcome !== 'repeated'))
      continue;
    const { stream, command } = request;
    const last = log.find((event) => event.position === result.position);
    expect(last).toMatchObject({ stream, revision: result.revision, commandId: command.id });
    expect(last?.commandFingerprint).toBe(command.fingerprint);
  }
}

export function encodedOf(event: EncodedEvent): EncodedEvent {
  const { id, type, schemaVersion, tenantId, time, data, metadata } = event;
  return { id, type, schemaVersion, tenantId, time, data, metadata };
}

export function describeModel(harness: Harness): void {
  describe('model', () => {
    it('any sequence of appends does what the model does', async () => {
      const store = await harness.open();
      await fc.assert(fc.asyncProperty(steps, (history) => compare(store, history)));
    });

    it('any concurrent appends leave the log that matches their answers', async () => {
      const store = await harness.open();
      await fc.assert(fc.asyncProperty(steps, (history) => compareConcurrent(store, history)));
    });
  });
}
