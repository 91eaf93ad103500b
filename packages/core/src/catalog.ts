/** Every event the project knows: the only place that encodes, decodes and upcasts them. */
import { z } from 'zod';
import * as Customer from './domain/customer.ts';
import * as MerchantAccount from './domain/merchant-account.ts';
import * as Reference from './domain/reference.ts';
import * as Sequence from './domain/sequence.ts';
import * as Tenant from './domain/tenant.ts';
import * as Transaction from './domain/transaction/index.ts';
import type { EventMetadata, RecordedEvent, StoredEvent } from './kernel/envelope.ts';
import { codecOf } from './kernel/event-codec.ts';
import { DamagedEvent, type EventSchema } from './kernel/event-schema.ts';

/** Any event of any aggregate. */
export type Event =
  | Customer.Event
  | MerchantAccount.Event
  | Reference.Event
  | Sequence.Event
  | Tenant.Event
  | Transaction.Event;

const AGGREGATES = [Customer, MerchantAccount, Reference, Sequence, Tenant, Transaction];

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

/** Validates an event and writes its data as JSON text in the current schema version. */
export function encodeEvent(event: Event): EncodedData {
  const known = catalog.get(event.type);
  if (known === undefined) throw new Error(`no event of type ${event.type} in the catalog`);
  const data = JSON.stringify(codecOf(known).write(event));
  return { type: event.type, schemaVersion: known.schemaVersion, data };
}

/**
 * Reads a stored event: brings its data up to the current version and validates it.
 * Throws `DamagedEvent`, naming stream and revision, for whatever it cannot read.
 */
export function decodeEvent(stored: StoredEvent): Event {
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
  const read = codecOf(known).read(upcastData(stored, known));
  if (!read.success) throw new DamagedEvent(stored, z.prettifyError(read.error));
  const event = read.data;
  event['type'] = stored.type;
  return event as unknown as Event;
}

/** The data brought up to the current version, one step at a time. */
function upcastData(stored: StoredEvent, { upcasts }: EventSchema): unknown {
  const data = jsonOf(stored, stored.data);
  if (upcasts.length < stored.schemaVersion) return data;
  const steps = upcasts.slice(stored.schemaVersion - 1);
  try {
    return steps.reduce((older, upcast) => upcast(older), data as Record<string, unknown>);
  } catch (cause) {
    throw new DamagedEvent(stored, `it cannot be upcast: ${(cause as Error).message}`);
  }
}

/** A stored event with its data and metadata decoded. */
export function decodeRecord(stored: StoredEvent): RecordedEvent<Event> {
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
    event: decodeEvent(stored),
  };
}

function jsonOf(stored: StoredEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedEvent(stored, `not JSON: ${(cause as Error).message}`);
  }
}
