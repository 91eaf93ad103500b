/** Cases of the event-store contract about what the port does not allow, and about who owns the data passed in and out. */
import { describe, expect, it } from 'vitest';
import type {
  AppendRequest,
  EventStore,
  ReadOptions,
  SubscribeOptions,
} from '../../event-store.ts';
import type { EncodedEvent } from '../../kernel/envelope.ts';
import type { CommandId, Position, StreamName } from '../../kernel/ids.ts';
import type { Harness } from './harness.ts';
import {
  append,
  appended,
  collect,
  exact,
  fromHere,
  idsOf,
  newCommand,
  newEvent,
  newEvents,
  newStream,
  storedAs,
  take,
} from './harness.ts';

const HALF_A_PAIR = 'a\ud800b';
const WITH_NULL = 'a\0b';
const TOO_MANY_EVENTS = 4_097;
const LONGEST_NAME_BYTES = 1_024;
const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

const NOT_TEXT: readonly unknown[] = [
  undefined,
  null,
  5,
  12n,
  Number.NaN,
  { a: 1 },
  CYCLE,
  () => 'text',
  HALF_A_PAIR,
  WITH_NULL,
];
const NOT_WHOLE: readonly unknown[] = [
  null,
  -1,
  1.5,
  2.0000001,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  '1',
  1n,
  {},
];
const NOT_A_NAME = [...NOT_TEXT, '', 'x'.repeat(LONGEST_NAME_BYTES + 1), 'ü'.repeat(513)];

const WRONG_EVENT_FIELDS: Readonly<Record<keyof EncodedEvent, readonly unknown[]>> = {
  id: [undefined, '', 'not-a-uuid', crypto.randomUUID().toUpperCase()],
  type: [...NOT_TEXT, '', '$system'],
  schemaVersion: [...NOT_WHOLE, undefined, 0, 2 ** 31],
  tenantId: [...NOT_WHOLE, undefined, 0],
  time: [...NOT_TEXT, '', new Date()],
  data: NOT_TEXT,
  metadata: NOT_TEXT,
};
const WRONG_EXPECTATIONS: readonly unknown[] = [
  undefined,
  null,
  'any',
  {},
  { kind: 'other' },
  { kind: 'exact' },
  ...NOT_WHOLE.map((revision) => ({ kind: 'exact', revision })),
];

/** Appends that each have one fault, by the words that the refusal names it with. */
function wrongAppends(): readonly (readonly [field: string, request: unknown])[] {
  const wrong = (field: string, values: readonly unknown[], of: (value: unknown) => object) =>
    values.map((value) => [field, { ...append(), ...of(value) }] as const);
  const sparse = newEvents(2).toSpliced(1, 1, ...new Array<EncodedEvent>(1));
  return [
    ...[undefined, null, 'text'].map((request) => ['append', request] as const),
    ...wrong('stream', [...NOT_A_NAME, 'a.b-1', 'a.b'], (stream) => ({ stream })),
    ...wrong('command', [undefined, null, 'id'], (command) => ({ command })),
    ...wrong('command.id', NOT_A_NAME, (id) => ({ command: { ...newCommand(), id } })),
    ...wrong('command.fingerprint', NOT_TEXT, (fingerprint) => ({
      command: { ...newCommand(), fingerprint },
    })),
    ...wrong('expected', WRONG_EXPECTATIONS, (expected) => ({ expected })),
    ...wrong(
      'events',
      [undefined, null, [], { length: 1 }, newEvents(TOO_MANY_EVENTS)],
      (events) => ({
        events,
      }),
    ),
    ...wrong('events[1]', [sparse, [newEvent(), null]], (events) => ({ events })),
    ...Object.entries(WRONG_EVENT_FIELDS).flatMap(([field, values]) =>
      wrong(`events[1].${field}`, values, (value) => ({
        events: [newEvent(), { ...newEvent(), [field]: value }],
      })),
    ),
  ];
}

function refusedCases(harness: Harness): void {
  it('refuses an append that the port does not allow, and that one only', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const wrong = wrongAppends();
    const neighbours = [append(), append()];
    const results = await Promise.allSettled(
      [neighbours[0], ...wrong.map(([, request]) => request), neighbours[1]].map((request) =>
        store.append(request as AppendRequest),
      ),
    );
    expect(results.at(0)).toMatchObject({ value: { outcome: 'appended' } });
    expect(results.at(-1)).toMatchObject({ value: { outcome: 'appended' } });
    for (const [index, [field]] of wrong.entries()) {
      const result = results[index + 1];
      const reason = result?.status === 'rejected' ? result.reason : result;
      expect(reason, `case ${index}, ${field}`).toBeInstanceOf(RangeError);
      expect(String(reason)).toContain(field);
    }
    const log = idsOf(await collect(store, here));
    expect([...log].sort()).toEqual(neighbours.flatMap(({ events }) => idsOf(events)).sort());
  });

  it('takes the longest names', async () => {
    const store = await harness.open();
    const unit = crypto.randomUUID();
    const long = `a-${unit}`.padEnd(LONGEST_NAME_BYTES - 2, unit).concat('ü');
    const request = append({
      stream: long as StreamName,
      command: { id: long as CommandId, fingerprint: '' },
    });
    await appended(store, request);
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
  });

  it('refuses a read that the port does not allow, and reads on', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(3) });
    await appended(store, request);
    const { stream } = request;
    for (const value of NOT_WHOLE) {
      for (const field of ['from', 'limit']) {
        const read = store.read(stream, { [field]: value } as ReadOptions);
        await expect(read, `${field}: ${String(value)}`).rejects.toThrow(RangeError);
      }
    }
    await expect(store.read(stream, null as unknown as ReadOptions)).rejects.toThrow(RangeError);
    for (const name of NOT_A_NAME) {
      await expect(store.read(name as StreamName)).rejects.toThrow(RangeError);
    }
    expect(idsOf(await store.read(stream))).toEqual(idsOf(request.events));
    expect(await store.read(stream, { from: Number.MAX_SAFE_INTEGER })).toEqual([]);
    const all = { from: 0, limit: Number.MAX_SAFE_INTEGER };
    expect(await store.read(stream, all)).toHaveLength(3);
  });

  it('refuses a subscription that the port does not allow where it is asked for', async () => {
    const store = await harness.open();
    const { position } = await appended(store, append());
    const wrong: readonly (readonly [field: keyof SubscribeOptions, values: readonly unknown[]])[] =
      [
        ['batchSize', [...NOT_WHOLE, 0]],
        ['untilHead', [null, 'true', 1]],
        ['signal', [null, 'abort', {}]],
        [
          'after',
          [
            ...NOT_TEXT.slice(1),
            '',
            '-1',
            `-${position.slice(1)}`,
            `${position}0`,
            position.slice(1),
          ],
        ],
      ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const options = { untilHead: true, [field]: value } as SubscribeOptions;
        expect(() => store.subscribe(options), `${field}: ${String(value)}`).toThrow(RangeError);
      }
    }
    expect(() => store.subscribe(null as unknown as SubscribeOptions)).toThrow(RangeError);
    const options = { after: position, batchSize: Number.MAX_SAFE_INTEGER };
    expect(await collect(store, options)).toEqual([]);
  });
}

/** Changes everything that a request holds. */
function spoil(request: AppendRequest): void {
  const open = request as unknown as {
    stream: string;
    events: object[];
    expected: object;
    command: { id: string; fingerprint: string };
  };
  open.stream = newStream();
  open.expected = exact(99);
  Object.assign(open.events[0] ?? {}, newEvent({ changed: true }), { type: 'Changed' });
  open.events.push(newEvent({ added: true }));
  Object.assign(open.command, { id: crypto.randomUUID(), fingerprint: 'changed' });
}

function ownershipCases(harness: Harness): void {
  /** Changes a request as soon as it was handed over, or some turns later, while it is under way. */
  async function changed(store: EventStore, turns: number): Promise<void> {
    const request = append({ events: [newEvent()] });
    const kept = structuredClone(request);
    const pending = store.append(request);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    spoil(request);
    expect(await pending).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(await store.read(kept.stream)).toStrictEqual(storedAs(kept, 0));
    expect(await store.read(request.stream)).toEqual([]);
    // Neither stream is held by what is over.
    await appended(store, append({ stream: kept.stream }));
    await appended(store, append({ stream: request.stream }));
  }

  it.each([0, 1, 5])(
    'stores what an append was when it was called, changed %i turns later',
    async (turns) => {
      const store = await harness.open();
      await changed(store, turns);
    },
  );

  it('stores what an append was, though it waits for others', async () => {
    const store = await harness.open();
    const stream = newStream();
    const requests = Array.from({ length: 20 }, () => append({ stream }));
    const kept = structuredClone(requests);
    const pending = requests.map((request) => store.append(request));
    await new Promise((resolve) => setImmediate(resolve));
    for (const request of requests) spoil(request);
    await Promise.all(pending);
    expect(new Set(idsOf(await store.read(stream)))).toEqual(
      new Set(kept.flatMap(({ events }) => idsOf(events))),
    );
    await appended(store, append({ stream }));
  });

  it('reads and subscribes as it was asked to, whatever becomes of the options', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const request = append({ events: newEvents(3) });
    await appended(store, request);
    const page = { from: 1, limit: 1 };
    const read = store.read(request.stream, page);
    page.limit = 3;
    expect(idsOf(await read)).toEqual(idsOf(request.events.slice(1, 2)));
    const options = { ...here, batchSize: 1, untilHead: true };
    const subscription = store.subscribe(options);
    options.batchSize = 100;
    options.untilHead = false;
    const sizes: number[] = [];
    for await (const batch of subscription) sizes.push(batch.length);
    expect(sizes).toEqual([1, 1, 1]);
  });

  it('returns events that belong to the caller', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const request = append({ events: newEvents(2) });
    await appended(store, request);
    const spoilt = [...(await store.read(request.stream)), ...(await take(store, 2, here))];
    for (const event of spoilt) {
      Object.assign(event, { data: 'changed', revision: 7, position: '' as Position });
    }
    const wanted = storedAs(request, 0);
    expect(await store.read(request.stream)).toStrictEqual(wanted);
    expect(await collect(store, here)).toStrictEqual(wanted);
  });
}

export function describeRefusals(harness: Harness): void {
  describe('not allowed', () => refusedCases(harness));
  describe('ownership', () => ownershipCases(harness));
}
