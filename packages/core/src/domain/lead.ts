/** A lead: who began a session at an application, and the captured payment that the session led to. */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, Minor } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

export const MAX_SCANS = 200;
/** Between a write of the lead and the capture, whichever comes first. */
export const MATCH_DAYS = 30;
/** Captures of one session that are kept for a lead to come: a session name may be shared by mistake. */
export const MAX_SEEN = 50;

const DAY_MS = 86_400_000;
const MATCH_MS = MATCH_DAYS * DAY_MS;

const contactFields = {
  email: z.string().max(320),
  firstName: z.string().max(200),
  lastName: z.string().max(200),
  cfaDevice: z.string().max(500),
  /** Pages that were seen, in order. */
  scans: z.array(z.strictObject({ page: z.string().max(2_000) })).max(MAX_SCANS),
};
const Contact = z.strictObject(contactFields);
export type Contact = z.output<typeof Contact>;

/** What is left of the contact data once the person is erased. */
export const ERASED: Contact = { email: '', firstName: '', lastName: '', cfaDevice: '', scans: [] };

/** A captured payment, of ours or of another gateway. */
export const SeenTransaction = z.strictObject({
  /** Who reported it; empty for a payment of the ledger. */
  source: z.string().max(64),
  transactionId: z.string().max(255),
  orderId: z.string().max(255).nullable(),
  applicationId: z.int().positive(),
  amountMinor: Minor,
  currency: z.string().length(3),
  capturedAt: Instant,
});
export type SeenTransaction = z.output<typeof SeenTransaction>;

const leadId = z.guid();
/** Whose key seals the contact data: the customer of the email. */
const who = { customerId: z.int().positive(), sandbox: z.boolean() };

export const events = {
  LeadCreated: event(
    {
      leadId,
      /** May identify the person: erased with the contact data. */
      sessionId: z.string().max(255),
      applicationId: z.int().positive(),
      ...who,
      ...contactFields,
      at: Instant,
    },
    { erased: { ...ERASED, sessionId: '' } },
  ),
  /** All of the contact data, as it is from now on. */
  LeadUpdated: event({ leadId, ...who, ...contactFields, at: Instant }, { erased: ERASED }),
  /** A capture of the session that has no lead to match yet. */
  LeadTransactionSeen: event({ transaction: SeenTransaction, at: Instant }),
  /** Once, and never undone. */
  LeadPaid: event({ leadId, sandbox: z.boolean(), transaction: SeenTransaction, at: Instant }),
};
export type Event = EventsOf<typeof events>;

/** A session is one of a tenant and an environment. */
interface Session {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** A keyed hash of the session id: names the stream without showing it. */
  readonly sessionKey: string;
}

export type Command = Session & { readonly at: string } & (
    | {
        readonly type: 'WriteLead';
        readonly sessionId: string;
        /** Of a new lead, as is the application. */
        readonly leadId: string;
        readonly applicationId: number;
        readonly customerId: number;
        /** What is absent stays as it is. */
        readonly contact: Partial<Contact> & Pick<Contact, 'email'>;
      }
    | { readonly type: 'SeeTransaction'; readonly transaction: SeenTransaction }
  );
export type Rejection = never;

/** A capture whose session has no key yet. */
export type Sighting = Omit<Extract<Command, { type: 'SeeTransaction' }>, 'sessionKey'> & {
  readonly sessionId: string;
};

export interface Lead extends Contact {
  readonly leadId: string;
  readonly sessionId: string;
  readonly applicationId: number;
  readonly customerId: number;
  readonly sandbox: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface State {
  /** Null while only captures are known of the session. */
  readonly lead: Lead | null;
  /** By which the lead became paid. */
  readonly paid: { readonly transaction: SeenTransaction; readonly at: string } | null;
  readonly seen: readonly SeenTransaction[];
}
export const initial: State = { lead: null, paid: null, seen: [] };

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'LeadCreated': {
      const { type: _, at, ...lead } = event;
      return { ...state, lead: { ...lead, createdAt: at, updatedAt: at } };
    }
    case 'LeadUpdated': {
      const { type: _, at: updatedAt, ...changed } = event;
      if (state.lead === null) throw new Error('LeadUpdated without a lead');
      return { ...state, lead: { ...state.lead, ...changed, updatedAt } };
    }
    case 'LeadTransactionSeen':
      return { ...state, seen: [...state.seen, event.transaction].slice(-MAX_SEEN) };
    case 'LeadPaid': {
      const { transaction, at } = event;
      return { ...state, paid: { transaction, at }, seen: [] };
    }
    default:
      return never(event);
  }
}

/** Most sessions write their lead once; later writes mostly meet a cached state. */
export function begins({ type }: Command): boolean {
  return type === 'WriteLead';
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  switch (command.type) {
    case 'WriteLead':
      return right(write(state, command));
    case 'SeeTransaction':
      return right(see(state, command));
    default:
      return never(command);
  }
}

function write(state: State, command: Extract<Command, { type: 'WriteLead' }>): readonly Event[] {
  const { customerId, sandbox, contact, at } = command;
  const { lead } = state;
  if (lead === null) {
    const created: Event = {
      type: 'LeadCreated',
      leadId: command.leadId,
      sessionId: command.sessionId,
      applicationId: command.applicationId,
      customerId,
      sandbox,
      ...ERASED,
      ...contact,
      at,
    };
    return withPayment(state, created);
  }
  const kept = contactOf(lead);
  const after = { ...kept, ...contact };
  const isSame = canonicalJson(kept) === canonicalJson(after) && lead.customerId === customerId;
  // The same again within a day is a repetition; later it is a new visit, which may end in a payment.
  if (isSame && Date.parse(at) - Date.parse(lead.updatedAt) < DAY_MS) return [];
  return withPayment(state, {
    type: 'LeadUpdated',
    leadId: lead.leadId,
    customerId,
    sandbox,
    ...after,
    at,
  });
}

/** The write, and the payment that it matches: the one that was captured first. */
function withPayment(state: State, written: Event): readonly Event[] {
  const { lead } = evolve(state, written);
  if (lead === null || state.paid !== null) return [written];
  const [transaction] = state.seen
    .filter((each) => matches(lead, each))
    .toSorted((one, other) => (one.capturedAt < other.capturedAt ? -1 : 1));
  return transaction === undefined ? [written] : [written, paidBy(lead, transaction, written.at)];
}

function see(
  { lead, paid, seen }: State,
  { transaction, at }: Extract<Command, { type: 'SeeTransaction' }>,
): readonly Event[] {
  if (paid !== null || seen.some((each) => isSameTransaction(each, transaction))) return [];
  if (lead !== null && matches(lead, transaction)) return [paidBy(lead, transaction, at)];
  if (lead !== null && neverMatches(lead, transaction)) return [];
  // Of a name that many sessions share, a full list of late is enough.
  const isFull = seen.length >= MAX_SEEN && seen.every((each) => isNear(each, transaction));
  return isFull ? [] : [{ type: 'LeadTransactionSeen', transaction, at }];
}

function paidBy({ leadId: id, sandbox }: Lead, transaction: SeenTransaction, at: string): Event {
  return { type: 'LeadPaid', leadId: id, sandbox, transaction, at };
}

function matches(lead: Lead, transaction: SeenTransaction): boolean {
  const capturedMs = Date.parse(transaction.capturedAt);
  return !neverMatches(lead, transaction) && capturedMs <= Date.parse(lead.updatedAt) + MATCH_MS;
}

/** Of another application, or from long before the lead. One from long after may match a later write. */
function neverMatches(lead: Lead, { applicationId, capturedAt }: SeenTransaction): boolean {
  const isBefore = Date.parse(capturedAt) < Date.parse(lead.createdAt) - MATCH_MS;
  return applicationId !== lead.applicationId || isBefore;
}

function isSameTransaction(one: SeenTransaction, other: SeenTransaction): boolean {
  return one.source === other.source && one.transactionId === other.transactionId;
}

function isNear(one: SeenTransaction, other: SeenTransaction): boolean {
  return Math.abs(Date.parse(one.capturedAt) - Date.parse(other.capturedAt)) <= MATCH_MS;
}

export function contactOf({ email, firstName, lastName, cfaDevice, scans }: Contact): Contact {
  return { email, firstName, lastName, cfaDevice, scans };
}

export function streamOf({ tenantId, sandbox, sessionKey }: Session): StreamName {
  const environment = sandbox ? 'test' : 'live';
  return streamName('lead', tenantId, `${environment}-${sessionKey}`);
}
