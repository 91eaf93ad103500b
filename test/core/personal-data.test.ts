/** Personal data of events: sealed and opened without a change, and gone when the person is erased. */
import {
  type AnyVault,
  catalog,
  createMemoryEventStore,
  DamagedEvent,
  decodeEvent,
  decodeRecord,
  type Event,
  type EventSchema,
  EventStoreError,
  encodeEvent,
  event,
  execute,
  fold,
  load,
  openerOf,
  type PersonalDataVault,
  type StoredEvent,
  type Subject,
  sealerOf,
  subjectsOf,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventTypes, samples } from './event-samples.ts';
import { answer, ask } from './payment-commands.ts';
import { DistantTicketVault, TicketVault } from './ticket-vault.ts';

const TENANT = 7 as TenantId;
const personalTypes = eventTypes.filter((type) => catalog.get(type)?.isPersonal);

function stored(encoded: Pick<StoredEvent, 'type' | 'data' | 'schemaVersion'>): StoredEvent {
  return {
    id: '0192f000-0000-7000-8000-00000000000f',
    tenantId: TENANT,
    time: '2026-01-01T00:00:00.000Z',
    metadata: '{"actor":"ada@example.com"}',
    stream: 'transaction-7-x',
    revision: 4,
    position: '0000000000000009',
    commandId: '0192f000-0000-7000-8000-00000000000c',
    commandFingerprint: '0123456789abcdef',
    ...encoded,
  } as StoredEvent;
}

function sealedBy(vault: PersonalDataVault, any: Event): StoredEvent {
  return stored(encodeEvent(any, { tenantId: TENANT, vault }));
}

function subjectOf(any: Event): Subject {
  const { customerId, sandbox } = any as Transaction.EventOf<'PaymentSubmitted'>;
  return { tenantId: TENANT, sandbox, customerId };
}

function erasedOf(type: string): Readonly<Record<string, unknown>> {
  return catalog.get(type)?.erased ?? {};
}

const OPEN: Readonly<Record<string, readonly string[]>> = {
  // Those who act for a tenant stand in the metadata of every event by their email.
  UserInvited: ['email'],
  // An id of the ledger's own.
  CheckoutSessionOpened: ['sessionId'],
};

describe('events', () => {
  it('that name a person say which fields do', () => {
    expect(personalTypes).toEqual([
      'CardChanged',
      'CheckoutSessionOpened',
      'CustomerIdentified',
      'CustomerRegistered',
      'CustomerReplaced',
      'EmailReserved',
      'LeadCreated',
      'LeadUpdated',
      'PaymentMethodAdded',
      'PaymentSubmitted',
      'SubscriptionStarted',
    ]);
  });

  it.each(eventTypes)('%s has no field of a person in the open', (type) => {
    const named = Object.keys(catalog.get(type)?.schema.shape ?? {}).filter((field) =>
      /^(email|firstName|lastName|phone|addresses|card|session|sessionId|partnerSession)$/.test(
        field,
      ),
    );
    const open = named.filter((field) => !(field in erasedOf(type)));
    expect(open).toEqual(OPEN[type] ?? []);
  });

  it.each(personalTypes)('%s is still one once the person is erased', (type) => {
    const erased = { ...samples.get(type), ...erasedOf(type) } as Event;
    expect(decodeEvent(stored(encodeEvent(erased)))).toEqual(erased);
  });
});

describe('sealing', () => {
  it.each(personalTypes)('of any %s takes the person out, and gives all of it back', (type) => {
    fc.assert(
      fc.property(arbitraries.eventOf(type), (any) => {
        const vault = new TicketVault();
        const sealed = sealedBy(vault, any);
        const { sealed: ticket, ...open } = JSON.parse(sealed.data) as Record<string, unknown>;
        expect(ticket).toBe('ticket-0');
        expect(Object.keys(open).filter((field) => field in erasedOf(type))).toEqual([]);
        expect(decodeEvent(sealed, vault)).toEqual(any);
        expect(decodeRecord(sealed, vault).event).toEqual(any);
        vault.erase(subjectOf(any));
        expect(decodeEvent(sealed, vault)).toEqual({ ...any, ...erasedOf(type) });
      }),
      { numRuns: 30 },
    );
  });

  it.each(eventTypes.filter((type) => !personalTypes.includes(type)))(
    'leaves any %s as it is',
    (type) => {
      fc.assert(
        fc.property(arbitraries.eventOf(type), (any) => {
          const vault = new TicketVault();
          expect(sealedBy(vault, any)).toEqual(stored(encodeEvent(any)));
          expect(decodeEvent(stored(encodeEvent(any)), vault)).toEqual(any);
        }),
        { numRuns: 5 },
      );
    },
  );

  it('writes no data of an erased person', () => {
    const vault = new TicketVault();
    const sample = samples.get('PaymentSubmitted') as Event;
    vault.erase(subjectOf(sample));
    const erased = { ...sample, ...erasedOf('PaymentSubmitted') } as Event;
    expect(sealedBy(vault, sample)).toEqual(stored(encodeEvent(erased)));
  });

  it('is read beside events that were stored in the open', () => {
    const sample = samples.get('CustomerIdentified') as Event;
    expect(decodeEvent(stored(encodeEvent(sample)), new TicketVault())).toEqual(sample);
  });
});

describe('what cannot be opened is a damaged event', () => {
  const vault = new TicketVault();
  const sealed = sealedBy(vault, samples.get('PaymentSubmitted') as Event);
  const changed = (fields: object) =>
    stored({ ...sealed, data: JSON.stringify({ ...JSON.parse(sealed.data), ...fields }) });

  it.each([
    ['without a vault', sealed, undefined, 'no vault to open it'],
    ['that another vault sealed', sealed, new TicketVault(), 'no such ticket'],
    ['of another person', changed({ customerId: 12 }), vault, 'no such ticket'],
    ['without a person', changed({ customerId: '12' }), vault, 'whom it is about'],
    ['of no environment', changed({ sandbox: null }), vault, 'whom it is about'],
    ['of another tenant', { ...sealed, tenantId: 8 as TenantId }, vault, 'no such ticket'],
    [
      'of another type',
      { ...sealed, type: 'CustomerIdentified', schemaVersion: 1 },
      vault,
      'no such ticket',
    ],
  ])('%s', (_, event, opener, reason) => {
    expect(() => decodeEvent(event, opener)).toThrow(DamagedEvent);
    expect(() => decodeEvent(event, opener)).toThrow(reason);
  });

  it('but not where the keys cannot be read at all', () => {
    const failure = new EventStoreError('unavailable', 'keys.db: disk I/O error');
    const failing = {
      seal: () => undefined,
      open: () => {
        throw failure;
      },
    };
    expect(() => decodeEvent(sealed, failing)).toThrow(failure);
  });

  it('and so is a sealed text in an event that has no person', () => {
    const data = '{"productId":3,"name":"x","at":"2026-01-01T00:00:00.000Z","sealed":"ticket-0"}';
    const read = () => decodeEvent(stored({ type: 'ProductDefined', schemaVersion: 1, data }));
    expect(read).toThrow(DamagedEvent);
  });
});

describe('an older version', () => {
  const open = catalog as Map<string, EventSchema>;
  afterEach(() => {
    open.delete('ThingNamed');
  });

  const who = { customerId: z.int(), sandbox: z.boolean() };
  const first = event({ ...who, name: z.string() }, { erased: { name: '' } });
  const second = event(
    { ...who, initial: z.string(), name: z.string() },
    {
      upcasts: [({ name, ...data }) => ({ ...data, name, initial: `${name}?`.charAt(0) })],
      erased: { name: '', initial: '' },
    },
  );

  it('is decrypted, then upcast; an erased person gets no values', () => {
    const vault = new TicketVault();
    const thing = { type: 'ThingNamed', customerId: 3, sandbox: true, name: 'Ada' };
    open.set('ThingNamed', first);
    const sealed = sealedBy(vault, thing as unknown as Event);
    open.set('ThingNamed', second);
    expect(decodeEvent(sealed, vault)).toEqual({ ...thing, initial: 'A' });
    vault.erase({ tenantId: TENANT, customerId: 3, sandbox: true });
    expect(decodeEvent(sealed, vault)).toEqual({ ...thing, name: '', initial: '' });
  });
});

describe('declaring an event', () => {
  const who = { customerId: z.int(), sandbox: z.boolean() };

  it.each([
    ['without a customer', { sandbox: z.boolean(), name: z.string() }, { name: '' }, 'customerId'],
    ['without an environment', { customerId: z.int(), name: z.string() }, { name: '' }, 'sandbox'],
    ['with a field that it lacks', who, { name: '' }, 'name'],
    ['whose customer is to be sealed', who, { customerId: 0 }, 'cannot be personal'],
    [
      'with a field that stands for all',
      { ...who, sealed: z.string(), name: z.string() },
      { name: '' },
      'sealed',
    ],
  ])('as personal is refused %s', (_, shape, erased, reason) => {
    expect(() => event(shape, { erased: erased as never })).toThrow(reason);
  });
});

describe('a vault with remote keys', () => {
  const person = fc.record({ customerId: fc.integer({ min: 1, max: 5 }), sandbox: fc.boolean() });
  const kept = fc.record({
    type: fc.constantFrom(...eventTypes),
    person,
    kind: fc.constantFrom('sealed', 'open', 'damaged', 'without a person'),
  });

  /** Random events of a log, and the persons that decoding queries. */
  function stories(each: { type: string; person: object; kind: string }[], tickets: TicketVault) {
    return each.map(({ type, person: whom, kind }) => {
      const sample = samples.get(type) as Event;
      const any = 'customerId' in sample ? { ...sample, ...whom } : sample;
      const event = kind === 'open' ? stored(encodeEvent(any)) : sealedBy(tickets, any);
      if (kind === 'damaged') return { ...event, data: event.data.slice(0, -2) };
      if (kind === 'without a person') {
        return { ...event, data: event.data.replace('"customerId":', '"whoever":') };
      }
      return event;
    });
  }

  it('is queried for exactly the persons that decoding needs, each once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(kept, { maxLength: 20 }), async (each) => {
        const tickets = new TicketVault();
        const events = stories(each, tickets);
        const needed = new Set<string>();
        const nameOf = (subject: Subject) => JSON.stringify(Object.entries(subject).sort());
        const noting: PersonalDataVault = {
          seal: () => undefined,
          open: (subject, personal) => {
            needed.add(nameOf(subject));
            return tickets.open(subject, personal);
          },
        };
        const outcomeOf = (event: StoredEvent, vault?: PersonalDataVault): unknown => {
          try {
            return decodeEvent(event, vault);
          } catch (error) {
            return (error as Error).message;
          }
        };
        const expected = events.map((event) => outcomeOf(event, noting));
        expect(subjectsOf(events).map(nameOf).sort()).toEqual([...needed].sort());
        const opener = await openerOf(new DistantTicketVault(tickets), events);
        expect(events.map((event) => outcomeOf(event, opener))).toEqual(expected);
      }),
    );
  });

  it.each(eventTypes)('makes the key that %s needs, and no other', async (type) => {
    const tickets = new TicketVault();
    const any = samples.get(type) as Event;
    const sealer = await sealerOf(new DistantTicketVault(tickets), {
      tenantId: TENANT,
      events: [any],
    });
    const encoded = stored(encodeEvent(any, sealer && { tenantId: TENANT, vault: sealer }));
    expect(encoded).toEqual(sealedBy(new TicketVault(), any));
    expect(decodeEvent(encoded, tickets)).toEqual(any);
    expect(subjectsOf([encoded])).toEqual(personalTypes.includes(type) ? [subjectOf(any)] : []);
  });

  it('that cannot be reached fails the command, and nothing is stored', async () => {
    const unreachable = async () => {
      throw new EventStoreError('unavailable', 'the database is gone');
    };
    const vault = { forOpening: unreachable, forSealing: unreachable, forget: () => undefined };
    const store = createMemoryEventStore();
    const submit = ask.submit({ email: 'ada@example.com' });
    const context = {
      commandId: '0192f000-0000-4000-8000-000000000001' as never,
      metadata: { actor: 'ada@example.com' },
      recordedAt: '2026-01-10T12:00:00.000Z',
    };
    const executing = execute({ store, vault }, Transaction, submit, context);
    await expect(executing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.head()).toBeUndefined();
  });
});

const vaults: readonly [string, (tickets: TicketVault) => AnyVault][] = [
  ['at hand', (tickets) => tickets],
  ['elsewhere', (tickets) => new DistantTicketVault(tickets)],
];

describe.each(vaults)('executing commands with keys %s', (_, vaultOf) => {
  const context = (n: number) => ({
    commandId: `0192f000-0000-4000-8000-00000000000${n}` as never,
    metadata: { actor: 'ada@example.com' },
    recordedAt: '2026-01-10T12:00:00.000Z',
  });

  it('stores no person in the open, and folds the whole of the payment', async () => {
    const store = createMemoryEventStore();
    const tickets = new TicketVault();
    const executor = { store, vault: vaultOf(tickets) };
    const submit = ask.submit({ email: 'ada@example.com' });
    const done = await execute(executor, Transaction, submit, context(1));
    await execute(executor, Transaction, ask.recordOutcome(answer.captured), context(2));
    const stream = Transaction.streamOf(submit);
    const [submitted] = await store.read(stream);
    expect(submitted?.data).not.toContain('ada@example.com');
    const { state } = await load(executor, Transaction, stream);
    expect(state).toMatchObject({ email: 'ada@example.com', status: 'Captured' });
    const again = await execute(executor, Transaction, submit, context(1));
    expect(again).toMatchObject({
      repeated: true,
      events: done.outcome === 'accepted' && done.events,
    });
    const { customerId, sandbox } = (state as Transaction.Payment) ?? {};
    tickets.erase({ tenantId: submit.tenantId, customerId, sandbox });
    const erased = await load({ store, vault: vaultOf(tickets) }, Transaction, stream);
    expect(erased.state).toEqual({ ...state, ...erasedOf('PaymentSubmitted') });
    await expect(load({ store }, Transaction, stream)).rejects.toThrow('no vault');
  });

  it('folds to the same as before but for the person', () => {
    const sample = samples.get('PaymentSubmitted') as Transaction.Event;
    const erased = { ...sample, ...erasedOf('PaymentSubmitted') } as Transaction.Event;
    const whole = fold(Transaction, [sample]);
    expect(fold(Transaction, [erased])).toEqual({ ...whole, ...erasedOf('PaymentSubmitted') });
  });
});
