/** Contract cases of a store with several shards: each has its own checkpoint and its own epoch. */
import { expect, it } from 'vitest';
import type { Build, Move } from '../../read-model-store.ts';
import { buildIn, EPOCH, type Harness, made, position, storedEvent, thing } from './harness.ts';

function move(shard: number, expected: number, checkpoint: number, epoch = EPOCH): Move {
  const at = (ordinal: number) => (ordinal === 0 ? undefined : position(ordinal));
  return { shard, epoch, expected: at(expected), checkpoint: at(checkpoint) };
}

export function describeShards(harness: Harness): void {
  const { openSharded } = harness.contract;
  if (openSharded === undefined) return;
  const build = async (): Promise<Build> => buildIn(harness.adopt(await openSharded(3)));

  it('has as many shards as it was made with, in every build', async () => {
    const store = harness.adopt(await openSharded(3));
    expect(await store.shards()).toBe(3);
    expect(await (await buildIn(store)).checkpoints()).toEqual([undefined, undefined, undefined]);
  });

  it('moves some shards and leaves the others; it is as far as the last of them', async () => {
    const sharded = await build();
    const commit = (moves: readonly Move[], key: string) =>
      sharded.commit({ moves, changes: made('things', thing(key)) });
    expect(await commit([move(0, 0, 5), move(2, 0, 7)], 'a')).toEqual({ outcome: 'committed' });
    expect(await sharded.checkpoints()).toEqual([position(5), undefined, position(7)]);
    expect(await sharded.checkpoint()).toBeUndefined();
    expect(await commit([move(1, 0, 6)], 'b')).toEqual({ outcome: 'committed' });
    expect(await sharded.checkpoint()).toBe(position(5));
    expect((await sharded.summary()).checkpoints).toEqual([5, 6, 7].map(position));
    expect(await sharded.get('things', ['a', 'b'])).toEqual(['"a"', '"b"']);
  });

  it('writes nothing when one of several moves is stale', async () => {
    const sharded = await build();
    await sharded.commit({ moves: [move(1, 0, 3)], changes: [] });
    for (const stale of [move(1, 0, 4), move(1, 3, 4, EPOCH + 1), move(1, 3, 4, EPOCH - 1)]) {
      const result = await sharded.commit({
        moves: [move(0, 0, 4), stale],
        changes: made('things', thing('a')),
        park: [{ event: storedEvent('s', 0), error: 'no' }],
      });
      expect(result).toEqual({ outcome: 'stale' });
    }
    expect(await sharded.checkpoints()).toEqual([undefined, position(3), undefined]);
    expect(await sharded.get('things', ['a'])).toEqual([undefined]);
    expect(await sharded.parkedStreams()).toEqual(new Set());
  });

  it('fences one shard and not the others', async () => {
    const sharded = await build();
    expect(await sharded.fence([{ shard: 1, epoch: 9 }])).toBe(true);
    expect(await sharded.fence([0, 1].map((shard) => ({ shard, epoch: 8 })))).toBe(false);
    const commit = (each: Move) => sharded.commit({ moves: [each], changes: [] });
    expect(await commit(move(1, 0, 1))).toEqual({ outcome: 'stale' });
    expect(await commit(move(1, 0, 1, 9))).toEqual({ outcome: 'committed' });
    expect(await commit(move(2, 0, 1))).toEqual({ outcome: 'committed' });
  });

  it('takes commits to different shards at the same time', async () => {
    const sharded = await build();
    const commits = [0, 1, 2].map((shard) =>
      sharded.commit({ moves: [move(shard, 0, 1)], changes: made('things', thing(`${shard}`)) }),
    );
    const outcomes = (await Promise.all(commits)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['committed', 'committed', 'committed']);
    expect(await sharded.get('things', ['0', '1', '2'])).toEqual(['"0"', '"1"', '"2"']);
  });
}
