/** Cases of the event-store contract about the end of a store: closing it, and opening its log again. */
import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.ts';
import {
  ANY,
  append,
  appended,
  collect,
  exact,
  expectFailure,
  expectRisingPositions,
  expectWholeStreams,
  fromHere,
  idsOf,
  newCommand,
  newEvents,
  storedAs,
} from './harness.ts';

function closeCases(harness: Harness): void {
  it('fails every call after close with the code closed', async () => {
    const store = await harness.open();
    const request = append();
    await appended(store, request);
    await store.close();
    await expectFailure(store.append(append()), 'closed');
    await expectFailure(store.append(request), 'closed');
    await expectFailure(store.read(request.stream), 'closed');
    await expectFailure(store.head(), 'closed');
    await expectFailure(collect(store), 'closed');
  });

  it('refuses calls from the moment close is called', async () => {
    const store = await harness.open();
    const closing = store.close();
    await expectFailure(store.append(append()), 'closed');
    await closing;
  });

  it('may be closed twice', async () => {
    const store = await harness.open();
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  it('finishes the appends under way first', async () => {
    const store = await harness.open();
    const requests = Array.from({ length: 20 }, () => append());
    const pending = requests.map((request) => store.append(request));
    await store.close();
    for (const result of await Promise.all(pending)) {
      expect(result).toMatchObject({ outcome: 'appended', revision: 0 });
    }
    if (harness.contract.reopen === undefined) return;
    const reopened = await harness.restart(store);
    for (const request of requests) {
      expect(await reopened.read(request.stream)).toStrictEqual(storedAs(request, 0));
    }
  });

  it('ends running subscriptions', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    await appended(store, append());
    const idle = store.subscribe(await fromHere(store))[Symbol.asyncIterator]();
    const waiting = idle.next();
    const busy = store.subscribe({ ...here, batchSize: 1 })[Symbol.asyncIterator]();
    expect((await busy.next()).done).toBe(false);
    await store.close();
    expect((await waiting).done).toBe(true);
    expect((await busy.next()).done).toBe(true);
  });
}

function restartCases(harness: Harness): void {
  it('finds everything again', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const requests = Array.from({ length: 5 }, () => append({ events: newEvents(3) }));
    for (const request of requests) await appended(store, request);
    const log = await collect(store, here);
    const head = await store.head();
    const reopened = await harness.restart(store);
    expect(await collect(reopened, here)).toStrictEqual(log);
    expect(await reopened.head()).toBe(head);
    for (const request of requests) {
      expect(await reopened.read(request.stream)).toStrictEqual(storedAs(request, 0));
    }
  });

  it('continues revisions and positions', async () => {
    let store = await harness.open();
    const here = await fromHere(store);
    const request = append();
    for (let turn = 0; turn < 3; turn += 1) {
      await appended(store, { ...request, command: newCommand(), events: newEvents(2) });
      await appended(store, append());
      store = await harness.restart(store);
    }
    const log = await collect(store, here);
    expect(log).toHaveLength(9);
    expectRisingPositions(log);
    expectWholeStreams(log);
  });

  it('still knows commands and revisions', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(2) });
    const receipt = await appended(store, request);
    const reopened = await harness.restart(store);
    expect(await reopened.append(request)).toEqual({ outcome: 'repeated', ...receipt });
    const reused = { ...request, command: { ...request.command, fingerprint: 'another' } };
    expect(await reopened.append(reused)).toEqual({ outcome: 'command-id-reused' });
    const { stream } = request;
    const late = append({ stream, expected: exact(0) });
    expect(await reopened.append(late)).toEqual({ outcome: 'conflict', actual: 1 });
    const next = await appended(reopened, append({ stream, expected: exact(1) }));
    expect(next.revision).toBe(2);
    expect((await appended(reopened, append({ stream, expected: ANY }))).revision).toBe(3);
  });

  it('resumes a subscription where it was left', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    await appended(store, append({ events: newEvents(4) }));
    const [, second] = await collect(store, here);
    if (second === undefined) throw new Error('four events were appended');
    const reopened = await harness.restart(store);
    const live = append();
    await appended(reopened, live);
    const rest = await collect(reopened, { after: second.position });
    expect(rest).toHaveLength(3);
    expect(idsOf(rest.slice(2))).toEqual(idsOf(live.events));
  });
}

export function describeLifetime(harness: Harness): void {
  describe('close', () => closeCases(harness));
  if (harness.contract.reopen !== undefined) describe('restart', () => restartCases(harness));
}
