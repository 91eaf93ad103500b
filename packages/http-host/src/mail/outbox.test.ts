/** The outbox: one mail for an event, whatever is asked, restarted or tried, and an end that stays. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position, StreamName, TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AskedMail, type MailEnd, Outbox } from './outbox.ts';

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

describe('the outbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-outbox-'));

  it('agrees with a list of mails, through restarts', { timeout: 60_000 }, () => {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const path = join(folder, `${randomUUID()}.db`);
        let outbox = new Outbox(path);
        const model = new Map<string, Entry>();
        let nowMs = 0;
        for (const each of steps) {
          if (each.do === 'queue') {
            outbox.queue(each.events.map(asked), at(nowMs));
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
            outbox.putOff(eventId, { tries, dueAt: at(dueMs), reason: '451', at: at(nowMs) });
            if (entry?.ended === false) Object.assign(entry, { tries, dueMs });
          } else if (each.do === 'end') {
            const { eventId } = asked(each.event);
            outbox.end(eventId, { end: each.end, tries: 1, reason: '', at: at(nowMs) });
            const entry = model.get(eventId);
            if (entry !== undefined) entry.ended = true;
          } else if (each.do === 'wait') {
            nowMs += each.ms;
          } else {
            outbox.close();
            outbox = new Outbox(path);
          }
          const queued = [...model].filter(([, { ended }]) => !ended);
          const due = queued.filter(([, { dueMs }]) => dueMs <= nowMs);
          expect(outbox.queuedCount()).toBe(queued.length);
          const found = outbox.due(at(nowMs), EVENTS);
          expect(found.map(({ eventId, tries }) => [eventId, tries]).toSorted()).toEqual(
            due.map(([eventId, { tries }]) => [eventId, tries]).toSorted(),
          );
          const earliest = Math.min(...queued.map(([, { dueMs }]) => dueMs));
          expect(outbox.nextDueAt()).toBe(queued.length === 0 ? undefined : at(earliest));
        }
        outbox.close();
      }),
    );
  });

  it('gives out what is due longest first, and no more than asked for', () => {
    const outbox = new Outbox(':memory:');
    onTestFinished(() => outbox.close());
    outbox.queue([asked(0)], at(2));
    outbox.queue([asked(1)], at(1));
    outbox.queue([asked(2)], at(3));
    expect(outbox.due(at(9), 2).map(({ revision }) => revision)).toEqual([1, 0]);
  });

  it('forgets what ended long ago, and nothing that waits', () => {
    const outbox = new Outbox(':memory:');
    onTestFinished(() => outbox.close());
    outbox.queue([asked(0), asked(1)], at(0));
    outbox.end('event-0', { end: 'sent', tries: 1, reason: '', at: at(0) });
    const limitMs = 90 * 86_400_000;
    outbox.queue([asked(0)], at(limitMs));
    expect(outbox.queuedCount()).toBe(1);
    // Known still when it is asked for again, and forgotten in the same breath.
    outbox.queue([asked(0)], at(limitMs + 1));
    expect(outbox.queuedCount()).toBe(1);
    outbox.queue([asked(0)], at(limitMs + 1));
    expect(outbox.queuedCount()).toBe(2);
  });

  it('keeps the place in the log, until it is told to forget it', async () => {
    const outbox = new Outbox(':memory:');
    onTestFinished(() => outbox.close());
    await outbox.places.set('mails', '7' as Position);
    expect(await outbox.places.get('mails')).toBe('7');
    outbox.forgetPlace();
    expect(await outbox.places.get('mails')).toBeUndefined();
  });
});
