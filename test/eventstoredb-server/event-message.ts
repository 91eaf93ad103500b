// An event as the protocol sends it.
import { mapEntry, streamIdentifier, structuredUuid, textUuid, uuidOf } from './messages.ts';
import { Fields, Message } from './wire.ts';

export interface EventToEncode {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The protocol counts time in tenths of a microsecond. */
const TICKS_PER_MILLISECOND = 10_000n;
const EVENT = 1;
const RECORDED = 1;
const COMMIT_POSITION = 3;

/** The event with its id as a text, which is the form that both clients ask for. */
export function encodeEvent(event: EventToEncode): Buffer {
  const created = (BigInt(Date.now()) * TICKS_PER_MILLISECOND).toString();
  const contentType = event.isJson ? 'application/json' : 'application/octet-stream';
  const recorded = new Message()
    .message(1, textUuid(event.id))
    .message(2, streamIdentifier(event.stream))
    .unsigned(3, event.revision)
    .unsigned(4, event.prepare)
    .unsigned(5, event.commit)
    .message(6, mapEntry('type', event.type))
    .message(6, mapEntry('created', created))
    .message(6, mapEntry('content-type', contentType))
    .bytes(7, event.metadata)
    .bytes(8, event.data);
  return envelope(recorded.written(), event.commit);
}

/** The same event with its id as two numbers, for a client that asks for that. */
export function withStructuredId(message: Buffer): Buffer {
  const event = new Fields(message).message(EVENT) as Fields;
  const recorded = event.bytes(RECORDED);
  const id = uuidOf(new Fields(recorded).message(1));
  // Of a field that comes twice the last counts, and the parts of a message are merged: the text
  // has to go, which is the first field of what `encodeEvent` wrote.
  const rest = recorded.subarray(2 + (recorded[1] ?? 0));
  const renamed = new Message().message(1, structuredUuid(id)).written();
  return envelope(Buffer.concat([renamed, rest]), event.unsigned(COMMIT_POSITION));
}

function envelope(recorded: Uint8Array, commit: bigint): Buffer {
  const event = new Message().bytes(RECORDED, recorded).unsigned(COMMIT_POSITION, commit);
  return new Message().message(EVENT, event).encode();
}
