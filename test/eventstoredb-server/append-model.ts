// Random appends against a model: what a stream holds after any interleaving of them.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Appended, openClient, type TestClient } from './clients.ts';
import type { Expected } from './log.ts';
import { type ClientKind, startProtocolServer } from './server.ts';

const STREAMS = 3;
const MAX_COMMANDS = 25;
const MAX_EVENTS = 3;
/** A machine that others use as well takes its time for thousands of appends. */
const MODEL_TIMEOUT_MS = 120_000;
/** How many commands are under way at a time. */
const RACING = 4;

interface Command {
  readonly stream: number;
  readonly expected: 'any' | 'noStream' | 'streamExists' | number;
  readonly count: number;
  readonly batch: boolean;
  /** Repeats the events of an earlier command, if there is such a one. */
  readonly repeats: number | undefined;
}

interface ModelEvent {
  readonly id: string;
  readonly type: string;
}

const command: fc.Arbitrary<Command> = fc.record({
  stream: fc.nat(STREAMS - 1),
  expected: fc.oneof(
    fc.constantFrom('any' as const, 'noStream' as const, 'streamExists' as const),
    fc.nat(8),
  ),
  count: fc.integer({ min: 1, max: MAX_EVENTS }),
  batch: fc.boolean(),
  repeats: fc.option(fc.nat(MAX_COMMANDS), { nil: undefined, freq: 3 }),
});

export function appendModelSuite(kind: ClientKind): void {
  describe(`random appends and the client ${kind}`, { timeout: MODEL_TIMEOUT_MS }, () => {
    test('one after the other do what the model says', async () => {
      await withClient(kind, async (client) => {
        await fc.assert(
          fc.asyncProperty(fc.array(command, { maxLength: MAX_COMMANDS }), async (commands) => {
            const model = new Model();
            for (const { stream, events, expected, batch } of model.written(commands)) {
              const says = model.append(stream, expected, events);
              const answer = await client.append(stream, events.map(eventData), {
                expected,
                batch,
              });
              expect(withoutPosition(answer)).toEqual(says);
            }
            await expectSame(client, model);
          }),
        );
      });
    });

    test('in a race have an order in which the model does the same', async () => {
      await withClient(kind, async (client) => {
        await fc.assert(
          fc.asyncProperty(fc.array(command, { maxLength: MAX_COMMANDS }), async (commands) => {
            const model = new Model();
            const written = [...model.written(commands)];
            for (let start = 0; start < written.length; start += RACING) {
              const racing = written.slice(start, start + RACING);
              const answers = await Promise.all(
                racing.map(({ stream, events, expected, batch }) =>
                  client.append(stream, events.map(eventData), { expected, batch }),
                ),
              );
              const outcomes = racing.map((one, index) => ({
                ...one,
                answer: withoutPosition(answers[index] as Appended),
              }));
              expect(model.canHaveDone(outcomes)).toBe(true);
            }
            await expectSame(client, model);
          }),
        );
      });
    });
  });
}

interface Written {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ModelEvent[];
  readonly batch: boolean;
}

type Outcome = Written & { readonly answer: unknown };

class Model {
  readonly #prefix = randomUUID();
  #streams = new Map<string, readonly ModelEvent[]>();

  get streams(): ReadonlyMap<string, readonly ModelEvent[]> {
    return this.#streams;
  }

  /** The commands with their events; a repeated command has those of the one that it repeats. */
  written(commands: readonly Command[]): readonly Written[] {
    const written: Written[] = [];
    for (const { stream, expected, count, batch, repeats } of commands) {
      const earlier = repeats === undefined ? undefined : written[repeats];
      const own = Array.from({ length: count }, () => ({ id: randomUUID(), type: 'Happened' }));
      written.push({
        stream: earlier?.stream ?? `${this.#prefix}-${stream}`,
        expected: typeof expected === 'number' ? BigInt(expected) : expected,
        events: earlier?.events ?? own,
        batch,
      });
    }
    return written;
  }

  append(stream: string, expected: Expected, events: readonly ModelEvent[]): unknown {
    const present = this.#streams.get(stream) ?? [];
    const last = present.length - 1;
    const wrong = { current: last < 0 ? 'no_stream' : BigInt(last) };
    if (expected === 'streamExists' && last < 0) return wrong;
    if (expected === 'any' || expected === 'streamExists') {
      const places = events.map(({ id }) => present.findLastIndex((event) => event.id === id));
      if (places.every((place) => place >= 0)) return { revision: BigInt(places.at(-1) ?? 0) };
      if (places[0] !== -1) return wrong;
    } else {
      const place = expected === 'noStream' ? -1 : Number(expected);
      if (place > last) return wrong;
      if (place < last) {
        const end = place + events.length;
        const same = events.every(({ id }, index) => present[place + 1 + index]?.id === id);
        return same ? { revision: BigInt(end) } : wrong;
      }
    }
    this.#streams.set(stream, [...present, ...events]);
    return { revision: BigInt(last + events.length) };
  }

  /** Takes the first order of the outcomes in which each is what the model says. */
  canHaveDone(outcomes: readonly Outcome[]): boolean {
    if (outcomes.length === 0) return true;
    const before = this.#streams;
    for (const [index, { stream, expected, events, answer }] of outcomes.entries()) {
      this.#streams = new Map(before);
      const says = this.append(stream, expected, events);
      const rest = outcomes.filter((_, other) => other !== index);
      if (sameAnswer(says, answer) && this.canHaveDone(rest)) return true;
    }
    this.#streams = before;
    return false;
  }
}

async function withClient(
  kind: ClientKind,
  use: (client: TestClient) => Promise<void>,
): Promise<void> {
  const server = await startProtocolServer();
  const client = await openClient(kind, server.connectionString(kind));
  try {
    await use(client);
  } finally {
    await client.dispose();
    await server.close();
  }
}

async function expectSame(client: TestClient, model: Model): Promise<void> {
  for (const [stream, events] of model.streams) {
    const read = await client.readStream(stream);
    expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  }
}

function eventData({ id, type }: ModelEvent): { id: string; type: string; data: unknown } {
  return { id, type, data: {} };
}

function withoutPosition(answer: Appended): unknown {
  return 'revision' in answer ? { revision: answer.revision } : answer;
}

function sameAnswer(left: unknown, right: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
  return text(left) === text(right);
}
