/** The black list as payments look it up: on every host at once, and at the same cost however long it is. */
import {
  type BlackList,
  createMemoryEventStore,
  type EventStore,
  type TenantId,
} from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { BlackLists } from './black-list.ts';
import { formOf, listedIds, type PayerValues, shownOf } from './values.ts';

const LIVE = { tenantId: 7 as TenantId, sandbox: false };
const KEY = Buffer.alloc(32, 7);
const clock = { now: () => '2026-03-01T12:00:00.000Z' };

/** A host over a shared log, with folded states of its own. */
function host(store: EventStore) {
  const commands = new CommandRunner({ store, cache: createStateCache() }, clock, () => {});
  return new BlackLists(commands, listedIds(KEY));
}

const listing = (kind: BlackList.Kind, value: string) =>
  ({ kind, value, reason: '', source: 'admin', transactionId: null, expiresAt: null }) as const;

const maskFor = (lists: BlackLists, payer: PayerValues) =>
  lists.maskOf(LIVE, { payer: () => payer });

describe('an entry', () => {
  it('counts on every host once it is made, and on none once it is removed', async () => {
    const email = fc.constantFrom('ann@example.com', 'bob@example.com', 'cy@example.com');
    const step = fc.record({ at: fc.constantFrom(0, 1, 2), does: fc.boolean(), email });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const events = createMemoryEventStore();
        const hosts = [host(events), host(events), host(events)] as const;
        const onList = new Set<string>();
        for (const { at, does, email: value } of steps) {
          const own = hosts[at] as BlackLists;
          if (does) {
            await own.add(LIVE, listing('email', value), SYSTEM);
            onList.add(value);
          } else {
            const entryId = own.idOf(LIVE, 'email', value) ?? '';
            await own.remove({ tenantId: LIVE.tenantId, entryId }, SYSTEM);
            onList.delete(value);
          }
          const masks = await Promise.all(hosts.map((each) => maskFor(each, { email: value })));
          expect(masks).toEqual(Array(3).fill(onList.has(value) ? 1 : 0));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('costs one look-up where there is no list, and one more for each kind on it', async () => {
    const events = createMemoryEventStore();
    let reads = 0;
    const counting: EventStore = new Proxy(events, {
      get(target, name) {
        if (name === 'read') reads += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const payer = { email: 'ann@example.com', ip: '192.0.2.1', bin: '424242', customer: '1' };
    const readsOf = async () => {
      const lists = host(counting);
      reads = 0;
      await maskFor(lists, payer);
      return reads;
    };
    expect(await readsOf()).toBe(1);
    const admin = host(events);
    for (let index = 0; index < 300; index += 1) {
      await admin.add(LIVE, listing('email', `eve${index}@example.com`), SYSTEM);
    }
    expect(await readsOf()).toBe(2);
    await admin.add(LIVE, listing('ip', '198.51.100.1'), SYSTEM);
    expect(await readsOf()).toBe(3);
  });

  it('has another id for each tenant, environment and kind, and under each key', () => {
    const idOf = listedIds(KEY);
    const ids = [
      idOf(LIVE, 'bin', '424242'),
      idOf({ ...LIVE, sandbox: true }, 'bin', '424242'),
      idOf({ ...LIVE, tenantId: 8 as TenantId }, 'bin', '424242'),
      idOf(LIVE, 'customer', '424242'),
      listedIds(Buffer.alloc(32, 8))(LIVE, 'bin', '424242'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOf(LIVE, 'bin', '424242')).toBe(ids[0]);
  });
});

describe('a value', () => {
  it.each([
    ['email', 'Ann@Example.COM', 'ann@example.com', '***@***'],
    ['email', 'annabel@example.com', 'annabel@example.com', 'a***@***'],
    ['ip', '::FFFF:c000:201', '192.0.2.1', '192.***'],
    ['ip', '2001:db8:0:0:0:0:0:1', '2001:db8::1', '2001.***'],
    ['ip', '::1', '::1', '***'],
    ['cardFingerprint', 'AB'.repeat(16), 'ab'.repeat(16), 'abab***'],
    ['customer', '17850', '17850', '***'],
    ['extendedBin', '42424242', '42424242', '42424242'],
  ] as const)('%s %s is %s, shown as %s', (kind, given, form, shown) => {
    expect(formOf(kind, given)).toBe(form);
    expect(shownOf(kind, form)).toBe(shown);
  });

  it.each([
    ['email', 'ann'],
    ['email', ''],
    ['ip', '1.2.3'],
    ['ip', 'fe80::1%eth0'],
    ['bin', '42424'],
    ['bin', '4242424'],
    ['extendedBin', '424242'],
    ['cardFingerprint', 'xyz'],
    ['customer', '0'],
    ['customer', '-1'],
    ['customer', '1.5'],
  ] as const)('%s %j is none', (kind, given) => {
    expect(formOf(kind, given)).toBeUndefined();
  });

  it('in its one form stays as it is', () => {
    const given = fc.oneof(
      fc.tuple(fc.constant('ip' as const), fc.oneof(fc.ipV4(), fc.ipV6())),
      fc.tuple(fc.constant('email' as const), fc.emailAddress()),
    );
    fc.assert(
      fc.property(given, ([kind, value]) => {
        const form = formOf(kind, value);
        if (form !== undefined) expect(formOf(kind, form)).toBe(form);
        expect(kind === 'ip' && form === undefined).toBe(false);
      }),
    );
  });
});
