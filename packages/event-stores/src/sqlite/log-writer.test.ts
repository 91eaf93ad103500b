/** The writer's batches, on a log in memory: what fails one command must not fail its neighbours. */
import { DatabaseSync } from 'node:sqlite';
import type { AppendRequest, EncodedEvent, Expected } from '@counterfoil/core';
import { CommandId, streamName, TenantId } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { APPENDED, COMMAND_ID_REUSED, CONFLICT, HELD_BACK, REPEATED } from '../append-request.ts';
import { LogWriter } from './log-writer.ts';
import { FAILED, type PackedReplies, pack, REPLY_FIELDS } from './messages.ts';
import { prepareLog } from './schema.ts';

const TENANT = TenantId.parse(1);
const ROOM_PAGES = 4;

function newLog(): { database: DatabaseSync; writer: LogWriter } {
  const database = new DatabaseSync(':memory:');
  prepareLog(database, 'log');
  return { database, writer: new LogWriter(database, 'log') };
}

function event(parts: Partial<Record<keyof EncodedEvent, unknown>> = {}): EncodedEvent {
  return {
    id: crypto.randomUUID(),
    type: 'Captured',
    schemaVersion: 1,
    tenantId: TENANT,
    time: '2024-02-29T12:34:56.789Z',
    data: '{}',
    metadata: '{}',
    ...(parts as Partial<EncodedEvent>),
  };
}

function request(id: number, parts: Partial<AppendRequest> = {}): AppendRequest {
  return {
    stream: streamName('transaction', TENANT, id),
    events: [event(), event()],
    expected: { kind: 'any' },
    command: { id: CommandId.parse(crypto.randomUUID()), fingerprint: 'same' },
    ...parts,
  };
}

const exact = (revision: number): Expected => ({ kind: 'exact', revision });

function packed(requests: readonly AppendRequest[]): (string | number)[] {
  const batch: (string | number)[] = [];
  for (const each of requests) pack(each, batch);
  return batch;
}

/** Requests that are appended as one, and others beside them. */
function packedAsOne(...groups: readonly (readonly AppendRequest[])[]): (string | number)[] {
  const batch: (string | number)[] = [];
  for (const group of groups) {
    for (const [index, each] of group.entries()) pack(each, batch, index === 0 ? group.length : 1);
  }
  return batch;
}

function apply(writer: LogWriter, requests: readonly AppendRequest[]): PackedReplies {
  return writer.apply(packed(requests));
}

function outcomes({ replies }: PackedReplies): readonly (number | undefined)[] {
  return replies.filter((_, index) => index % REPLY_FIELDS === 0);
}

function rowsOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count(*) AS rows FROM events').get()?.['rows']);
}

describe('log writer', () => {
  it('decides each command of a batch after those before it', () => {
    const { writer } = newLog();
    const first = request(1, { expected: { kind: 'noStream' } });
    const reuse = { ...first, command: { ...first.command, fingerprint: 'other' } };
    const batch = [first, request(1, { expected: exact(0) }), first, reuse, request(1)];
    expect(apply(writer, batch)).toEqual({
      // biome-ignore format: one command a line
      replies: [
        APPENDED, 1, 2,
        CONFLICT, 1, 0,
        REPEATED, 1, 2,
        COMMAND_ID_REUSED, 1, 2,
        APPENDED, 3, 4,
      ],
      failures: [],
    });
  });

  it.each([
    ['a fraction where a whole number belongs', event({ schemaVersion: 1.5 })],
    ['no number at all', event({ tenantId: Number.NaN })],
    ['a value that SQLite cannot keep', event({ type: undefined })],
  ])('fails only the command with %s', (_, bad) => {
    const { database, writer } = newLog();
    const wrong = request(2, { events: [event(), bad] });
    const result = apply(writer, [request(1), wrong, request(3)]);
    expect(outcomes(result)).toEqual([APPENDED, FAILED, APPENDED]);
    expect(result.failures).toMatchObject([{ code: undefined }]);
    expect(rowsOf(database)).toBe(4);
    // Its stream and its command id are free, and no position was lost.
    const retry = { ...wrong, events: [event()], expected: { kind: 'noStream' } as const };
    expect(apply(writer, [retry]).replies).toEqual([APPENDED, 0, 5]);
  });

  it('commits and answers what came in parts together', () => {
    const { database, writer } = newLog();
    const first = request(1);
    writer.add(packed([first]));
    expect(database.isTransaction).toBe(true);
    writer.add(packed([first, request(2)]));
    expect(outcomes(apply(writer, [request(1)]))).toEqual([APPENDED, REPEATED, APPENDED, APPENDED]);
    expect(database.isTransaction).toBe(false);
    expect(outcomes(apply(writer, [request(1)]))).toEqual([APPENDED]);
    expect(rowsOf(database)).toBe(8);
  });

  it('fails only the command at fault, in whichever part it came', () => {
    const { database, writer } = newLog();
    const bad = (id: number) => request(id, { events: [event({ type: undefined })] });
    writer.add(packed([request(1), bad(2)]));
    writer.add(packed([request(3)]));
    const result = apply(writer, [request(4), bad(5), request(6)]);
    expect(outcomes(result)).toEqual([APPENDED, FAILED, APPENDED, APPENDED, FAILED, APPENDED]);
    expect(result.failures).toHaveLength(2);
    expect(rowsOf(database)).toBe(8);
    expect(outcomes(apply(writer, [request(7)]))).toEqual([APPENDED]);
  });

  it('appends several as one after those before them, or none of them', () => {
    const { writer } = newLog();
    const first = request(1, { expected: { kind: 'noStream' } });
    const late = request(1, { expected: exact(0) });
    const next = request(1, { expected: exact(1) });
    const batch = packedAsOne([first], [request(2), late, request(3)], [request(4), next], [late]);
    expect(writer.apply(batch)).toEqual({
      // biome-ignore format: one command a line
      replies: [
        APPENDED, 1, 2,
        HELD_BACK, -1, 0,
        CONFLICT, 1, 0,
        HELD_BACK, -1, 0,
        APPENDED, 1, 4,
        APPENDED, 3, 6,
        CONFLICT, 3, 0,
      ],
      failures: [],
    });
  });

  it('fails all that are appended as one with one of them, and no neighbour', () => {
    const { database, writer } = newLog();
    const bad = request(3, { events: [event({ type: undefined })] });
    const asOne = [request(2), bad, request(4)];
    const result = writer.apply(packedAsOne([request(1)], asOne, [request(5), request(6)]));
    expect(outcomes(result)).toEqual([APPENDED, FAILED, FAILED, FAILED, APPENDED, APPENDED]);
    expect(result.failures).toHaveLength(1);
    expect(rowsOf(database)).toBe(6);
    expect(outcomes(apply(writer, [request(2, { expected: { kind: 'noStream' } })]))).toEqual([
      APPENDED,
    ]);
  });

  it('does not rely on what it knows of a stream', () => {
    const { database, writer } = newLog();
    apply(writer, [request(1)]);
    // Another hand has got past the lock.
    const other = new LogWriter(database, 'log');
    apply(other, [request(1), request(2)]);
    const batch = [
      request(1, { expected: exact(1) }),
      request(1, { expected: exact(3) }),
      request(3),
    ];
    expect(apply(writer, batch).replies).toEqual([CONFLICT, 3, 0, APPENDED, 5, 8, APPENDED, 1, 10]);
  });

  it('finds a stream that is expected to be new and is not, and writes nothing', () => {
    const { database, writer } = newLog();
    const noStream: Expected = { kind: 'noStream' };
    const first = request(1, { expected: noStream });
    apply(writer, [first]);
    const reuse = { ...first, command: { ...first.command, fingerprint: 'other' } };
    // Of an earlier run: this one knows no stream.
    const later = new LogWriter(database, 'log');
    const batch = [first, reuse, request(1, { expected: noStream })];
    expect(apply(later, batch).replies).toEqual([
      ...[REPEATED, 1, 2],
      ...[COMMAND_ID_REUSED, 1, 2],
      ...[CONFLICT, 1, 0],
    ]);
    expect(rowsOf(database)).toBe(2);
    expect(database.isTransaction).toBe(false);
    expect(apply(later, [request(2)]).replies).toEqual([APPENDED, 1, 4]);
    const streams = database.prepare('SELECT id FROM streams ORDER BY id').all();
    expect(streams.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('fails with full when there is no room, command by command, and recovers', () => {
    const { database, writer } = newLog();
    apply(writer, [request(1)]);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages + ROOM_PAGES}`);
    const large = request(2, { events: [event(), event({ data: 'x'.repeat(1_000_000) })] });
    const batch = [request(3), large, request(4)];
    const result = apply(writer, batch);
    expect(outcomes(result)).toEqual([APPENDED, FAILED, APPENDED]);
    expect(result.failures).toMatchObject([{ code: 'full' }]);
    expect(rowsOf(database)).toBe(6);
    database.exec('PRAGMA max_page_count = 1000000');
    expect(apply(writer, [large]).replies).toEqual([APPENDED, 1, 8]);
  });
});
