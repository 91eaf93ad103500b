/** A lease: one holder at a time, as long as it is renewed. */
import { createMemoryReadModelStore } from '@counterfoil/projections';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lease, type LeaseStore } from './lease.ts';

const NAME = 'work';
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a lease', () => {
  it('is one holder’s until it is given back', async () => {
    const store = createMemoryReadModelStore();
    const lease = await Lease.take(store, { name: NAME, holder: 'one' });
    expect(await Lease.take(store, { name: NAME, holder: 'two' })).toBeUndefined();
    expect(await Lease.take(store, { name: 'other work', holder: 'two' })).toBeDefined();
    await lease?.release();
    expect(await Lease.take(store, { name: NAME, holder: 'two' })).toBeDefined();
  });

  it('is renewed while it is held, and ends with a holder that has died', async () => {
    const store = createMemoryReadModelStore();
    const lease = await Lease.take(store, { name: NAME, holder: 'one' });
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(await Lease.take(store, { name: NAME, holder: 'two' })).toBeUndefined();
    expect(lease?.lost.aborted).toBe(false);
    const later = Date.now() + MINUTE;
    vi.clearAllTimers();
    vi.setSystemTime(later);
    expect(await Lease.take(store, { name: NAME, holder: 'two' })).toBeDefined();
  });

  it('is lost when another has taken it, and is not taken from them', async () => {
    const store = createMemoryReadModelStore();
    const lease = await Lease.take(store, { name: NAME, holder: 'one' });
    // The holder was paused for longer than the TTL.
    vi.setSystemTime(Date.now() + MINUTE);
    const other = await Lease.take(store, { name: NAME, holder: 'two' });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(lease?.lost.aborted).toBe(true);
    await lease?.release();
    expect(other?.lost.aborted).toBe(false);
    expect(await Lease.take(store, { name: NAME, holder: 'three' })).toBeUndefined();
  });

  it('is lost when the store cannot say whose it is', async () => {
    const epochs: (number | undefined)[] = [1];
    const released: string[] = [];
    const store: LeaseStore = {
      async acquireLease() {
        if (epochs.length === 0) throw new Error('the disk is gone');
        return epochs.shift();
      },
      async releaseLease(_name, holder) {
        released.push(holder);
      },
    };
    const lease = await Lease.take(store, { name: NAME, holder: 'one' });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(lease?.lost.aborted).toBe(true);
    await lease?.release();
    expect(released).toEqual([]);
  });

  it('is lost in time when the store does not say whose it is', async () => {
    let asked = 0;
    const store: LeaseStore = {
      acquireLease() {
        asked += 1;
        return asked < 3 ? Promise.resolve(1) : new Promise(() => undefined);
      },
      releaseLease: async () => undefined,
    };
    const lease = await Lease.take(store, { name: NAME, holder: 'one', ttlMs: MINUTE });
    // It was renewed once, after a third of its time.
    await vi.advanceTimersByTimeAsync(MINUTE + MINUTE / 3 - 1);
    expect(lease?.lost.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(lease?.lost.aborted).toBe(true);
    const askedUntilThen = asked;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(asked).toBe(askedUntilThen);
  });
});
