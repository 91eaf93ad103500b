/** The catalog: what was stored once is read for ever, and what cannot be read says where it stands. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  catalog,
  DamagedEvent,
  decodeEvent,
  decodeRecord,
  type Event,
  type EventSchema,
  encodeEvent,
  event,
  type StoredEvent,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventTypes, samples } from './event-samples.ts';

const FIXTURES = new URL('./fixtures/events/', import.meta.url);

/** Set it to write the fixtures that are missing. One that exists is never written again. */
const WRITE_MISSING = process.env['WRITE_MISSING_FIXTURES'] === '1';

interface Fixture {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

const fixtureUrl = (type: string, version: number): URL =>
  new URL(`${type}.v${version}.json`, FIXTURES);

function fixture(type: string, version: number): Fixture {
  const url = fixtureUrl(type, version);
  if (!existsSync(url))
    throw new Error(
      `${type} has no fixture of version ${version}; WRITE_MISSING_FIXTURES=1 writes it`,
    );
  return JSON.parse(readFileSync(url, 'utf8')) as Fixture;
}

function sampleOf(type: string): Event {
  const sample = samples.get(type);
  if (sample === undefined) throw new Error(`${type} has no sample`);
  return sample;
}

function encodedSample(type: string): Fixture {
  const { data, ...rest } = encodeEvent(sampleOf(type));
  return { ...rest, data: JSON.parse(data) };
}

const stored = (fields: Partial<StoredEvent>): StoredEvent =>
  ({
    id: '0192f000-0000-7000-8000-00000000000f',
    type: 'ProductDefined',
    schemaVersion: 1,
    tenantId: 7,
    time: '2026-01-01T00:00:00.000Z',
    data: '{"productId":3,"name":"Club","at":"2026-01-01T00:00:00.000Z"}',
    metadata: '{"actor":"ada@example.com"}',
    stream: 'product-7-3',
    revision: 4,
    position: '0000000000000009',
    commandId: '0192f000-0000-7000-8000-00000000000c',
    commandFingerprint: '0123456789abcdef',
    ...fields,
  }) as StoredEvent;

const versions = eventTypes.flatMap((type) =>
  Array.from({ length: catalog.get(type)?.schemaVersion ?? 0 }, (_, index) => ({
    type,
    version: index + 1,
  })),
);

describe('golden fixtures', () => {
  if (WRITE_MISSING) {
    for (const type of eventTypes) {
      const url = fixtureUrl(type, catalog.get(type)?.schemaVersion ?? 0);
      if (existsSync(url)) continue;
      writeFileSync(url, `${JSON.stringify(encodedSample(type), null, 2)}\n`, { flag: 'wx' });
    }
  }

  it.each(versions)('$type version $version is still read', ({ type, version }) => {
    const { data, schemaVersion } = fixture(type, version);
    const read = decodeEvent(stored({ type, schemaVersion, data: JSON.stringify(data) }));
    expect(schemaVersion).toBe(version);
    expect(read.type).toBe(type);
    // What was read is an event of today: it can be written again.
    expect(encodeEvent(read).schemaVersion).toBe(catalog.get(type)?.schemaVersion);
  });

  it('plans that were stored in days are counted in days', () => {
    const plans = [
      ['SubscriptionStarted', 1],
      ['PlanChanged', 1],
      ['PaymentSubmitted', 3],
    ] as const;
    const read = plans.map(([type, version]) => {
      const { data, schemaVersion } = fixture(type, version);
      return decodeEvent(stored({ type, schemaVersion, data: JSON.stringify(data) }));
    });
    expect(read).toMatchObject([
      { interval: 'day', intervalCount: 30 },
      { interval: 'day', intervalCount: 28, anchorDay: 1 },
      { plans: [{ interval: 'day', intervalCount: 30 }] },
    ]);
  });

  it.each(eventTypes)('%s is written today as the fixture has it', (type) => {
    const written = fixture(type, catalog.get(type)?.schemaVersion ?? 0);
    expect(encodedSample(type)).toEqual(written);
    const read = decodeEvent(stored({ ...written, data: JSON.stringify(written.data) }));
    expect(read).toEqual(sampleOf(type));
  });

  it('exist as events, one file each', () => {
    const files = readdirSync(FIXTURES).sort();
    expect(files).toEqual(versions.map(({ type, version }) => `${type}.v${version}.json`).sort());
    for (const { type, version } of versions) expect(fixture(type, version).type).toBe(type);
  });

  it('are written from a sample of every type, and of no other', () => {
    expect([...samples.keys()].sort()).toEqual(eventTypes);
  });
});

describe('codec', () => {
  it.each(eventTypes)('writes and reads back any %s', (type) => {
    fc.assert(
      fc.property(arbitraries.eventOf(type), (any) => {
        const written = encodeEvent(any);
        expect(decodeEvent(stored(written))).toEqual(any);
        expect(encodeEvent(decodeEvent(stored(written)))).toEqual(written);
      }),
      { numRuns: 30 },
    );
  });

  it('never writes what it could not read', () => {
    const bad = { ...sampleOf('ProductDefined'), productId: 0 } as Event;
    expect(() => encodeEvent(bad)).toThrow();
    const extra = { ...sampleOf('ProductDefined'), cvv: '123' } as unknown as Event;
    expect(() => encodeEvent(extra)).toThrow();
    expect(() => encodeEvent({ type: 'Unheard' } as unknown as Event)).toThrow('Unheard');
  });

  it('reads a record with its metadata and its place', () => {
    const { event: read, metadata, ...place } = decodeRecord(stored({}));
    expect(read).toEqual({
      type: 'ProductDefined',
      productId: 3,
      name: 'Club',
      at: '2026-01-01T00:00:00.000Z',
    });
    expect(metadata).toEqual({ actor: 'ada@example.com' });
    expect(place).toMatchObject({ stream: 'product-7-3', revision: 4, tenantId: 7 });
  });
});

describe('damaged events', () => {
  it.each([
    ['an unknown type', { type: 'Unheard' }, 'unknown event type'],
    ['a type that is a name of every object', { type: 'constructor' }, 'unknown event type'],
    ['a newer version', { schemaVersion: 2 }, 'schema version 2'],
    ['version 0', { schemaVersion: 0 }, 'schema version 0'],
    ['half a version', { schemaVersion: 1.5 }, 'schema version 1.5'],
    ['cut off data', { data: '{"productId":3,"na' }, 'not JSON'],
    ['empty data', { data: '' }, 'not JSON'],
    ['data that is null', { data: 'null' }, ''],
    ['data that is a list', { data: '[]' }, ''],
    ['a missing field', { data: '{"productId":3}' }, 'name'],
    [
      'a field too many',
      { data: '{"productId":3,"name":"x","at":"2026-01-01T00:00:00.000Z","more":1}' },
      'more',
    ],
    [
      'a field too many that is a name of every object',
      { data: '{"productId":3,"name":"x","at":"2026-01-01T00:00:00.000Z","__proto__":1}' },
      '',
    ],
    [
      'a value of another type',
      { data: '{"productId":"3","name":"x","at":"2026-01-01T00:00:00.000Z"}' },
      'productId',
    ],
    [
      'a wrong value',
      { data: '{"productId":-3,"name":"x","at":"2026-01-01T00:00:00.000Z"}' },
      'productId',
    ],
  ] satisfies [string, Partial<StoredEvent>, string][])('%s', (_, fields, reason) => {
    const read = (): Event => decodeEvent(stored(fields));
    expect(read).toThrow(DamagedEvent);
    expect(read).toThrow('product-7-3@4');
    expect(read).toThrow(reason);
    const place = {
      stream: 'product-7-3',
      revision: 4,
      eventType: stored(fields).type,
    };
    expect(read).toThrow(expect.objectContaining(place));
  });

  it('are distinguished by metadata too', () => {
    expect(() => decodeRecord(stored({ metadata: '{' }))).toThrow(DamagedEvent);
  });
});

describe('upcasting', () => {
  /** The catalog is closed to users; a test may add an event of its own and takes it out again. */
  const open = catalog as Map<string, EventSchema>;
  afterEach(() => {
    open.delete('ThingNamed');
  });

  const third = event(
    { title: z.string(), words: z.int() },
    {
      upcasts: [
        ({ name }) => ({ title: name }),
        (data) => ({ ...data, words: String(data['title']).split(' ').length }),
      ],
    },
  );
  const readThing = (schemaVersion: number, data: object): Event =>
    decodeEvent(stored({ type: 'ThingNamed', schemaVersion, data: JSON.stringify(data) }));

  it('counts the version from the ways up', () => {
    expect(third.schemaVersion).toBe(3);
    expect(event({}).schemaVersion).toBe(1);
  });

  it('goes every way up that is left, and no other', () => {
    open.set('ThingNamed', third);
    const today = { type: 'ThingNamed', title: 'two words', words: 2 };
    expect(readThing(1, { name: 'two words' })).toEqual(today);
    expect(readThing(2, { title: 'two words' })).toEqual(today);
    expect(readThing(3, { title: 'two words', words: 2 })).toEqual(today);
    expect(encodeEvent(today as unknown as Event).schemaVersion).toBe(3);
  });

  it('judges what came out, not what went in', () => {
    open.set('ThingNamed', third);
    expect(() => readThing(2, { name: 'of version 1' })).toThrow(DamagedEvent);
    expect(() => readThing(4, { title: 'x', words: 1 })).toThrow(DamagedEvent);
  });

  it('reports an old event that is too damaged to upcast', () => {
    open.set('ThingNamed', third);
    const read = (): Event => decodeEvent(stored({ type: 'ThingNamed', data: 'null' }));
    expect(read).toThrow(DamagedEvent);
  });
});
