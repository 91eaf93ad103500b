/** The face of the mails: the outbox, wherever it is kept, and what empties it. */

export type { Confirmations } from './confirmations.ts';
export { type Letter, Letters, type NoLetter } from './letters.ts';
export { MailDelivery, type MailDeliveryOptions, RETRY_AFTER_MS } from './mail-delivery.ts';
export { type MailSettings, mailAddressOf, smtpServerOf } from './mail-settings.ts';
export type { Handover, Mail, Mailer } from './mailer.ts';
export type {
  AskedMail,
  Ended,
  MailEnd,
  MailKind,
  Outbox,
  PutOff,
  QueuedMail,
} from './outbox.ts';
export { openPostgresOutbox } from './outbox-postgres.ts';
export { openSqliteOutbox } from './outbox-sqlite.ts';
