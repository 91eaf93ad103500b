/** How events are stored on the server: as JSON that its tools show, and that restores every text exactly. */
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
  /** Serialized by the client. */
  readonly data: unknown;
  /** JSON already; the client sends a `Uint8Array` unchanged. */
  readonly metadata: Uint8Array;
}

/** An event as the clients return it. */
export interface RecordedEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly position?: Place;
}

/** The metadata of an event on the server. */
interface Envelope {
  readonly tenant: StoredEvent['tenantId'];
  readonly schema: number;
  readonly time: string;
  readonly command: StoredEvent['commandId'];
  readonly fingerprint: string;
  readonly attempt: string;
  /** The metadata itself where JSON restores it exactly, else its text. */
  readonly metadata: object | string;
  /** The text of the data, where JSON would not restore it exactly. */
  readonly data?: string;
}

/** Hexadecimal digits of an attempt's mark: as many as the last group of a UUID has. */
const MARK_DIGITS = 12;

/** A mark for one call of `append`: its own retries carry it, and nothing else does. */
export function newAttempt(): string {
  return crypto.randomUUID().slice(-MARK_DIGITS);
}

/**
 * The server treats an append as a repeat when it knows the ids of its events. The mark is part of
 * them, so that only this call's own retries are repeats: a repeat of the command by another caller is
 * a conflict to the server, and is found in the stream by its command id. Applied twice, it restores
 * the id.
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

/** `survives`: the text is exactly what `stringify` would write. */
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
