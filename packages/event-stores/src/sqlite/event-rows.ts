/** The rows of events of a log, as they are read for examination. */
import { checksumOf } from './checksum.ts';

export const EVENT_COLUMNS = `position, stream_id, revision, events.id, type, schema_version, tenant_id, time,
  command_id, command_fingerprint, ends_command, checksum, data, metadata, name`;

export type EventRow = readonly [
  position: number,
  streamId: number,
  revision: number,
  id: string,
  type: string,
  schemaVersion: number,
  tenantId: number,
  time: string,
  commandId: string,
  fingerprint: string,
  endsCommand: number,
  checksum: number,
  data: string,
  metadata: string,
  name: string | null,
];

export function checksumIn(row: EventRow): number {
  // biome-ignore format: the order of the columns
  const [
    position, streamId, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, , , data, metadata, name,
  ] = row;
  // biome-ignore format: the order of the columns
  return checksumOf(
    position, name ?? nameless(streamId), revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, data, metadata,
  );
}

/** A stream whose row is missing. */
export function nameless(streamId: number): string {
  return `(stream ${streamId}, whose name is gone)`;
}
