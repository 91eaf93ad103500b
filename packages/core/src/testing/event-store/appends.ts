/** Cases of the event-store contract about appending: expectations, atomicity, repeated commands, races. */
import { describe, expect, it } from 'vitest';
import type { AppendResult, Expected } from '../../event-store.ts';
import type { CommandId } from '../../kernel/ids.ts';
import type { Harness } from './harness.ts';
import {
  ANY,
  append,
  appended,
  collect,
  EXISTS,
  exact,
  expectRisingPositions,
  expectWholeStreams,
  fromHere,
  idsOf,
  NO_STREAM,
  newCommand,
  newEvent,
  newEvents,
  newStream,
  receiptOf,
  storedAs,
} from './harness.ts';

const RACERS = 8;
const RACES = 10;

/** Revisions of the stream before the append; -1 stands for no stream. */
const ACTUALS = [-1, 0, 1, 4] as const;
const EXPECTATIONS: readonly { readonly expected: Expected; readonly fits: readonly number[] }[] = [
  { expected: ANY, fits: [-1, 0, 1, 4] },
  { expected: NO_STREAM, fits: [-1] },
  { expected: EXISTS, fits: [0, 1, 4] },
  { expected: exact(0), fits: [0] },
  { expected: exact(1), fits: [1] },
  { expected: exact(3), fits: [] },
  { expected: exact(4), fits: [4] },
  { expected: exact(5), fits: [] },
];

export function expectationCases(harness: Harness): void {
  const rows = ACTUALS.flatMap((actual) =>
    EXPECTATIONS.map(({ expected, fits }) => ({
      actual,
      expected,
      fits: fits.includes(actual),
      wanted: expected.kind === 'exact' ? `exact(${expected.revision})` : expected.kind,
    })),
  );
  it.each(rows)('expecting $wanted of a stream at $actual: $fits', async (row) => {
    const store = await harness.open();
    const stream = newStream();
    if (row.actual >= 0)
      await appended(store, append({ stream, events: newEvents(row.actual + 1) }));
    const events = newEvents(2);
    const result = await store.append(append({ stream, events, expected: row.expected }));
    const kept = await store.read(stream);
    if (row.fits) {
      const revision = row.actual + 2;
      expect(result).toEqual({ outcome: 'appended', revision, position: kept.at(-1)?.position });
      expect(idsOf(kept.slice(-2))).toEqual(idsOf(events));
    } else {
      expect(result).toEqual({ outcome: 'conflict', actual: row.actual });
      expect(kept).toHaveLength(row.actual + 1);
    }
  });
}

export function appendCases(harness: Harness): void {
  it('keeps every field of every event of an append', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(3) });
    await appended(store, request);
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
  });

  it('appends several events together, or none of them', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const request = append({ events: newEvents(5), expected: NO_STREAM });
    expect((await appended(store, request)).revision).toBe(4);
    const late = append({ ...request, events: newEvents(5), command: newCommand() });
    expect(await store.append(late)).toEqual({ outcome: 'conflict', actual: 4 });
    expect(idsOf(await store.read(request.stream))).toEqual(idsOf(request.events));
    expect(idsOf(await collect(store, here))).toEqual(idsOf(request.events));
  });

  it('refuses an append without events', async () => {
    const store = await harness.open();
    const request = append({ events: [] });
    await expect(store.append(request)).rejects.toThrow(RangeError);
    expect(await store.read(request.stream)).toEqual([]);
  });

  it('gives each append the position of its last event', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const first = await appended(store, append({ events: newEvents(3) }));
    const second = await appended(store, append());
    const log = await collect(store, here);
    expect([log[2]?.position, log[3]?.position]).toEqual([first.position, second.position]);
    expect(await store.head()).toBe(second.position);
    expectRisingPositions(log);
  });

  it('does not confuse streams whose names begin alike', async () => {
    const store = await harness.open();
    const short = append();
    const long = append({ stream: `${short.stream}0` as typeof short.stream });
    await appended(store, short);
    await appended(store, long);
    expect(await store.read(short.stream)).toStrictEqual(storedAs(short, 0));
    expect(await store.read(long.stream)).toStrictEqual(storedAs(long, 0));
  });
}

export function commandCases(harness: Harness): void {
  it('answers a repeated command with its first receipt, even when its expectation no longer fits', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(2), expected: NO_STREAM });
    const receipt = await appended(store, request);
    await appended(store, append({ stream: request.stream }));
    for (const expected of [NO_STREAM, ANY, exact(0), exact(2)]) {
      const repeat = await store.append({ ...request, expected });
      expect(repeat).toEqual({ outcome: 'repeated', ...receipt });
    }
    expect(await store.read(request.stream)).toHaveLength(3);
  });

  it('answers a command repeated with other events by its first receipt', async () => {
    const store = await harness.open();
    const request = append();
    const receipt = await appended(store, request);
    const repeat = await store.append({ ...request, events: newEvents(3) });
    expect(repeat).toEqual({ outcome: 'repeated', ...receipt });
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
  });

  it('refuses a command id that the stream holds with another fingerprint', async () => {
    const store = await harness.open();
    const request = append();
    await appended(store, request);
    const command = { id: request.command.id, fingerprint: 'fedcba9876543210' };
    for (const expected of [ANY, exact(0), exact(7)]) {
      const result = await store.append({ ...request, command, expected });
      expect(result).toEqual({ outcome: 'command-id-reused' });
    }
    expect(await store.read(request.stream)).toHaveLength(1);
  });

  it('takes the same command id on another stream as another command', async () => {
    const store = await harness.open();
    const command = newCommand();
    const one = append({ command });
    const other = append({ command, events: newEvents(2) });
    await appended(store, one);
    await appended(store, other);
    expect(await store.read(one.stream)).toStrictEqual(storedAs(one, 0));
    expect(await store.read(other.stream)).toStrictEqual(storedAs(other, 0));
  });

  it('a command in conflict leaves its id free', async () => {
    const store = await harness.open();
    const request = append({ expected: EXISTS });
    expect(await store.append(request)).toEqual({ outcome: 'conflict', actual: -1 });
    await appended(store, { ...request, expected: NO_STREAM });
  });

  it('distinguishes commands that differ in one character', async () => {
    const store = await harness.open();
    const stream = newStream();
    for (const last of '0123456789abcdef') {
      const id = `01890a5d-ac96-774b-bcce-b302099a805${last}` as CommandId;
      await appended(store, append({ stream, command: { id, fingerprint: 'same' } }));
    }
    expect(await store.read(stream)).toHaveLength(16);
  });
}

export function raceCases(harness: Harness): void {
  it('appends one of concurrent duplicates and repeats its receipt to the others', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(2), expected: NO_STREAM });
    const duplicates = Array.from({ length: RACERS }, () => store.append(request));
    const results = await Promise.all(duplicates);
    expect(count(results, 'appended')).toBe(1);
    expect(count(results, 'repeated')).toBe(RACERS - 1);
    const [first, ...others] = results.map(receiptOf);
    for (const other of others) expect(other).toEqual(first);
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
  });

  it('double capture race: of two appends with the same expectation one is appended', async () => {
    const store = await harness.open();
    for (let race = 0; race < RACES; race += 1) {
      const stream = newStream();
      await appended(store, append({ stream }));
      const capture = () => store.append(append({ stream, expected: exact(0) }));
      const results = await Promise.all([capture(), capture()]);
      expect(results.map((result) => result.outcome).sort()).toEqual(['appended', 'conflict']);
      const loser = results.find((result) => result.outcome === 'conflict');
      expect(loser).toEqual({ outcome: 'conflict', actual: 1 });
      expect(await store.read(stream)).toHaveLength(2);
    }
  });

  it('appends one of many that all expect no stream', async () => {
    const store = await harness.open();
    const stream = newStream();
    const racers = Array.from({ length: RACERS }, (_, index) =>
      store.append(append({ stream, events: newEvents(1 + (index % 3)), expected: NO_STREAM })),
    );
    const results = await Promise.all(racers);
    expect(count(results, 'appended')).toBe(1);
    const kept = await store.read(stream);
    for (const result of results) {
      if (result.outcome !== 'conflict') continue;
      expect(result.actual).toBe(kept.length - 1);
    }
  });

  it('loses no append of many that expect nothing of one stream', async () => {
    const store = await harness.open();
    const stream = newStream();
    const requests = Array.from({ length: RACERS * 4 }, () => append({ stream }));
    await Promise.all(requests.map((request) => appended(store, request)));
    const kept = await store.read(stream);
    expectWholeStreams(kept);
    expect(new Set(idsOf(kept))).toEqual(new Set(requests.flatMap(({ events }) => idsOf(events))));
  });

  it('a conflict among concurrent appends to other streams concerns no other', async () => {
    const store = await harness.open();
    const requests = Array.from({ length: RACERS * 4 }, (_, index) =>
      append({ expected: index % 2 === 0 ? NO_STREAM : exact(3) }),
    );
    const results = await Promise.all(requests.map((request) => store.append(request)));
    expect(results.map((result) => result.outcome)).toEqual(
      requests.map((_, index) => (index % 2 === 0 ? 'appended' : 'conflict')),
    );
    for (const [index, request] of requests.entries()) {
      expect(await store.read(request.stream)).toHaveLength(index % 2 === 0 ? 1 : 0);
    }
  });
}

export function dataCases(harness: Harness): void {
  const texts: Readonly<Record<string, string>> = {
    'accents and symbols': 'Zoë paid 12,50 € – naïve façade',
    'other scripts': '支払い 결제 платёж دفع תשלום',
    'characters outside the basic plane': '🧾💳 𝒜 \u{10ffff}',
    'quotes, backslashes and line ends': `"'\\\r\n\t\u2028\u2029`,
    'a null character, escaped by JSON': 'a\u0000b',
    'a lone surrogate, escaped by JSON': 'a\ud800b',
    'composed and decomposed letters': 'é e\u0301',
  };
  it.each(Object.keys(texts))('hands data back unharmed: %s', async (name) => {
    const store = await harness.open();
    const here = await fromHere(store);
    const text = texts[name];
    const event = { ...newEvent({ text }), metadata: JSON.stringify({ actor: text }) };
    const request = append({ events: [event] });
    await appended(store, request);
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
    expect(await collect(store, here)).toStrictEqual(storedAs(request, 0));
  });

  it('hands large data back unharmed', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const unit = 'größe 大 ';
    const bytes = new TextEncoder().encode(unit).length;
    // Some room is left for the JSON around the text.
    const text = unit.repeat(Math.floor((harness.largestDataBytes - 64) / bytes));
    const request = append({ events: [newEvent({ text }), newEvent()] });
    await appended(store, request);
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
    expect(await collect(store, here)).toStrictEqual(storedAs(request, 0));
  });
}

export function describeAppends(harness: Harness): void {
  describe('expected revision', () => expectationCases(harness));
  describe('append', () => appendCases(harness));
  describe('command id', () => commandCases(harness));
  describe('race', () => raceCases(harness));
  describe('data', () => dataCases(harness));
}

function count(results: readonly AppendResult[], outcome: AppendResult['outcome']): number {
  return results.filter((result) => result.outcome === outcome).length;
}
