// What a client asks to append, in either form of the protocol, as plain values.
import type { Expected, ProposedEvent } from './log.ts';
import { mapOf, uuidOf } from './messages.ts';
import type { Fields } from './wire.ts';

const JSON_CONTENT = 'application/json';

/** The expected revision of an append, a batch append, a deletion: all have it in these fields. */
export function expectedOf(options: Fields): Expected {
  if (options.has(3)) return 'noStream';
  if (options.has(4)) return 'any';
  return options.has(5) ? 'streamExists' : options.unsigned(2);
}

/** The name of what its metadata lacks, instead of an event. */
export function proposedEventOf(message: Fields): ProposedEvent | 'type' | 'content-type' {
  const described = mapOf(message, 2);
  const type = described.get('type');
  const contentType = described.get('content-type');
  if (type === undefined) return 'type';
  if (contentType === undefined) return 'content-type';
  return {
    id: uuidOf(message.message(1)),
    type,
    isJson: contentType === JSON_CONTENT,
    data: message.bytes(4),
    metadata: message.bytes(3),
  };
}

/** The bytes of an event that count towards the largest append. */
export function sizeOnDisk(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + 2 * event.type.length;
}
