/** What followed a payment: the mails about it, and the webhooks. */
import type { TransactionStory } from '@counterfoil/engine';
import { KINDS, SCOPE as MAILS_SCOPE, mailHref, stateOf } from '../mails/words.ts';
import type { Visit } from '../slice.ts';
import {
  DELIVERY_STATES,
  deliveryHref,
  nameOf,
  READ as WEBHOOKS_SCOPE,
} from '../webhooks/words.ts';

/** Undefined for those who may not read them. */
export async function mailsOf(visit: Visit, story: TransactionStory) {
  if (!visit.may(MAILS_SCOPE)) return undefined;
  const mails = await visit.ledger.mails.ofStory(story);
  return mails.map((mail) => ({
    ...{ at: mail.createdAt, title: KINDS[mail.kind], state: stateOf(mail) },
    href: mailHref(visit, mail.id),
  }));
}

/** Undefined for those who may not read them. */
export async function webhooksOf(visit: Visit, story: TransactionStory) {
  if (!visit.may(WEBHOOKS_SCOPE)) return undefined;
  const deliveries = await visit.ledger.webhooks.ofStory(story);
  if (deliveries.length === 0) return [];
  const { items } = await visit.ledger.webhookEndpoints.list({ direction: 'out' });
  const names = new Map(items.map((each) => [each.id, nameOf(each)]));
  return deliveries.map(({ id, endpointId, type, status, createdAt: at }) => ({
    ...{ at, type, state: DELIVERY_STATES[status] },
    endpoint: names.get(endpointId) ?? endpointId,
    href: deliveryHref(visit, endpointId, id),
  }));
}
