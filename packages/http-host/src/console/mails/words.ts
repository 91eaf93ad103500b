/** How mails are put in words, and where each is shown. */
import type { MailView } from '@counterfoil/engine';
import { MAIL_STATUS, NEEDLESS_REASONS } from '@counterfoil/engine/input';
import type { Visit } from '../slice.ts';

export const PATH = '/mails';
export const SCOPE = 'mails:read';

/** Failed, and nothing to do about it: in the console a state of its own. */
const NEEDLESS = 'needless';
export const SHOWN_STATUS = [...MAIL_STATUS, NEEDLESS] as const;
type ShownStatus = (typeof SHOWN_STATUS)[number];

export const STATES = {
  accepted: { text: 'To be sent', tone: 'neutral' },
  deferred: { text: 'Tried again', tone: 'warn' },
  sent: { text: 'Sent', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
  needless: { text: 'Not needed any more', tone: 'neutral' },
} as const satisfies Record<ShownStatus, object>;

export const KINDS = {
  submitted: 'Submitted',
  refunded: 'Refund',
  unsubscribed: 'Subscription ended',
  'rebill-failed': 'Rebill failed',
  frozen: 'Subscription frozen',
  renewed: 'Subscription renewed',
  invited: 'Invitation',
  'password-reset': 'Lost password',
} as const satisfies Record<MailView['kind'], string>;

export const OUTCOMES = {
  sent: { text: 'Sent', tone: 'good' },
  deferred: { text: 'Put off', tone: 'warn' },
  failed: { text: 'Failed', tone: 'bad' },
  kept: { text: 'Kept', tone: 'neutral' },
  suppressed: { text: 'Suppressed', tone: 'warn' },
  opened: { text: 'Opened', tone: 'good' },
  clicked: { text: 'Link followed', tone: 'good' },
} as const satisfies Record<MailView['history'][number]['outcome'], object>;

export function stateOf({ kept, status, reason }: MailView) {
  if (kept) return OUTCOMES.kept;
  return STATES[status === 'failed' && NEEDLESS_REASONS.includes(reason) ? NEEDLESS : status];
}

/** As the ledger is asked for mails of a state. */
export function filterOf(status: ShownStatus) {
  if (status === NEEDLESS) return { status: 'failed', needless: true } as const;
  return { status, ...(status === 'failed' && { needless: false }) };
}

export function mailHref(visit: Visit, id: string): string {
  return visit.href(`${PATH}/${id}`);
}
