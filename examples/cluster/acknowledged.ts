/** Claims: the log contains every acknowledged command exactly once, and nothing else. */
import { decodeRecord, openerOf, toMinor } from '@counterfoil/core';
import { type Model, type Payment, refundsOf } from '@counterfoil/test/model';
import type { Balancer } from './balancer.ts';
import { type Claim, differences } from './claim.ts';
import type { Inside } from './cluster.ts';
import type { Kind, Sent } from './load.ts';
import type { Member } from './member.ts';

const AT_ONCE = 12;
const CURRENCY = 'GBP';

interface Acknowledged {
  readonly model: Model;
  readonly sent: readonly Sent[];
}

/** Differences between the log and the acknowledged commands. */
export async function exactlyOnce({ model, sent }: Acknowledged, inside: Inside): Promise<Claim> {
  const payments = new Map([...model.payments.values()].map((payment) => [payment.id, payment]));
  const refunds = [...payments.values()].flatMap((payment) =>
    refundsOf(payment, 'RefundPending', 'Refunded', 'RefundFailed'),
  );
  const problems = [
    ...differences({ of: 'payment', sent: idsOf(sent, 'payment'), logged: payments.keys() }),
    ...differences({ of: 'refund', ...refundsByName(sent, [...payments.values()]) }),
    ...amountsOf(sent, payments),
    ...followUps(sent, payments),
    ...(await subscriptionsOf(sent, payments, inside)),
  ];
  const facts = `${payments.size} payments and ${refunds.length} refunds in the log, of ${sent.length} acknowledged commands`;
  return { says: 'every acknowledged command exactly once', facts, problems };
}

function done(sent: readonly Sent[], kind: Kind): readonly Sent[] {
  return sent.filter((each) => each.kind === kind && idOf(each) !== undefined);
}

function idOf({ answer: { body } }: Sent): string | undefined {
  return body.refundId ?? body.id;
}

/**
 * Customer Service does not return the id of a refund that the gateway refused: it is identified by
 * its payment.
 */
function refundsByName(sent: readonly Sent[], payments: readonly Payment[]) {
  const ids = idsOf(sent, 'refund');
  const nameless = sent.filter(
    (each) => idOf(each) === undefined && each.answer.body.code === 'refund_failed',
  );
  const isAcknowledged = new Set(ids);
  const nameOf = (payment: string) => `that failed of ${payment}`;
  return {
    sent: [...ids, ...nameless.map(({ request }) => nameOf(request.body.messageId))],
    logged: payments.flatMap((payment) =>
      refundsOf(payment, 'RefundPending', 'Refunded', 'RefundFailed').map(({ id, status }) =>
        isAcknowledged.has(id) || status !== 'RefundFailed' ? id : nameOf(payment.id),
      ),
    ),
  };
}

function idsOf(sent: readonly Sent[], kind: Kind): readonly string[] {
  return done(sent, kind).map((each) => idOf(each) ?? '');
}

/** Amounts equal the acknowledged ones, and each order was accepted once. */
function amountsOf(sent: readonly Sent[], payments: ReadonlyMap<string, Payment>): string[] {
  const problems: string[] = [];
  const expectSame = (what: string, expected: unknown, logged: unknown) => {
    if (expected !== logged)
      problems.push(`${what}: ${expected} was acknowledged, the log has ${logged}`);
  };
  const orders = [...payments.values()].map(({ order }) => order.orderId);
  if (new Set(orders).size < orders.length) problems.push('an order was taken twice');
  for (const each of done(sent, 'payment')) {
    const { body } = each.answer;
    const kept = payments.get(body.id);
    expectSame(`order of ${body.id}`, each.request.body.orderId, kept?.order.orderId);
    expectSame(`amount of ${body.id}`, minor(each.request.body.amount), kept?.order.amountMinor);
    if (body.status !== 'Captured') continue;
    expectSame(`capture of ${body.id}`, minor(body.capturedAmount), kept?.capturedMinor);
  }
  const refunds = new Map(
    [...payments.values()]
      .flatMap(({ children }) => [...children.values()])
      .map((child) => [child.id, child]),
  );
  for (const each of done(sent, 'refund')) {
    const { amount, status } = each.answer.body;
    const kept = refunds.get(idOf(each) ?? '');
    expectSame(
      `amount of refund ${idOf(each)}`,
      minor(amount ?? each.request.body.amount),
      kept?.amountMinor,
    );
    if (status === 'Refunded' || status === 'RefundFailed') {
      expectSame(`refund ${idOf(each)}`, status, kept?.status);
    }
  }
  return problems;
}

function minor(amount: number): bigint {
  const converted = toMinor(amount, CURRENCY);
  if (converted._tag === 'Left') throw new Error(`${amount} is no amount of ${CURRENCY}`);
  return converted.right;
}

/** Acknowledged captures and voids are in the log, and no others. */
function followUps(sent: readonly Sent[], payments: ReadonlyMap<string, Payment>): string[] {
  const problems: string[] = [];
  const asked = (kind: Kind) => new Set(sent.filter((each) => each.kind === kind).map(paymentOf));
  const [captures, voids] = [asked('capture'), asked('void')];
  for (const each of [...done(sent, 'capture'), ...done(sent, 'void')]) {
    const { id, status, capturedAmount } = each.answer.body;
    const kept = payments.get(id);
    if (status === 'Voided' && kept?.status !== 'Voided') problems.push(`${id} is not voided`);
    if (status !== 'Captured') continue;
    if (kept?.capturedMinor !== minor(capturedAmount)) problems.push(`${id} is not captured so`);
  }
  for (const { id, order, capturedAt, status } of payments.values()) {
    const isUnasked =
      capturedAt !== undefined && order.captureMode === 'manual' && !captures.has(id);
    if (isUnasked) problems.push(`the capture of ${id} was not requested`);
    if (status === 'Voided' && !voids.has(id)) problems.push(`the void of ${id} was not requested`);
  }
  return problems;
}

function paymentOf({ request }: Sent): string {
  return request.segments.id;
}

/** A captured payment with a subscription started it once; each unsubscribe ended it once. */
async function subscriptionsOf(
  sent: readonly Sent[],
  payments: ReadonlyMap<string, Payment>,
  { events, keys }: Inside,
): Promise<readonly string[]> {
  const started = new Map<string, string>();
  const left: string[] = [];
  const problems: string[] = [];
  for await (const batch of events.subscribe({ untilHead: true })) {
    const opener = await openerOf(keys, batch);
    for (const stored of batch) {
      const { event, stream } = decodeRecord(stored, opener);
      if (event.type === 'SubscriptionUnsubscribed') left.push(stream);
      if (event.type !== 'SubscriptionStarted') continue;
      if (started.has(event.transactionId)) problems.push(`${event.transactionId} started two`);
      started.set(event.transactionId, stream);
    }
  }
  const carrying = done(sent, 'payment').filter(
    ({ request }) => request.body.subscription !== undefined,
  );
  const expected = carrying
    .map(({ answer }) => answer.body.id as string)
    .filter((id) => payments.get(id)?.capturedAt !== undefined);
  const gone = new Set(
    sent.filter(({ kind }) => kind === 'unsubscribe').map(({ request }) => request.body.email),
  );
  const leavers = carrying
    .filter(({ request }) => gone.has(request.body.email))
    .map(({ answer }) => started.get(answer.body.id) ?? `that of ${answer.body.id}`);
  return [
    ...problems,
    ...differences({ of: 'subscription by', sent: expected, logged: started.keys() }),
    ...differences({ of: 'end of', sent: leavers, logged: left }),
  ];
}

/** Waiting for the gateway or the customer: such a response is not stored but made from the current state. */
const OPEN = ['Unknown', 'Processing', 'RequiresAction', 'RefundPending'];

/** Whether a repeated key gets the first response; for an open one, one about the same payment or refund. */
function isSame({ answer }: Sent, again: Sent): boolean {
  if (isOpen(answer)) {
    return idOf(again) === idOf({ ...again, answer });
  }
  return textOf(answer) === textOf(again.answer);
}

/** Whether the outcome is open: a repetition then shows the current state. */
export function isOpen({ status, body }: Sent['answer']): boolean {
  return status === 202 || OPEN.includes(body.status);
}

/** The response without the request id, which differs between repetitions. */
export function textOf({ status, body }: Sent['answer']): string {
  const { requestId, ...rest } = body;
  return `${status} ${JSON.stringify(rest)}${requestId === undefined ? '' : ' for a request'}`;
}

/**
 * Repeats every key at each host: the responses are identical to the first ones. Open outcomes show
 * their current state, equal at all hosts.
 */
export async function sameAnswers(
  sent: readonly Sent[],
  { balancer, hosts }: { readonly balancer: Balancer; readonly hosts: readonly Member[] },
): Promise<Claim> {
  const problems: string[] = [];
  const rest = sent.values();
  const work = async () => {
    for (const each of rest) {
      const { request, answer, as } = each;
      const { key } = request;
      const now = new Set<string>();
      for (const host of hosts) {
        const again = await balancer.sendTo(host, request, as);
        now.add(textOf(again));
        if (isSame(each, { ...each, answer: again })) continue;
        problems.push(`${key} at ${host.name} was ${textOf(answer)} and is now ${textOf(again)}`);
      }
      if (now.size > 1) problems.push(`${key} is ${[...now].join(' at one host, at another ')}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const facts = `${sent.length} keys, each repeated at both hosts`;
  return { says: 'a repeated key is answered the same', facts, problems };
}
