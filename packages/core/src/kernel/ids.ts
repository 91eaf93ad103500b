/** Branded identifiers and the one place where stream names are built. */
import { z } from 'zod';
import { fingerprint } from './fingerprint.ts';

/** A tenant is a parent company; its id is a positive integer. */
export const TenantId = z.int().positive().brand<'TenantId'>();
export type TenantId = z.infer<typeof TenantId>;

/** Identifier of a payment or of one of its children (refund, chargeback, alert): a UUID in lower case. */
export const TransactionId = z.guid().toLowerCase().brand<'TransactionId'>();
export type TransactionId = z.infer<typeof TransactionId>;

/** Identifies one append permanently: a repeat of the id has no further effect. A UUID in lower case. */
export const CommandId = z.guid().toLowerCase().brand<'CommandId'>();
export type CommandId = z.infer<typeof CommandId>;

/** `<category>-<tenant>-<id>`: the tenant is part of the name, so no id can reach another tenant's stream. */
export type StreamName = string & z.core.$brand<'StreamName'>;

/**
 * A place in the global order of one log. Opaque: made by a store, kept and passed back by readers.
 * Two positions of the same log compare as strings (`<`, `>`), and nothing else may be read from them.
 */
export type Position = string & z.core.$brand<'Position'>;

const CATEGORY = /^[a-z][a-z_]*$/;

/** Builds a stream name. Categories are lower case with underscores, so the first dash ends the category. */
export function streamName(category: string, tenantId: TenantId, id: string | number): StreamName {
  if (!CATEGORY.test(category)) throw new RangeError(`not a stream category: ${category}`);
  return `${category}-${tenantId}-${id}` as StreamName;
}

/** The category of a stream: the part before the first dash. */
export function categoryOf(stream: StreamName): string {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
}

/**
 * The id of the nth event that a command put on a stream: a UUID with the first 64 bits of the
 * command's own (so that ids stay in the order of time), followed by a hash of all three. A
 * retried append names the same events again, and no two streams share an id.
 */
export function eventIdOf(commandId: CommandId, stream: StreamName, index: number): string {
  const mark = fingerprint(`${commandId}/${stream}/${index}`);
  const variant = ((Number.parseInt(mark.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return `${commandId.slice(0, 18)}-${variant}${mark.slice(1, 4)}-${mark.slice(4)}`;
}
