/**
 * Why a mail is not sent again. `not-ended`: it is still to be sent. `sign-in`: it holds a link that signs
 * somebody in. `not-kept`: what it said is dropped once it is sent. `suppressed`: all its recipients are.
 */
export type ResendFault =
  | 'not-ended'
  | 'sign-in'
  | 'erased'
  | 'not-kept'
  | 'no-address'
  | 'outdated'
  | 'no-sender'
  | 'suppressed';

/** What the mails of a tenant are refused with. */
export type MailRefusal =
  /** The tenant may not send from this domain. */
  | { readonly type: 'SenderUnauthorized' }
  /** The key names a mail of other content. */
  | { readonly type: 'MailKeyConflict'; readonly emailId: string }
  /** `path` is that of a member, such as `templateContent`; line and column from 1. */
  | {
      readonly type: 'MailInvalid';
      readonly faults: readonly { readonly path: string; readonly detail: string }[];
    }
  | { readonly type: 'MailUnknown' }
  | { readonly type: 'MailNotResendable'; readonly reason: ResendFault }
  | { readonly type: 'SuppressionUnknown' }
  /** The password is not sent to another server than the one that it was set for. */
  | { readonly type: 'SmtpPasswordRequired' };
