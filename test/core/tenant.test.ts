/** A tenant, its settings, and its keys: issued, rotated with an overlap, revoked, expired. */
import { fold, Tenant, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(Tenant);

const tenantId = 7 as TenantId;
const AT = '2026-01-01T00:00:00.000Z';
const NOW = '2026-01-10T12:00:00.000Z';
const keyId = (n: number): string => `0192f000-0000-4000-8000-00000000000${n}`;
const digest = (n: number): string => String(n).repeat(64);

const key = {
  keyId: keyId(1),
  kind: 'api',
  environment: 'live',
  digest: digest(1),
  hint: 'cf_live_…abcd',
  label: 'back office',
  scopes: ['refund:write'],
  leadKeyId: null,
  applicationId: null,
  expiresAt: null,
} as const;
const KEY = { ...key, scopes: [...key.scopes], allowedOrigins: [] as string[] };
const successor = { keyId: keyId(2), digest: digest(2), hint: 'cf_live_…efgh' };

const onboarded: Tenant.Event = {
  type: 'TenantOnboarded',
  name: 'Acme',
  settings: Tenant.DEFAULT_SETTINGS,
  at: AT,
};
const issued = (facts: Partial<typeof KEY> | object = {}): Tenant.Event =>
  ({ type: 'KeyIssued', ...KEY, ...facts, at: AT }) as Tenant.Event;
const rotated = (expiresAt: string): Tenant.Event => ({
  type: 'KeyRotated',
  keyId: keyId(1),
  successorId: keyId(2),
  expiresAt,
  at: NOW,
});
const issue = (facts: object = {}): Tenant.Command =>
  ({ type: 'IssueKey', tenantId, key: { ...KEY, ...facts }, at: NOW }) as Tenant.Command;
const rotate = (overlapDays: number, facts: object = {}): Tenant.Command => ({
  type: 'RotateKey',
  tenantId,
  keyId: keyId(1),
  successor,
  overlapDays,
  at: NOW,
  ...facts,
});
const revoke = (id = keyId(1)): Tenant.Command => ({
  type: 'RevokeKey',
  tenantId,
  keyId: id,
  at: NOW,
});

describe('onboarding and settings', () => {
  const onboard = (name: string, settings = {}): Tenant.Command => ({
    type: 'OnboardTenant',
    tenantId,
    name,
    settings,
    at: AT,
  });

  it('starts from the documented defaults', () => {
    when([], onboard('Acme')).then(onboarded);
    const { requestsPerMinute, refundWindowDays, reserveHoldDays } = Tenant.DEFAULT_SETTINGS;
    expect([requestsPerMinute, refundWindowDays, reserveHoldDays]).toEqual([100, 180, 180]);
  });

  it('takes the settings it is given', () => {
    const settings = { ...Tenant.DEFAULT_SETTINGS, refundWindowDays: 30 };
    when([], onboard('Acme', { refundWindowDays: 30 })).then({
      ...onboarded,
      settings,
    } as Tenant.Event);
  });

  it('happens once', () => {
    when([onboarded], onboard('Acme')).thenNothing();
    when([onboarded], onboard('Other')).thenRejected({ type: 'TenantExists', name: 'Acme' });
  });

  it('changes what is named and keeps the rest', () => {
    const change: Tenant.Command = {
      type: 'ChangeSettings',
      tenantId,
      settings: { requestsPerMinute: 500 },
      at: NOW,
    };
    const settings = { ...Tenant.DEFAULT_SETTINGS, requestsPerMinute: 500 };
    const changed: Tenant.Event = { type: 'SettingsChanged', settings, at: NOW };
    when([onboarded], change).then(changed);
    when([onboarded, changed], change).thenNothing();
    expect(given(Tenant, [onboarded, changed]).state?.settings).toEqual(settings);
  });

  it('changes a part of what happens to late captures', () => {
    const lateCapture = { ...Tenant.DEFAULT_SETTINGS.lateCapture, action: 'refund' as const };
    const settings = { ...Tenant.DEFAULT_SETTINGS, lateCapture };
    when([onboarded], {
      type: 'ChangeSettings',
      tenantId,
      settings: { lateCapture: { action: 'refund' } },
      at: NOW,
    }).then({ type: 'SettingsChanged', settings, at: NOW });
    expect(Tenant.DEFAULT_SETTINGS.lateCapture).toEqual({ action: 'keep', afterMinutes: 60 });
  });

  it('changes a part of the dunning and keeps the other', () => {
    const { dunning } = Tenant.DEFAULT_SETTINGS;
    const settings = { ...Tenant.DEFAULT_SETTINGS, dunning: { ...dunning, mails: [] } };
    when([onboarded], {
      type: 'ChangeSettings',
      tenantId,
      settings: { dunning: { mails: [] } },
      at: NOW,
    }).then({ type: 'SettingsChanged', settings, at: NOW });
  });

  it('retries on ever later days, from the first on', () => {
    const settingsOf = (retryAfterDays: number[]) => ({ dunning: { retryAfterDays } });
    const change = (retryAfterDays: number[]): Tenant.Command => ({
      type: 'ChangeSettings',
      tenantId,
      settings: settingsOf(retryAfterDays),
      at: NOW,
    });
    for (const retryAfterDays of [
      [3, 1],
      [1, 3, 3],
      [0, 1],
    ]) {
      const rejection = { type: 'RetriesNotAscending', retryAfterDays } as const;
      when([], onboard('Acme', settingsOf(retryAfterDays))).thenRejected(rejection);
      when([onboarded], change(retryAfterDays)).thenRejected(rejection);
    }
    const { mails } = Tenant.DEFAULT_SETTINGS.dunning;
    for (const retryAfterDays of [[], [1], [2, 3, 30]]) {
      const settings = { ...Tenant.DEFAULT_SETTINGS, dunning: { retryAfterDays, mails } };
      when([onboarded], change(retryAfterDays)).then({
        type: 'SettingsChanged',
        settings,
        at: NOW,
      });
    }
  });

  it.each([
    { type: 'ChangeSettings', tenantId, settings: {}, at: NOW } as const,
    issue(),
    rotate(99),
    revoke(),
  ])('refuses $type before there is a tenant', (command) =>
    when([], command).thenRejected({ type: 'TenantUnknown' }),
  );
});

describe('issuing a key', () => {
  it('keeps its digest and what it may do', () =>
    when([onboarded], issue()).then({ ...issued(), at: NOW } as Tenant.Event));

  it('is no news the second time', () => when([onboarded, issued()], issue()).thenNothing());

  it('may set its end', () => {
    const ending = { expiresAt: '2026-01-10T12:00:00.001Z' };
    when([onboarded], issue(ending)).then({ ...issued(ending), at: NOW } as Tenant.Event);
  });

  /** In the documented order: each row breaks the rules below it as well. */
  it.each([
    [
      { digest: digest(9), kind: 'lead-secret', expiresAt: AT },
      { type: 'KeyExists', keyId: keyId(1) },
    ],
    [
      { keyId: keyId(3), kind: 'lead-publishable', expiresAt: AT },
      { type: 'LeadKeyNeedsApplication' },
    ],
    [{ keyId: keyId(3), kind: 'lead-secret' }, { type: 'LeadKeyNeedsApplication' }],
    [
      { keyId: keyId(3), expiresAt: NOW },
      { type: 'ExpiryInThePast', expiresAt: NOW },
    ],
  ] as const)('refuses %j', (facts, rejection) =>
    when([onboarded, issued()], issue(facts)).thenRejected(rejection),
  );

  it('binds a lead key to its application', () => {
    const lead = { kind: 'lead-publishable', applicationId: 100 };
    when([onboarded], issue(lead)).then({ ...issued(lead), at: NOW } as Tenant.Event);
  });
});

describe('what is kept of a key', () => {
  const { schema } = Tenant.events.KeyIssued;
  const fits = (facts: object) => schema.safeParse({ ...KEY, at: AT, ...facts }).success;

  it.each([digest(1), 'a'.repeat(64)])('may be the digest %s', (hex) => {
    expect(fits({ digest: hex })).toBe(true);
  });

  it.each([
    { digest: `0${digest(1)}` },
    { digest: `${digest(1)}0` },
    { digest: digest(1).slice(1) },
    { digest: 'A'.repeat(64) },
    { scopes: ['refund'] },
    { scopes: ['Refund:write'] },
    { scopes: ['refund:write all'] },
    { scopes: ['all refund:write'] },
    { secret: 'cf_live_…' },
  ])('cannot be %j', (facts) => {
    expect(fits(facts)).toBe(false);
  });
});

describe('rotating a key', () => {
  const taken = (facts: object = {}): Tenant.Event =>
    ({ ...issued(), ...successor, ...facts, at: NOW }) as Tenant.Event;

  it.each([
    [0, NOW],
    [1, '2026-01-11T12:00:00.000Z'],
    [7, '2026-01-17T12:00:00.000Z'],
  ])('leaves the old one an overlap of %i days', (overlapDays, expiresAt) =>
    when([onboarded, issued()], rotate(overlapDays)).then(taken(), rotated(expiresAt)),
  );

  it('never lengthens the old one’s life', () => {
    const expiresAt = '2026-01-12T00:00:00.000Z';
    when([onboarded, issued({ expiresAt })], rotate(7)).then(
      taken({ expiresAt }),
      rotated(expiresAt),
    );
  });

  it('ends the old one with the overlap when it would have lived longer', () => {
    const expiresAt = '2026-12-31T00:00:00.000Z';
    when([onboarded, issued({ expiresAt })], rotate(1)).then(
      taken({ expiresAt }),
      rotated('2026-01-11T12:00:00.000Z'),
    );
  });

  const both = [onboarded, issued(), taken(), rotated('2026-01-11T12:00:00.000Z')];

  it('opens with both keys during the overlap, then with the new one alone', () => {
    const keys = given(Tenant, both).state?.keys ?? {};
    const active = (now: string) =>
      Object.values(keys)
        .filter((each) => Tenant.isActive(each, now))
        .map((each) => each.keyId);
    expect(active('2026-01-11T11:59:59.999Z')).toEqual([keyId(1), keyId(2)]);
    expect(active('2026-01-11T12:00:00.000Z')).toEqual([keyId(2)]);
    expect(keys[keyId(1)]?.successorId).toBe(keyId(2));
  });

  it('is no news the second time', () => when(both, rotate(1)).thenNothing());

  const other = { successor: { ...successor, keyId: keyId(3) } };
  const unknown = { keyId: keyId(9) };
  const own = { successor: { ...successor, keyId: keyId(1) } };

  /** In the documented order: each row breaks the rules below it as well. */
  it.each([
    ['8 days', both, rotate(8, unknown), { type: 'OverlapOutOfRange', overlapDays: 8, max: 7 }],
    ['-1 days', both, rotate(-1), { type: 'OverlapOutOfRange', overlapDays: -1, max: 7 }],
    ['half a day', both, rotate(0.5), { type: 'OverlapOutOfRange', overlapDays: 0.5, max: 7 }],
    [
      'no such key',
      both,
      rotate(1, { ...unknown, ...own }),
      { type: 'KeyUnknown', keyId: keyId(9) },
    ],
    ['an id in use', both, rotate(1, own), { type: 'KeyExists', keyId: keyId(1) }],
    ['a rotated key', both, rotate(1, other), { type: 'KeyNotActive', keyId: keyId(1) }],
    [
      'a revoked key',
      [onboarded, issued(), { type: 'KeyRevoked', keyId: keyId(1), at: AT }],
      rotate(1),
      { type: 'KeyNotActive', keyId: keyId(1) },
    ],
    [
      'an expired key',
      [onboarded, issued({ expiresAt: NOW })],
      rotate(1),
      { type: 'KeyNotActive', keyId: keyId(1) },
    ],
  ] as const)('refuses %s', (_, past, command, rejection) =>
    when(past, command).thenRejected(rejection),
  );
});

describe('revoking a key', () => {
  const revoked: Tenant.Event = { type: 'KeyRevoked', keyId: keyId(1), at: NOW };

  it('holds at once and permanently', () => {
    when([onboarded, issued()], revoke()).then(revoked);
    const { state } = given(Tenant, [onboarded, issued(), revoked]);
    expect(Object.values(state?.keys ?? {}).map((each) => Tenant.isActive(each, AT))).toEqual([
      false,
    ]);
    when([onboarded, issued(), revoked], revoke()).thenNothing();
  });

  it('refuses a key that is not there', () =>
    when([onboarded], revoke(keyId(9))).thenRejected({ type: 'KeyUnknown', keyId: keyId(9) }));
});

it('has one stream for each tenant', () => {
  expect(Tenant.streamOf({ tenantId })).toBe('tenant-7-settings');
});

/** The events after these commands, all accepted. */
function after(past: readonly Tenant.Event[], ...commands: readonly Tenant.Command[]) {
  const events = [...past];
  for (const command of commands) {
    const decided = Tenant.decide(fold(Tenant, events), command);
    if (decided._tag === 'Left') throw new Error(decided.left.type);
    events.push(...decided.right);
  }
  return events;
}

function stateOf(events: readonly Tenant.Event[]): Tenant.Tenant {
  const state = fold(Tenant, events);
  if (state === null) throw new Error('there is no tenant');
  return state;
}

describe('settings of a version', () => {
  const change = (rowVersion?: number): Tenant.Command => ({
    type: 'ChangeSettings',
    tenantId,
    settings: { refundWindowDays: 30 },
    rowVersion,
    at: NOW,
  });
  const changed: Tenant.Event = {
    type: 'SettingsChanged',
    settings: { ...Tenant.DEFAULT_SETTINGS, refundWindowDays: 60 },
    at: AT,
  };

  it('change from the version that the caller saw', () => {
    const past = [onboarded, changed];
    expect(stateOf(after(past, change(2))).settings.refundWindowDays).toBe(30);
    expect(stateOf(after(past, change())).settingsVersion).toBe(3);
  });

  it('stay as they are when another version was seen', () =>
    when([onboarded, changed], change(1)).thenRejected({
      type: 'StaleRowVersion',
      rowVersion: 1,
      current: 2,
    }));
});

describe('a lead key', () => {
  const leadKeyId = keyId(9);
  const keyOf = (number: number) => ({
    keyId: keyId(number),
    digest: digest(number),
    hint: `cf_lead_…${number}`,
  });
  const terms = { label: 'pages', allowedOrigins: ['https://shop.example'] };
  const issue: Tenant.Command = {
    type: 'IssueLeadKey',
    tenantId,
    leadKeyId,
    environment: 'live',
    applicationId: 100,
    publishable: keyOf(1),
    secret: keyOf(2),
    ...terms,
    at: AT,
  };
  const past = after([onboarded], issue);
  const rotate = (overlapDays: number): Tenant.Command => ({
    type: 'RotateLeadKey',
    tenantId,
    leadKeyId,
    overlapDays,
    publishable: keyOf(3),
    secret: keyOf(4),
    at: NOW,
  });
  it('is two keys, of which the publishable one has the origins', () => {
    const keys = Tenant.leadKeyOf(stateOf(past), leadKeyId);
    expect(keys.map(({ kind, allowedOrigins }) => [kind, allowedOrigins])).toEqual([
      ['lead-publishable', terms.allowedOrigins],
      ['lead-secret', []],
    ]);
  });

  it('is replaced as a whole, and the old keys end after the overlap', () => {
    const state = stateOf(after(past, rotate(2)));
    const ids = Tenant.leadKeyOf(state, leadKeyId).map((each) => each.keyId);
    expect(ids).toEqual([keyId(3), keyId(4)]);
    const end = new Date(Date.parse(NOW) + 2 * 86_400_000).toISOString();
    expect([1, 2].map((number) => state.keys[keyId(number)]?.expiresAt)).toEqual([end, end]);
    expect(state.keys[keyId(3)]?.allowedOrigins).toEqual(terms.allowedOrigins);
  });

  it('is revoked with all keys that it had', () => {
    const revoke: Tenant.Command = { type: 'RevokeLeadKey', tenantId, leadKeyId, at: NOW };
    const { keys } = stateOf(after(past, rotate(2), revoke));
    expect(Object.values(keys).map(({ revokedAt }) => revokedAt)).toEqual(Array(4).fill(NOW));
  });

  it('changes its origins from the version that the caller saw', () => {
    const change = (rowVersion: number): Tenant.Command => ({
      type: 'ChangeLeadKey',
      tenantId,
      leadKeyId,
      label: 'pages',
      allowedOrigins: [],
      rowVersion,
      at: NOW,
    });
    const event: Tenant.Event = {
      type: 'LeadKeyChanged',
      leadKeyId,
      label: 'pages',
      allowedOrigins: [],
      at: NOW,
    };
    when(past, change(1)).then(event);
    const stale = { type: 'StaleRowVersion', rowVersion: 1, current: 2 } as const;
    when([...past, event], change(1)).thenRejected(stale);
    when([...past, event], change(2)).thenNothing();
  });

  it.each([
    { ...rotate(0), leadKeyId: keyId(8) } as Tenant.Command,
    { type: 'RevokeLeadKey', tenantId, leadKeyId: keyId(8), at: NOW } as const,
  ])('that is unknown refuses $type', (command) =>
    when(past, command).thenRejected({ type: 'LeadKeyUnknown', leadKeyId: keyId(8) }),
  );

  it('is not rotated beyond a week, nor after it was revoked', () => {
    when(past, rotate(8)).thenRejected({ type: 'OverlapOutOfRange', overlapDays: 8, max: 7 });
    const revoked: Tenant.Event = { type: 'KeyRevoked', keyId: keyId(2), at: AT };
    when([...past, revoked], rotate(0)).thenRejected({ type: 'KeyNotActive', keyId: keyId(2) });
  });
});
