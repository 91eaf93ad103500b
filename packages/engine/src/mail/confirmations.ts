/** What an operation answers about the mail that it was asked to send. */

/** Whether mails are sent at all, and about what. */
export interface Confirmations {
  /** The operation's message, with the reason behind it when the mail that was asked for is not sent. */
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
