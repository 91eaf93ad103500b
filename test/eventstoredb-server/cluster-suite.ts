// A cluster of the protocol server as a real client sees it: discovery, followers, a new leader.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openClient, type TestClient } from './clients.ts';
import { events, newStream } from './protocol-suite.ts';
import { type ClientKind, type ProtocolCluster, startProtocolCluster } from './server.ts';

const PATIENCE = { timeout: 10_000, interval: 5 };
/** For a whole case, on a machine that others use as well. */
const TIMEOUT_MS = 30_000;
const LEADER_ONLY = { requiresLeader: true };

export function clusterSuite(kind: ClientKind): void {
  describe(`a cluster of the protocol server and the client ${kind}`, {
    timeout: TIMEOUT_MS,
  }, () => {
    let cluster: ProtocolCluster;
    let client: TestClient;

    beforeEach(async () => {
      cluster = await startProtocolCluster({ nodes: 3 });
      client = await openClient(kind, cluster.connectionString(kind));
    });

    afterEach(async () => {
      await client.dispose();
      await cluster.close();
    });

    const appendsAt = () => cluster.nodes.map(({ calls }) => calls.append);

    test('returns the leader, which gets the calls', async () => {
      cluster.changeLeader(2);
      await client.append(newStream(), events(1), LEADER_ONLY);
      expect(appendsAt()).toEqual([0, 0, 1]);
      expect(cluster.nodes.some(({ calls }) => calls.gossip > 0)).toBe(true);
    });

    test('points to its leader after a change, and the client goes there', async () => {
      const stream = newStream();
      await client.append(stream, events(1), LEADER_ONLY);
      cluster.changeLeader();
      expect(await client.append(stream, events(1), LEADER_ONLY)).toEqual({
        failed: 'not-leader',
      });
      expect(await client.append(stream, events(1), LEADER_ONLY)).toMatchObject({ revision: 1n });
      expect(appendsAt()).toEqual([2, 1, 0]);
    });

    test('fails the batches of a node that does not lead any more', async () => {
      const stream = newStream();
      const batched = { ...LEADER_ONLY, batch: true };
      await client.append(stream, events(1), batched);
      cluster.changeLeader();
      expect(await client.append(stream, events(1), batched)).toEqual({ failed: 'not-leader' });
      await vi.waitFor(
        async () =>
          expect(await client.append(stream, events(1), batched)).toHaveProperty('revision'),
        PATIENCE,
      );
    });

    test('appends through a follower where the leader is not required', async () => {
      const stream = newStream();
      await client.append(stream, events(1));
      cluster.changeLeader();
      expect(await client.append(stream, events(1))).toMatchObject({ revision: 1n });
      expect(appendsAt()).toEqual([2, 0, 0]);
    });

    test('is not ready without a leader', async () => {
      const stream = newStream();
      await client.append(stream, events(1));
      cluster.loseLeader();
      expect(cluster.leader).toBeUndefined();
      expect(await client.append(stream, events(1))).toEqual({ failed: 'unavailable' });
      cluster.changeLeader(1);
      await vi.waitFor(
        async () => expect(await client.append(stream, events(1))).toMatchObject({ revision: 1n }),
        PATIENCE,
      );
    });

    test('continues when its leader dies and another is elected', async () => {
      const stream = newStream();
      await client.append(stream, events(1), LEADER_ONLY);
      const followed = client.follow({ stream });
      await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
      await cluster.nodes[0]?.stop();
      cluster.changeLeader(1);
      await vi.waitFor(() => expect(followed.failed).toBe('unavailable'), PATIENCE);
      await vi.waitFor(
        async () =>
          expect(await client.append(stream, events(1), LEADER_ONLY)).toMatchObject({
            revision: 1n,
          }),
        PATIENCE,
      );
      await vi.waitFor(
        async () => expect(await client.readStream(stream)).toHaveLength(2),
        PATIENCE,
      );
    });
  });
}
