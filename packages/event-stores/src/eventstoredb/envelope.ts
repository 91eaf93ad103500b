/** How events cross to the server and back: JSON that its own tools show, and every text as it was. */
import {
  type AppendRequest,
  type EncodedEvent,
  EventStoreError,
  type StoredEvent,
  type StreamName,
} from '@counterfoil/core';
import { type Place, positionOf } from './positions.ts';

/** An event on its way to the server. */
export interface ProposedEvent {
  readonly id: string;
  readonly contentType: 'application/json';
  readonly type: string;
  /** What the client makes JSON of. */
  readonly data: unknown;
  /** JSON already; the client hands a plain `Uint8Array` on as it is. */
  readonly metadata: Uint8Array;
}

/** An event as the clients hand it back. */
export interface RecordedEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly position?: Place;
}

/** What the metadata of an event holds on the server. */
interface Envelope {
  readonly tenant: StoredEvent['tenantId'];
  readonly schema: number;
  readonly time: string;
  readonly command: StoredEvent['commandId'];
  readonly fingerprint: string;
  readonly attempt: string;
  /** The metadata itself where JSON brings it back as it was, else its text. */
  readonly metadata: object | string;
  /** The text of the data, where JSON would not bring it back as it was. */
  readonly data?: string;
}

/** Hexadecimal digits of an attempt's mark: as many as the last group of a UUID has. */
const MARK_DIGITS = 12;

/** A mark for one call of `append`: its own retries carry it, and nothing else does. */
export function newAttempt(): string {
  return crypto.randomUUID().slice(-MARK_DIGITS);
}

/**
 * The server takes an append for a repeated one when it knows the ids of its events. The mark is
 * part of them, so that it takes for one only what this call has sent before: a repeat of the command
 * by anybody else is a conflict to the server, and is found in the stream by its command id. Doing
 * it twice gives the id back.
 */
function marked(id: string, attempt: string): string {
  const tail = BigInt(`0x${id.slice(-MARK_DIGITS)}`) ^ BigInt(`0x${attempt}`);
  return id.slice(0, -MARK_DIGITS) + tail.toString(16).padStart(MARK_DIGITS, '0');
}

export function propose(
  event: EncodedEvent,
  command: AppendRequest['command'],
  attempt: string,
): ProposedEvent {
  const data = parsed(event.data);
  const metadata = parsed(event.metadata);
  const isObject = typeof metadata.value === 'object' && metadata.value !== null;
  const envelope: Envelope = {
    tenant: event.tenantId,
    schema: event.schemaVersion,
    time: event.time,
    command: command.id,
    fingerprint: command.fingerprint,
    attempt,
    metadata: metadata.survives && isObject ? (metadata.value as object) : event.metadata,
    ...(data.survives ? {} : { data: event.data }),
  };
  return {
    id: marked(event.id, attempt),
    contentType: 'application/json',
    type: event.type,
    data: data.value,
    metadata: new TextEncoder().encode(JSON.stringify(envelope)),
  };
}

/** JSON has more ways than one to write a value: `survives` when a text is in the way of `stringify`. */
function parsed(text: string): { readonly value: unknown; readonly survives: boolean } {
  try {
    const value: unknown = JSON.parse(text);
    return { value, survives: JSON.stringify(value) === text };
  } catch {
    return { value: null, survives: false };
  }
}

/** An event with the mark of the call that has appended it. */
export interface MarkedEvent {
  readonly event: StoredEvent;
  readonly attempt: string;
}

export function decode(recorded: RecordedEvent, stream: StreamName): MarkedEvent {
  const envelope = recorded.metadata as Partial<Envelope> | undefined;
  if (!isEnvelope(envelope)) {
    throw new EventStoreError(
      'corrupt',
      `event ${recorded.revision} of ${recorded.streamId} is not of this log`,
    );
  }
  const event: StoredEvent = {
    id: marked(recorded.id, envelope.attempt),
    type: recorded.type,
    schemaVersion: envelope.schema,
    tenantId: envelope.tenant,
    time: envelope.time,
    data: envelope.data ?? JSON.stringify(recorded.data),
    metadata:
      typeof envelope.metadata === 'string' ? envelope.metadata : JSON.stringify(envelope.metadata),
    stream,
    revision: Number(recorded.revision),
    position: positionOf(recorded.position),
    commandId: envelope.command,
    commandFingerprint: envelope.fingerprint,
  };
  return { event, attempt: envelope.attempt };
}

function isEnvelope(value: Partial<Envelope> | undefined): value is Envelope {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.tenant === 'number' &&
    typeof value.schema === 'number' &&
    typeof value.time === 'string' &&
    typeof value.command === 'string' &&
    typeof value.fingerprint === 'string' &&
    typeof value.attempt === 'string' &&
    value.attempt.length === MARK_DIGITS &&
    (typeof value.metadata === 'string' || typeof value.metadata === 'object')
  );
}
