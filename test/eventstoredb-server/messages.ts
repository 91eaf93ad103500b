// The protocol's small messages that several parts share, and where its fields stand.
import type { Position } from './position.ts';
import { Fields, Message } from './wire.ts';

const UUID_HALF = 64;
const UUID_GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const MILLISECONDS = 1000;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** A stream's name has a message of its own. */
export function streamIdentifier(stream: string): Message {
  return new Message().text(3, stream);
}

export function streamNameOf(identifier: Fields | undefined): string {
  return identifier?.text(3) ?? '';
}

/** The form of positions everywhere but in a recorded event. */
export function positionMessage(position: Position): Message {
  return new Message().unsigned(1, position.commit).unsigned(2, position.prepare);
}

export function textUuid(id: string): Message {
  return new Message().text(2, id);
}

/** An id as two numbers. */
export function structuredUuid(id: string): Message {
  const bits = BigInt(`0x${id.replaceAll('-', '')}`);
  const structured = new Message()
    .unsigned(1, bits >> BigInt(UUID_HALF))
    .unsigned(2, BigInt.asUintN(UUID_HALF, bits));
  return new Message().message(1, structured);
}

/** The id that a client sent, in either of its forms. */
export function uuidOf(uuid: Fields | undefined): string {
  const structured = uuid?.message(1);
  if (structured === undefined) return uuid?.text(2).toLowerCase() ?? '';
  const bits = (structured.unsigned(1) << BigInt(UUID_HALF)) | structured.unsigned(2);
  return bits.toString(16).padStart(32, '0').replace(UUID_GROUPS, '$1-$2-$3-$4-$5');
}

export function timestampMessage(ms: number): Message {
  const seconds = Math.floor(ms / MILLISECONDS);
  const nanoseconds = (ms - seconds * MILLISECONDS) * NANOSECONDS_PER_MILLISECOND;
  return new Message().unsigned(1, seconds).unsigned(2, Math.round(nanoseconds));
}

/** The milliseconds of a duration, or of a point in time. */
export function millisecondsOf(fields: Fields): number {
  const seconds = Number(BigInt.asIntN(64, fields.unsigned(1)));
  return seconds * MILLISECONDS + fields.number(2) / NANOSECONDS_PER_MILLISECOND;
}

/** A map of texts, as proto3 sends it: one message for each entry. */
export function mapOf(message: Fields, field: number): ReadonlyMap<string, string> {
  return new Map(
    message.all(field).map((entry) => {
      const fields = new Fields(entry);
      return [fields.text(1), fields.text(2)];
    }),
  );
}

export function mapEntry(key: string, value: string): Message {
  return new Message().text(1, key).text(2, value);
}
