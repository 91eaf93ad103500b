/** What is kept of a mail, sealed: its content until it has ended, and each try. */
import type { MailAddress } from './mail-settings.ts';
import type { Mail } from './mailer.ts';

/**
 * `kept`: it is not handed to any server. `suppressed`: the recipient is on the list of suppressions.
 * `deferred` is tried again. `opened` and `clicked` by a reader, where the tenant tracks it.
 */
export type AttemptOutcome =
  | 'sent'
  | 'deferred'
  | 'failed'
  | 'kept'
  | 'suppressed'
  | 'opened'
  | 'clicked';

/** One try, or what became of one recipient in it. */
export interface Attempt {
  readonly at: string;
  readonly outcome: AttemptOutcome;
  /** Empty: all recipients that were open. */
  readonly recipient: string;
  /** A code, or the address that was followed; empty for none. */
  readonly reason: string;
  /** The words of the server. */
  readonly response: string;
}

export interface MailContent {
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly replyTo: MailAddress | null;
  readonly subject: string;
  /** Null once it has ended, unless it is kept to be shown. */
  readonly body: { readonly text: string; readonly html: string } | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly listUnsubscribe: boolean;
  /** `string`, the name of a bundled template, or the kind of a mail of the ledger. */
  readonly template: string;
  /** Addresses that it has not been delivered to yet. */
  readonly open: readonly string[];
  /** Whether a server has taken it for any recipient. */
  readonly delivered: boolean;
  readonly history: readonly Attempt[];
  /** The mail that it sends again. */
  readonly resentFrom?: string;
}

/** The name that contents are sealed under. */
export function contentName(id: string): string {
  return `mail ${id}`;
}

export function recipientsOf({
  to,
  cc,
  bcc,
}: Pick<MailContent, 'to' | 'cc' | 'bcc'>): readonly string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

/** Beside what it is sent with: the signature of its sender, and headers of the host. */
export function mailOf(id: string, date: string, content: MailContent): Mail {
  const { from, to, cc, bcc, replyTo, subject, body, headers, open } = content;
  const { text, html } = body ?? { text: '', html: '' };
  return { id, date, from, to, cc, bcc, replyTo, subject, text, html, headers, recipients: open };
}
