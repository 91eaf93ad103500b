/** Contract cases: leases, and builds that are made, swapped and dropped. */
import { expect, it } from 'vitest';
import type { ReadModelStore } from '../../read-model-store.ts';
import { buildIn, commit, type Harness, made, thing } from './harness.ts';

export function describeBuilds(harness: Harness): void {
  describeLeases(harness);

  it('has no live build at first', async () => {
    const store = await harness.store();
    expect(await store.live('sample')).toBeUndefined();
    expect(await store.builds('sample')).toEqual([]);
  });

  it('points queries at one build, and back', async () => {
    const store = await harness.store();
    const [one, two] = [await buildIn(store), await buildIn(store)];
    await commit(one, made('things', thing('a', '1')));
    await commit(two, made('things', thing('a', '2')));
    const seen = async () => (await (await store.live('sample'))?.get('things', ['a']))?.[0];
    await store.makeLive('sample', one.info.build);
    expect(await seen()).toBe('1');
    await store.makeLive('sample', two.info.build);
    expect(await seen()).toBe('2');
    await store.makeLive('sample', one.info.build);
    expect(await seen()).toBe('1');
    expect(await store.live('another')).toBeUndefined();
  });

  it('looks up the live builds of several projections together', async () => {
    const store = await harness.store();
    const build = await buildIn(store);
    const seen = async () => {
      const builds = await store.liveOf(['another', 'sample']);
      return builds.map((each) => each?.info.build);
    };
    expect(await seen()).toEqual([undefined, undefined]);
    await store.makeLive('sample', build.info.build);
    expect(await seen()).toEqual([undefined, build.info.build]);
    const next = await buildIn(store);
    await store.makeLive('sample', next.info.build);
    expect(await seen()).toEqual([undefined, next.info.build]);
  });

  it('makes no build live that is still loading', async () => {
    const store = await harness.store();
    const build = await buildIn(store, 'load');
    const { build: number } = build.info;
    await expect(store.makeLive('sample', number)).rejects.toMatchObject({ code: 'not-ready' });
    await build.finishLoad();
    await store.makeLive('sample', number);
    expect((await store.live('sample'))?.info).toEqual({
      projection: 'sample',
      build: number,
      version: 'v1',
      state: 'ready',
    });
  });

  it('drops builds, but not the live one', async () => {
    const store = await harness.store();
    const [one, two] = [await buildIn(store), await buildIn(store)];
    await store.makeLive('sample', two.info.build);
    await expect(store.dropBuild('sample', two.info.build)).rejects.toMatchObject({
      code: 'no-such-build',
    });
    await store.dropBuild('sample', one.info.build);
    expect(await store.builds('sample')).toEqual([two.info]);
    await expect(store.openBuild('sample', one.info.build)).rejects.toMatchObject({
      code: 'no-such-build',
    });
    // Numbers are not used again.
    expect((await buildIn(store)).info.build).toBe(two.info.build + 1);
  });

  it('fails clearly once it is closed', async () => {
    const store = await harness.store();
    await store.close();
    await expect(store.live('sample')).rejects.toMatchObject({ code: 'closed' });
    await expect(store.liveOf(['sample'])).rejects.toMatchObject({ code: 'closed' });
  });
}

function describeLeases(harness: Harness): void {
  const lease = (store: ReadModelStore, holder: string, nowMs: number) =>
    store.acquireLease({ name: 'work', holder, nowMs, ttlMs: 100 });

  it('gives a lease to one holder at a time, with a growing epoch', async () => {
    const store = await harness.store();
    const first = await lease(store, 'a', 0);
    expect(first).toBeGreaterThan(0);
    expect(await lease(store, 'b', 50)).toBeUndefined();
    expect(await lease(store, 'a', 90)).toBe(first);
    expect(await lease(store, 'b', 150)).toBeUndefined();
    const second = await lease(store, 'b', 191);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(await lease(store, 'a', 192)).toBeUndefined();
  });

  it('lets a lease go early, by its holder alone', async () => {
    const store = await harness.store();
    const first = await lease(store, 'a', 0);
    await store.releaseLease('work', 'b');
    expect(await lease(store, 'b', 1)).toBeUndefined();
    await store.releaseLease('work', 'a');
    expect(await lease(store, 'b', 1)).toBeGreaterThan(first ?? 0);
  });

  it('tells who holds the leases whose names begin alike', async () => {
    const store = await harness.store();
    const names = ['group/0', 'group/1', 'group/worker/0', 'group', 'other/0', 'Group/0'];
    for (const [index, name] of names.entries()) {
      await store.acquireLease({ name, holder: `h${index}`, nowMs: index, ttlMs: 100 });
    }
    await store.releaseLease('group/1', 'h1');
    const held = await store.leases('group/', 50);
    expect([...held].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'group/0', holder: 'h0' },
      { name: 'group/worker/0', holder: 'h2' },
    ]);
    expect(await store.leases('group/', 102)).toEqual([]);
  });

  it('gives leases of different names independently', async () => {
    const store = await harness.store();
    await lease(store, 'a', 0);
    const other = { name: 'other', holder: 'b', nowMs: 0, ttlMs: 100 };
    expect(await store.acquireLease(other)).toBeGreaterThan(0);
  });
}
