/** A checksum over a stored event: SQLite notices broken pages, but not a flipped bit in a text. */
import { crc32 } from 'node:zlib';

/** CRC-32 over everything that is kept of an event, in one text: one call costs less than several. */
export function checksumOf(
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  schemaVersion: number,
  tenantId: number,
  time: string,
  commandId: string,
  fingerprint: string,
  data: string,
  metadata: string,
): number {
  return crc32(
    `${position}\n${stream}\n${revision}\n${id}\n${type}\n${schemaVersion}\n${tenantId}\n${time}\n` +
      `${commandId}\n${fingerprint}\n${data}\n${metadata}`,
  );
}
