/** Contract cases: commits, checkpoints, epochs, parked streams and what survives a restart. */
import { expect, it } from 'vitest';
import type { Build } from '../../read-model-store.ts';
import {
  buildIn,
  commit,
  commitToAll,
  EPOCH,
  fenceAll,
  type Harness,
  made,
  position,
  row,
  storedEvent,
  thing,
} from './harness.ts';

export function describeWrites(harness: Harness): void {
  describeCommits(harness);
  describeChanges(harness);
  describeParking(harness);
  describeSummaries(harness);
}

function describeCommits(harness: Harness): void {
  it('starts empty, before the first position', async () => {
    const build = await harness.build();
    expect(await build.checkpoint()).toBeUndefined();
    expect(await build.get('things', ['a'])).toEqual([undefined]);
    expect(await build.list('things', { prefix: '', limit: 10 })).toEqual([]);
  });

  it('commits documents and checkpoint together', async () => {
    const build = await harness.build();
    const result = await commitToAll(build, {
      expected: undefined,
      checkpoint: position(7),
      epoch: EPOCH,
      changes: made('things', thing('a'), thing('b')),
    });
    expect(result).toEqual({ outcome: 'committed' });
    expect(await build.checkpoint()).toBe(position(7));
    expect(await build.get('things', ['b', 'x', 'a'])).toEqual(['"b"', undefined, '"a"']);
  });

  it('writes nothing when the checkpoint is not as expected', async () => {
    const build = await harness.build();
    await commit(build, made('things', thing('a')));
    for (const expected of [undefined, position(2)]) {
      const result = await commitToAll(build, {
        expected,
        checkpoint: position(9),
        epoch: EPOCH,
        changes: made('things', thing('b')),
        park: [{ event: storedEvent('s', 0), error: 'no' }],
      });
      expect(result).toEqual({ outcome: 'stale' });
    }
    expect(await build.checkpoint()).toBe(position(1));
    expect(await build.get('things', ['b'])).toEqual([undefined]);
    expect(await build.parked()).toEqual([]);
  });

  it('lets only the latest epoch commit', async () => {
    const build = await harness.build();
    expect(await fenceAll(build, 5)).toBe(true);
    expect(await fenceAll(build, 4)).toBe(false);
    expect(await fenceAll(build, 5)).toBe(true);
    const attempt = (epoch: number) =>
      commitToAll(build, {
        expected: undefined,
        checkpoint: position(1),
        epoch,
        changes: made('things', thing('a')),
      });
    expect(await attempt(EPOCH)).toEqual({ outcome: 'stale' });
    expect(await attempt(6)).toEqual({ outcome: 'stale' });
    expect(await attempt(5)).toEqual({ outcome: 'committed' });
  });

  it('applies one of two commits from the same position', async () => {
    const build = await harness.build();
    const attempt = (key: string) =>
      commitToAll(build, {
        expected: undefined,
        checkpoint: position(1),
        epoch: EPOCH,
        changes: made('things', thing(key)),
      });
    const outcomes = await Promise.all([attempt('a'), attempt('b')]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['committed', 'stale']);
    expect(await build.list('things', { prefix: '', limit: 10 })).toHaveLength(1);
  });

  it('refuses a document that is there already, with everything beside it', async () => {
    const build = await harness.build();
    await commit(build, [
      ...made('things', thing('a')),
      ...made('rows', row({ key: 'r', sort: 1 })),
    ]);
    for (const [collection, document] of [
      ['things', thing('a', '"other"')],
      ['rows', row({ key: 'r', sort: 2, partition: 'q' })],
    ] as const) {
      const result = await commitToAll(build, {
        expected: position(1),
        checkpoint: position(2),
        epoch: EPOCH,
        changes: [...made('things', thing('new')), ...made(collection, document)],
      });
      expect(result).toEqual({ outcome: 'duplicate', collection, key: document.key });
    }
    expect(await build.checkpoint()).toBe(position(1));
    expect(await build.get('things', ['a', 'new'])).toEqual(['"a"', undefined]);
    // A partition first named in a refused commit is as unknown as before.
    await commit(build, made('rows', row({ key: 's', sort: 2, partition: 'q' })));
    const walked = await build.walk({ collection: 'rows', partition: 'q', where: [], limit: 9 });
    expect(walked.map(({ key }) => key)).toEqual(['s']);
  });
}

function describeChanges(harness: Harness): void {
  it('replaces and removes keyed documents', async () => {
    const build = await harness.build();
    await commit(build, made('things', thing('a'), thing('b')));
    await commit(build, [
      { collection: 'things', before: thing('a'), after: thing('a', '"A"') },
      { collection: 'things', before: thing('b') },
    ]);
    expect(await build.get('things', ['a', 'b'])).toEqual(['"A"', undefined]);
  });

  it('moves a walked document under its new fields and from its old ones', async () => {
    const build = await harness.build();
    const before = row({ key: 'a', sort: 1, name: 'x', colour: 'red', size: 3, changed: 5 });
    const after = row({ key: 'a', sort: 1, name: 'x', colour: null, size: 4, changed: 6 });
    await commit(build, made('rows', before));
    await commit(build, [{ collection: 'rows', before, after }]);
    expect(await found(build, 'name', 'x')).toEqual([after.body]);
    expect(await found(build, 'colour', 'red')).toEqual([]);
    expect(await found(build, 'size', 3)).toEqual([]);
    expect(await found(build, 'size', 4)).toEqual([after.body]);
    expect(await found(build, 'changed', 6)).toEqual([after.body]);
    await commit(build, [{ collection: 'rows', before: after }]);
    expect(await found(build, 'name', 'x')).toEqual([]);
    expect(await build.get('rows', ['a'])).toEqual([undefined]);
  });

  it('makes a shared document once, from any of its rows', async () => {
    const build = await harness.build();
    const share = (body: string) =>
      ({ collection: 'things', after: thing('s', body), shared: true }) as const;
    await commit(build, [share('1'), share('2')]);
    await commit(build, [share('3')]);
    expect(await build.get('things', ['s'])).toEqual(['1']);
  });

  it('counts revisions of the model and of each partition', async () => {
    const build = await harness.build();
    const seen = async () => [
      await build.revision(),
      await build.revision('p'),
      await build.revision('q'),
    ];
    const empty = await seen();
    await commit(build, []);
    expect(await seen()).toEqual(empty);
    await commit(build, made('rows', row({ key: 'a', sort: 1 })));
    const [model, p, q] = await seen();
    expect(model).not.toBe(empty[0]);
    expect(p).not.toBe(empty[1]);
    expect(q).toBe(empty[2]);
    await commit(build, made('things', thing('a')));
    expect(await build.revision()).not.toBe(model);
    expect(await build.revision('p')).toBe(p);
  });
}

function describeParking(harness: Harness): void {
  it('keeps parked streams with their events in order, until they are freed', async () => {
    const build = await harness.build();
    const park = (expected: number, events: readonly [string, number, string][]) =>
      commitToAll(build, {
        expected: expected === 0 ? undefined : position(expected),
        checkpoint: position(expected + 1),
        epoch: EPOCH,
        changes: [],
        park: events.map(([stream, revision, error]) => ({
          event: storedEvent(stream, revision),
          error,
        })),
      });
    await park(0, [
      ['b', 3, 'broken'],
      ['a', 0, 'bad'],
    ]);
    await park(1, [['b', 4, 'later']]);
    expect(await build.parkedStreams()).toEqual(new Set(['a', 'b']));
    const parked = [...(await build.parked())].sort((x, y) => (x.stream < y.stream ? -1 : 1));
    expect(parked).toEqual([
      { stream: 'a', error: 'bad', events: [storedEvent('a', 0)] },
      { stream: 'b', error: 'broken', events: [storedEvent('b', 3), storedEvent('b', 4)] },
    ]);
    const freed = await commitToAll(build, {
      expected: position(2),
      checkpoint: position(2),
      epoch: EPOCH,
      changes: [],
      unpark: ['b'],
    });
    expect(freed.outcome).toBe('committed');
    expect(await build.parkedStreams()).toEqual(new Set(['a']));
    await commitToAll(build, {
      expected: position(2),
      checkpoint: position(2),
      epoch: EPOCH,
      changes: [],
      unpark: ['a'],
      park: [{ event: storedEvent('a', 1), error: 'again' }],
    });
    expect(await build.parked()).toEqual([
      { stream: 'a', error: 'again', events: [storedEvent('a', 1)] },
    ]);
  });
}

function describeSummaries(harness: Harness): void {
  it('sums up equal documents equally, however they came about', async () => {
    const [one, two] = [await harness.build(), await harness.build()];
    const old = row({ key: 'r', sort: 1, name: 'old' });
    const final = row({ key: 'r', sort: 1, name: 'new' });
    await commit(one, made('rows', old));
    await commit(one, [
      { collection: 'rows', before: old, after: final },
      ...made('things', thing('a')),
    ]);
    await commit(two, made('things', thing('a'), thing('b')));
    await commit(two, [{ collection: 'things', before: thing('b') }, ...made('rows', final)]);
    expect(await one.summary()).toEqual(await two.summary());
    expect(new Set((await one.summary()).checkpoints)).toEqual(new Set([position(2)]));
    await commit(two, [{ collection: 'rows', before: final, after: old }]);
    const counts = (await two.summary()).collections.map(({ count }) => count);
    expect(counts).toEqual([1, 1, 0]);
    expect((await two.summary()).collections).not.toEqual((await one.summary()).collections);
  });

  it('holds a load that is finished like any other build', async () => {
    const store = await harness.store();
    const loaded = await buildIn(store, 'load');
    await commit(loaded, made('rows', row({ key: 'a', sort: 1, name: 'x' })));
    expect(loaded.info.state).toBe('loading');
    await loaded.finishLoad();
    expect(loaded.info.state).toBe('ready');
    await commit(loaded, made('rows', row({ key: 'b', sort: 2, name: 'x' })));
    expect(await found(loaded, 'name', 'x')).toHaveLength(2);
  });

  it.runIf(harness.contract.reopen !== undefined)('survives a restart', async () => {
    const store = await harness.store();
    const build = await buildIn(store);
    await store.makeLive('sample', build.info.build);
    await commit(build, made('rows', row({ key: 'a', sort: 1, name: 'x' })));
    const before = await build.summary();
    const again = harness.adopt((await harness.contract.reopen?.(store)) ?? store);
    const live = await again.live('sample');
    expect(live?.info).toEqual(build.info);
    expect(await live?.summary()).toEqual(before);
    if (live !== undefined) {
      expect(await found(live, 'name', 'x')).toHaveLength(1);
      await commit(live, made('rows', row({ key: 'b', sort: 1, name: 'x' })));
      expect(await found(live, 'name', 'x')).toHaveLength(2);
    }
  });
}

async function found(build: Build, field: string, value: string | number): Promise<string[]> {
  const where = [{ field, anyOf: [value] }];
  const walked = await build.walk({ collection: 'rows', partition: 'p', where, limit: 100 });
  return walked.map(({ body }) => body);
}
