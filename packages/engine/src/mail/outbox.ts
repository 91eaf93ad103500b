/** The port to the mails that are to be sent: which event asked for each, and what became of it. No person is in it. */
import type { StreamName, TenantId } from '@counterfoil/core';
import type { Places } from '../storage/checkpoints.ts';

export const MAIL_KINDS = [
  'refunded',
  'unsubscribed',
  'rebill-failed',
  'frozen',
  'renewed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail by the event that asks for it; what it says is made up when it is sent. */
export interface AskedMail {
  readonly eventId: string;
  readonly kind: MailKind;
  readonly tenantId: TenantId;
  readonly stream: StreamName;
  readonly revision: number;
  /** When the event was recorded. */
  readonly recordedAt: string;
}

export interface QueuedMail extends AskedMail {
  /** How often it was handed over in vain. */
  readonly tries: number;
}

/** `dropped`: there is nobody to write to any more, or nothing to say. */
export type MailEnd = 'sent' | 'failed' | 'dropped';

/** Under this name the place of whoever reads the log for mails is kept. */
export const MAIL_READER = 'mails';

export interface PutOff {
  readonly tries: number;
  readonly dueAt: string;
  readonly reason: string;
  readonly at: string;
}

export interface Ended {
  readonly end: MailEnd;
  readonly tries: number;
  readonly reason: string;
  readonly at: string;
}

/** What has ended is remembered for so long: far longer than any event could be read again. */
const REMEMBERED_MS = 90 * 86_400_000;
export const MAX_FORGOTTEN_AT_ONCE = 1_000;

/** What ended before may be forgotten. */
export function forgottenBefore(now: string): string {
  return new Date(Date.parse(now) - REMEMBERED_MS).toISOString();
}

/**
 * A mail is asked for by its event, once for ever. What asks has to queue first and then keep its place
 * in the log: whoever dies in between asks again, which changes nothing. A mail goes out at least once:
 * whoever dies between the server's word and `end` has another send it again, under the same id.
 */
export interface Outbox {
  /** How far the log has been read for mails: kept with them, so that neither outlives the other. */
  readonly places: Places;
  /** Takes them in, all or none; one that was taken in before stays as it is. */
  queue(mails: readonly AskedMail[], now: string): Promise<void>;
  /** What waits, may be sent now and is claimed by nobody, what is due longest first. */
  due(now: string, limit: number): Promise<readonly QueuedMail[]>;
  /**
   * Whether the caller may send this mail: nobody else may then, until it is put off, or the caller
   * could have sent it long ago. False when it is another's, or not as it was found any more.
   */
  claim(mail: QueuedMail): Promise<boolean>;
  /** When the first of what waits is due; undefined when nothing waits. */
  nextDueAt(): Promise<string | undefined>;
  queuedCount(): Promise<number>;
  /** After a try in vain it waits until `dueAt`. */
  putOff(eventId: string, how: PutOff): Promise<void>;
  /** It came to its end. */
  end(eventId: string, how: Ended): Promise<void>;
  /** Whoever reads the log for mails next begins where it then ends. */
  forgetPlace(): Promise<void>;
  close(): void;
}
