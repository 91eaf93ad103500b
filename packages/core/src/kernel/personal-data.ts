/** Personal data of events: encrypted beside the clear data, under a key that can be destroyed. */
import type { TenantId } from './ids.ts';

/** The person that an event is about: a customer of a tenant, in one of its environments. */
export interface Subject {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly customerId: number;
}

/**
 * Keeps a key for each person. Synchronous, for events are encoded and decoded by the thousand; a key
 * is durable before anything encrypted under it is returned. A text that was encrypted for one person
 * or type of event cannot be decrypted for another.
 */
export interface PersonalDataVault {
  /** Encrypts a text to be stored; undefined when the person is erased: then nothing is stored. */
  seal(subject: Subject, personal: { eventType: string; text: string }): string | undefined;
  /** Decrypts a text; undefined when the person is erased. Throws for what was not encrypted so. */
  open(subject: Subject, personal: { eventType: string; sealed: string }): string | undefined;
}

/**
 * A vault whose keys are remote, as in a database that several hosts share. It loads the keys of a batch
 * at once, and returns a vault that has them in memory. Rejects with an `EventStoreError` when keys cannot be read or kept at all.
 */
export interface DistantVault {
  /** Creates no keys: `open` throws for a person without a usable one. */
  forOpening(subjects: readonly Subject[]): Promise<PersonalDataVault>;
  /** Creates missing keys; they are durable when it resolves. */
  forSealing(subjects: readonly Subject[]): Promise<PersonalDataVault>;
  /** Removes a person from the cache: another host may have destroyed their key. */
  forget(subject: Subject): void;
}

/** A local or a remote vault. */
export type AnyVault = PersonalDataVault | DistantVault;

export function isDistant(vault: AnyVault): vault is DistantVault {
  return 'forOpening' in vault;
}

/** The field with the encrypted text in stored data, in place of the personal fields. */
export const SEALED = 'sealed';

/** The fields that identify the person. */
export const SUBJECT_FIELDS = ['customerId', 'sandbox'] as const;

/** The stored data of an event, JSON values by field. */
type Data = Record<string, unknown>;

/** An event with personal fields, each with its value for an erased person. */
export interface PersonalEvent {
  readonly type: string;
  readonly tenantId: TenantId;
  readonly erased: Readonly<Data>;
}

/**
 * Replaces the personal fields of data to be stored by one encrypted text. Changes the given object:
 * copying it would cost as much as writing it.
 */
export function seal(data: Data, event: PersonalEvent, vault: PersonalDataVault): void {
  const { type: eventType, tenantId, erased } = event;
  const personal: Data = {};
  for (const field in erased) personal[field] = data[field];
  const subject = subjectOf(data, tenantId);
  const sealed = vault.seal(subject, { eventType, text: JSON.stringify(personal) });
  if (sealed === undefined) {
    Object.assign(data, erased);
    return;
  }
  // JSON leaves out what is undefined.
  for (const field in erased) data[field] = undefined;
  data[SEALED] = sealed;
}

/** Stored data with its personal fields restored, or with their values for an erased person. */
export interface Opened {
  readonly data: Data;
  readonly isErased: boolean;
}

/** Throws for what the vault cannot decrypt. */
export function open(stored: Data, event: PersonalEvent, vault: PersonalDataVault): Opened {
  const { type: eventType, tenantId, erased } = event;
  const { [SEALED]: sealed, ...data } = stored;
  const subject = subjectOf(data, tenantId);
  const text = vault.open(subject, { eventType, sealed: sealed as string });
  // A copy: an object that a field is removed from is several times slower to change and to read.
  return text === undefined
    ? { data: { ...data, ...erased }, isErased: true }
    : { data: { ...data, ...(JSON.parse(text) as Data) }, isErased: false };
}

export function isSealed(data: unknown): data is Data {
  return typeof data === 'object' && data !== null && typeof (data as Data)[SEALED] === 'string';
}

function subjectOf(data: Data, tenantId: TenantId): Subject {
  const subject = subjectIn(data, tenantId);
  if (subject === undefined) throw new TypeError('it does not say whom it is about');
  return subject;
}

/** The person that an event or its stored data is about; undefined when it has none. */
export function subjectIn(
  { customerId, sandbox }: { readonly customerId?: unknown; readonly sandbox?: unknown },
  tenantId: TenantId,
): Subject | undefined {
  if (typeof customerId !== 'number' || typeof sandbox !== 'boolean') return undefined;
  return { tenantId, sandbox, customerId };
}

/** Each of them once. */
export function distinct(subjects: Iterable<Subject>): readonly Subject[] {
  const byName = new Map<string, Subject>();
  for (const subject of subjects) {
    byName.set(`${subject.tenantId}/${subject.sandbox}/${subject.customerId}`, subject);
  }
  return [...byName.values()];
}
