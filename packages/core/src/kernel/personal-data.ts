/** What an event tells of a person: sealed beside its open data, under a key that can be destroyed. */
import type { TenantId } from './ids.ts';

/** The person whom an event is about: a customer of a tenant, in one of its environments. */
export interface Subject {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly customerId: number;
}

/**
 * Keeps a key for each person. Synchronous, for events are encoded and decoded by the thousand; a key
 * is durable before anything sealed under it is handed out. What was sealed for one person or in one
 * type of event opens for no other.
 */
export interface PersonalDataVault {
  /** A text to store; undefined when the person is erased: then there is nothing to keep. */
  seal(subject: Subject, personal: { eventType: string; text: string }): string | undefined;
  /** The text again; undefined when the person is erased. Throws for what was never sealed so. */
  open(subject: Subject, personal: { eventType: string; sealed: string }): string | undefined;
}

/**
 * A vault whose keys stand elsewhere, as in a database that several hosts share. It is asked for the
 * keys of a whole batch at once, and hands out a vault that has them at hand for as long as anybody
 * holds it. Rejects with an `EventStoreError` when keys cannot be read or kept at all.
 */
export interface DistantVault {
  /** Makes no keys: for a person who has none, or one that is spoilt, `open` throws. */
  forOpening(subjects: readonly Subject[]): Promise<PersonalDataVault>;
  /** Makes the keys of those who have none; they are durable when it answers. */
  forSealing(subjects: readonly Subject[]): Promise<PersonalDataVault>;
  /** Lets go of what it remembers of a person, whose key another host may have destroyed. */
  forget(subject: Subject): void;
}

/** Whatever keeps the keys of a log. */
export type AnyVault = PersonalDataVault | DistantVault;

export function isDistant(vault: AnyVault): vault is DistantVault {
  return 'forOpening' in vault;
}

/** Where the sealed text of an event stands in its stored data, in the place of its personal fields. */
export const SEALED = 'sealed';

/** Without these an event does not say whom it is about. */
export const SUBJECT_FIELDS = ['customerId', 'sandbox'] as const;

/** The stored data of an event, JSON values by field. */
type Data = Record<string, unknown>;

/** An event with personal fields, each named with the value that it has once the person is erased. */
export interface PersonalEvent {
  readonly type: string;
  readonly tenantId: TenantId;
  readonly erased: Readonly<Data>;
}

/**
 * Takes the personal fields out of the data to be stored, and puts one sealed text in their place.
 * The data is the caller's own, and is changed: to copy it costs as much as to write it.
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

/**
 * Puts the personal fields back into the caller's own data, or the values that are left of them;
 * answers whether the person is erased. Throws for what the vault cannot open.
 */
export function open(data: Data, event: PersonalEvent, vault: PersonalDataVault): boolean {
  const { type: eventType, tenantId, erased } = event;
  const sealed = data[SEALED] as string;
  const text = vault.open(subjectOf(data, tenantId), { eventType, sealed });
  Reflect.deleteProperty(data, SEALED);
  Object.assign(data, text === undefined ? erased : (JSON.parse(text) as Data));
  return text === undefined;
}

export function isSealed(data: unknown): data is Data {
  return typeof data === 'object' && data !== null && typeof (data as Data)[SEALED] === 'string';
}

function subjectOf(data: Data, tenantId: TenantId): Subject {
  const subject = subjectIn(data, tenantId);
  if (subject === undefined) throw new TypeError('it does not say whom it is about');
  return subject;
}

/** Whom an event or its stored data is about; undefined when it does not say. */
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
