/** Cases of the event-store contract about appends to several streams that are made as one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppendAllResult, AppendRequest, EventStore } from '../../event-store.ts';
import type { Harness } from './harness.ts';
import {
  ANY,
  append,
  appended,
  collect,
  EXISTS,
  exact,
  expectFailure,
  expectRisingPositions,
  expectWholeStreams,
  fromHere,
  idsOf,
  NO_STREAM,
  newCommand,
  newEvents,
  newStream,
  storedAs,
} from './harness.ts';
import { encodedOf, Model, requestsOf, type Step, shapeOf, step } from './model.ts';

const RACERS = 8;
const RACES = 10;
const MAX_APPENDS = 64;
const MAX_EVENTS = 4_096;
const MAX_STEPS = 12;

/** Appends of some steps of a history, each to another stream. */
const groups = fc.array(
  fc.uniqueArray(step, { minLength: 1, maxLength: 3, selector: ({ stream }) => stream }),
  { maxLength: MAX_STEPS },
);

function appendAll(
  store: EventStore,
  requests: readonly AppendRequest[],
): Promise<AppendAllResult> {
  if (store.appendAll === undefined) throw new Error('the store has no appendAll');
  return store.appendAll(requests);
}

/** Appends to several streams what must succeed. */
async function allAppended(
  store: EventStore,
  requests: readonly AppendRequest[],
): Promise<AppendAllResult & { readonly outcome: 'appended' }> {
  const result = await appendAll(store, requests);
  if (result.outcome !== 'appended') throw new Error(JSON.stringify(result));
  return { ...result, outcome: result.outcome };
}

function eventsOf(requests: readonly AppendRequest[]) {
  return requests.flatMap(({ events }) => events);
}

function outcomeCases(harness: Harness): void {
  it('appends to every stream, and answers with each receipt', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const old = newStream();
    await appended(store, append({ stream: old, events: newEvents(2) }));
    const requests = [
      append({ events: newEvents(2), expected: NO_STREAM }),
      append({ stream: old, events: newEvents(3), expected: exact(1) }),
      append(),
    ];
    const { receipts } = await allAppended(store, requests);
    expect(receipts.map(({ revision }) => revision)).toEqual([1, 4, 0]);
    const log = (await collect(store, here)).slice(2);
    expect(log.map(encodedOf)).toEqual(eventsOf(requests));
    expectRisingPositions(log);
    expect(receipts.map(({ position }) => position)).toEqual(
      [1, 4, 5].map((index) => log[index]?.position),
    );
    expect(await store.head()).toBe(receipts[2]?.position);
    const [first, second, third] = requests.map(({ stream }) => stream);
    expect(await store.read(first ?? old)).toHaveLength(2);
    expect(await store.read(second ?? old)).toHaveLength(5);
    expect(await store.read(third ?? old)).toHaveLength(1);
  });

  it('appends to one stream as an append does', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(2) });
    const { receipts } = await allAppended(store, [request]);
    expect(await store.append(request)).toEqual({ outcome: 'repeated', ...receipts[0] });
    expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
  });

  it.each([0, 1, 2])('appends nothing where the one at %i is in conflict', async (index) => {
    const store = await harness.open();
    const here = await fromHere(store);
    const requests = [0, 1, 2].map((at) =>
      append({ expected: at === index ? EXISTS : NO_STREAM, events: newEvents(2) }),
    );
    const refusal = { outcome: 'conflict', actual: -1 };
    expect(await appendAll(store, requests)).toEqual({
      outcome: 'refused',
      index,
      result: refusal,
    });
    expect(await collect(store, here)).toEqual([]);
    // Streams, revisions and command ids are free.
    const again = requests.map((request) => ({ ...request, expected: NO_STREAM }));
    const { receipts } = await allAppended(store, again);
    expect(receipts.map(({ revision }) => revision)).toEqual([1, 1, 1]);
  });

  it('names the first that cannot be made, with its revision', async () => {
    const store = await harness.open();
    const stream = newStream();
    await appended(store, append({ stream, events: newEvents(3) }));
    const requests = [
      append(),
      append({ stream, expected: exact(1) }),
      append({ expected: EXISTS }),
    ];
    expect(await appendAll(store, requests)).toEqual({
      outcome: 'refused',
      index: 1,
      result: { outcome: 'conflict', actual: 2 },
    });
  });

  it('appends nothing where a command id is another command of its stream', async () => {
    const store = await harness.open();
    const first = append();
    await appended(store, first);
    const reused = { ...first, command: { ...first.command, fingerprint: 'fedcba9876543210' } };
    const fresh = append();
    const result = { outcome: 'command-id-reused' };
    expect(await appendAll(store, [fresh, reused])).toEqual({
      outcome: 'refused',
      index: 1,
      result,
    });
    expect(await store.read(fresh.stream)).toEqual([]);
    await appended(store, { ...fresh, expected: NO_STREAM });
  });

  it('appends nothing where some are repeated, and tells the first receipt', async () => {
    const store = await harness.open();
    const first = append();
    const receipt = await appended(store, first);
    const fresh = append();
    const result = { outcome: 'repeated', ...receipt };
    expect(await appendAll(store, [fresh, first])).toEqual({
      outcome: 'refused',
      index: 1,
      result,
    });
    expect(await store.read(fresh.stream)).toEqual([]);
  });

  it('answers a repetition of all with the first receipts, whatever is expected', async () => {
    const store = await harness.open();
    const requests = [append({ events: newEvents(2), expected: NO_STREAM }), append()];
    const { receipts } = await allAppended(store, requests);
    await appended(store, append({ stream: requests[0]?.stream ?? newStream() }));
    for (const expected of [NO_STREAM, ANY, exact(7)]) {
      const again = requests.map((request) => ({ ...request, expected }));
      expect(await appendAll(store, again)).toEqual({ outcome: 'repeated', receipts });
    }
    // Each is a command of its stream, as if it had been appended by itself.
    for (const [index, request] of requests.entries()) {
      expect(await store.append(request)).toEqual({ outcome: 'repeated', ...receipts[index] });
    }
  });
}

function argumentCases(harness: Harness): void {
  it('refuses what the port does not allow, and stores nothing of it', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const fine = append();
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, 'array'],
      [[], 'array'],
      [Array.from({ length: MAX_APPENDS + 1 }, () => append()), 'array'],
      [[fine, append({ stream: fine.stream })], 'another stream'],
      [[fine, append({ events: newEvents(MAX_EVENTS) })], 'events in all'],
      [[fine, append({ events: [] })], 'events'],
      [[fine, null], 'append'],
      [[fine, append({ stream: '' as AppendRequest['stream'] })], 'stream'],
      [[fine, append({ command: { ...newCommand(), id: '' as never } })], 'command.id'],
    ];
    for (const [requests, words] of wrong) {
      const refusal = appendAll(store, requests as readonly AppendRequest[]);
      await expect(refusal, words).rejects.toThrow(RangeError);
      await expect(refusal, words).rejects.toThrow(words);
    }
    expect(await collect(store, here)).toEqual([]);
    const most = Array.from({ length: MAX_APPENDS }, () =>
      append({ events: newEvents(MAX_EVENTS / MAX_APPENDS) }),
    );
    await allAppended(store, most);
    expect(await collect(store, here)).toHaveLength(MAX_EVENTS);
  });

  it('stores what the appends were when it was called', async () => {
    const store = await harness.open();
    const requests = [append(), append()];
    const kept = structuredClone(requests);
    const pending = appendAll(store, requests);
    for (const request of requests) Object.assign(request, append());
    requests.pop();
    expect(await pending).toMatchObject({ outcome: 'appended', receipts: [{}, {}] });
    for (const request of kept) {
      expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
    }
  });

  it('fails after close, and is finished before', async () => {
    const store = await harness.open();
    const requests = [append(), append()];
    const pending = Array.from({ length: RACERS }, () => appendAll(store, [append(), append()]));
    const last = appendAll(store, requests);
    await store.close();
    for (const result of await Promise.all([...pending, last])) {
      expect(result).toMatchObject({ outcome: 'appended' });
    }
    await expectFailure(appendAll(store, requests), 'closed');
    if (harness.contract.reopen === undefined) return;
    const reopened = await harness.restart(store);
    expect(await appendAll(reopened, requests)).toMatchObject({ outcome: 'repeated' });
    for (const request of requests) {
      expect(await reopened.read(request.stream)).toStrictEqual(storedAs(request, 0));
    }
  });
}

function raceCases(harness: Harness): void {
  it('appends one of concurrent duplicates and repeats its receipts to the others', async () => {
    const store = await harness.open();
    const requests = [append({ expected: NO_STREAM }), append({ events: newEvents(2) })];
    const results = await Promise.all(
      Array.from({ length: RACERS }, () => appendAll(store, requests)),
    );
    expect(results.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    const [{ receipts } = { receipts: [] }] = results.filter(isMade);
    for (const result of results) expect(result).toMatchObject({ receipts });
    for (const request of requests) {
      expect(await store.read(request.stream)).toStrictEqual(storedAs(request, 0));
    }
  });

  it('appends one of two that want the same streams in another order', async () => {
    const store = await harness.open();
    for (let race = 0; race < RACES; race += 1) {
      const streams = [newStream(), newStream()];
      const to = (order: readonly (typeof streams)[number][]) =>
        appendAll(
          store,
          order.map((stream) => append({ stream, expected: NO_STREAM })),
        );
      const results = await Promise.all([to(streams), to(streams.toReversed())]);
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['appended', 'refused']);
      const refusal = { index: 0, result: { outcome: 'conflict', actual: 0 } };
      expect(results.find(({ outcome }) => outcome === 'refused')).toMatchObject(refusal);
      for (const stream of streams) expect(await store.read(stream)).toHaveLength(1);
    }
  });
}

function isMade(
  result: AppendAllResult,
): result is Extract<AppendAllResult, { readonly receipts: unknown }> {
  return result.outcome !== 'refused';
}

/** The requests of a history in its groups. */
function groupsOf(history: readonly (readonly Step[])[]): readonly (readonly AppendRequest[])[] {
  const requests = requestsOf(history.flat()).values();
  return history.map((group) => group.map(() => requests.next().value as AppendRequest));
}

/** What the model answers: to one append by itself, and to several what makes one of the results. */
function expectedOf(model: Model, requests: readonly AppendRequest[]) {
  const trials = requests.map((request) => model.trial(request));
  if (trials.every(({ outcome }) => outcome === 'appended')) {
    return { outcome: 'appended', revisions: requests.map((each) => model.append(each).revision) };
  }
  if (trials.every(({ outcome }) => outcome === 'repeated')) {
    return { outcome: 'repeated', revisions: trials.map(({ revision }) => revision) };
  }
  const index = trials.findIndex(({ outcome }) => outcome !== 'appended');
  return { outcome: 'refused', index, result: trials[index] };
}

function shapeOfAll(result: AppendAllResult) {
  if (isMade(result)) {
    const { outcome, receipts } = result;
    return { outcome, revisions: receipts.map(({ revision }) => revision) };
  }
  return { outcome: result.outcome, index: result.index, result: shapeOf(result.result) };
}

async function compare(store: EventStore, history: readonly (readonly Step[])[]): Promise<void> {
  const here = await fromHere(store);
  const model = new Model();
  for (const requests of groupsOf(history)) {
    const expected = expectedOf(model, requests);
    expect(shapeOfAll(await appendAll(store, requests))).toEqual(expected);
  }
  const log = await collect(store, { ...here, batchSize: 5 });
  expectRisingPositions(log);
  expectWholeStreams(log);
  expect(log.map(encodedOf)).toEqual(model.log);
}

/** All at once, and single appends between them: of each group the log has everything or nothing. */
async function compareConcurrent(
  store: EventStore,
  history: readonly (readonly Step[])[],
): Promise<void> {
  const here = await fromHere(store);
  const all = groupsOf(history);
  const made = await Promise.all(
    all.map(async (requests) => {
      const [only] = requests;
      if (requests.length > 1 || only === undefined) return await appendAll(store, requests);
      const result = await store.append(only);
      return { outcome: result.outcome };
    }),
  );
  const log = await collect(store, here);
  expectRisingPositions(log);
  expectWholeStreams(log);
  const wanted = all.flatMap((requests, index) =>
    made[index]?.outcome === 'appended' ? idsOf(eventsOf(requests)) : [],
  );
  expect([...idsOf(log)].sort()).toEqual([...wanted].sort());
  for (const [index, requests] of all.entries()) {
    if (requests.length === 1 || made[index]?.outcome !== 'appended') continue;
    // Nothing of others stands between the events of one call.
    const ids = idsOf(eventsOf(requests));
    const from = log.findIndex(({ id }) => id === ids[0]);
    expect(idsOf(log.slice(from, from + ids.length))).toEqual(ids);
  }
}

function propertyCases(harness: Harness): void {
  it('any sequence does what the model does', async () => {
    const store = await harness.open();
    await fc.assert(fc.asyncProperty(groups, (history) => compare(store, history)));
  });

  it('any that are made at once leave a log with all of each or nothing', async () => {
    const store = await harness.open();
    await fc.assert(fc.asyncProperty(groups, (history) => compareConcurrent(store, history)));
  });
}

/** Where the adapter cannot append to several streams, only that it does not claim to. */
export function describeAppendsAsOne(harness: Harness): void {
  if (harness.contract.appendsAsOne !== true) {
    it('does not append to several streams', async () => {
      expect((await harness.open()).appendAll).toBeUndefined();
    });
    return;
  }
  describe('appends as one', () => {
    outcomeCases(harness);
    argumentCases(harness);
    raceCases(harness);
    propertyCases(harness);
  });
}
