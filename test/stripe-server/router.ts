/** Finds the endpoint of a request. */
import { accountRoutes } from './account.ts';
import { balanceRoutes } from './balance.ts';
import { chargeRoutes } from './charges.ts';
import { customerRoutes } from './customers.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import { fileRoutes } from './files.ts';
import { paymentIntentRoutes } from './payment-intents.ts';
import { paymentMethodRoutes } from './payment-methods.ts';
import { payoutRoutes } from './payouts.ts';
import { refundRoutes } from './refunds.ts';
import { StripeRefusal } from './refusal.ts';
import type { Method, Route } from './route.ts';
import { setupIntentRoutes } from './setup-intents.ts';
import { warningRoutes } from './warnings.ts';

export const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...balanceRoutes,
  ...chargeRoutes,
  ...customerRoutes,
  ...disputeRoutes,
  ...eventRoutes,
  ...fileRoutes,
  ...paymentIntentRoutes,
  ...paymentMethodRoutes,
  ...payoutRoutes,
  ...refundRoutes,
  ...setupIntentRoutes,
  ...warningRoutes,
];

export interface Found {
  readonly route: Route;
  readonly id: string;
}

export function findRoute(method: string, path: string): Found {
  const parts = path.split('/');
  for (const route of ROUTES) {
    if (route.method !== (method as Method)) continue;
    const id = match(route.path.split('/'), parts);
    if (id !== undefined) return { route, id };
  }
  throw new StripeRefusal(
    404,
    'invalid_request_error',
    `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  );
}

/** The part in braces, the empty string where there is none, undefined where it is another path. */
function match(pattern: readonly string[], parts: readonly string[]): string | undefined {
  if (pattern.length !== parts.length) return undefined;
  let id = '';
  for (const [place, part] of pattern.entries()) {
    const given = parts[place] ?? '';
    if (part.startsWith('{')) id = decodeURIComponent(given);
    else if (part !== given) return undefined;
  }
  return id;
}
