/** The pages of what records of activity are about. */
import type { ActivityRecord } from '@counterfoil/engine';
import type { Visit } from '../slice.ts';

interface Page {
  readonly actions: RegExp;
  /** The id follows. */
  readonly path: string;
  readonly scope: string;
}

const page = (actions: RegExp, path: string, scope: string): Page => ({ actions, path, scope });

/** By action, the first that matches. Without a page: providers, definitions. */
const PAGES: readonly Page[] = [
  page(/^(payments|transactions)\./, '/transactions', 'transactions:read'),
  page(/^(customers\.|subscriptions\.ofCustomer$)/, '/customers', 'customers:read'),
  page(/^subscriptions\./, '/subscriptions', 'subscriptions:read'),
  page(/^disputes\.(?!setProvider|removeProvider)/, '/disputes', 'disputes:read'),
  page(/^merchantAccounts\./, '/merchant-accounts', 'merchant-accounts:read'),
  page(/^mails\./, '/mails', 'mails:read'),
  page(/^webhookEndpoints\./, '/webhooks', 'webhooks:read'),
  page(/^users\.(create|replace|remove)Role$/, '/settings/roles', 'users:read'),
  page(/^users\./, '/settings/users', 'users:read'),
  page(/^keys\.\w+LeadKey$/, '/settings/lead-keys', 'keys:read'),
  page(/^keys\.(create|rotate|revoke)$/, '/settings/keys', 'keys:read'),
];

/** Undefined without a page, or with one that the viewer may not see. */
export function subjectHref(
  visit: Visit,
  { action, subject }: Pick<ActivityRecord, 'action' | 'subject'>,
): string | undefined {
  const found = PAGES.find(({ actions }) => actions.test(action));
  if (subject === null || found === undefined || !visit.may(found.scope)) return undefined;
  return visit.href(`${found.path}/${encodeURIComponent(subject)}`);
}
