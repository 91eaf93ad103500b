/** Cases of the EventStoreDB adapter about subscriptions and clusters that fail, for one client. */
import type { EventStore, StoredEvent } from '@counterfoil/core';
import type { ClientKind, ConnectionNews } from '@counterfoil/event-stores/eventstoredb';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FaultSwitch } from '../../eventstoredb-server/server.ts';
import { startProtocolCluster } from '../../eventstoredb-server/server.ts';
import { idsOf, newAppend } from './appends.ts';
import { closeStores, open, serverForThisFile } from './eventstoredb.ts';
import { follow } from './following.ts';

const CASE_TIMEOUT_MS = 60_000;
const WAIT = { timeout: CASE_TIMEOUT_MS };
/** Long enough for the server to be asked, short enough for a test. */
const STALL_MS = 200;

async function appendEach(store: EventStore, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const request = newAppend(3);
    expect(await store.append(request)).toMatchObject({ outcome: 'appended' });
    ids.push(...idsOf(request.events));
  }
  return ids;
}

export function describeFollowFaults(client: ClientKind): void {
  const server = serverForThisFile();
  const openHere = (options: object = {}) =>
    open({ url: server().url, client, stallMs: STALL_MS, deadlineMs: 2_000, ...options });
  afterEach(async () => {
    server().faults.clear();
    server().faults.release();
    await closeStores();
  });

  describe(`eventstoredb, client ${client}: a subscription`, { timeout: CASE_TIMEOUT_MS }, () => {
    const cuts: readonly FaultSwitch[] = (
      ['drop', 'stall', 'slowConsumer', 'cancel'] as const
    ).flatMap((how) => [0, 1, 7].map((afterEvents) => ({ kind: 'cut', how, afterEvents })));
    const faults: readonly FaultSwitch[] = [
      ...cuts,
      { kind: 'duplicate' },
      { kind: 'refuse', reason: 'notReady' },
      { kind: 'stall', when: 'beforeApply' },
    ];
    it.each(faults)('misses and repeats nothing by %o', async (fault) => {
      const store = await openHere();
      const ids = [...(await appendEach(store, 5))];
      server().faults.set({ on: 'subscribe', ...fault });
      const live = follow(store);
      await vi.waitUntil(() => live.length > 0, WAIT);
      ids.push(...(await appendEach(store, 5)));
      await vi.waitUntil(() => live.length >= ids.length, WAIT);
      expect(idsOf(live)).toEqual(ids);
    });

    it('until the head ends there, however often it is cut off', async () => {
      const store = await openHere();
      const ids = await appendEach(store, 8);
      for (const how of ['drop', 'cancel', 'stall', 'drop'] as const) {
        server().faults.set({ on: 'subscribe', kind: 'cut', how, afterEvents: 5 });
      }
      const events: StoredEvent[] = [];
      const options = { untilHead: true, batchSize: 2 };
      for await (const batch of store.subscribe(options)) events.push(...batch);
      expect(idsOf(events)).toEqual(ids);
    });

    it('continues after a restart of the server, and reports loss and recovery', async () => {
      const news: ConnectionNews['state'][] = [];
      const store = await openHere({
        onConnection: ({ state }: ConnectionNews) => news.push(state),
      });
      const live = follow(store);
      await vi.waitUntil(() => news.includes('following'), WAIT);
      const ids = [...(await appendEach(store, 2))];
      await server().stop();
      await vi.waitUntil(() => news.includes('lost'), WAIT);
      await server().start();
      await vi.waitUntil(() => news.at(-1) === 'following', WAIT);
      ids.push(...(await appendEach(store, 2)));
      await vi.waitUntil(() => live.length >= ids.length, WAIT);
      expect(idsOf(live)).toEqual(ids);
    });

    it('ends with its signal and with the store while the server is away', async () => {
      const store = await openHere();
      const controller = new AbortController();
      const ended = [
        store.subscribe({ signal: controller.signal })[Symbol.asyncIterator]().next(),
        store.subscribe()[Symbol.asyncIterator]().next(),
      ];
      await server().stop();
      controller.abort();
      expect((await ended[0])?.done).toBe(true);
      await store.close();
      expect((await ended[1])?.done).toBe(true);
      await server().start();
    });

    it('fails with a damaged event, and does not pass over it', async () => {
      const prefix = `damaged_${crypto.randomUUID().replaceAll('-', '')}.`;
      const store = await openHere({ prefix });
      await appendEach(store, 1);
      const data = Buffer.from('{}');
      server().log.append(`${prefix}transaction-1-2`, 'any', [
        { id: crypto.randomUUID(), type: 'Odd', isJson: true, data, metadata: data },
      ]);
      const seen: StoredEvent[] = [];
      const following = (async () => {
        for await (const batch of store.subscribe()) seen.push(...batch);
      })();
      await expect(following).rejects.toMatchObject({ code: 'corrupt' });
      expect(seen).toHaveLength(3);
    });
  });

  describe(`eventstoredb, client ${client}: a cluster`, { timeout: CASE_TIMEOUT_MS }, () => {
    const openCluster = async (nodeOnly?: number) => {
      const cluster = await startProtocolCluster({ nodes: 3 });
      onTestFinished(async () => {
        await closeStores();
        await cluster.close();
      });
      const url = nodeOnly === undefined ? cluster.url : (cluster.nodes[nodeOnly]?.url ?? '');
      const store = await open({ url, client, stallMs: STALL_MS, deadlineMs: 2_000 });
      return { cluster, store };
    };

    it('changes its leader, and nothing is lost or doubled', async () => {
      const { cluster, store } = await openCluster();
      const live = follow(store);
      const ids: string[] = [];
      for (let change = 0; change < 4; change += 1) {
        ids.push(...(await appendEach(store, 2)));
        cluster.changeLeader();
        const stream = newAppend().stream;
        expect(await store.read(stream)).toEqual([]);
      }
      ids.push(...(await appendEach(store, 2)));
      await vi.waitUntil(() => live.length >= ids.length, WAIT);
      expect(idsOf(live)).toEqual(ids);
    });

    it('is reached through a node that is not the leader', async () => {
      const { cluster, store } = await openCluster(2);
      const live = follow(store);
      const ids = await appendEach(store, 3);
      await vi.waitUntil(() => live.length >= ids.length, WAIT);
      expect(idsOf(live)).toEqual(ids);
      expect(await store.head()).toBe(live.at(-1)?.position);
      // A follower may be behind: it refuses the first call of each connection, and is left.
      const { append = 0, read = 0, subscribe = 0 } = cluster.nodes[2]?.calls ?? {};
      expect(append + read + subscribe).toBeLessThanOrEqual(2);
    });

    it('has no leader for a while, and appends wait for one', async () => {
      const { cluster, store } = await openCluster();
      await appendEach(store, 1);
      cluster.loseLeader();
      const request = newAppend(2);
      const pending = store.append(request);
      const lookedAt = () => cluster.nodes.reduce((sum, { calls }) => sum + calls.gossip, 0);
      const before = lookedAt();
      await vi.waitUntil(() => lookedAt() > before, WAIT);
      cluster.changeLeader(1);
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 1 });
      expect(await store.read(request.stream)).toHaveLength(2);
    });

    it('fails over from the leader to the next', async () => {
      const { cluster, store } = await openCluster();
      const live = follow(store);
      const ids = [...(await appendEach(store, 2))];
      await cluster.nodes[0]?.stop();
      cluster.changeLeader(1);
      ids.push(...(await appendEach(store, 2)));
      await vi.waitUntil(() => live.length >= ids.length, WAIT);
      expect(idsOf(live)).toEqual(ids);
    });
  });
}
