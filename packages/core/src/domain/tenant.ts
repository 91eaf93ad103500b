/** A tenant: a parent company, its settings, and the keys that act for it. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, type Upcast } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

/** Networks charge fines for retries of a declined card beyond it. */
export const LONGEST_RETRY_DAYS = 30;
export const MAX_RETRIES = 10;

/** What happens when a rebill is declined: the one policy of retries, mails and freezing. */
export const Dunning = z.strictObject({
  /** Days after the first failed try of a cycle, ascending; when they are used up, the subscription is frozen. */
  retryAfterDays: z.array(z.int().min(1).max(LONGEST_RETRY_DAYS)).max(MAX_RETRIES),
  /** The mails that a subscriber gets. */
  mails: z.array(z.enum(['renewed', 'rebill-failed', 'frozen'])).max(3),
});
export type Dunning = z.output<typeof Dunning>;

/** What a tenant may set for itself. */
export const Settings = z.strictObject({
  /** Requests a minute for each environment. */
  requestsPerMinute: z.int().min(1).max(10_000_000),
  /** Days after a capture in which it may be refunded. */
  refundWindowDays: z.int().min(0).max(36_500),
  /** Days that a rolling reserve is held. */
  reserveHoldDays: z.int().min(0).max(3650),
  dunning: Dunning,
  /** Whether a chargeback or a confirmed fraud ends the subscriptions that the payment is part of. */
  unsubscribeOnDispute: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

/** Settings as they are to be; what is absent stays as it is. */
export type SettingsChange = Partial<Omit<Settings, 'dunning'>> & {
  readonly dunning?: Partial<Dunning>;
};

export const DEFAULT_SETTINGS: Settings = {
  requestsPerMinute: 100,
  refundWindowDays: 180,
  reserveHoldDays: 180,
  dunning: { retryAfterDays: [1, 3, 5, 7], mails: ['rebill-failed', 'frozen'] },
  unsubscribeOnDispute: true,
};

export const KEY_KINDS = ['api', 'lead-publishable', 'lead-secret', 'tenant'] as const;

const keyFields = {
  keyId: z.guid(),
  kind: z.enum(KEY_KINDS),
  environment: z.enum(['live', 'test']),
  /** SHA-256 of the key, in hex: the key itself is shown once and never kept. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Prefix and last four characters, to recognise a key by. */
  hint: z.string().max(40),
  label: z.string().max(200),
  /** What the key may do, each as `resource:action`. */
  scopes: z.array(z.string().regex(/^[a-z-]+:[a-z-]+$/)).max(100),
  /** The application that a lead key is bound to. */
  applicationId: z.int().positive().nullable(),
  expiresAt: Instant.nullable(),
};

/** Version 1 had no subscriptions. */
const withoutDunning: Upcast = ({ settings, ...data }) => {
  const { dunning, unsubscribeOnDispute } = DEFAULT_SETTINGS;
  return { ...data, settings: { dunning, unsubscribeOnDispute, ...(settings as object) } };
};

export const events = {
  TenantOnboarded: event(
    { name: z.string().min(1).max(200), settings: Settings, at: Instant },
    { upcasts: [withoutDunning] },
  ),
  SettingsChanged: event({ settings: Settings, at: Instant }, { upcasts: [withoutDunning] }),
  KeyIssued: event({ ...keyFields, at: Instant }),
  /** The key is replaced by `successorId` and ends at `expiresAt`. */
  KeyRotated: event({ keyId: z.guid(), successorId: z.guid(), expiresAt: Instant, at: Instant }),
  KeyRevoked: event({ keyId: z.guid(), at: Instant }),
};
export type Event = EventsOf<typeof events>;
type IssuedKey = Omit<Extract<Event, { type: 'KeyIssued' }>, 'type' | 'at'>;

export const MAX_OVERLAP_DAYS = 7;

export type Command = { readonly tenantId: TenantId; readonly at: string } & (
  | { readonly type: 'OnboardTenant'; readonly name: string; readonly settings?: SettingsChange }
  | { readonly type: 'ChangeSettings'; readonly settings: SettingsChange }
  | { readonly type: 'IssueKey'; readonly key: IssuedKey }
  /** The successor takes over kind, environment, scopes and application; the old key lives on for the overlap. */
  | {
      readonly type: 'RotateKey';
      readonly keyId: string;
      readonly successor: Pick<IssuedKey, 'keyId' | 'digest' | 'hint'>;
      readonly overlapDays: number;
    }
  | { readonly type: 'RevokeKey'; readonly keyId: string }
);

export type Rejection =
  | { readonly type: 'TenantUnknown' }
  | { readonly type: 'TenantExists'; readonly name: string }
  | { readonly type: 'KeyUnknown'; readonly keyId: string }
  | { readonly type: 'KeyExists'; readonly keyId: string }
  | { readonly type: 'KeyNotActive'; readonly keyId: string }
  | { readonly type: 'ExpiryInThePast'; readonly expiresAt: string }
  | { readonly type: 'OverlapOutOfRange'; readonly overlapDays: number; readonly max: number }
  | { readonly type: 'LeadKeyNeedsApplication' }
  | { readonly type: 'RetriesNotAscending'; readonly retryAfterDays: readonly number[] };

export interface Key extends IssuedKey {
  readonly issuedAt: string;
  readonly revokedAt: string | null;
  readonly successorId: string | null;
}

export interface Tenant {
  readonly name: string;
  readonly settings: Settings;
  readonly keys: Readonly<Record<string, Key>>;
}
export type State = Tenant | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'TenantOnboarded') {
    return { name: event.name, settings: event.settings, keys: {} };
  }
  if (state === null) throw new Error(`${event.type} without a tenant`);
  switch (event.type) {
    case 'SettingsChanged':
      return { ...state, settings: event.settings };
    case 'KeyIssued': {
      const { type: _, at, ...key } = event;
      return withKey(state, { ...key, issuedAt: at, revokedAt: null, successorId: null });
    }
    case 'KeyRotated':
      return withKey(state, {
        ...keyOf(state, event.keyId),
        expiresAt: event.expiresAt,
        successorId: event.successorId,
      });
    case 'KeyRevoked':
      return withKey(state, { ...keyOf(state, event.keyId), revokedAt: event.at });
    default:
      return never(event);
  }
}

function withKey(tenant: Tenant, key: Key): Tenant {
  return { ...tenant, keys: { ...tenant.keys, [key.keyId]: key } };
}

function keyOf(tenant: Tenant, keyId: string): Key {
  const key = find(tenant, keyId);
  if (key === undefined) throw new Error(`no key ${keyId}`);
  return key;
}

/** A key by its id; never an inherited property. */
function find(tenant: Tenant, keyId: string): Key | undefined {
  return Object.hasOwn(tenant.keys, keyId) ? tenant.keys[keyId] : undefined;
}

/** Whether a key opens anything at this instant. */
export function isActive(key: Pick<Key, 'expiresAt' | 'revokedAt'>, now: string): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  if (command.type === 'OnboardTenant') return onboard(state, command);
  if (state === null) return left({ type: 'TenantUnknown' });
  switch (command.type) {
    case 'ChangeSettings': {
      const settings = changed(state.settings, command.settings);
      if (!areAscending(settings)) return left(notAscending(settings));
      if (canonicalJson(settings) === canonicalJson(state.settings)) return right([]);
      return right([{ type: 'SettingsChanged', settings, at: command.at }]);
    }
    case 'IssueKey':
      return issue(state, command.key, command.at);
    case 'RotateKey':
      return rotate(state, command);
    case 'RevokeKey': {
      const key = find(state, command.keyId);
      if (key === undefined) return left({ type: 'KeyUnknown', keyId: command.keyId });
      if (key.revokedAt !== null) return right([]);
      return right([{ type: 'KeyRevoked', keyId: command.keyId, at: command.at }]);
    }
    default:
      return never(command);
  }
}

function onboard(
  state: State,
  command: Extract<Command, { type: 'OnboardTenant' }>,
): Either<Rejection, readonly Event[]> {
  const { name, at } = command;
  if (state !== null) {
    return state.name === name ? right([]) : left({ type: 'TenantExists', name: state.name });
  }
  const settings = changed(DEFAULT_SETTINGS, command.settings);
  if (!areAscending(settings)) return left(notAscending(settings));
  return right([{ type: 'TenantOnboarded', name, settings, at }]);
}

function changed(settings: Settings, change: SettingsChange = {}): Settings {
  return { ...settings, ...change, dunning: { ...settings.dunning, ...change.dunning } };
}

function areAscending({ dunning: { retryAfterDays } }: Settings): boolean {
  return retryAfterDays.every((days, index) => days > (retryAfterDays[index - 1] ?? 0));
}

function notAscending({ dunning: { retryAfterDays } }: Settings): Rejection {
  return { type: 'RetriesNotAscending', retryAfterDays };
}

/** Checked in this order: KeyExists, LeadKeyNeedsApplication, ExpiryInThePast. */
function issue(tenant: Tenant, key: IssuedKey, at: string): Either<Rejection, readonly Event[]> {
  const existing = find(tenant, key.keyId);
  if (existing !== undefined) {
    return existing.digest === key.digest
      ? right([])
      : left({ type: 'KeyExists', keyId: key.keyId });
  }
  if (key.kind.startsWith('lead-') && key.applicationId === null) {
    return left({ type: 'LeadKeyNeedsApplication' });
  }
  if (key.expiresAt !== null && key.expiresAt <= at) {
    return left({ type: 'ExpiryInThePast', expiresAt: key.expiresAt });
  }
  return right([{ type: 'KeyIssued', ...key, at }]);
}

/** Checked in this order: OverlapOutOfRange, KeyUnknown, (a repeat), KeyExists, KeyNotActive. */
function rotate(
  tenant: Tenant,
  command: Extract<Command, { type: 'RotateKey' }>,
): Either<Rejection, readonly Event[]> {
  const { keyId, successor, overlapDays, at } = command;
  if (!Number.isInteger(overlapDays) || overlapDays < 0 || overlapDays > MAX_OVERLAP_DAYS) {
    return left({ type: 'OverlapOutOfRange', overlapDays, max: MAX_OVERLAP_DAYS });
  }
  const key = find(tenant, keyId);
  if (key === undefined) return left({ type: 'KeyUnknown', keyId });
  if (key.successorId === successor.keyId) return right([]);
  if (find(tenant, successor.keyId) !== undefined) {
    return left({ type: 'KeyExists', keyId: successor.keyId });
  }
  if (!isActive(key, at) || key.successorId !== null) return left({ type: 'KeyNotActive', keyId });
  const { issuedAt: _, revokedAt: __, successorId: ___, ...terms } = key;
  const overlapEnd = new Date(Date.parse(at) + overlapDays * 86_400_000).toISOString();
  const expiresAt =
    key.expiresAt !== null && key.expiresAt < overlapEnd ? key.expiresAt : overlapEnd;
  return right([
    { type: 'KeyIssued', ...terms, ...successor, at },
    { type: 'KeyRotated', keyId, successorId: successor.keyId, expiresAt, at },
  ]);
}

export function streamOf(command: { tenantId: TenantId }): StreamName {
  return streamName('tenant', command.tenantId, 'settings');
}
