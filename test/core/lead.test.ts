/** Leads: one for a session, paid once by a capture within 30 days, in whatever order things come. */
import {
  type CommandId,
  createMemoryEventStore,
  type EventStore,
  execute,
  fold,
  Lead,
  type TenantId,
} from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(Lead);
const tenantId = 7 as TenantId;
const LEAD_ID = '0192f000-0000-4000-8000-000000000001';
const OTHER_ID = '0192f000-0000-4000-8000-000000000002';
const SESSION = { tenantId, sandbox: false, sessionKey: 'of-visit-1' } as const;
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-10T12:00:00.000Z');
const day = (days: number) => new Date(START_MS + days * DAY_MS).toISOString();

const write = (
  at: string,
  contact: Partial<Lead.Contact> = {},
  more: Partial<Extract<Lead.Command, { type: 'WriteLead' }>> = {},
): Lead.Command => ({
  type: 'WriteLead',
  ...SESSION,
  sessionId: 'visit-1',
  leadId: LEAD_ID,
  applicationId: 1,
  customerId: 601,
  contact: { email: 'ann@shop.example', ...contact },
  at,
  ...more,
});
const captured = (capturedAt: string, more: Partial<Lead.SeenTransaction> = {}) => ({
  source: '',
  transactionId: `payment of ${capturedAt}`,
  orderId: '1001',
  applicationId: 1,
  amountMinor: 1_999n,
  currency: 'GBP',
  capturedAt,
  ...more,
});
const see = (transaction: Lead.SeenTransaction, at = transaction.capturedAt): Lead.Command => ({
  type: 'SeeTransaction',
  ...SESSION,
  transaction,
  at,
});

function eventsOf(past: readonly Lead.Event[], command: Lead.Command): readonly Lead.Event[] {
  const decided = Lead.decide(fold(Lead, past), command);
  if (decided._tag === 'Left') throw new Error('a lead refuses nothing');
  return decided.right;
}

function after(...commands: Lead.Command[]): readonly Lead.Event[] {
  const past: Lead.Event[] = [];
  for (const command of commands) past.push(...eventsOf(past, command));
  return past;
}

const typesOf = (events: readonly Lead.Event[]) => events.map(({ type }) => type);

describe('a lead', () => {
  it('is made by the first write of its session, and updated by later ones', () => {
    const events = after(write(day(0)), write(day(1), { firstName: 'Ann' }, { leadId: OTHER_ID }));
    expect(typesOf(events)).toEqual(['LeadCreated', 'LeadUpdated']);
    expect(fold(Lead, events).lead).toMatchObject({ leadId: LEAD_ID, firstName: 'Ann' });
  });

  it('keeps what a write leaves out, and its application', () => {
    const first = write(day(0), { firstName: 'Ann', scans: [{ page: '/tea' }] });
    const events = after(first, write(day(1), { lastName: 'Low' }, { applicationId: 2 }));
    expect(fold(Lead, events).lead).toMatchObject({
      firstName: 'Ann',
      lastName: 'Low',
      scans: [{ page: '/tea' }],
      applicationId: 1,
    });
  });

  it('is not changed by the same write within a day', () => {
    when(after(write(day(0))), write(day(0.9))).thenNothing();
    expect(typesOf(after(write(day(0)), write(day(1))))).toEqual(['LeadCreated', 'LeadUpdated']);
  });

  it('has the person of its email now', () => {
    const events = after(write(day(0)), write(day(0.5), {}, { customerId: 602 }));
    expect(fold(Lead, events).lead).toMatchObject({ customerId: 602 });
  });

  it('of another session, environment or tenant has another stream', () => {
    const others = [
      SESSION,
      { ...SESSION, sessionKey: 'of-visit-2' },
      { ...SESSION, sandbox: true },
      { ...SESSION, tenantId: 8 as TenantId },
    ];
    expect(new Set(others.map(Lead.streamOf)).size).toBe(others.length);
  });
});

describe('a lead is paid', () => {
  it('by a capture that follows within 30 days', () => {
    const transaction = captured(day(30));
    const paid = { leadId: LEAD_ID, sandbox: false, transaction };
    when(after(write(day(0))), see(transaction)).then({ type: 'LeadPaid', ...paid, at: day(30) });
  });

  it('by a capture that came before it, within 30 days', () => {
    const events = after(see(captured(day(-30))), write(day(0)));
    expect(typesOf(events)).toEqual(['LeadTransactionSeen', 'LeadCreated', 'LeadPaid']);
  });

  it('once, and later writes change the contact data only', () => {
    const paid = after(write(day(0)), see(captured(day(1))));
    when(paid, see(captured(day(2)))).thenNothing();
    const events = [...paid, ...eventsOf(paid, write(day(3), { firstName: 'Ann' }))];
    expect(typesOf(events)).toEqual(['LeadCreated', 'LeadPaid', 'LeadUpdated']);
    expect(fold(Lead, events).paid?.transaction.capturedAt).toBe(day(1));
  });

  it('by the first of several captures that came before it', () => {
    const events = after(see(captured(day(-1))), see(captured(day(-2))), write(day(0)));
    expect(fold(Lead, events).paid?.transaction.capturedAt).toBe(day(-2));
  });

  it.each([
    ['of another application', captured(day(1), { applicationId: 2 })],
    ['from more than 30 days before', captured(day(-30.1))],
  ])('not by a capture %s', (_, transaction) => {
    when(after(write(day(0))), see(transaction)).thenNothing();
    expect(fold(Lead, after(see(transaction), write(day(0)))).paid).toBeNull();
  });

  it('by a capture of long after only with a write in between', () => {
    const late = see(captured(day(50)));
    expect(fold(Lead, after(write(day(0)), late)).paid).toBeNull();
    expect(fold(Lead, after(write(day(0)), write(day(40)), late)).paid).not.toBeNull();
    expect(fold(Lead, after(write(day(0)), late, write(day(51)))).paid).not.toBeNull();
  });
});

it('of a session that many share by mistake, a bounded number of captures is kept', () => {
  const many = Array.from({ length: Lead.MAX_SEEN + 20 }, (_, index) =>
    see(captured(day(index / 100))),
  );
  expect(after(...many)).toHaveLength(Lead.MAX_SEEN);
  const recent = after(...many, see(captured(day(60))), write(day(70)));
  expect(fold(Lead, recent).paid?.transaction.capturedAt).toBe(day(60));
});

it('any order and repetition of writes and captures gives one payment, if any is within the window', () => {
  const step = fc.oneof(
    fc.record({ write: fc.constant(true), days: fc.integer({ min: 0, max: 120 }) }),
    fc.record({
      write: fc.constant(false),
      days: fc.integer({ min: -60, max: 180 }),
      applicationId: fc.constantFrom(1, 2),
      number: fc.nat({ max: 4 }),
    }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 20 }),
      fc.array(fc.nat(19), { maxLength: 20 }),
      (steps, repeats) => {
        let nowDays = 0;
        const commands = steps.map((each) => {
          if (!('number' in each)) {
            // The clock of the writes goes forward.
            nowDays += each.days / 10;
            return write(day(nowDays), { firstName: String(nowDays) });
          }
          const { days, applicationId, number } = each;
          // A transaction is of one application.
          const transactionId = `p-${number}-${days}-${applicationId}`;
          return see(captured(day(days), { applicationId, transactionId }));
        });
        const again = repeats.flatMap((index) => commands[index] ?? []);
        const captures = commands.filter(({ type }) => type === 'SeeTransaction');
        const events = after(...commands, ...again.filter(({ type }) => type === 'SeeTransaction'));
        const { lead, paid } = fold(Lead, events);
        const isInWindow = captures.some((each) => {
          if (each.type !== 'SeeTransaction' || lead === null) return false;
          const { applicationId, capturedAt } = each.transaction;
          const ms = Date.parse(capturedAt);
          return (
            applicationId === lead.applicationId &&
            ms >= Date.parse(lead.createdAt) - 30 * DAY_MS &&
            ms <= Date.parse(lead.updatedAt) + 30 * DAY_MS
          );
        });
        expect(paid !== null).toBe(isInWindow);
        expect(typesOf(events).filter((type) => type === 'LeadPaid')).toHaveLength(
          isInWindow ? 1 : 0,
        );
      },
    ),
  );
});

describe('a write that finds nothing cached', () => {
  const context = (number: number) => ({
    commandId: `0192f000-0000-4000-8000-00000000000${number}` as CommandId,
    metadata: { actor: 'page' },
    recordedAt: day(0),
  });

  it('makes the lead without reading', async () => {
    const store = createMemoryEventStore();
    const unread: EventStore = Object.assign(Object.create(store), {
      append: (request: Parameters<EventStore['append']>[0]) => store.append(request),
      read: () => Promise.reject(new Error('the stream is read')),
    });
    const done = await execute({ store: unread }, Lead, write(day(0)), context(1));
    expect(done).toMatchObject({ outcome: 'accepted', events: [{ type: 'LeadCreated' }] });
  });

  it('meets what the session holds: one lead, whichever of several writes is first', async () => {
    const store = createMemoryEventStore();
    await execute({ store }, Lead, see(captured(day(0))), context(1));
    const names = ['Ann', 'Bea', 'Cleo'];
    await Promise.all(
      names.map((firstName, index) =>
        execute(
          { store },
          Lead,
          write(day(1), { firstName }, { leadId: index === 0 ? LEAD_ID : OTHER_ID }),
          context(2 + index),
        ),
      ),
    );
    const types = (await store.read(Lead.streamOf(SESSION))).map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['LeadTransactionSeen', 'LeadCreated', 'LeadPaid']);
    expect(types.slice(3)).toEqual(['LeadUpdated', 'LeadUpdated']);
  });
});
