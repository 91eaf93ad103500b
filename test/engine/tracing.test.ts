/** Traces of an embedded ledger: within the spans of the embedder, and of what it does by itself. */

import {
  createLogger,
  type Ledger,
  type Logger,
  openLedger,
  silentLogger,
} from '@counterfoil/engine';
import {
  GatewayTimeout,
  openSandboxGateway,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Recorded, recordSpans, textOf, treeOf } from '../setup/spans.ts';
import { mail, opened } from './mail-shop.ts';
import { CARD, codeOf, order, withShop } from './shop.ts';
import { openSender, paidLead, TENANT } from './webhook-sink.ts';

async function openShop(options: Partial<Parameters<typeof openLedger>[0]> = {}) {
  const ledger = await openLedger({ storage: 'memory:', logger: silentLogger, ...options });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  return { ledger, shop: shopOf(ledger) };
}

const shopOf = (ledger: Ledger) => ledger.as({ tenantId: TENANT, actor: 'shop' });

/** A sandbox whose charges fail. */
function failingGateway(errorOf: () => Error): PaymentGateway {
  const gateway = openSandboxGateway({ path: ':memory:', gatewayId: 1 });
  return new Proxy(gateway, {
    get(target, name) {
      if (name === 'charge') return () => Promise.reject(errorOf());
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function loggerOf(lines: string[]): Logger {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLogger({ level: 'info', destination });
}

function ownLoggerOf(lines: string[]): Logger {
  const write = (facts: object, message: string) =>
    void lines.push(JSON.stringify({ ...facts, message }));
  return { debug: write, info: write, warn: write, error: write };
}

it('makes none without a tracer provider', async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => context.disable());
  const lines: string[] = [];
  const active: unknown[] = [];
  const gateway = failingGateway(() => {
    active.push(trace.getActiveSpan());
    return new Error('no');
  });
  const { shop } = await openShop({ gateways: [gateway], logger: loggerOf(lines) });
  expect(await codeOf(shop.payments.submit(order()))).toBe('GatewayFailed');
  expect(active).toEqual([undefined]);
  expect(lines.join('')).toContain('the gateway failed');
  expect(lines.join('')).not.toContain('traceId');
});

describe('with a tracer provider', () => {
  let spans: Recorded;
  beforeEach(() => {
    spans = recordSpans();
  });
  afterEach(() => spans.end());

  it('calls are within the spans of the embedder', async () => {
    const { shop } = await openShop();
    await shop.payments.submit(order());
    await spans.within('checkout', async () => {
      const paid = await shop.payments.submit(order());
      await shop.payments.get(paid.id);
    });
    const checkout = await spans.ended('checkout');
    expect(treeOf(spans.all(), checkout)).toEqual([
      'checkout',
      '  payments.submit',
      '    gateway tokenize',
      '    append transaction',
      '    gateway charge',
      '    append transaction',
      '  payments.get',
    ]);
  });

  it('commands tell how many events they made, and whether they are repeated', async () => {
    const { shop } = await openShop();
    const { id } = await shop.payments.submit(order());
    const refund = { amount: '5.00', idempotencyKey: 'return-7' };
    await shop.payments.refund(id, refund);
    await shop.payments.refund(id, refund);
    const requests = spans
      .all()
      .filter(({ attributes }) => attributes['counterfoil.command'] === 'RequestRefund');
    expect(requests.map(({ attributes }) => attributes)).toMatchObject([
      { 'counterfoil.tenant_id': 7, 'counterfoil.events': 1, 'counterfoil.repeated': false },
      { 'counterfoil.tenant_id': 7, 'counterfoil.events': 1, 'counterfoil.repeated': true },
    ]);
  });

  it('commands whose events become durable as one are one span, with the sum of the events', async () => {
    const { shop } = await openShop();
    await shop.customers.register({ email: 'ann@shop.example' });
    const together = await spans.ended('append customer and customer_account');
    expect(together.attributes).toEqual({
      'counterfoil.tenant_id': TENANT,
      'counterfoil.command': 'IdentifyCustomer and RegisterCustomer',
      'counterfoil.events': 2,
      'counterfoil.repeated': false,
    });
  });

  it('a refusal is an attribute, and no error', async () => {
    const { shop } = await openShop();
    const { id } = await shop.payments.submit(order());
    await codeOf(shop.payments.refund(id, { amount: '20.00' }));
    const call = await spans.ended('payments.refund');
    expect(call.status.code).toBe(SpanStatusCode.UNSET);
    expect(call.attributes['counterfoil.refusal']).toBe('RefundExceedsRemaining');
    await codeOf(shop.payments.submit(order({ colour: 'red' })));
    const checked = spans.all().findLast(({ name }) => name === 'payments.submit');
    expect(checked?.attributes['counterfoil.refusal']).toBe('InputInvalid');
  });

  it('a refusal that a repetition may not meet is an error', async () => {
    const { ledger, shop } = await openShop();
    await ledger.close();
    expect(await codeOf(shop.payments.submit(order()))).toBe('LedgerClosed');
    const call = await spans.ended('payments.submit');
    expect(call.status.code).toBe(SpanStatusCode.ERROR);
    expect(call.attributes['counterfoil.refusal']).toBe('LedgerClosed');
  });

  it.each([
    ['fails', new TypeError(`no card ${CARD.number}`), 'TypeError'],
    ['does not answer', new GatewayTimeout(), 'GatewayTimeout'],
  ])('a gateway that %s is an error, without its words', async (_, error, type) => {
    const { shop } = await openShop({ gateways: [failingGateway(() => error)] });
    await codeOf(shop.payments.submit(order()));
    const charge = await spans.ended('gateway charge');
    expect(charge.kind).toBe(SpanKind.CLIENT);
    expect(charge.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(charge.attributes).toEqual({
      'counterfoil.gateway': 'Sandbox',
      'counterfoil.gateway_id': 1,
      'counterfoil.merchant_account_id': 1,
      'error.type': type,
    });
    expect(textOf(spans.all())).not.toContain(CARD.number);
  });

  it.each([
    ['of the ledger', loggerOf],
    ['of the embedder', ownLoggerOf],
  ])('a line of the logger %s has the ids of the span', async (_, makeLogger) => {
    const lines: string[] = [];
    const gateway = failingGateway(() => new Error('no'));
    const { shop } = await openShop({ gateways: [gateway], logger: makeLogger(lines) });
    await codeOf(shop.payments.submit(order()));
    const { traceId, spanId } = (await spans.ended('payments.submit')).spanContext();
    const line = lines.find((each) => each.includes('the gateway failed')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ traceId, spanId });
  });

  it.each([
    [200, SpanStatusCode.UNSET],
    [500, SpanStatusCode.ERROR],
  ])('a webhook that is answered with %d has the status %d', async (status, code) => {
    const sender = await spans.within('open', () => openSender());
    sender.sink.status(status);
    const { id } = await sender.shop.webhookEndpoints.create(sender.out);
    await spans.within('visit', () => paidLead(sender));
    const [received] = await sender.sink.has(1);
    const sent = await spans.ended('send webhook');
    expect(sent.kind).toBe(SpanKind.CLIENT);
    expect(sent.status.code).toBe(code);
    expect(sent.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': status,
      'counterfoil.tenant_id': TENANT,
      'counterfoil.webhook_endpoint': id,
      'counterfoil.webhook_message': received?.body.id,
      'counterfoil.attempt': 1,
      ...(status === 500 && { 'error.type': '500' }),
    });
    // It belongs to nothing that was done before, and tells the receiver of no trace.
    expect(sent.parentSpanContext).toBeUndefined();
    expect(received?.headers).not.toHaveProperty('traceparent');
  });

  it('a mail is sent within what sends it, and names nobody', async () => {
    const { ledger, shop } = await opened();
    const { id } = await shop.mails.submit(mail());
    await spans.within('timer', () => ledger.runDue());
    const sent = await spans.ended('send mail');
    expect(sent.kind).toBe(SpanKind.CLIENT);
    expect(sent.status.code).toBe(SpanStatusCode.UNSET);
    expect(sent.attributes).toEqual({
      'counterfoil.tenant_id': TENANT,
      'counterfoil.mail': id,
      'counterfoil.mail_kind': 'submitted',
      'counterfoil.attempt': 1,
      'counterfoil.outcome': 'sent',
    });
    const timer = await spans.ended('timer');
    expect(treeOf(spans.all(), timer)).toContain('  send mail');
    expect(textOf(spans.all())).not.toMatch(/ann@|Änn|post@/);
  });

  it('a mail that its server refuses is an error', async () => {
    const onRcptTo = (_: unknown, __: unknown, done: (error: Error) => void) =>
      done(Object.assign(new Error('ann@example.com is unknown'), { responseCode: 550 }));
    const { ledger, shop } = await opened({ smtp: { onRcptTo } });
    await shop.mails.submit(mail());
    await ledger.runDue();
    const sent = await spans.ended('send mail');
    expect(sent.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(sent.attributes).toMatchObject({
      'counterfoil.outcome': 'refused',
      'error.type': '550',
    });
    expect(textOf(spans.all())).not.toContain('ann@');
  });
});
