/** Mails: the outbox and its delivery. */

export { type Letter, Letters, type NoLetter } from './letters.ts';
export { MailDelivery, type MailDeliveryOptions, RETRY_AFTER_MS } from './mail-delivery.ts';
export { type MailSettings, mailAddressOf, smtpServerOf } from './mail-settings.ts';
export type { Handover, Mail, Mailer } from './mailer.ts';
export {
  type AskedMail,
  type Ended,
  MAIL_READER,
  type MailEnd,
  type MailKind,
  type Outbox,
  openOutbox,
  type PutOff,
  type QueuedMail,
} from './outbox.ts';
