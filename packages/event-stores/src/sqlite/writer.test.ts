/** When batches are sent to the thread that writes, which a list stands for here. */
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type AppendResult, CommandId, streamName, TenantId } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { APPENDED } from '../append-request.ts';
import type { Part } from './messages.ts';
import { Writer } from './writer.ts';

const TENANT = TenantId.parse(1);
const CALLERS = 64;

class Thread extends EventEmitter {
  readonly parts: Part[] = [];
  #position = 0;

  postMessage(part: Part): void {
    this.parts.push(part);
  }

  /** The batches that were sent as a whole. */
  get batches(): number {
    return this.parts.filter(({ isLast }) => isLast).length;
  }

  /** Answers that `commands` of one event each were appended to streams of their own. */
  answer(commands: number): void {
    const replies: number[] = [];
    for (let n = 0; n < commands; n += 1) replies.push(APPENDED, 0, ++this.#position);
    this.emit('message', { replies, failures: [] });
  }
}

function start() {
  const thread = new Thread();
  const writer = new Writer(thread as unknown as Worker, 0);
  const results: AppendResult[] = [];
  const failures: unknown[] = [];
  const append = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const id = crypto.randomUUID();
      const event = { id, type: 'Captured', schemaVersion: 1, tenantId: TENANT, time: 'now' };
      const request = {
        stream: streamName('transaction', TENANT, id),
        events: [{ ...event, data: '{}', metadata: '{}' }],
        expected: { kind: 'noStream' } as const,
        command: { id: CommandId.parse(id), fingerprint: 'same' },
      };
      const done = writer.append(request, 100);
      done.then((result) => results.push(result)).catch((error) => failures.push(error));
    }
  };
  return { thread, writer, append, results, failures };
}

/** The first commands of all callers are sent together, and answered. */
async function warm({ thread, append, results }: ReturnType<typeof start>): Promise<void> {
  append(CALLERS);
  expect(thread.batches).toBe(0);
  await nextTurn();
  expect(thread.batches).toBe(1);
  thread.answer(CALLERS);
  await nextTurn();
  expect(results).toHaveLength(CALLERS);
}

describe('batches', () => {
  it('are halves of the open appends, of which two are under way', async () => {
    const started = start();
    const { thread, append, results } = started;
    await warm(started);
    append(CALLERS / 2 - 1);
    expect(thread.batches).toBe(1);
    append(1);
    expect(thread.batches).toBe(2);
    append(CALLERS / 2);
    expect(thread.batches).toBe(3);
    // A third waits for an answer, though its parts are sent.
    const before = thread.parts.length;
    append(CALLERS);
    await nextTurn();
    expect(thread.batches).toBe(3);
    expect(thread.parts.length).toBeGreaterThan(before);
    thread.answer(CALLERS / 2);
    expect(thread.batches).toBe(4);
    thread.answer(CALLERS / 2);
    thread.answer(CALLERS);
    await nextTurn();
    const positions = results.map((result) => 'position' in result && Number(result.position));
    expect(positions).toEqual(Array.from({ length: 3 * CALLERS }, (_, index) => index + 1));
  });

  it('that are too small to follow another wait until it is answered', async () => {
    const started = start();
    const { thread, append } = started;
    await warm(started);
    append(CALLERS / 2);
    append(3);
    await nextTurn();
    expect(thread.batches).toBe(2);
    thread.answer(CALLERS / 2);
    expect(thread.batches).toBe(3);
  });

  it('all fail when the thread ends', async () => {
    const started = start();
    const { thread, append, failures } = started;
    await warm(started);
    append(2 * CALLERS);
    thread.emit('exit', 1);
    append(1);
    await nextTurn();
    expect(failures).toHaveLength(2 * CALLERS + 1);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'unavailable' });
  });
});
