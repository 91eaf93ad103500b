/** What is kept around an event, as stored text and as decoded value. */
import type { CommandId, Position, StreamName, TenantId } from './ids.ts';

/** Who caused an event, by which request, and as a result of what. */
export interface EventMetadata {
  /** Email of the acting person or party: claimed by the caller, hence kept beside the key's id. */
  readonly actor: string;
  readonly keyId?: string;
  readonly requestId?: string;
  /** The id that all events of one business flow share. */
  readonly correlationId?: string;
  /** The id of the event or command that led to this one. */
  readonly causationId?: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string;
}

/** An event ready to append: the catalog made its texts. */
export interface EncodedEvent {
  /** UUID, derived from the command id. */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly tenantId: TenantId;
  /** When it was recorded (ISO 8601, GMT). When it happened in the business is in the data. */
  readonly time: string;
  /** JSON text of the event's data, without its type. */
  readonly data: string;
  /** JSON text of `EventMetadata`. */
  readonly metadata: string;
}

/** An event as a store returns it. */
export interface StoredEvent extends EncodedEvent {
  readonly stream: StreamName;
  /** Place in its stream, from 0. */
  readonly revision: number;
  /** Place in the log. */
  readonly position: Position;
  readonly commandId: CommandId;
  readonly commandFingerprint: string;
}

/** A stored event with its data decoded, validated and upcast. */
export interface RecordedEvent<Event> {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly time: string;
  readonly commandId: CommandId;
  readonly commandFingerprint: string;
  readonly metadata: EventMetadata;
  readonly event: Event;
}
