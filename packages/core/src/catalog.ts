/** Every event the project knows: the only place that encodes, decodes and upcasts them. */
import { z } from 'zod';
import * as BlackList from './domain/black-list.ts';
import * as BlackListKinds from './domain/black-list-kinds.ts';
import * as CheckoutSession from './domain/checkout-session.ts';
import * as Customer from './domain/customer.ts';
import * as CustomerIdClaim from './domain/customer-id-claim.ts';
import * as Dispute from './domain/dispute.ts';
import * as DisputeEvidence from './domain/dispute-evidence.ts';
import * as DisputeProvider from './domain/dispute-provider.ts';
import * as Email from './domain/email.ts';
import * as EmailClaim from './domain/email-claim.ts';
import * as Lead from './domain/lead.ts';
import * as MailProfile from './domain/mail-profile.ts';
import * as MerchantAccount from './domain/merchant-account.ts';
import * as MonthlyCap from './domain/monthly-cap.ts';
import * as Reference from './domain/reference.ts';
import * as SavedSearches from './domain/saved-searches.ts';
import * as SenderDomains from './domain/sender-domains.ts';
import * as Sequence from './domain/sequence.ts';
import * as Settlement from './domain/settlement.ts';
import * as Subscription from './domain/subscription/index.ts';
import * as Tenant from './domain/tenant.ts';
import * as Transaction from './domain/transaction/index.ts';
import * as Users from './domain/users.ts';
import * as WebhookEndpoints from './domain/webhook-endpoints.ts';
import { EventStoreError } from './event-store.ts';
import type { EventOf, RejectionOf } from './kernel/aggregate.ts';
import type { EventMetadata, RecordedEvent, StoredEvent } from './kernel/envelope.ts';
import { codecOf } from './kernel/event-codec.ts';
import { DamagedEvent, type EventSchema } from './kernel/event-schema.ts';
import type { TenantId } from './kernel/ids.ts';
import {
  type AnyVault,
  distinct,
  isDistant,
  isSealed,
  type Opened,
  open,
  type PersonalDataVault,
  SEALED,
  type Subject,
  seal,
  subjectIn,
} from './kernel/personal-data.ts';

/** Every aggregate: what the project knows follows from this list. */
const AGGREGATES = [
  BlackList,
  BlackListKinds,
  CheckoutSession,
  Customer,
  CustomerIdClaim,
  Dispute,
  DisputeEvidence,
  DisputeProvider,
  Email,
  EmailClaim,
  Lead,
  MailProfile,
  MerchantAccount,
  MonthlyCap,
  Reference,
  SavedSearches,
  SenderDomains,
  Sequence,
  Settlement,
  Subscription,
  Tenant,
  Transaction,
  Users,
  WebhookEndpoints,
] as const;

type Each = (typeof AGGREGATES)[number];

/** Any event of any aggregate. */
export type Event = EventOf<Each>;

/** Any rejection of any aggregate. */
export type Rejection = RejectionOf<Each>;

/** All event schemas by event type. */
export const catalog: ReadonlyMap<string, EventSchema> = new Map(
  AGGREGATES.flatMap(({ events }) => Object.entries(events as Record<string, EventSchema>)),
);

export interface EncodedData {
  readonly type: string;
  readonly schemaVersion: number;
  /** JSON text. */
  readonly data: string;
}

/** The tenant of an event, and the vault for its personal data. */
export interface Sealing {
  readonly tenantId: TenantId;
  readonly vault: PersonalDataVault;
}

/**
 * Validates an event and writes its data as JSON text in the current schema version; its personal
 * fields are encrypted where there is a vault, and stored in the clear otherwise.
 */
export function encodeEvent(event: Event, sealing?: Sealing): EncodedData {
  const { type } = event;
  const known = catalog.get(type);
  if (known === undefined) throw new Error(`no event of type ${type} in the catalog`);
  const { schemaVersion, isPersonal, erased } = known;
  const data = codecOf(known).write(event);
  if (isPersonal && sealing !== undefined) {
    seal(data, { type, tenantId: sealing.tenantId, erased }, sealing.vault);
  }
  return { type, schemaVersion, data: JSON.stringify(data) };
}

/**
 * Decodes a stored event: decrypts, upcasts and validates its data. Personal fields of an erased person
 * have the values that the event declares for that. Throws `DamagedEvent`, naming stream and revision,
 * for what it cannot read.
 */
export function decodeEvent(stored: StoredEvent, vault?: PersonalDataVault): Event {
  const known = catalog.get(stored.type);
  if (known === undefined) throw new DamagedEvent(stored, 'unknown event type');
  const { schemaVersion } = stored;
  if (
    !Number.isInteger(schemaVersion) ||
    schemaVersion < 1 ||
    schemaVersion > known.schemaVersion
  ) {
    throw new DamagedEvent(stored, `schema version ${schemaVersion} is not one of this build`);
  }
  const read = codecOf(known).read(currentData(stored, known, vault));
  if (!read.success) throw new DamagedEvent(stored, z.prettifyError(read.error));
  const event = read.data;
  event['type'] = stored.type;
  return event as unknown as Event;
}

/** Whether a stored event has encrypted personal data. */
export function isSealedEvent(stored: Pick<StoredEvent, 'type' | 'data'>): boolean {
  return sealedDataOf(stored) !== undefined;
}

const SEALED_FIELD = JSON.stringify(SEALED);

/** The data of an event with encrypted fields; undefined for all others, mostly without parsing. */
function sealedDataOf({
  type,
  data,
}: Pick<StoredEvent, 'type' | 'data'>): Record<string, unknown> | undefined {
  if (catalog.get(type)?.isPersonal !== true || !data.includes(SEALED_FIELD)) return undefined;
  try {
    const read: unknown = JSON.parse(data);
    return isSealed(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** The persons whose keys are needed to decode stored events, each once. */
export function subjectsOf(
  events: readonly Pick<StoredEvent, 'type' | 'data' | 'tenantId'>[],
): readonly Subject[] {
  const subjects: Subject[] = [];
  for (const stored of events) {
    const data = sealedDataOf(stored);
    // Without a subject the event is damaged, which decoding reports.
    const subject = data && subjectIn(data, stored.tenantId);
    if (subject !== undefined) subjects.push(subject);
  }
  return distinct(subjects);
}

/** The vault that decrypts these events: the given one, or one that a remote vault returns for them. */
export function openerOf(
  vault: AnyVault | undefined,
  events: readonly StoredEvent[],
): PersonalDataVault | undefined | Promise<PersonalDataVault> {
  if (vault === undefined || !isDistant(vault)) return vault;
  return vault.forOpening(subjectsOf(events));
}

/** The vault that encrypts these events of a tenant. */
export function sealerOf(
  vault: AnyVault | undefined,
  { tenantId, events }: { readonly tenantId: TenantId; readonly events: readonly Event[] },
): PersonalDataVault | undefined | Promise<PersonalDataVault> {
  if (vault === undefined || !isDistant(vault)) return vault;
  const subjects = events
    .filter(({ type }) => catalog.get(type)?.isPersonal === true)
    .map((event) => subjectIn(event as object, tenantId))
    .filter((subject) => subject !== undefined);
  return vault.forSealing(distinct(subjects));
}

/** The decrypted data in the current version. */
function currentData(
  stored: StoredEvent,
  known: EventSchema,
  vault: PersonalDataVault | undefined,
): unknown {
  const data = jsonOf(stored, stored.data);
  if (!known.isPersonal || !isSealed(data)) return upcastData(stored, known, data);
  if (vault === undefined) {
    throw new DamagedEvent(stored, 'its personal data is sealed, and there is no vault to open it');
  }
  const opened = openIn(stored, known, { data, vault });
  const current = upcastData(stored, known, opened.data);
  // An upcast may have changed the values of an erased person: they are set again.
  return opened.isErased ? { ...(current as object), ...known.erased } : current;
}

function openIn(
  stored: StoredEvent,
  { erased }: EventSchema,
  { data, vault }: { data: Record<string, unknown>; vault: PersonalDataVault },
): Opened {
  const { type, tenantId } = stored;
  try {
    return open(data, { type, tenantId, erased }, vault);
  } catch (cause) {
    // The keys cannot be read at all, which is not the fault of the event.
    if (cause instanceof EventStoreError) throw cause;
    throw new DamagedEvent(
      stored,
      `its personal data cannot be opened: ${(cause as Error).message}`,
    );
  }
}

/** Upcasts the data to the current version, one step at a time. */
function upcastData(stored: StoredEvent, { upcasts }: EventSchema, data: unknown): unknown {
  if (upcasts.length < stored.schemaVersion) return data;
  const steps = upcasts.slice(stored.schemaVersion - 1);
  try {
    return steps.reduce((older, upcast) => upcast(older), data as Record<string, unknown>);
  } catch (cause) {
    throw new DamagedEvent(stored, `it cannot be upcast: ${(cause as Error).message}`);
  }
}

/** A stored event with its data and metadata decoded. */
export function decodeRecord(stored: StoredEvent, vault?: PersonalDataVault): RecordedEvent<Event> {
  return {
    id: stored.id,
    tenantId: stored.tenantId,
    stream: stored.stream,
    revision: stored.revision,
    position: stored.position,
    time: stored.time,
    commandId: stored.commandId,
    commandFingerprint: stored.commandFingerprint,
    metadata: jsonOf(stored, stored.metadata) as EventMetadata,
    event: decodeEvent(stored, vault),
  };
}

function jsonOf(stored: StoredEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedEvent(stored, `not JSON: ${(cause as Error).message}`);
  }
}
