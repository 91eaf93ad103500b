/** Mails: the email service, the outbox and its delivery. */

export { KeptMails } from './kept-mails.ts';
export { type Letter, Letters, type NoLetter } from './letters.ts';
export { type Attempt, contentName, type MailContent } from './mail-content.ts';
export { MailDelivery, type MailDeliveryOptions, RETRY_AFTER_MS } from './mail-delivery.ts';
export { MailSeal } from './mail-seal.ts';
export { type MailSettings, mailAddressOf, smtpServerOf } from './mail-settings.ts';
export { type Handover, type Mail, type Mailer, smtpMailer, sourceOf } from './mailer.ts';
export {
  type AskedMail,
  type Ended,
  MAIL_READER,
  type MailEnd,
  type MailKind,
  type Outbox,
  openMailTables,
  openOutbox,
  type PutOff,
  type QueuedMail,
} from './outbox.ts';
export { KEY_MS } from './submissions.ts';
export { SUPPRESSION_REASONS, Suppressions } from './suppressions.ts';
export type { MailView } from './tenant-mails.ts';
