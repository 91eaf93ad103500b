/** Following the log: no event is missed and the checkpoint is kept, whatever fails. */

import { randomUUID } from 'node:crypto';
import {
  type CommandId,
  createMemoryEventStore,
  type Event,
  type EventStore,
  encodeEvent,
  type Position,
  streamName,
  type TenantId,
} from '@counterfoil/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { type Checkpoints, openCheckpoints } from '../storage/checkpoints.ts';
import { FollowerProgress } from './follower-progress.ts';
import { followLog } from './log-follower.ts';

const TENANT = 1 as TenantId;
const POLLING = { timeout: 10_000, interval: 5 };
const POLLING_LIMIT = { timeoutMs: POLLING.timeout };
const FOR_EVER_MS = 1_000_000;
const NAME = 'reader';

class Reader {
  readonly events: EventStore = createMemoryEventStore();
  readonly seen: string[] = [];
  readonly errors: unknown[] = [];
  readonly progress: FollowerProgress = new FollowerProgress();
  checkpoints: Checkpoints = openCheckpoints(':memory:');
  /** Thrown once by the reaction. */
  fault: Error | undefined;

  /** Appends one event; returns its position. */
  async happens(name: string): Promise<Position> {
    const stream = streamName('tenant', TENANT, name);
    const at = '2026-03-01T12:00:00.000Z';
    const appended = await this.events.append({
      stream,
      events: [
        {
          ...encodeEvent({ type: 'KeyRevoked', keyId: randomUUID(), at }),
          id: randomUUID(),
          tenantId: TENANT,
          time: at,
          metadata: '{"actor":"test"}',
        },
      ],
      expected: { kind: 'any' },
      command: { id: name as CommandId, fingerprint: '' },
    });
    if (appended.outcome !== 'appended') throw new Error(appended.outcome);
    return appended.position;
  }

  /** Follows until the condition holds, and stops. */
  async follow(
    until: () => boolean | Promise<boolean>,
    { firstAfter, types = ['KeyRevoked'] }: { firstAfter?: Position; types?: Event['type'][] } = {},
  ): Promise<void> {
    const stopping = new AbortController();
    const following = followLog({
      name: NAME,
      events: this.events,
      checkpoints: this.checkpoints,
      progress: this.progress,
      logger: { ...silentLogger, error: (...line) => void this.errors.push(line) },
      signal: stopping.signal,
      types: new Set(types),
      firstAfter,
      react: async (events) => {
        const { fault } = this;
        this.fault = undefined;
        if (fault !== undefined) throw fault;
        this.seen.push(...events.map(({ stream }) => stream.slice(-1)));
      },
    });
    try {
      await vi.waitUntil(until, POLLING);
    } finally {
      stopping.abort();
      await following;
    }
  }
}

function open(): Reader {
  const reader = new Reader();
  onTestFinished(() => reader.checkpoints.close());
  return reader;
}

describe('following the log', () => {
  it('begins at the beginning, and goes on where it ended', async () => {
    const reader = open();
    await reader.happens('a');
    await reader.follow(() => reader.seen.length === 1);
    const last = await reader.happens('b');
    await reader.follow(async () => (await reader.checkpoints.get(NAME)) === last);
    expect(reader.seen).toEqual(['a', 'b']);
  });

  it('begins after the given position, and remembers it although nothing has happened', async () => {
    const reader = open();
    const past = await reader.happens('a');
    await reader.follow(async () => (await reader.checkpoints.get(NAME)) === past, {
      firstAfter: past,
    });
    const later = await reader.happens('b');
    await reader.follow(() => reader.seen.length === 1, { firstAfter: later });
    expect(reader.seen).toEqual(['b']);
  });

  it('tells how far it is while it runs, and not of one that is held up as if it were further', async () => {
    const reader = open();
    const first = await reader.happens('a');
    await reader.follow(() => reader.progress.running.get(NAME) === first);
    expect(reader.progress.running.size).toBe(0);
    await reader.happens('b');
    reader.fault = new Error('held up');
    await reader.follow(() => reader.errors.length === 1);
    expect(await reader.checkpoints.get(NAME)).toBe(first);
    await reader.follow(() => {
      expect(reader.progress.running.has(NAME)).toBe(true);
      return reader.seen.length === 2;
    });
  });

  it('starts over with the checkpoint of another log', async () => {
    const reader = open();
    await reader.happens('a');
    await reader.checkpoints.set(NAME, 'zzzz' as Position);
    await reader.follow(() => reader.seen.length === 1);
    expect(reader.seen).toEqual(['a']);
  });

  it('waits for its log to reach it, where a host makes sure of the log', async () => {
    const reader = open();
    reader.checkpoints = { ...reader.checkpoints, ofThisLog: true };
    const last = await reader.happens('a');
    const next = String(Number(last) + 1).padStart(last.length, '0') as Position;
    await reader.checkpoints.set(NAME, next);
    let happened = false;
    await reader.follow(async () => {
      if (!happened) {
        happened = true;
        expect(await reader.progress.reached(next, POLLING_LIMIT)).toBe(true);
        await reader.happens('b');
        await reader.happens('c');
      }
      return reader.seen.length > 0;
    });
    expect(reader.seen).toEqual(['c']);
  });

  it('retries after an error', async () => {
    const reader = open();
    await reader.happens('a');
    reader.fault = new Error('not now');
    await reader.follow(() => reader.seen.length === 1);
    expect(reader.seen).toEqual(['a']);
    expect(reader.errors).toMatchObject([[{ reactor: NAME }, 'a reactor is held up']]);
  });

  it('skips other event types, and moves its checkpoint past them', async () => {
    const reader = open();
    const last = await reader.happens('a');
    await reader.follow(async () => (await reader.checkpoints.get(NAME)) === last, {
      types: ['KeyIssued'],
    });
    expect(reader.seen).toEqual([]);
  });

  it('notifies waiting callers as soon as it has reacted', async () => {
    const reader = open();
    const { progress } = reader;
    let waited: Promise<boolean> | undefined;
    const last = await reader.happens('a');
    await reader.follow(() => {
      waited ??= progress.reached(last, POLLING_LIMIT);
      return reader.seen.length === 1;
    });
    expect(await waited).toBe(true);
    expect(await progress.reached(last, POLLING_LIMIT)).toBe(true);
    const later = await reader.happens('b');
    expect(await progress.reached(later, { timeoutMs: 1 })).toBe(false);
  });
});

describe('the progress of several followers', () => {
  const [first, second] = ['1', '2'] as Position[] as [Position, Position];

  it('is that of the last of them, and none before it has found its place', async () => {
    const progress = new FollowerProgress();
    progress.report('a', undefined);
    progress.report('b', second);
    expect(await progress.reached(first, { timeoutMs: 1 })).toBe(false);
    const reached = progress.reached(second, POLLING_LIMIT);
    progress.report('a', first);
    progress.report('a', second);
    expect(await reached).toBe(true);
  });

  it('ends a pause when a caller waits, and on its signal', async () => {
    const progress = new FollowerProgress();
    const stopping = new AbortController();
    progress.report('a', first);
    const rest = progress.pause(FOR_EVER_MS, stopping.signal);
    const reached = progress.reached(second, POLLING_LIMIT);
    await rest;
    await progress.pause(FOR_EVER_MS, stopping.signal);
    progress.report('a', second);
    await reached;
    const another = progress.pause(FOR_EVER_MS, stopping.signal);
    stopping.abort();
    await another;
    await progress.pause(FOR_EVER_MS, stopping.signal);
  });
});
