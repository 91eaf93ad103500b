/** The disputes about a payment: until when each is answered, and where. */
import type { HistoryEntry } from '@counterfoil/engine';
import type { TransactionDetail } from '@counterfoil/projections';
import { ANSWERS, answersToStatus, WRITE_SCOPE } from '../disputes/detail.ts';
import { hrefOf, SCOPE } from '../disputes/queue.ts';
import type { Visit } from '../slice.ts';
import { shownStatus } from './status.ts';

/** In the order in which they were reported. None for those who may not read disputes. */
export function disputesOf(
  visit: Visit,
  { transaction }: TransactionDetail,
  history: readonly HistoryEntry[],
) {
  if (!visit.may(SCOPE)) return [];
  return history.flatMap(({ event }) => {
    const opened = openedBy(event);
    const child = transaction.childTransactions.find(({ messageID }) => messageID === opened?.id);
    if (opened === undefined || child === undefined) return [];
    const { id, title, deadline } = opened;
    const answers = visit.may(WRITE_SCOPE) ? answersToStatus(child.status) : [];
    const isOpen = answersToStatus(child.status).length > 0;
    return {
      ...{ id, title, amount: child.priceVal, currency: child.currency },
      status: shownStatus(child.status),
      /** Of one that waits for its answer. */
      deadline: isOpen ? deadline : null,
      href: hrefOf(visit, id),
      answers: answers.map((answer) => ({
        label: ANSWERS[answer],
        isMain: answer === 'represent',
        href: hrefOf(visit, id, `/${answer}`),
      })),
    };
  });
}

function openedBy(event: HistoryEntry['event']) {
  switch (event.type) {
    case 'ChargebackOpened':
      return { id: event.chargebackId, title: 'Chargeback', deadline: event.respondBy };
    case 'AlertReceived':
      return { id: event.alertId, title: 'Alert', deadline: event.deadline };
    default:
      return undefined;
  }
}
