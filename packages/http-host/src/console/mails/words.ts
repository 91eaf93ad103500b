/** How mails are put in words, and where each is shown. */
import type { MailView } from '@counterfoil/engine';
import type { Visit } from '../slice.ts';

export const PATH = '/mails';
export const SCOPE = 'mails:read';

export const STATES = {
  accepted: { text: 'To be sent', tone: 'neutral' },
  deferred: { text: 'Tried again', tone: 'warn' },
  sent: { text: 'Sent', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
} as const satisfies Record<MailView['status'], object>;

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

export function stateOf({ kept, status }: MailView) {
  return kept ? OUTCOMES.kept : STATES[status];
}

export function mailHref(visit: Visit, id: string): string {
  return visit.href(`${PATH}/${id}`);
}
