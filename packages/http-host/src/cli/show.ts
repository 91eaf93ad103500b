/** `counterfoil show`: a payment, its record and its events as a timeline. */
import { styleText } from 'node:util';
import { type StoredEvent, streamName, type TenantId } from '@counterfoil/core';
import { openEventStore } from '@counterfoil/engine/storage';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { eventJson, eventLine, printable } from './event-lines.ts';
import type { HostClient } from './host-client.ts';
import { withOwnHost } from './host-ways.ts';
import { FoundPage } from './search.ts';
import { type Session, tenantIdOf, WrongWords } from './session.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_PAYMENTS = 100;

const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  amount: z.number(),
  currency: z.string(),
  capturedAmount: z.number(),
  refundedAmount: z.number(),
  refundableAmount: z.number(),
  sandbox: z.boolean(),
  orderId: z.number().nullable(),
  merchantAccountId: z.number().nullable(),
  email: z.string(),
  card: z.looseObject({ brand: z.string(), last4: z.string() }).nullable(),
});
type Payment = z.output<typeof Payment>;

interface Shown {
  readonly payment: Payment;
  readonly events: readonly StoredEvent[];
}

export function addShowCommand(program: Command, session: Session): void {
  program
    .command('show')
    .description('Show payments: the record, and their events as a timeline')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<id>', 'of a payment, refund, chargeback or alert, or of an order', filterOf)
    .action((tenantId: TenantId, filter: Filter) =>
      withOwnHost(session, (host) => show(session, { host, tenantId, filter }), {
        readModels: true,
      }),
    );
}

type Filter =
  | { readonly transactionIds: readonly string[] }
  | { readonly orderIds: readonly number[] };

function filterOf(id: string): Filter {
  if (UUID.test(id)) return { transactionIds: [id] };
  if (/^\d{1,15}$/.test(id)) return { orderIds: [Number(id)] };
  throw new InvalidArgumentError('must be the id of a transaction (a UUID) or of an order');
}

interface Asked {
  readonly host: HostClient;
  readonly tenantId: TenantId;
  readonly filter: Filter;
}

async function show(session: Session, asked: Asked): Promise<void> {
  const ids = await paymentIds(asked);
  if (ids.length === 0) throw new WrongWords('there is no such payment or order');
  const shown: Shown[] = [];
  const log = await openEventStore(session.config(), { follow: true });
  try {
    for (const id of ids) {
      const path = `/v1/payments/${id}`;
      const payment = await asked.host.ask(Payment, {
        method: 'GET',
        path,
        tenantId: asked.tenantId,
      });
      const events = await log.read(streamName('transaction', asked.tenantId, id));
      shown.push({ payment, events });
    }
  } finally {
    await log.close();
  }
  const items = shown.map(({ payment, events }) => ({ payment, events: events.map(eventJson) }));
  session.print({ items }, (console) => {
    for (const each of shown) for (const line of linesOf(each)) console.log(line);
  });
}

/** Live and test data. */
async function paymentIds({ host, tenantId, filter }: Asked): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const sandbox of [false, true]) {
    const json = { ...filter, sandbox, limit: MOST_PAYMENTS };
    const path = '/api/transactions/search';
    const page = await host.ask(FoundPage, { method: 'POST', path, tenantId, json });
    for (const { transactionId, originalTransactionId } of page.transactions) {
      ids.add(originalTransactionId || transactionId);
    }
  }
  return [...ids].sort();
}

function* linesOf({ payment, events }: Shown): Generator<string> {
  const { id, status, currency, amount, card, orderId, merchantAccountId } = payment;
  yield styleText('bold', `${id}  ${status}  ${amount} ${currency}`);
  const about = {
    captured: payment.capturedAmount,
    refunded: payment.refundedAmount,
    refundable: payment.refundableAmount,
    order: orderId,
    account: merchantAccountId,
    card: card && `${card.brand} …${card.last4}`,
    email: payment.email,
    data: payment.sandbox ? 'test' : undefined,
  };
  const said = Object.entries(about).filter(([, value]) => value !== null && value !== undefined);
  yield `  ${printable(said.map(([name, value]) => `${name} ${value}`).join(', '))}`;
  for (const event of events) {
    yield `  ${styleText('dim', event.time)}  ${eventLine(event, currency)}`;
  }
  yield '';
}
