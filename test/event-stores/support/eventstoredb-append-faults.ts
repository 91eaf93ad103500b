/** Cases of the EventStoreDB adapter about appends on a server that fails, for one client. */
import type { AppendRequest, EventStore } from '@counterfoil/core';
import type { ClientKind } from '@counterfoil/event-stores/eventstoredb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FaultSwitch, Refusal } from '../../eventstoredb-server/server.ts';
import { appendOf, idsOf, idsOfAll, newAppend, wholeLog } from './appends.ts';
import { closeStores, newPrefix, open, serverForThisFile } from './eventstoredb.ts';

const CASE_TIMEOUT_MS = 60_000;
/**
 * Short, so that a stalled call is not waited for long. The part of `@kurrent/kurrentdb-client` that
 * reads takes half a second until its first answer.
 */
const DEADLINE_MS = { eventstore: 400, kurrentdb: 2_000 };
const MOMENTS = ['beforeApply', 'afterApply'] as const;
const FOR_EVER = 1_000_000;

async function expectOnce(store: EventStore, request: AppendRequest): Promise<void> {
  const kept = await store.read(request.stream);
  expect(idsOf(kept)).toEqual(idsOf(request.events));
  expect(idsOf(await wholeLog(store))).toEqual(idsOf(kept));
}

export function describeAppendFaults(client: ClientKind): void {
  const server = serverForThisFile();
  const openHere = (options: object = {}) =>
    open({ url: server().url, client, deadlineMs: DEADLINE_MS[client], ...options });
  afterEach(async () => {
    server().faults.clear();
    server().faults.release();
    await closeStores();
  });

  describe(`eventstoredb, client ${client}: an append`, { timeout: CASE_TIMEOUT_MS }, () => {
    const unanswered: readonly FaultSwitch[] = [
      ...MOMENTS.map((when): FaultSwitch => ({ kind: 'drop', when })),
      ...MOMENTS.map((when): FaultSwitch => ({ kind: 'stall', when })),
      ...MOMENTS.map((when): FaultSwitch => ({ kind: 'refuse', reason: 'commitTimeout', when })),
      { kind: 'refuse', reason: 'notReady', times: 3 },
      { kind: 'refuse', reason: 'tooBusy' },
      { kind: 'refuse', reason: 'noLeader' },
      { kind: 'duplicate' },
    ];
    const expectations = ['any', 'noStream', 'exists', 'exact'] as const;
    it.each(unanswered)('is settled by itself, once, after %o', async (fault) => {
      const store = await openHere();
      for (const kind of expectations) {
        const stream = newAppend().stream;
        if (kind === 'exists' || kind === 'exact')
          await store.append(newAppend(2, { stream, expected: { kind: 'noStream' } }));
        const before = await store.read(stream);
        const expected = kind === 'exact' ? { kind, revision: 1 } : { kind };
        const request = newAppend(2, { stream, expected });
        server().faults.set({ on: 'append', ...fault });
        const result = await store.append(request);
        expect(result).toMatchObject({ outcome: 'appended', revision: before.length + 1 });
        // What was stalled comes after the attempt that was answered.
        server().faults.release();
        const kept = await store.read(stream);
        expect(kept.slice(before.length).map(({ id }) => id)).toEqual(idsOf(request.events));
        expect(await store.append(request)).toEqual({ ...result, outcome: 'repeated' });
        expect(await store.append(newAppend(1, { stream, expected }))).toMatchObject({
          outcome: kind === 'any' || kind === 'exists' ? 'appended' : 'conflict',
        });
      }
    });

    it('is reported as done though it was read before its response', async () => {
      const store = await openHere();
      const { stream } = newAppend();
      await store.append(newAppend(1, { stream, expected: { kind: 'noStream' } }));
      server().faults.set({ on: 'append', kind: 'stall', when: 'afterApply' });
      const expected = { kind: 'exact', revision: 0 } as const;
      const appending = store.append(newAppend(1, { stream, expected }));
      await vi.waitUntil(() => server().faults.stalled > 0);
      expect(await store.read(stream)).toHaveLength(2);
      server().faults.release();
      expect(await appending).toMatchObject({ outcome: 'appended', revision: 1 });
      const next = { kind: 'exact', revision: 1 } as const;
      expect(await store.append(newAppend(1, { stream, expected: next }))).toMatchObject({
        outcome: 'appended',
        revision: 2,
      });
    });

    const refusals: readonly (readonly [Refusal, string])[] = [
      ['diskFull', 'full'],
      ['appendTooLarge', 'too-large'],
      ['accessDenied', 'read-only'],
    ];
    it.each(refusals)('fails at once where the server says %s: %s', async (reason, code) => {
      const store = await openHere();
      const request = newAppend(2);
      await store.read(request.stream);
      const before = server().calls.append;
      server().faults.set({ kind: 'refuse', reason, on: 'append' });
      await expect(store.append(request)).rejects.toMatchObject({ name: 'EventStoreError', code });
      expect(server().calls.append).toBe(before + 1);
      expect(await store.append(request)).toMatchObject({ outcome: 'appended', revision: 1 });
      await expectOnce(store, request);
    });

    it('that is larger than the server takes fails as too large, and nothing else does', async () => {
      const store = await openHere({ deadlineMs: 10_000 });
      const sized = (size: number) => appendOf({ data: JSON.stringify('x'.repeat(size)) });
      const requests = [newAppend(), sized(1024 * 1024), sized(17 * 1024 * 1024), newAppend()];
      const results = await Promise.allSettled(requests.map((each) => store.append(each)));
      expect(results).toMatchObject([
        { value: { outcome: 'appended' } },
        { reason: { name: 'EventStoreError', code: 'too-large' } },
        { reason: { name: 'EventStoreError', code: 'too-large' } },
        { value: { outcome: 'appended' } },
      ]);
      expect(await wholeLog(store)).toHaveLength(2);
    });

    it('whose outcome stays unknown fails as unavailable, and its repetition returns the outcome', async () => {
      const store = await openHere({ retryMs: 0 });
      const request = newAppend(3, { expected: { kind: 'noStream' } });
      server().faults.set({ on: 'append', kind: 'drop', when: 'afterApply', times: FOR_EVER });
      await expect(store.append(request)).rejects.toMatchObject({ code: 'unavailable' });
      server().faults.clear();
      expect(await store.append(request)).toMatchObject({ outcome: 'repeated', revision: 2 });
      await expectOnce(store, request);
    });

    it('is not lost while the server is away, and fails as unavailable when that lasts', async () => {
      const impatient = await openHere({ retryMs: 0 });
      const store = await openHere();
      const request = newAppend(2);
      await server().stop();
      const pending = store.append(request);
      await expect(impatient.append(newAppend())).rejects.toMatchObject({ code: 'unavailable' });
      await expect(impatient.read(request.stream)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(impatient.head()).rejects.toMatchObject({ code: 'unavailable' });
      await server().start();
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 1 });
      await expectOnce(store, request);
    });

    it('that expects nothing is not doubled by a restart in which the server forgets its ids', async () => {
      const store = await openHere();
      const request = newAppend(2);
      server().faults.set({ on: 'append', kind: 'stall', when: 'afterApply' });
      const pending = store.append(request);
      await vi.waitUntil(() => server().faults.stalled === 1, { timeout: CASE_TIMEOUT_MS });
      await server().restart();
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 1 });
      await expectOnce(store, request);
    });

    it('of many, none is lost or doubled by broken connections, and all are delivered', async () => {
      const store = await openHere({ deadlineMs: 5_000 });
      const requests = Array.from({ length: 300 }, () => newAppend());
      for (let broken = 0; broken < 6; broken += 1) {
        server().faults.set({ on: 'append', kind: 'drop', when: 'afterApply', skip: 45 });
      }
      const results = await Promise.all(requests.map((request) => store.append(request)));
      expect(results.every(({ outcome }) => outcome === 'appended')).toBe(true);
      const log = await wholeLog(store);
      expect(idsOf(log).sort()).toEqual(idsOfAll(requests).sort());
    });
  });

  describe(`eventstoredb, client ${client}: two stores of one log`, {
    timeout: CASE_TIMEOUT_MS,
  }, () => {
    const openTwo = async () => {
      const prefix = newPrefix();
      return [await openHere({ prefix }), await openHere({ prefix })] as const;
    };

    it('append one of concurrent duplicates, and say so once', async () => {
      const [one, other] = await openTwo();
      for (let race = 0; race < 10; race += 1) {
        const request = newAppend(2, { expected: { kind: 'noStream' } });
        const results = await Promise.all([one.append(request), other.append(request)]);
        expect(results.map(({ outcome }) => outcome).sort()).toEqual(['appended', 'repeated']);
        const [first, second] = results;
        expect({ ...first, outcome: '' }).toEqual({ ...second, outcome: '' });
        expect(await one.read(request.stream)).toHaveLength(2);
      }
    });

    it('recognise a command that the other has appended, with the same ids and other content', async () => {
      const [one, other] = await openTwo();
      const request = newAppend(2);
      // The other knows the stream, and not what happens to it now.
      expect(await other.read(request.stream)).toEqual([]);
      await one.append(request);
      const command = { ...request.command, fingerprint: 'fedcba9876543210' };
      expect(await other.append({ ...request, command })).toEqual({ outcome: 'command-id-reused' });
      expect(await one.read(request.stream)).toHaveLength(2);
    });

    it('report the actual revision of a conflict', async () => {
      const [one, other] = await openTwo();
      const { stream } = newAppend();
      await other.append(newAppend(1, { stream }));
      await one.append(newAppend(5, { stream }));
      const late = newAppend(1, { stream, expected: { kind: 'exact', revision: 0 } });
      expect(await other.append(late)).toEqual({ outcome: 'conflict', actual: 5 });
      expect(await one.append(late)).toEqual({ outcome: 'conflict', actual: 5 });
    });

    it('lose no append of many that expect nothing of one stream', async () => {
      const [one, other] = await openTwo();
      const { stream } = newAppend();
      const requests = Array.from({ length: 40 }, () => newAppend(1, { stream }));
      const results = await Promise.all(
        requests.map((request, index) => (index % 2 === 0 ? one : other).append(request)),
      );
      expect(results.every(({ outcome }) => outcome === 'appended')).toBe(true);
      const kept = await one.read(stream);
      expect(idsOf(kept).sort()).toEqual(idsOfAll(requests).sort());
    });
  });
}
