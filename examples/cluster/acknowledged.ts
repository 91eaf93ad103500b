/** Every acknowledged command stands in the log exactly once, and nothing else does. */
import { decodeRecord, openerOf, toMinor } from '@counterfoil/core';
import type { Credentials } from '@counterfoil/test/caller';
import { refundsOf, type Story, type Told } from '@counterfoil/test/told';
import type { Balancer } from './balancer.ts';
import { type Claim, differences } from './claim.ts';
import type { Inside } from './cluster.ts';
import type { Deed, Sent } from './load.ts';
import type { Member } from './member.ts';

const AT_ONCE = 12;
const CURRENCY = 'GBP';

interface Acknowledged {
  readonly story: Story;
  readonly sent: readonly Sent[];
}

/** What the log has against what was acknowledged. */
export async function exactlyOnce({ story, sent }: Acknowledged, inside: Inside): Promise<Claim> {
  const payments = new Map([...story.payments.values()].map((told) => [told.id, told]));
  const refunds = [...payments.values()].flatMap((told) =>
    refundsOf(told, 'RefundPending', 'Refunded', 'RefundFailed'),
  );
  const problems = [
    ...differences({ of: 'payment', told: idsOf(sent, 'payment'), kept: payments.keys() }),
    ...differences({ of: 'refund', ...refundsByName(sent, [...payments.values()]) }),
    ...amountsOf(sent, payments),
    ...followUps(sent, payments),
    ...(await subscriptionsOf(sent, payments, inside)),
  ];
  const facts = `${payments.size} payments and ${refunds.length} refunds in the log, of ${sent.length} acknowledged commands`;
  return { says: 'every acknowledged command exactly once', facts, problems };
}

function done(sent: readonly Sent[], deed: Deed): readonly Sent[] {
  return sent.filter((each) => each.deed === deed && idOf(each) !== undefined);
}

function idOf({ answer: { body } }: Sent): string | undefined {
  return body.refundId ?? body.id;
}

/**
 * Customer Service is not told the id of a refund that the gateway refused: such a one is named by its
 * payment.
 */
function refundsByName(sent: readonly Sent[], payments: readonly Told[]) {
  const ids = idsOf(sent, 'refund');
  const nameless = sent.filter(
    (each) => idOf(each) === undefined && each.answer.body.code === 'refund_failed',
  );
  const isTold = new Set(ids);
  const nameOf = (payment: string) => `that failed of ${payment}`;
  return {
    told: [...ids, ...nameless.map(({ body }) => nameOf(body.messageId))],
    kept: payments.flatMap((told) =>
      refundsOf(told, 'RefundPending', 'Refunded', 'RefundFailed').map(({ id, status }) =>
        isTold.has(id) || status !== 'RefundFailed' ? id : nameOf(told.id),
      ),
    ),
  };
}

function idsOf(sent: readonly Sent[], deed: Deed): readonly string[] {
  return done(sent, deed).map((each) => idOf(each) ?? '');
}

/** The amounts are those that were acknowledged, and each order was taken once. */
function amountsOf(sent: readonly Sent[], payments: ReadonlyMap<string, Told>): string[] {
  const problems: string[] = [];
  const expectSame = (what: string, told: unknown, kept: unknown) => {
    if (told !== kept) problems.push(`${what}: ${told} was acknowledged, the log says ${kept}`);
  };
  const orders = [...payments.values()].map(({ order }) => order.orderId);
  if (new Set(orders).size < orders.length) problems.push('an order was taken twice');
  for (const each of done(sent, 'payment')) {
    const { body } = each.answer;
    const kept = payments.get(body.id);
    expectSame(`order of ${body.id}`, each.body.orderId, kept?.order.orderId);
    expectSame(`amount of ${body.id}`, minor(each.body.amount), kept?.order.amountMinor);
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
      minor(amount ?? each.body.amount),
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

/** Captures and voids that were acknowledged are there, and none is there that nobody asked for. */
function followUps(sent: readonly Sent[], payments: ReadonlyMap<string, Told>): string[] {
  const problems: string[] = [];
  const asked = (deed: Deed) => new Set(sent.filter((each) => each.deed === deed).map(paymentOf));
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
    if (isUnasked) problems.push(`nobody asked for the capture of ${id}`);
    if (status === 'Voided' && !voids.has(id)) problems.push(`nobody asked for the void of ${id}`);
  }
  return problems;
}

function paymentOf({ path }: Sent): string {
  return path.split('/')[3] ?? '';
}

/** A captured payment that carries a subscription has started it once; who left has left once. */
async function subscriptionsOf(
  sent: readonly Sent[],
  payments: ReadonlyMap<string, Told>,
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
  const carrying = done(sent, 'payment').filter(({ body }) => body.subscription !== undefined);
  const expected = carrying
    .map(({ answer }) => answer.body.id as string)
    .filter((id) => payments.get(id)?.capturedAt !== undefined);
  const gone = new Set(
    sent.filter(({ deed }) => deed === 'unsubscribe').map(({ body }) => body.email),
  );
  const leavers = carrying
    .filter(({ body }) => gone.has(body.email))
    .map(({ answer }) => started.get(answer.body.id) ?? `that of ${answer.body.id}`);
  return [
    ...problems,
    ...differences({ of: 'subscription by', told: expected, kept: started.keys() }),
    ...differences({ of: 'end of', told: leavers, kept: left }),
  ];
}

/** Waits for the gateway or the customer: such an answer is not kept, but made anew. */
const OPEN = ['Unknown', 'Processing', 'RequiresAction', 'RefundPending'];

/** Whether the answer to a repeated key is the first one; to an open one, that of the same deed. */
function isSame({ answer }: Sent, again: Sent): boolean {
  if (isOpen(answer)) {
    return idOf(again) === idOf({ ...again, answer });
  }
  return shown(answer) === shown(again.answer);
}

/** Whether it is not the last word: a repetition shows the present state then. */
export function isOpen({ status, body }: Sent['answer']): boolean {
  return status === 202 || OPEN.includes(body.status);
}

/** All but what names the request: a refusal that is told again carries the id of the present one. */
export function shown({ status, body }: Sent['answer']): string {
  const { requestId, ...rest } = body;
  return `${status} ${JSON.stringify(rest)}${requestId === undefined ? '' : ' for a request'}`;
}

/**
 * Every key once more at each host: it answers as it did the first time, word for word. What was open
 * then is told as it is now, by both hosts alike.
 */
export async function sameAnswers(
  sent: readonly Sent[],
  {
    balancer,
    hosts,
    as,
  }: { readonly balancer: Balancer; readonly hosts: readonly Member[]; readonly as: Credentials },
): Promise<Claim> {
  const problems: string[] = [];
  const rest = sent.values();
  const work = async () => {
    for (const each of rest) {
      const { path, body, key, answer } = each;
      const now = new Set<string>();
      for (const host of hosts) {
        const again = await balancer.sendTo(host, { path, body, key }, as);
        now.add(shown(again));
        if (isSame(each, { ...each, answer: again })) continue;
        problems.push(`${key} at ${host.name} was ${shown(answer)} and is now ${shown(again)}`);
      }
      if (now.size > 1) problems.push(`${key} is ${[...now].join(' at one host, at another ')}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const facts = `${sent.length} keys, each repeated at both hosts`;
  return { says: 'a repeated key is answered the same', facts, problems };
}
