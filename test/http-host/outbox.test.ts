/** The outbox: one mail for an event, whatever is asked, restarted or tried, and an end that stays; wherever it is kept. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Position, StreamName, TenantId } from '@counterfoil/core';
import {
  type AskedMail,
  MAIL_READER,
  type MailEnd,
  type Outbox,
  openOutbox,
} from '@counterfoil/engine/mail';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject, hasServers } from '../setup/stores.ts';

const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const EVENTS = 6;

function at(ms: number): string {
  return new Date(BEGIN_MS + ms).toISOString();
}

function asked(number: number): AskedMail {
  return {
    eventId: `event-${number}`,
    kind: 'refunded',
    tenantId: 1 as TenantId,
    sandbox: false,
    stream: 'transaction-1-x' as StreamName,
    revision: number,
    recordedAt: at(0),
  };
}

const event = fc.nat({ max: EVENTS - 1 });
const step = fc.oneof(
  fc.record({ do: fc.constant('queue' as const), events: fc.array(event, { maxLength: 4 }) }),
  fc.record({ do: fc.constant('put-off' as const), event, waitMs: fc.nat({ max: 100 }) }),
  fc.record({
    do: fc.constant('end' as const),
    event,
    end: fc.constantFrom<MailEnd>('sent', 'failed', 'dropped'),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 60 }) }),
  fc.record({ do: fc.constant('reopen' as const) }),
);

/** What should stand in it. */
interface Entry {
  dueMs: number;
  tries: number;
  ended: boolean;
}

const hostDatabase = hostDatabaseOfFile();

/** An empty outbox, as often as it is opened. */
type Kept = () => Outbox;

async function inFile(): Promise<Kept> {
  const path = join(folder(), `${randomUUID()}.db`);
  return () => openOutbox(path);
}

async function inDatabase(): Promise<Kept> {
  await hostDatabase().pool.query('TRUNCATE counterfoil_host.mails, counterfoil_host.places');
  return () => openOutbox(hostDatabase().pool);
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'counterfoil-outbox-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const places = casesOfProject<[string, () => Promise<Kept>]>({
  embedded: [['a file', inFile]],
  postgres: [['PostgreSQL', inDatabase]],
});

describe.each(places)('the outbox in %s', (_name, keep) => {
  async function opened(): Promise<Outbox> {
    const open = await keep();
    const outbox = open();
    onTestFinished(() => outbox.close());
    return outbox;
  }

  it('agrees with a list of mails, through restarts', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const open = await keep();
        let outbox = open();
        const model = new Map<string, Entry>();
        let nowMs = 0;
        for (const each of steps) {
          if (each.do === 'queue') {
            await outbox.queue(each.events.map(asked), at(nowMs));
            for (const number of each.events) {
              const { eventId } = asked(number);
              if (!model.has(eventId)) {
                model.set(eventId, { dueMs: nowMs, tries: 0, ended: false });
              }
            }
          } else if (each.do === 'put-off') {
            const { eventId } = asked(each.event);
            const entry = model.get(eventId);
            const tries = (entry?.tries ?? 0) + 1;
            const dueMs = nowMs + each.waitMs;
            await outbox.putOff(eventId, { tries, dueAt: at(dueMs), reason: '451', at: at(nowMs) });
            if (entry?.ended === false) Object.assign(entry, { tries, dueMs });
          } else if (each.do === 'end') {
            const { eventId } = asked(each.event);
            await outbox.end(eventId, { end: each.end, tries: 1, reason: '', at: at(nowMs) });
            const entry = model.get(eventId);
            if (entry !== undefined) entry.ended = true;
          } else if (each.do === 'wait') {
            nowMs += each.ms;
          } else {
            outbox.close();
            outbox = open();
          }
          const queued = [...model].filter(([, { ended }]) => !ended);
          const due = queued.filter(([, { dueMs }]) => dueMs <= nowMs);
          expect(await outbox.queuedCount()).toBe(queued.length);
          const found = await outbox.due(at(nowMs), EVENTS);
          expect(found.map(({ eventId, tries }) => [eventId, tries]).toSorted()).toEqual(
            due.map(([eventId, { tries }]) => [eventId, tries]).toSorted(),
          );
          const earliest = Math.min(...queued.map(([, { dueMs }]) => dueMs));
          expect(await outbox.nextDueAt()).toBe(queued.length === 0 ? undefined : at(earliest));
        }
        outbox.close();
      }),
    );
  });

  it('returns the longest due first, up to the limit', async () => {
    const outbox = await opened();
    await outbox.queue([asked(0)], at(2));
    await outbox.queue([asked(1)], at(1));
    await outbox.queue([asked(2)], at(3));
    expect((await outbox.due(at(9), 2)).map(({ revision }) => revision)).toEqual([1, 0]);
  });

  it('forgets what ended long ago, and nothing that waits', async () => {
    const outbox = await opened();
    await outbox.queue([asked(0), asked(1)], at(0));
    await outbox.end('event-0', { end: 'sent', tries: 1, reason: '', at: at(0) });
    const limitMs = 90 * 86_400_000;
    await outbox.queue([asked(0)], at(limitMs));
    expect(await outbox.queuedCount()).toBe(1);
    // Known still when it is asked for again, and forgotten in the same breath.
    await outbox.queue([asked(0)], at(limitMs + 1));
    expect(await outbox.queuedCount()).toBe(1);
    await outbox.queue([asked(0)], at(limitMs + 1));
    expect(await outbox.queuedCount()).toBe(2);
  });

  it('keeps the position in the log until it is deleted', async () => {
    const outbox = await opened();
    await outbox.places.set(MAIL_READER, '7' as Position);
    expect(await outbox.places.get(MAIL_READER)).toBe('7');
    await outbox.places.forget(MAIL_READER);
    expect(await outbox.places.get(MAIL_READER)).toBeUndefined();
  });

  it('lets one of two send, until it is put off', async () => {
    const outbox = await opened();
    await outbox.queue([asked(0), asked(1)], at(0));
    const [first, second] = await outbox.due(at(0), 9);
    if (first === undefined || second === undefined) throw new Error('nothing is due');
    const claims = await Promise.all([outbox.claim(first), outbox.claim(first)]);
    expect(claims.toSorted()).toEqual([false, true]);
    expect(await outbox.due(at(0), 9)).toEqual([second]);
    expect(await outbox.queuedCount()).toBe(2);

    const { eventId } = first;
    await outbox.putOff(eventId, { tries: 1, dueAt: at(5), reason: '451', at: at(0) });
    expect(await outbox.due(at(4), 9)).toEqual([second]);
    const [, again] = await outbox.due(at(5), 9);
    expect(again).toEqual({ ...first, tries: 1 });
    // As it was found before it was put off, it is no longer to be sent.
    expect(await outbox.claim(first)).toBe(false);
    expect(await outbox.claim({ ...first, tries: 1 })).toBe(true);
    await outbox.end(eventId, { end: 'sent', tries: 2, reason: '', at: at(5) });
    expect(await outbox.claim({ ...first, tries: 2 })).toBe(false);
    expect(await outbox.due(at(5), 9)).toEqual([second]);
  });
});

describe.skipIf(hasServers)('an outbox in a file', () => {
  it('ends the claims of the process that had it open before', async () => {
    const open = await inFile();
    const before = open();
    await before.queue([asked(0)], at(0));
    const [mail] = await before.due(at(0), 1);
    if (mail === undefined) throw new Error('nothing is due');
    expect(await before.claim(mail)).toBe(true);
    before.close();
    const outbox = open();
    onTestFinished(() => outbox.close());
    expect(await outbox.due(at(0), 1)).toEqual([mail]);
    expect(await outbox.claim(mail)).toBe(true);
  });

  it('keeps what an earlier version had queued, and its place', async () => {
    const path = join(folder(), 'mails.db');
    const earlier = new DatabaseSync(path);
    earlier.exec(`
      CREATE TABLE checkpoints (reactor TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT;
      INSERT INTO checkpoints VALUES ('mails', '7');
      CREATE TABLE mails (
        event_id TEXT PRIMARY KEY, kind TEXT NOT NULL, tenant_id INTEGER NOT NULL,
        stream TEXT NOT NULL, revision INTEGER NOT NULL, recorded_at TEXT NOT NULL,
        status TEXT NOT NULL, tries INTEGER NOT NULL, due_at TEXT NOT NULL, reason TEXT NOT NULL,
        changed_at TEXT NOT NULL
      ) STRICT;
      INSERT INTO mails VALUES
        ('event-3', 'refunded', 1, 'transaction-1-x', 3, '${at(0)}', 'queued', 2, '${at(1)}', '',
         '${at(0)}');
    `);
    earlier.close();
    const outbox = openOutbox(path);
    onTestFinished(() => outbox.close());
    expect(await outbox.places.get(MAIL_READER)).toBe('7');
    const [mail] = await outbox.due(at(1), 9);
    expect(mail).toEqual({ ...asked(3), kept: false, tries: 2 });
    expect(mail && (await outbox.claim(mail))).toBe(true);
  });
});
