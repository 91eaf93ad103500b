/** Cases of the EventStoreDB adapter about a cluster that holds more than one log, for one client. */
import type { EventStore } from '@counterfoil/core';
import type { ClientKind } from '@counterfoil/event-stores/eventstoredb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { appendOf, idsOf, newAppend, wholeLog } from './appends.ts';
import { closeStores, newPrefix, open, serverForThisFile } from './eventstoredb.ts';
import { follow } from './following.ts';

const CASE_TIMEOUT_MS = 60_000;
const FOREIGN_EVENTS = 5_000;

export function describeSharedCluster(client: ClientKind): void {
  const server = serverForThisFile();
  const openHere = (options: object = {}) => open({ url: server().url, client, ...options });
  afterEach(closeStores);

  /** What others of the same cluster append. */
  function appendForeign(count: number, stream = 'others-1'): void {
    const bytes = Buffer.from('{"not":"ours"}');
    for (let event = 0; event < count; event += 1) {
      server().log.append(stream, 'any', [
        { id: crypto.randomUUID(), type: 'Foreign', isJson: true, data: bytes, metadata: bytes },
      ]);
    }
  }

  describe(`eventstoredb, client ${client}: a shared cluster`, { timeout: CASE_TIMEOUT_MS }, () => {
    it('keeps logs apart, also where the prefix of one begins with that of another', async () => {
      const prefix = newPrefix();
      const logs = [await openHere({ prefix }), await openHere({ prefix: `${prefix}b.` })];
      logs.push(await openHere());
      const { stream } = newAppend();
      const requests = logs.map((_, index) => newAppend(index + 1, { stream }));
      const live = logs.map((log) => follow(log));
      const liveIds = (index: number) => idsOf(live[index] ?? []);
      for (const [index, log] of logs.entries()) {
        expect(await log.append(requests[index] ?? newAppend())).toMatchObject({ revision: index });
      }
      const last = logs.map(() => newAppend());
      for (const [index, log] of logs.entries()) {
        await log.append(last[index] ?? newAppend());
        await vi.waitUntil(() => liveIds(index).includes(last[index]?.events[0]?.id ?? ''));
        const own = [...(requests[index]?.events ?? []), ...(last[index]?.events ?? [])];
        expect(liveIds(index)).toEqual(idsOf(own));
      }
      for (const [index, log] of logs.entries()) {
        const expected = idsOf(requests[index]?.events ?? []);
        expect(idsOf(await log.read(stream))).toEqual(expected);
        const whole = await wholeLog(log);
        expect(idsOf(whole)).toEqual([...expected, ...idsOf(last[index]?.events ?? [])]);
        expect(await log.head()).toBe(whole.at(-1)?.position);
      }
    });

    it('is passed over where it holds events of others, at the beginning, between and at the end', async () => {
      appendForeign(FOREIGN_EVENTS);
      const store = await openHere();
      expect(await store.head()).toBeUndefined();
      const first = newAppend(2);
      await store.append(first);
      appendForeign(FOREIGN_EVENTS);
      const second = newAppend(2);
      const receipt = await store.append(second);
      appendForeign(FOREIGN_EVENTS);
      expect(idsOf(await wholeLog(store))).toEqual(idsOf([...first.events, ...second.events]));
      expect(receipt).toMatchObject({ position: await store.head() });
    });

    it('is not looked at again where it was found to hold nothing of the log', async () => {
      const store = await openHere();
      await store.append(newAppend());
      const live = follow(store);
      await vi.waitUntil(() => live.length === 1, { timeout: CASE_TIMEOUT_MS });
      appendForeign(FOREIGN_EVENTS);
      const request = newAppend();
      await store.append(request);
      await vi.waitUntil(() => live.length === 2, { timeout: CASE_TIMEOUT_MS });
      appendForeign(FOREIGN_EVENTS);
      const head = await store.head();
      const reads = server().calls.read;
      expect(await store.head()).toBe(head);
      expect(server().calls.read).toBe(reads + 1);
      server().dropConnections();
      const last = newAppend();
      await store.append(last);
      await vi.waitUntil(() => live.length === 3, { timeout: CASE_TIMEOUT_MS });
      expect(live[2]?.id).toBe(last.events[0]?.id);
    });

    it('is asked for the head by short reads, however much it holds', async () => {
      const store = await openHere();
      await store.append(newAppend());
      appendForeign(FOREIGN_EVENTS);
      const reads = server().calls.read;
      await store.head();
      const pages = server().calls.read - reads;
      expect(pages).toBeGreaterThan(FOREIGN_EVENTS / 1_000);
      expect(pages).toBeLessThan(FOREIGN_EVENTS / 250);
    });
  });

  describe(`eventstoredb, client ${client}: data on the server`, () => {
    const texts: readonly string[] = [
      '{"b":1,"a":2}',
      '{"10":1,"9":2}',
      '{ "spaced" : [ 1 , 2 ] }',
      '{"twice":1,"twice":2}',
      '{"number":1.0,"large":12345678901234567890,"small":1e-7,"zero":-0}',
      '{"__proto__":{"a":1},"constructor":2,"toJSON":3}',
      '{"escaped":"\\u0041\\/"}',
      '"a text"',
      'null',
      '12345678901234567890123',
      'not JSON at all',
      '',
    ];
    it.each(texts)('comes back exactly as it was: %j', async (text) => {
      const store = await openHere();
      const request = appendOf({ data: text, metadata: text });
      await store.append(request);
      const [event] = await store.read(request.stream);
      expect(event).toMatchObject({ data: text, metadata: text, id: request.events[0]?.id });
      expect(await wholeLog(store)).toEqual([event]);
    });

    it('is JSON that its own tools show: the data as it is, and the envelope beside it', async () => {
      const prefix = newPrefix();
      const store = await openHere({ prefix });
      const request = appendOf({ data: '{"amountMinor":"1250"}', metadata: '{"actor":"clerk"}' });
      await store.append(request);
      const kept = server().log.events.filter(({ stream }) => stream.startsWith(prefix));
      expect(kept.map(({ stream, type }) => [stream, type])).toEqual([
        [prefix + request.stream, request.events[0]?.type],
      ]);
      const message = kept[0]?.message.toString('utf8') ?? '';
      expect(message).toContain('application/json');
      expect(message).toContain('{"amountMinor":"1250"}');
      expect(message).toContain(`"command":"${request.command.id}"`);
      expect(message).toContain('"metadata":{"actor":"clerk"}');
    });

    it('is reported as damaged when a stream of the log was truncated or deleted', async () => {
      const prefix = newPrefix();
      const store = await openHere({ prefix });
      const request = newAppend(2);
      await store.append(request);
      server().log.tombstone(prefix + request.stream, 'any');
      await expect(store.read(request.stream)).rejects.toMatchObject({ code: 'corrupt' });
      const late = newAppend(1, { stream: request.stream });
      await expect(store.append(late)).rejects.toMatchObject({ code: 'corrupt' });
    });
  });

  describe(`eventstoredb, client ${client}: a long stream`, { timeout: CASE_TIMEOUT_MS }, () => {
    it('still knows its first commands, after a restart and when it was read in part', async () => {
      const prefix = newPrefix();
      const store: EventStore = await openHere({ prefix });
      const { stream } = newAppend();
      const first = newAppend(3, { stream });
      const receipt = await store.append(first);
      for (let turn = 0; turn < 4; turn += 1) await store.append(newAppend(400, { stream }));
      const later = await openHere({ prefix });
      expect(await later.read(stream, { from: 1_600 })).toHaveLength(3);
      expect(await later.append(first)).toEqual({ ...receipt, outcome: 'repeated' });
      const again = await openHere({ prefix });
      expect(await again.read(stream, { limit: 5 })).toHaveLength(5);
      expect(await again.append(newAppend(1, { stream }))).toMatchObject({ revision: 1_603 });
    });
  });
}
