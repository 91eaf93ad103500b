/** The small parts that everything stands on: stream names, event ids, canonical texts, marks. */
import {
  CommandId,
  canonicalJson,
  categoryOf,
  eventIdOf,
  fingerprint,
  fingerprintOf,
  fold,
  never,
  type StreamName,
  streamName,
  TenantId,
  TransactionId,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('stream names', () => {
  const tenant = 7 as TenantId;

  it('carry category and tenant', () => {
    expect(streamName('price_point', tenant, 4)).toBe('price_point-7-4');
    expect(categoryOf('price_point-7-4' as StreamName)).toBe('price_point');
    expect(categoryOf('transaction-7-0192f000-0000-7000-8000-000000000001' as StreamName)).toBe(
      'transaction',
    );
    expect(categoryOf('plain' as StreamName)).toBe('plain');
  });

  it.each(['', 'Price', 'price-point', '1st', 'a b'])('refuse the category %j', (category) => {
    expect(() => streamName(category, tenant, 1)).toThrow(RangeError);
  });

  it('differ whenever tenants or ids do', () => {
    const parts = fc.tuple(arbitraries.tenantId(), arbitraries.transactionId());
    fc.assert(
      fc.property(parts, parts, ([a, x], [b, y]) => {
        const same = streamName('lead', a, x) === streamName('lead', b, y);
        expect(same).toBe(a === b && x === y);
      }),
    );
  });
});

describe('ids', () => {
  it.each([0, -1, 1.5, '1', Number.NaN])('no tenant is %j', (value) => {
    expect(TenantId.safeParse(value).success).toBe(false);
  });

  it('are UUIDs in lower case', () => {
    const upper = '0192F000-0000-7000-8000-00000000000A';
    expect(TransactionId.parse(upper)).toBe(upper.toLowerCase());
    expect(CommandId.parse(upper)).toBe(upper.toLowerCase());
    expect(CommandId.safeParse('0192f000').success).toBe(false);
  });

  it('of events are UUIDs, the same for the same place, and unique over commands and streams', () => {
    const streams = [1, 2].map((n) => streamName('transaction', TenantId.parse(n), 'a'));
    fc.assert(
      fc.property(arbitraries.commandId(), (commandId) => {
        const neighbour = CommandId.parse(
          commandId.slice(0, -1) + (commandId.endsWith('0') ? '1' : '0'),
        );
        const ids = [commandId, neighbour].flatMap((command) =>
          streams.flatMap((stream) =>
            Array.from({ length: 25 }, (_, index) => eventIdOf(command, stream, index)),
          ),
        );
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => CommandId.safeParse(id).data === id)).toBe(true);
        expect(eventIdOf(commandId, streams[0] ?? streamName('x', TenantId.parse(1), 1), 24)).toBe(
          ids[24],
        );
      }),
    );
  });
});

describe('canonical text', () => {
  it.each([
    [
      { b: 1, a: { d: [2, { f: null, e: 'x' }], c: true } },
      '{"a":{"c":true,"d":[2,{"e":"x","f":null}]},"b":1}',
    ],
    [{ a: undefined, b: 12n }, '{"b":"12"}'],
    [[undefined, 'é"'], '[null,"é\\""]'],
    ['x', '"x"'],
    [null, 'null'],
  ])('%#', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is equal for equal values, however they were built', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
      }),
    );
  });

  it('has sorted keys, however many objects begin with the same one', () => {
    for (let times = 0; times < 2; times += 1) {
      for (let n = 0; n < 200; n += 1) {
        const names = ['m', `z${n}`, `a${n}`];
        const text = canonicalJson(Object.fromEntries(names.map((name) => [name, n])));
        expect(text).toBe(`{"a${n}":${n},"m":${n},"z${n}":${n}}`);
      }
    }
  });

  it('writes plain values as JSON does', () => {
    const plain = [0, -0, 1.5, -2, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY, true, false];
    expect(canonicalJson([...plain, null, undefined])).toBe(
      JSON.stringify([...plain, null, undefined]),
    );
  });
});

describe('mark', () => {
  it('is sixteen hex digits, the same in every build', () => {
    expect(fingerprint('')).toMatch(/^[0-9a-f]{16}$/);
    expect([
      fingerprint(''),
      fingerprint('refund'),
      fingerprint('refund 60'),
    ]).toMatchInlineSnapshot(`
      [
        "a61cff256b7555bd",
        "28e7e1a497554d43",
        "3d29f42395c6fae8",
      ]
    `);
  });

  it('of a value is that of its canonical text', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', '\ud83d') });
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(), anyText, (json, amount, text) => {
        const value = { json, amount, list: [text, undefined, amount], absent: undefined };
        expect(fingerprintOf(value)).toBe(fingerprint(canonicalJson(value)));
        expect(canonicalJson(json)).toBe(canonicalJson(JSON.parse(canonicalJson(json))));
      }),
    );
  });

  it('distinguishes texts that differ in one character, or in their order', () => {
    const marks = new Set<string>();
    for (let n = 0; n < 20_000; n += 1) marks.add(fingerprint(`{"amountMinor":"${n}"}`));
    expect(marks.size).toBe(20_000);
    expect(fingerprint('ab')).not.toBe(fingerprint('ba'));
  });
});

it('folds from the beginning, or from a state that is known', () => {
  const sum = { initial: 1, evolve: (state: number, event: number) => state * 10 + event };
  expect(fold(sum, [2, 3])).toBe(123);
  expect(fold(sum, [3], 12)).toBe(123);
  expect(fold(sum, [])).toBe(1);
});

it('refuses at run time what the compiler could not see', () => {
  expect(() => never({ type: 'Surprise' } as never)).toThrow('{"type":"Surprise"}');
});
