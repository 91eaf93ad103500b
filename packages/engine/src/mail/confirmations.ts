/** The mail notice in the answer of an operation. */

/** Knows whether mails are sent, and for which data. */
export interface Confirmations {
  /** Appends the reason when the requested mail is not sent. */
  messageWith(message: string, confirmation: { asked: boolean; sandbox: boolean }): string;
}

export function confirmations(settings: { readonly sandbox: boolean } | undefined): Confirmations {
  return {
    messageWith(message, { asked, sandbox }) {
      if (!asked) return message;
      const reason = whyNone(settings, sandbox);
      return reason === undefined ? message : `${message}. No confirmation is sent: ${reason}`;
    },
  };
}

function whyNone(
  settings: { readonly sandbox: boolean } | undefined,
  sandbox: boolean,
): string | undefined {
  if (settings === undefined) return 'mail settings are not set up';
  if (sandbox && !settings.sandbox) return 'it is sandbox data, and MAIL_SANDBOX is not set';
  return undefined;
}
