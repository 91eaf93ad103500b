/** Leadership: one host at a time does the work, and another takes over. */

import { createMemoryReadModelStore } from '@counterfoil/projections';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { type LeadershipOptions, whileLeading } from './leadership.ts';

const POLLING = { timeout: 20_000, interval: 10 };
/** Hosts that want the same lease, and which of them is at work. */
function hosts(ttlMs = 300) {
  const leases = createMemoryReadModelStore();
  const atWork = new Set<string>();
  let most = 0;
  const begin = (holder: string, options: Partial<LeadershipOptions> = {}) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const shared = { leases, name: 'work', holder, logger: silentLogger, signal, ttlMs };
    const ended = whileLeading({ ...shared, ...options }, async (ending) => {
      atWork.add(holder);
      most = Math.max(most, atWork.size);
      await new Promise((resolve) => ending.addEventListener('abort', resolve, { once: true }));
      atWork.delete(holder);
    });
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    onTestFinished(stop);
    return stop;
  };
  return { leases, atWork, begin, most: () => most };
}

describe('leadership', () => {
  it('is one host’s, and passes on when that host stops', async () => {
    const { atWork, begin, most } = hosts();
    const stopOne = begin('one');
    await vi.waitUntil(() => atWork.has('one'), POLLING);
    begin('two');
    begin('three');
    await stopOne();
    await vi.waitUntil(() => atWork.size === 1, POLLING);
    expect([...atWork]).not.toContain('one');
    expect(most()).toBe(1);
  });

  it('ends with a lease that another has taken, and comes back when that one is gone', async () => {
    const { leases, atWork, begin } = hosts();
    begin('one');
    await vi.waitUntil(() => atWork.has('one'), POLLING);
    // Simulates a pause of this host longer than its lease.
    const wanted = { name: 'work', holder: 'other', nowMs: Date.now() + 10_000, ttlMs: 1 };
    expect(await leases.acquireLease(wanted)).toBeDefined();
    await vi.waitUntil(() => !atWork.has('one'), POLLING);
    await leases.releaseLease('work', 'other');
    await vi.waitUntil(() => atWork.has('one'), POLLING);
  });

  it('is tried again after the work or the store has failed', async () => {
    const { leases, atWork, begin } = hosts();
    let faults = 2;
    const errors: unknown[] = [];
    const failing = {
      releaseLease: leases.releaseLease.bind(leases),
      async acquireLease(request: Parameters<typeof leases.acquireLease>[0]) {
        faults -= 1;
        if (faults >= 0) throw new Error('no store today');
        return leases.acquireLease(request);
      },
    };
    const logger = { ...silentLogger, error: (...line: unknown[]) => void errors.push(line) };
    begin('one', { leases: failing, logger });
    await vi.waitUntil(() => atWork.has('one'), POLLING);
    expect(errors).toHaveLength(2);
  });
});
