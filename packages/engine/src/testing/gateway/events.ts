/** Cases of the gateway contract about events: what is listed, what it is about, and who has signed it. */
import { describe, expect, it, vi } from 'vitest';
import { boundedEvents } from '../../gateways/bounded-events.ts';
import type {
  EventPage,
  GatewayEvent,
  GatewayEvents,
  GatewayFinding,
} from '../../gateways/gateway-events.ts';
import type { PaymentGateway } from '../../gateways/payment-gateway.ts';
import { type EventTriggers, expectDone, type Harness, idIn, type Opened } from './harness.ts';

/** For slow test modes; bounded by the timeout of the case. */
const WAIT = { timeout: 30_000, interval: 50 };
const MAX_PAGES = 1_000;
const HOUR_MS = 3_600_000;

export function describeEvents<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  const { events: triggers } = harness.contract;
  if (triggers === undefined) {
    describe.skip('events', () => it('are reported', () => undefined));
    return;
  }
  describe('events', () => declareCases(harness, triggers));
}

function declareCases<Gateway extends PaymentGateway>(
  harness: Harness<Gateway>,
  triggers: EventTriggers,
): void {
  harness.declare('lead to a refund that failed later', ['approve'], async (opened) => {
    const charged = await opened.charged('approve');
    const { paymentId } = charged.request;
    const refund = { ...opened.followUp(charged, 25n), paymentId };
    const refundedId = idIn(await expectDone(opened.gateway.refund(refund)));
    await triggers.failRefund(refundedId);
    const found = await foundAbout(opened, paymentId);
    expect(found).toMatchObject({ kind: 'refund-failed', refundId: refund.transactionId });
  });

  harness.declare('lead to a chargeback, the same each time', ['approve'], async (opened) => {
    const { request, id } = await opened.charged('approve');
    await triggers.dispute(id);
    const found = await foundAbout(opened, request.paymentId);
    expect(found).toMatchObject({
      kind: 'chargeback',
      status: 'ChargebackOpen',
      gatewayTransactionId: id,
      amountMinor: request.amountMinor,
      currency: request.currency,
      reference: expect.stringMatching(/./),
    });
    expect(await foundAbout(opened, request.paymentId)).toEqual(found);
  });

  harness.declare('are listed from a time on, each once', ['approve'], async (opened) => {
    const { request, id } = await opened.charged('approve');
    await triggers.dispute(id);
    await foundAbout(opened, request.paymentId);
    const all = await listed(opened);
    expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
    const newestMs = Math.max(...all.map(({ at }) => Date.parse(at)));
    const later = await listed(opened, new Date(newestMs + HOUR_MS).toISOString());
    expect(later).toEqual([]);
    const since = await listed(opened, new Date(newestMs).toISOString());
    expect(since.length).toBeGreaterThan(0);
  });

  harness.declare('are those of one place for one account', [], async (opened) => {
    const { context } = opened;
    const scope = eventsOf(opened).scopeOf(context);
    expect(scope).toEqual(expect.any(String));
    expect(eventsOf(opened).scopeOf(structuredClone(context))).toBe(scope);
  });

  harness.declare('are taken when they are signed, and in no other form', [], async (opened) => {
    const events = eventsOf(opened);
    const { context } = opened;
    const receivedAt = new Date().toISOString();
    const message = { ...(await triggers.signed()), receivedAt };
    expect(events.isSigned(message, context)).toBe(true);
    const read = events.eventOf(JSON.parse(Buffer.from(message.body).toString('utf8')));
    expect(read).toMatchObject({ id: expect.stringMatching(/./), at: expect.any(String) });
    const altered = Uint8Array.from(message.body, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    const forged = [
      { ...message, body: altered },
      { ...message, body: new Uint8Array() },
      { ...message, signature: '' },
      { ...message, signature: message.signature.slice(0, -4) },
    ];
    for (const each of forged) expect(events.isSigned(each, context)).toBe(false);
    const account = { ...context.account, credentials: { ...NO_CREDENTIALS } };
    expect(events.isSigned(message, { ...context, account })).toBe(false);
    expect(events.isSigned(message, { ...context, sandbox: false })).toBe(false);
  });

  harness.declare('are nothing where they have no form', [], async (opened) => {
    for (const body of [null, undefined, 5, 'event', [], {}, { id: 5 }, { id: 'evt_1' }]) {
      expect(eventsOf(opened).eventOf(body)).toBeUndefined();
    }
    expect(await eventsOf(opened).findingOf('', opened.context)).toBeUndefined();
  });
}

const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

/** With the timeouts and the check of the form of every answer, as in the engine. */
function eventsOf<Gateway extends PaymentGateway>({ opened, bounds }: Opened<Gateway>) {
  const events = boundedEvents(opened, bounds);
  if (events === undefined) throw new Error(`${opened.name} has no events`);
  return events;
}

async function listed<Gateway extends PaymentGateway>(
  opened: Opened<Gateway>,
  since?: string,
): Promise<readonly GatewayEvent[]> {
  const events: GatewayEvents = eventsOf(opened);
  const found: GatewayEvent[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const from = { ...(since !== undefined && { since }), ...(after !== undefined && { after }) };
    const { events: some, next }: EventPage = await events.list(from, opened.context);
    found.push(...some);
    if (next === undefined) return found;
    after = next;
  }
  throw new Error(`more than ${MAX_PAGES} pages of events`);
}

/** How what happened to a payment stands now, as the list leads to it. */
function foundAbout<Gateway extends PaymentGateway>(
  opened: Opened<Gateway>,
  paymentId: string,
): Promise<GatewayFinding> {
  return vi.waitFor(async () => {
    const subjects = new Set((await listed(opened)).map(({ subject }) => subject));
    for (const subject of subjects) {
      const found = await eventsOf(opened).findingOf(subject, opened.context);
      if (found?.paymentId === paymentId) return found;
    }
    throw new Error('the list does not lead to it yet');
  }, WAIT);
}
