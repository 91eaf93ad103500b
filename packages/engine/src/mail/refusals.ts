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
  | { readonly type: 'SuppressionUnknown' }
  /** The password is not sent to another server than the one that it was set for. */
  | { readonly type: 'SmtpPasswordRequired' };
