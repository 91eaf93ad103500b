/** Traces of requests, as a process with a tracer provider gets them. */
import { text } from 'node:stream/consumers';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeIn, readDocument, section, tableRows } from '../docs/markdown.ts';
import {
  CARDS,
  type Caller,
  CVV,
  card,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from '../e2e/running-host.ts';
import { type Recorded, recordSpans, textOf, treeOf } from '../setup/spans.ts';
import { HEADERS, startBench } from './listening-host.ts';

const TENANT = 11;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;
const EMAIL = 'augusta.king@lovelace.example';

/** Names that no span has by chance. */
const name = fc.stringMatching(/^[A-Z][a-z]{9,14}$/);
const somebody = fc
  .record({
    firstName: name,
    lastName: name,
    address: name.map((street) => `${street} Road 7`),
  })
  .map((person) => ({ ...person, email: `${person.firstName}.${person.lastName}@example.com` }));

const lines: string[] = [];
let spans: Recorded;
let running: Running;
let caller: Caller;

beforeAll(async () => {
  spans = recordSpans();
  await spans.within('start', async () => {
    running = await startHost({ lines });
  });
  caller = await openTenant(running, TENANT);
  // The first payment also reserves numbers.
  await caller.paid({ email: EMAIL });
  await spans.ended('POST /v1/payments');
});
beforeEach(() => {
  spans.forget();
  lines.length = 0;
});
afterAll(async () => {
  await running.close();
  await spans.end();
});

describe('a payment', () => {
  it('shows its request, call, commands and gateway', async () => {
    await caller.pay({ email: EMAIL, capture: false }, { 'X-Request-Id': 'order-7' });
    const request = await spans.ended('POST /v1/payments');
    expect(treeOf(spans.all(), request)).toEqual([
      'POST /v1/payments',
      '  payments.submit',
      '    gateway tokenize',
      '    append transaction',
      '    gateway charge',
      '    append transaction',
    ]);
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      parentSpanContext: undefined,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/payments',
      'http.response.status_code': 201,
      'counterfoil.request_id': 'order-7',
      'counterfoil.tenant_id': TENANT,
      'counterfoil.environment': 'live',
    });
  });

  it('is no error where it is declined', async () => {
    await caller.pay({ email: EMAIL, card: card(CARDS.stolen) });
    const request = await spans.ended('POST /v1/payments');
    expect(request.attributes['http.response.status_code']).toBe(402);
    const charge = await spans.ended('gateway charge');
    expect(charge.attributes['counterfoil.outcome']).toBe('declined');
    const codes = spans.all().map(({ status }) => status.code);
    expect(new Set(codes)).toEqual(new Set([SpanStatusCode.UNSET]));
  });

  it('names no person and no card, in any request about it', async () => {
    await fc.assert(
      fc.asyncProperty(somebody, async (person) => {
        spans.forget();
        const { email, firstName, lastName, address } = person;
        const customer = { firstName, lastName };
        const addresses = [{ firstName, lastName, address, email }];
        const paid = await caller.paid({ email, customer, addresses });
        const answers = [
          await caller.wire.get(`/v1/payments?emails=${email}&lastName=${lastName}`),
          await caller.search({ emails: [email], firstName }),
          await caller.wire.get(`/customers/${paid.customerId}`),
          await caller.detail(paid.id, { getAddressData: true }),
          await caller.pay({ email: `${email}?`, customer }),
          await caller.pay({ email, customer, partnerSession: CARDS.approve }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400, 400]);
        await spans.ended('POST /customerapi/detail');
        const sent = textOf(spans.all());
        for (const entered of [email, firstName, lastName, address, USER_EMAIL]) {
          expect(sent).not.toContain(entered);
        }
        const values = spans.all().flatMap(({ attributes }) => Object.values(attributes));
        for (const number of [CARDS.approve, CARDS.approve.slice(0, 6), CVV]) {
          expect(values.map(String)).not.toContain(number);
        }
      }),
      { numRuns: 5 },
    );
  });
});

describe('the parent of a request', () => {
  it('is the span of its traceparent', async () => {
    await caller.wire.get('/v1/payments', { traceparent: TRACEPARENT, tracestate: 'vendor=1' });
    const request = await spans.ended('GET /v1/payments');
    expect(request.parentSpanContext).toMatchObject({ traceId: TRACE_ID, spanId: PARENT_ID });
    expect(request.spanContext().traceState?.serialize()).toBe('vendor=1');
    const call = await spans.ended('payments.list');
    expect(call.spanContext().traceId).toBe(TRACE_ID);
  });

  it.each([
    ['malformed', `00-${TRACE_ID}-${PARENT_ID}`],
    ['of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
    ['with a card number', `00-${'a'.repeat(32)}-${CARDS.approve}-01`],
  ])('is none of a traceparent that is %s', async (_, traceparent) => {
    expect((await caller.wire.get('/v1/payments', { traceparent })).status).toBe(200);
    const { parentSpanContext } = await spans.ended('GET /v1/payments');
    expect(parentSpanContext).toBeUndefined();
  });

  it('keeps no vendor state with a card number', async () => {
    const tracestate = `vendor=${CARDS.approve}`;
    await caller.wire.get('/v1/payments', { traceparent: TRACEPARENT, tracestate });
    const request = await spans.ended('GET /v1/payments');
    expect(request.spanContext().traceState).toBeUndefined();
  });

  it('is no other request, nor the span that the host was started in', async () => {
    for (let count = 0; count < 3; count += 1)
      await caller.wire.get('/livez', { Connection: 'keep-alive' });
    await caller.wire.get('/readyz');
    await spans.ended('GET /readyz');
    const requests = spans.all().filter(({ kind }) => kind === SpanKind.SERVER);
    const traces = requests.map((span) => [span.name, span.parentSpanContext]);
    expect(traces).toEqual([
      ...Array.from({ length: 3 }, () => ['GET /livez', undefined]),
      ['GET /readyz', undefined],
    ]);
    expect(new Set(requests.map((span) => span.spanContext().traceId)).size).toBe(4);
  });

  it('is the span that is active where the request arrives', async () => {
    const { server } = await startBench();
    await spans.within('instrumented', async () => {
      const socket = server.connect();
      const head = ['GET /livez HTTP/1.1', 'Host: x', 'Connection: close'];
      socket.write(`${[...head, `traceparent: ${TRACEPARENT}`].join('\r\n')}\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    });
    const outer = await spans.ended('instrumented');
    expect(treeOf(spans.all(), outer)).toEqual(['instrumented', '  GET /livez']);
  });

  it('decides whether spans are recorded', async () => {
    await caller.pay({}, { traceparent: TRACEPARENT.replace(/01$/, '00') });
    await caller.wire.get('/readyz');
    await spans.ended('GET /readyz');
    expect(spans.all().map(({ name }) => name)).not.toContain('payments.submit');
    expect(lineOf('POST').traceId).toBe(TRACE_ID);
  });
});

describe('what is not done', () => {
  it.each([
    ['/v1/payments/no-uuid', {}, 'GET /v1/payments/{id}', 400, 'invalid_request'],
    ['/nowhere?email=a@b.example', {}, 'GET', 404, 'route_not_found'],
    ['/v1/payments', { Authorization: 'wrong' }, 'GET /v1/payments', 401, 'api_key_invalid'],
  ])('%s is refused, and no error', async (path, headers, name, status, code) => {
    await caller.wire.get(path, headers);
    const request = await spans.ended(name);
    expect(request.status.code).toBe(SpanStatusCode.UNSET);
    expect(request.attributes).toMatchObject({
      'http.response.status_code': status,
      'counterfoil.refusal': code,
    });
  });

  it('is an error of the request where the host failed', async () => {
    const { url } = await startBench();
    expect((await fetch(`${url}/things/500`, { headers: HEADERS })).status).toBe(500);
    const request = await spans.ended('GET /things/{id}');
    expect(request.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(request.attributes).toMatchObject({
      'error.type': '500',
      'counterfoil.refusal': 'internal_error',
    });
    expect(textOf(spans.all())).not.toContain('secret');
  });
});

it('writes the ids of the span into the line of the request', async () => {
  await caller.pay();
  const { traceId, spanId } = (await spans.ended('POST /v1/payments')).spanContext();
  expect(lineOf('POST')).toMatchObject({ traceId, spanId });
});

it('has the attributes that the documents list, and no others', async () => {
  const rows = tableRows(section(readDocument('docs/operations.md'), '## Traces'));
  const listed = new Set(rows.map(([name]) => codeIn(name)));
  await caller.paid();
  await caller.wire.get('/nowhere');
  await spans.ended('GET');
  const used = spans.all().flatMap(({ attributes }) => Object.keys(attributes));
  expect(new Set(used).size).toBeGreaterThan(10);
  expect(used.filter((name) => !listed.has(name))).toEqual([]);
});

const lineOf = (method: string) =>
  lines.map((line) => JSON.parse(line)).find((line) => line.method === method);
