/** What a value of the black list becomes by commands. */
import { BlackList, BlackListKinds, TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const tenantId = TenantId.parse(7);
const entryId = '0192f000-0000-4000-8000-000000000001';
const NOW = '2026-03-01T12:00:00.000Z';
const LATER = '2026-03-02T12:00:00.000Z';
const LATEST = '2026-03-03T12:00:00.000Z';
const addressed = { tenantId, entryId };

const when = whenOf(BlackList);

const entry = (more: object = {}) => ({
  entryId,
  sandbox: false,
  kind: 'email' as const,
  shown: 'a***@***',
  reason: 'Card testing',
  source: 'admin' as const,
  transactionId: null,
  expiresAt: null,
  ...more,
});
const list = (more: object = {}, at = NOW): BlackList.Command => ({
  type: 'BlackList',
  tenantId,
  ...entry(more),
  at,
});
const listed = (more: object = {}, at = NOW): BlackList.Event => ({
  type: 'BlackListed',
  ...entry(more),
  at,
});
const change = (more: object = {}): BlackList.Command => ({
  type: 'ChangeBlackListEntry',
  ...addressed,
  reason: 'Card testing',
  expiresAt: null,
  at: NOW,
  ...more,
});
const remove: BlackList.Command = { type: 'RemoveBlackListEntry', ...addressed, at: NOW };
const removed: BlackList.Event = { type: 'BlackListEntryRemoved', at: NOW };
const changed = (more: object = {}): BlackList.Event => ({
  type: 'BlackListEntryChanged',
  reason: 'Card testing',
  expiresAt: null,
  at: NOW,
  ...more,
});

describe('a value', () => {
  it('is put on the list once', () => {
    when([], list()).then(listed());
    when([listed()], list()).thenNothing();
  });

  it('with another reason or expiry has to be changed instead', () => {
    const exists = { type: 'BlackListEntryExists', entryId } as const;
    when([listed()], list({ reason: 'Other' })).thenRejected(exists);
    when([listed()], list({ expiresAt: LATER })).thenRejected(exists);
  });

  it('that was removed or has expired is put there again', () => {
    when([listed(), removed], list()).then(listed());
    const expired = [listed({ expiresAt: LATER })];
    when(expired, list({}, LATER)).then(listed({}, LATER));
  });

  it('after a dispute keeps the reason of an admin, and never ends earlier', () => {
    const disputed = { source: 'chargeback', reason: '10.4' };
    when([], list(disputed)).then(listed(disputed));
    when([listed()], list(disputed)).thenNothing();
    when([listed()], list({ ...disputed, expiresAt: LATER })).thenNothing();
    when([listed({ expiresAt: LATER })], list(disputed)).then(changed());
    const longer = list({ ...disputed, expiresAt: LATEST });
    when([listed({ expiresAt: LATER })], longer).then(changed({ expiresAt: LATEST }));
  });

  it('is taken off once', () => {
    when([listed()], remove).then(removed);
    when([listed(), removed], remove).thenNothing();
    when([], remove).thenNothing();
  });

  it('takes another reason and expiry from the version that was seen', () => {
    const until = change({ expiresAt: LATER, rowVersion: 1 });
    when([listed()], until).then(changed({ expiresAt: LATER }));
    when([listed(), changed({ expiresAt: LATER })], change({ reason: 'Other' })).then(
      changed({ reason: 'Other' }),
    );
    when([listed()], change()).thenNothing();
    when([], change()).thenRejected({ type: 'BlackListEntryUnknown' });
    when([listed()], change({ rowVersion: 2 })).thenRejected({
      type: 'StaleRowVersion',
      rowVersion: 2,
      current: 1,
    });
  });

  it('does not expire in the past', () => {
    const past = { type: 'ExpiryInThePast', expiresAt: NOW } as const;
    when([], list({ expiresAt: NOW })).thenRejected(past);
    when([listed()], change({ expiresAt: NOW })).thenRejected(past);
  });

  it('blocks until it expires or is removed', () => {
    const state = (...past: BlackList.Event[]) => given(BlackList, past).state;
    expect(BlackList.blocks(state(), NOW)).toBe(false);
    expect(BlackList.blocks(state(listed()), NOW)).toBe(true);
    const until = state(listed({ expiresAt: LATER }));
    expect([NOW, LATER].map((at) => BlackList.blocks(until, at))).toEqual([true, false]);
    expect(BlackList.blocks(state(listed(), removed), NOW)).toBe(false);
  });

  it('counts its changes over removals: an old version never passes for a new one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(list(), remove, change({ reason: 'x' }))),
        (commands) => {
          let state: BlackList.State = BlackList.initial;
          for (const command of commands) {
            const decided = BlackList.decide(state, command);
            const events = decided._tag === 'Right' ? decided.right : [];
            const after = events.reduce(BlackList.evolve, state);
            expect(after.rowVersion).toBe(state.rowVersion + events.length);
            const again = BlackList.decide(after, command);
            expect(again._tag === 'Right' && again.right.length > 0).toBe(false);
            state = after;
          }
        },
      ),
    );
  });
});

it('masks are sums of the bits of their kinds', () => {
  expect(BlackList.maskOf(['email', 'bin', 'customer'])).toBe(37);
  expect(BlackList.kindsIn(37)).toEqual(['email', 'bin', 'customer']);
  expect(BlackList.ALL_KINDS).toBe(63);
});

it('a kind is noted once for each environment', () => {
  const use = { type: 'UseBlackListKind', tenantId, sandbox: true, kind: 'ip', at: NOW } as const;
  const used = { type: 'BlackListKindUsed', sandbox: true, kind: 'ip', at: NOW } as const;
  whenOf(BlackListKinds)([], use).then(used);
  whenOf(BlackListKinds)([used], use).thenNothing();
  const streams = [true, false].map((sandbox) => BlackListKinds.streamOf({ tenantId, sandbox }));
  expect(new Set(streams).size).toBe(2);
});
