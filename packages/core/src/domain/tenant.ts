/** A tenant: a parent company, its settings, and the keys that act for it. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, type Upcast } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';
import { ALL_KINDS } from './black-list.ts';
import { ANSWER_DAYS, CARD_BRAND } from './transaction/codes.ts';

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

/** 30 days. */
export const LATEST_CAPTURE_MINUTES = 43_200;

/**
 * What happens to a payment whose outcome was unknown, and that is found captured more than
 * `afterMinutes` later.
 */
export const LateCapture = z.strictObject({
  action: z.enum(['keep', 'refund']),
  afterMinutes: z.int().min(0).max(LATEST_CAPTURE_MINUTES),
});
export type LateCapture = z.output<typeof LateCapture>;

const mask = z.int().min(0).max(ALL_KINDS);

/** What of a payer is put on the black list by itself: a sum of the bits of `blackListing`, 0 for nothing. */
export const BlackListing = z.strictObject({
  onChargeback: mask,
  /** An alert of confirmed fraud. */
  onConfirmedFraud: mask,
});
export type BlackListing = z.output<typeof BlackListing>;

const answerDays = z.int().min(1).max(365);

/** Days in which a chargeback must be answered where its report does not say until when, by network. */
export const ChargebackAnswerDays = z.strictObject({
  Unknown: answerDays,
  NetworkA: answerDays,
  NetworkB: answerDays,
  NetworkC: answerDays,
  NetworkD: answerDays,
  NetworkE: answerDays,
  NetworkF: answerDays,
});
export type ChargebackAnswerDays = z.output<typeof ChargebackAnswerDays>;

/** The days by `cardBrandId`. */
export function answerDaysIn({ chargebackAnswerDays: days }: Settings): readonly number[] {
  return CARD_BRAND.map((network) => days[network as keyof ChargebackAnswerDays]);
}

const threshold = z.strictObject({
  /** Chargebacks over captures of a month. */
  percent: z.number().min(0).max(100),
  /** As many at least. */
  chargebacks: z.int().min(0).max(1_000_000),
});

/** From where on the chargebacks of a month are too many: both of a threshold must be reached. */
export const DisputeThresholds = z.strictObject({ warning: threshold, excessive: threshold });
export type DisputeThresholds = z.output<typeof DisputeThresholds>;

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
  /** Whether callers must name an active user, whose scopes then bound those of the key. */
  requireKnownUsers: z.boolean(),
  lateCapture: LateCapture,
  blackListing: BlackListing,
  chargebackAnswerDays: ChargebackAnswerDays,
  disputeThresholds: DisputeThresholds,
});
export type Settings = z.output<typeof Settings>;

/** Settings as they are to be; what is absent stays as it is. */
export type SettingsChange = Partial<Omit<Settings, Group>> & {
  readonly [Name in Group]?: Partial<Settings[Name]>;
};
type Group =
  | 'dunning'
  | 'lateCapture'
  | 'blackListing'
  | 'chargebackAnswerDays'
  | 'disputeThresholds';

export const DEFAULT_SETTINGS: Settings = {
  requestsPerMinute: 100,
  refundWindowDays: 180,
  reserveHoldDays: 180,
  dunning: { retryAfterDays: [1, 3, 5, 7], mails: ['rebill-failed', 'frozen'] },
  unsubscribeOnDispute: true,
  requireKnownUsers: false,
  lateCapture: { action: 'keep', afterMinutes: 60 },
  blackListing: { onChargeback: 0, onConfirmedFraud: 0 },
  chargebackAnswerDays: ANSWER_DAYS,
  disputeThresholds: {
    warning: { percent: 0.65, chargebacks: 75 },
    excessive: { percent: 0.9, chargebacks: 100 },
  },
};

export const KEY_KINDS = [
  'api',
  'lead-publishable',
  'lead-secret',
  'payment-publishable',
  'tenant',
] as const;

/** Keys of one application. */
const BOUND_KINDS: ReadonlySet<string> = new Set(KEY_KINDS.slice(1, 4));

export const MAX_ORIGINS = 100;
const label = z.string().max(200);
/** `https://shop.example`: scheme, host and port of pages that may write leads. */
const allowedOrigins = z.array(z.string().max(300)).max(MAX_ORIGINS);

const keyFields = {
  keyId: z.guid(),
  /** The lead key that the two keys of a browser and of a server make up. */
  leadKeyId: z.guid().nullable(),
  /** Of a publishable key; empty for all others. */
  allowedOrigins,
  kind: z.enum(KEY_KINDS),
  environment: z.enum(['live', 'test']),
  /** SHA-256 of the key, in hex: the key itself is shown once and never kept. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Prefix and last four characters, to recognise a key by. */
  hint: z.string().max(40),
  label,
  /** What the key may do, each as `resource:action`. */
  scopes: z.array(z.string().regex(/^[a-z-]+:[a-z-]+$/)).max(100),
  /** The application that a key is bound to, of leads or of pages. */
  applicationId: z.int().positive().nullable(),
  expiresAt: Instant.nullable(),
};

/** Version 1 had no subscriptions. */
const withoutDunning: Upcast = ({ settings, ...data }) => {
  const { dunning, unsubscribeOnDispute } = DEFAULT_SETTINGS;
  return { ...data, settings: { dunning, unsubscribeOnDispute, ...(settings as object) } };
};

/** Version 2 had no users. */
const withoutUsers: Upcast = ({ settings, ...data }) => {
  const { requireKnownUsers } = DEFAULT_SETTINGS;
  return { ...data, settings: { requireKnownUsers, ...(settings as object) } };
};

/** Version 3 kept every late capture. */
const withoutLateCapture: Upcast = ({ settings, ...data }) => {
  const { lateCapture } = DEFAULT_SETTINGS;
  return { ...data, settings: { lateCapture, ...(settings as object) } };
};

/** Version 4 put nothing on a black list. */
const withoutBlackListing: Upcast = ({ settings, ...data }) => {
  const { blackListing } = DEFAULT_SETTINGS;
  return { ...data, settings: { blackListing, ...(settings as object) } };
};

/** Version 5 had the days of every network as constants. */
const withoutAnswerDays: Upcast = ({ settings, ...data }) => {
  const { chargebackAnswerDays } = DEFAULT_SETTINGS;
  return { ...data, settings: { chargebackAnswerDays, ...(settings as object) } };
};

/** Version 6 had no thresholds. */
const withoutThresholds: Upcast = ({ settings, ...data }) => {
  const { disputeThresholds } = DEFAULT_SETTINGS;
  return { ...data, settings: { disputeThresholds, ...(settings as object) } };
};

const settingsUpcasts = [
  withoutDunning,
  withoutUsers,
  withoutLateCapture,
  withoutBlackListing,
  withoutAnswerDays,
  withoutThresholds,
];

/** Version 1 had no lead keys. */
const withoutLeadKeys: Upcast = (data) => ({ ...data, leadKeyId: null, allowedOrigins: [] });

export const events = {
  TenantOnboarded: event(
    { name: z.string().min(1).max(200), settings: Settings, at: Instant },
    { upcasts: settingsUpcasts },
  ),
  SettingsChanged: event({ settings: Settings, at: Instant }, { upcasts: settingsUpcasts }),
  KeyIssued: event({ ...keyFields, at: Instant }, { upcasts: [withoutLeadKeys] }),
  LeadKeyChanged: event({ leadKeyId: z.guid(), label, allowedOrigins, at: Instant }),
  /** The key is replaced by `successorId` and ends at `expiresAt`. */
  KeyRotated: event({ keyId: z.guid(), successorId: z.guid(), expiresAt: Instant, at: Instant }),
  KeyRevoked: event({ keyId: z.guid(), at: Instant }),
};
export type Event = EventsOf<typeof events>;
type IssuedKey = Omit<Extract<Event, { type: 'KeyIssued' }>, 'type' | 'at'>;
/** What differs between a key and its successor. */
type NewKey = Pick<IssuedKey, 'keyId' | 'digest' | 'hint'>;

interface NewLeadKey {
  readonly publishable: NewKey;
  readonly secret: NewKey;
}

export const MAX_OVERLAP_DAYS = 7;

export type Command = { readonly tenantId: TenantId; readonly at: string } & (
  | { readonly type: 'OnboardTenant'; readonly name: string; readonly settings?: SettingsChange }
  /** `rowVersion` is the one that the caller saw; not given: whichever there is. */
  | {
      readonly type: 'ChangeSettings';
      readonly settings: SettingsChange;
      readonly rowVersion?: number | undefined;
    }
  | { readonly type: 'IssueKey'; readonly key: IssuedKey }
  /** The successor takes over kind, environment, scopes and application; the old key lives on for the overlap. */
  | {
      readonly type: 'RotateKey';
      readonly keyId: string;
      readonly successor: NewKey;
      readonly overlapDays: number;
    }
  | { readonly type: 'RevokeKey'; readonly keyId: string }
  /** Two keys of one application: a publishable one for browsers, a secret one for servers. */
  | ({
      readonly type: 'IssueLeadKey';
      readonly leadKeyId: string;
      readonly applicationId: number;
    } & NewLeadKey &
      Pick<IssuedKey, 'environment' | 'label' | 'allowedOrigins'>)
  | ({
      readonly type: 'ChangeLeadKey';
      readonly leadKeyId: string;
      readonly rowVersion?: number | undefined;
    } & Pick<IssuedKey, 'label' | 'allowedOrigins'>)
  | ({
      readonly type: 'RotateLeadKey';
      readonly leadKeyId: string;
      readonly overlapDays: number;
    } & NewLeadKey)
  | { readonly type: 'RevokeLeadKey'; readonly leadKeyId: string }
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
  | { readonly type: 'LeadKeyUnknown'; readonly leadKeyId: string }
  | Stale
  | { readonly type: 'RetriesNotAscending'; readonly retryAfterDays: readonly number[] };

export interface Key extends IssuedKey {
  readonly issuedAt: string;
  readonly revokedAt: string | null;
  readonly successorId: string | null;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
}

export interface Tenant {
  readonly name: string;
  readonly settings: Settings;
  /** Counts the changes of the settings, from 1. */
  readonly settingsVersion: number;
  readonly keys: Readonly<Record<string, Key>>;
}
export type State = Tenant | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'TenantOnboarded') {
    return { name: event.name, settings: event.settings, settingsVersion: 1, keys: {} };
  }
  if (state === null) throw new Error(`${event.type} without a tenant`);
  switch (event.type) {
    case 'SettingsChanged':
      return {
        ...state,
        settings: event.settings,
        settingsVersion: state.settingsVersion + 1,
      };
    case 'KeyIssued': {
      const { type: _, at, ...key } = event;
      return withKey(state, {
        ...key,
        issuedAt: at,
        revokedAt: null,
        successorId: null,
        rowVersion: 1,
      });
    }
    case 'KeyRotated': {
      const { expiresAt, successorId } = event;
      return withKey(state, changedKey(keyOf(state, event.keyId), { expiresAt, successorId }));
    }
    case 'KeyRevoked':
      return withKey(state, changedKey(keyOf(state, event.keyId), { revokedAt: event.at }));
    case 'LeadKeyChanged': {
      const { label, allowedOrigins } = event;
      return leadKeyOf(state, event.leadKeyId)
        .map((key) => changedKey(key, { label, allowedOrigins }))
        .reduce(withKey, state);
    }
    default:
      return never(event);
  }
}

function withKey(tenant: Tenant, key: Key): Tenant {
  return { ...tenant, keys: { ...tenant.keys, [key.keyId]: key } };
}

function changedKey(key: Key, change: Partial<Key>): Key {
  return { ...key, ...change, rowVersion: key.rowVersion + 1 };
}

/** The keys that make up a lead key now: its publishable one and its secret one; none if it is unknown. */
export function leadKeyOf(tenant: Tenant, leadKeyId: string): readonly Key[] {
  return Object.values(tenant.keys).filter(
    (key) => key.leadKeyId === leadKeyId && key.successorId === null,
  );
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
      const stale = staleness(command.rowVersion, state.settingsVersion);
      if (stale !== undefined) return left(stale);
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
      return right(revocation([key], command.at));
    }
    case 'IssueLeadKey':
      return issueLeadKey(state, command);
    case 'ChangeLeadKey':
      return changeLeadKey(state, command);
    case 'RotateLeadKey':
      return rotateLeadKey(state, command);
    case 'RevokeLeadKey': {
      const { leadKeyId, at } = command;
      const all = Object.values(state.keys).filter((key) => key.leadKeyId === leadKeyId);
      if (all.length === 0) return left({ type: 'LeadKeyUnknown', leadKeyId });
      return right(revocation(all, at));
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
  return {
    ...settings,
    ...change,
    dunning: { ...settings.dunning, ...change.dunning },
    lateCapture: { ...settings.lateCapture, ...change.lateCapture },
    blackListing: { ...settings.blackListing, ...change.blackListing },
    chargebackAnswerDays: { ...settings.chargebackAnswerDays, ...change.chargebackAnswerDays },
    disputeThresholds: { ...settings.disputeThresholds, ...change.disputeThresholds },
  };
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
  if (BOUND_KINDS.has(key.kind) && key.applicationId === null) {
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
  const outOfRange = overlapFault(overlapDays);
  if (outOfRange !== undefined) return left(outOfRange);
  const key = find(tenant, keyId);
  if (key === undefined) return left({ type: 'KeyUnknown', keyId });
  if (key.successorId === successor.keyId) return right([]);
  if (find(tenant, successor.keyId) !== undefined) {
    return left({ type: 'KeyExists', keyId: successor.keyId });
  }
  if (!isActive(key, at) || key.successorId !== null) return left({ type: 'KeyNotActive', keyId });
  return right(succession(key, command));
}

/** The successor has the terms of the key, which ends with the overlap at the latest. */
function succession(
  key: Key,
  { successor, overlapDays, at }: { successor: NewKey; overlapDays: number; at: string },
): readonly Event[] {
  const { issuedAt: _, revokedAt: __, successorId: ___, rowVersion: ____, ...terms } = key;
  const overlapEnd = new Date(Date.parse(at) + overlapDays * 86_400_000).toISOString();
  const expiresAt =
    key.expiresAt !== null && key.expiresAt < overlapEnd ? key.expiresAt : overlapEnd;
  return [
    { type: 'KeyIssued', ...terms, ...successor, at },
    { type: 'KeyRotated', keyId: key.keyId, successorId: successor.keyId, expiresAt, at },
  ];
}

function revocation(keys: readonly Key[], at: string): readonly Event[] {
  return keys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ keyId }) => ({ type: 'KeyRevoked', keyId, at }));
}

function issueLeadKey(
  tenant: Tenant,
  command: Extract<Command, { type: 'IssueLeadKey' }>,
): Either<Rejection, readonly Event[]> {
  const { leadKeyId, publishable, secret, at } = command;
  if (leadKeyOf(tenant, leadKeyId).length > 0) return right([]);
  const { environment, label, applicationId, allowedOrigins } = command;
  const terms = { leadKeyId, environment, label, applicationId, scopes: [], expiresAt: null, at };
  return right([
    { type: 'KeyIssued', ...publishable, kind: 'lead-publishable', ...terms, allowedOrigins },
    { type: 'KeyIssued', ...secret, kind: 'lead-secret', ...terms, allowedOrigins: [] },
  ]);
}

/** Checked in this order: LeadKeyUnknown, StaleRowVersion. */
function changeLeadKey(
  tenant: Tenant,
  { leadKeyId, label, allowedOrigins, rowVersion, at }: Extract<Command, { type: 'ChangeLeadKey' }>,
): Either<Rejection, readonly Event[]> {
  const publishable = publishableOf(leadKeyOf(tenant, leadKeyId));
  if (publishable === undefined) return left({ type: 'LeadKeyUnknown', leadKeyId });
  const stale = staleness(rowVersion, publishable.rowVersion);
  if (stale !== undefined) return left(stale);
  const known = { label: publishable.label, allowedOrigins: publishable.allowedOrigins };
  const isSame = canonicalJson(known) === canonicalJson({ label, allowedOrigins });
  return right(isSame ? [] : [{ type: 'LeadKeyChanged', leadKeyId, label, allowedOrigins, at }]);
}

/** Checked in this order: OverlapOutOfRange, LeadKeyUnknown, KeyNotActive. */
function rotateLeadKey(
  tenant: Tenant,
  command: Extract<Command, { type: 'RotateLeadKey' }>,
): Either<Rejection, readonly Event[]> {
  const { leadKeyId, publishable, secret, overlapDays, at } = command;
  const outOfRange = overlapFault(overlapDays);
  if (outOfRange !== undefined) return left(outOfRange);
  const keys = leadKeyOf(tenant, leadKeyId);
  if (keys.length === 0) return left({ type: 'LeadKeyUnknown', leadKeyId });
  const ended = keys.find((key) => !isActive(key, at));
  if (ended !== undefined) return left({ type: 'KeyNotActive', keyId: ended.keyId });
  return right(
    keys.flatMap((key) => {
      const successor = key.kind === 'lead-publishable' ? publishable : secret;
      return succession(key, { successor, overlapDays, at });
    }),
  );
}

/** Of the keys of a lead key, the one that pages show. */
export function publishableOf(keys: readonly Key[]): Key | undefined {
  return keys.find(({ kind }) => kind === 'lead-publishable');
}

function overlapFault(overlapDays: number): Rejection | undefined {
  if (Number.isInteger(overlapDays) && overlapDays >= 0 && overlapDays <= MAX_OVERLAP_DAYS) {
    return undefined;
  }
  return { type: 'OverlapOutOfRange', overlapDays, max: MAX_OVERLAP_DAYS };
}

export function streamOf(command: { tenantId: TenantId }): StreamName {
  return streamName('tenant', command.tenantId, 'settings');
}
