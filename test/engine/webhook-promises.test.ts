/** What webhooks promise, whatever receivers answer: every message arrives under one id, in order, or is a dead letter. */
import { silentLogger } from '@counterfoil/engine';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { codeOf, order, withShop } from './shop.ts';
import { openSender, POLLING, paidLead, type Received } from './webhook-sink.ts';

const HOUR_MS = 3_600_000;
const SLOW_MS = 60_000;
const STATUSES = [200, 200, 200, 204, 301, 404, 429, 500, 503];
const RUNS = 3;
/** More than the tries that a delivery has. */
const MOST_ROUNDS = 12;

describe('every message', () => {
  it(
    'arrives under one id and in the order of its subject, or is a dead letter',
    async () => {
      const answers = fc.infiniteStream(fc.constantFrom(...STATUSES));
      await fc.assert(
        fc.asyncProperty(answers, fc.nat(2), async (statuses, refunds) => {
          const sender = await openSender();
          const { shop, sink, out, clock } = sender;
          const { id } = await shop.webhookEndpoints.create(out);
          const taken: Received[] = [];
          sink.answer = (received, response) => {
            const status = statuses.next().value;
            if (status < 300) taken.push(received);
            response.writeHead(status, { location: '/elsewhere' }).end();
          };
          const leads = [await paidLead(sender), await paidLead(sender)];
          const paid = await shop.payments.submit(order());
          for (let refund = 0; refund < refunds; refund += 1) {
            await shop.payments.refund(paid.id, { amount: '1.00' });
          }
          const count = leads.length + 1 + refunds;
          const all = await vi.waitUntil(
            async () => {
              const { items } = await shop.webhooks.deliveries(id);
              const isOver = ({ status }: { status: string }) =>
                status === 'delivered' || status === 'dead';
              if (items.length === count && items.every(isOver)) return items;
              const waits = items.every((each) => isOver(each) || isLater(each, clock.now()));
              if (waits) clock.forward(13 * HOUR_MS);
              return undefined;
            },
            { ...POLLING, timeout: SLOW_MS },
          );
          const delivered = all.filter(({ status }) => status === 'delivered');
          expect(new Set(taken.map(({ body }) => body.id))).toEqual(
            new Set(delivered.map(({ messageId }) => messageId)),
          );
          // One id for each lead, in whatever has come.
          const ofLeads = sink.received.filter(({ body }) => body.type === 'customer_lead.paid');
          const ids = Map.groupBy(ofLeads, ({ body }) => (body.data['lead'] as { id: string }).id);
          expect([...ids.keys()].toSorted()).toEqual(leads.map(({ leadId }) => leadId).toSorted());
          for (const each of ids.values()) {
            expect(new Set(each.map(({ body }) => body.id)).size).toBe(1);
            expect(each.length).toBeLessThanOrEqual(MOST_ROUNDS);
          }
          const ofPayment = taken.flatMap(({ body }) =>
            body.type.startsWith('customer_lead') ? [] : [Number(at(body.data))],
          );
          expect(ofPayment).toEqual(ofPayment.toSorted((one, other) => one - other));
        }),
        { numRuns: RUNS },
      );
    },
    SLOW_MS,
  );
});

const isLater = ({ nextAttemptAt }: { readonly nextAttemptAt: string | null }, now: string) =>
  nextAttemptAt !== null && nextAttemptAt > now;

/** What had been refunded by then. */
const at = (data: Received['body']['data']) =>
  (data['payment'] as { readonly refundedAmount: number }).refundedAmount;

it('nothing of an erased person is left in what was sent, nor in what was answered', async () => {
  const sender = await openSender();
  const { shop, sink, out } = sender;
  const { id } = await shop.webhookEndpoints.create(out);
  const email = 'brunhilde@shop.example';
  // A receiver that says what it was told.
  sink.answer = ({ text }, response) => response.writeHead(500).end(text);
  const { customerId } = await shop.customers.register({ email });
  await paidLead(sender, { email, firstName: 'Brunhilde' });
  const [delivery] = await vi.waitUntil(async () => {
    const { items } = await shop.webhooks.deliveries(id);
    return items[0]?.attempts === 1 ? items : undefined;
  }, POLLING);
  if (delivery === undefined) throw new Error('nothing was sent');
  const shown = async () => JSON.stringify(await shop.webhooks.delivery(id, delivery.id));
  expect(await shown()).toMatch(/brunhilde@.*Brunhilde/);
  await shop.customers.erase(customerId);
  expect(await shown()).not.toMatch(/brunhilde/i);
  await shop.webhooks.replay(id, delivery.id);
  await sink.has(2);
  expect(sink.received[1]?.text).not.toMatch(/brunhilde/i);
  expect(sink.received[1]?.body.id).toBe(sink.received[0]?.body.id);
});

it('a tenant sees nothing of another, and is sent nothing of it', async () => {
  const sender = await openSender();
  const { shop, sink, out, ledger } = sender;
  const { id } = await shop.webhookEndpoints.create(out);
  await withShop(ledger, 8 as never);
  const other = ledger.as({ tenantId: 8, actor: 'other' });
  await paidLead({ shop: other });
  const lead = await paidLead(sender);
  const [received] = await sink.has(1);
  expect(received?.body.data['lead']).toMatchObject({ id: lead.leadId });
  const [delivery] = (await shop.webhooks.deliveries(id)).items;
  for (const call of [
    other.webhooks.deliveries(id),
    other.webhooks.delivery(id, delivery?.id ?? ''),
    other.webhooks.replay(id, delivery?.id ?? ''),
    other.webhooks.test(id),
  ]) {
    expect(await codeOf(call)).toBe('WebhookEndpointUnknown');
  }
  expect(await codeOf(shop.webhooks.replay(id, id))).toBe('WebhookDeliveryUnknown');
});

it('what cannot be sent is given up, and delays nothing', async () => {
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (...line: unknown[]) => errors.push(line) };
  const sender = await openSender({ logger });
  const { shop, sink, out } = sender;
  const refused = await shop.webhookEndpoints.create({ ...out, url: 'http://127.0.0.1:1/' });
  await shop.webhookEndpoints.create(out);
  await paidLead(sender);
  await sink.has(1);
  const [first] = await vi.waitUntil(async () => {
    const { items } = await shop.webhooks.deliveries(refused.id);
    return items[0]?.attempts === 1 ? items : undefined;
  }, POLLING);
  expect(first).toMatchObject({ status: 'pending', reason: 'connection_refused' });
  expect(errors).toEqual([]);
});
