/** The mail notice in the answer of an operation. */
import type { TenantLedger } from '@counterfoil/engine';

const REASONS = {
  'no-settings': 'mail settings are not set up',
  sandbox: 'it is sandbox data, and MAIL_SANDBOX is not set',
} as const;

/** Appends the reason when the requested mail is not sent. */
export async function withConfirmation(
  message: string,
  { mails }: TenantLedger,
  { asked, sandbox }: { readonly asked: boolean; readonly sandbox: boolean | undefined },
): Promise<string> {
  const reason = asked ? await mails.whyNone({ sandbox }) : undefined;
  return reason === undefined ? message : `${message}. No confirmation is sent: ${REASONS[reason]}`;
}
