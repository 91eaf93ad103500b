/** Bytes that no client library would send: refused as documented, with no trace and no leak. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { card, USER_EMAIL } from '../e2e/running-host.ts';
import { FuzzedHost } from './fuzzed-host.ts';
import { RAW_CASES } from './raw-cases.ts';
import type { RawCase, Speaker } from './raw-framing.ts';
import { Wire } from './wire.ts';

const HEADERS_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;
const POLLING = { timeout: 15_000, interval: 10 };

vi.setConfig({ testTimeout: 30_000, hookTimeout: 120_000 });

let host: FuzzedHost;
let speaker: Speaker;
let before: Awaited<ReturnType<FuzzedHost['head']>>;

beforeAll(async () => {
  host = await FuzzedHost.start({
    HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT_MS),
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  });
  speaker = speakerOf(host);
});
afterAll(() => host.close());

function speakerOf({ tenancies }: FuzzedHost): Speaker {
  const { id, key } = tenancies.still;
  const head = (line: string, headers: readonly string[] = []) =>
    [
      line,
      'Host: localhost',
      `Authorization: ${key}`,
      `ClientId: ${id}`,
      `UserEmail: ${USER_EMAIL}`,
      ...headers,
      '\r\n',
    ].join('\r\n');
  const paymentBody = JSON.stringify({
    amount: 1,
    currency: 'GBP',
    email: 'ada@example.com',
    card: card(),
  });
  const framing = ['Content-Type: application/json', `Content-Length: ${paymentBody.length}`];
  const payment = head('POST /v1/payments HTTP/1.1', framing) + paymentBody;
  return { head, payment, paymentBody };
}

beforeEach(async () => {
  before = await host.head();
});

/** Whatever was sent, the host is there, waits for nothing, and serves the next caller. */
afterEach(async () => {
  expect(host.isAlive).toBe(true);
  // The request that asks is one itself.
  await vi.waitUntil(async () => (await host.metric('http_requests_in_flight')) === 1, POLLING);
  const wire = new Wire(host.port);
  wire.send(speaker.head('GET /livez HTTP/1.1'));
  await wire.answered(1);
  expect(wire.answers[0]?.status).toBe(200);
  wire.destroy();
});

async function expectNoTrace(): Promise<void> {
  const events = await host.eventsSince(before, host.tenancies.still.id);
  // The host itself may still be following up what an earlier case was right to do.
  expect(events.filter((event) => !event.endsWith(' {"actor":"system"}'))).toEqual([]);
}

function expectAnswers(wire: Wire, expected: RawCase['answers']): void {
  const given = wire.answers.map(({ status, text }) => {
    const code = status < 400 ? undefined : JSON.parse(text).code;
    return code === undefined ? [status] : [status, code];
  });
  expect(given).toEqual(expected);
  const documented = host.documented.document['x-error-codes'];
  for (const { status, headers, text } of wire.answers) {
    if (status < 400) continue;
    expect(host.documented.faultsAt(['components', 'schemas', 'Error'], JSON.parse(text))).toEqual(
      [],
    );
    expect(documented[JSON.parse(text).code]?.status).toBe(status);
    expect(headers.get('x-request-id')).toBe(JSON.parse(text).requestId);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
}

describe.each(Object.entries(RAW_CASES))('%s', (_group, cases) => {
  it.each(cases)('$name', async ({ sent, answers, closes, takesMoney }) => {
    const wire = new Wire(host.port);
    for (const part of sent(speaker)) wire.send(part);
    await wire.answered(answers.length);
    if (closes) await wire.closed();
    expectAnswers(wire, answers);
    if (!closes) {
      // What is left over on the connection would be read as the head of this.
      wire.send(speaker.head('GET /livez HTTP/1.1'));
      await wire.answered(answers.length + 1);
      expectAnswers(wire, [...answers, [200]]);
    }
    wire.destroy();
    if (!takesMoney) await expectNoTrace();
  });
});

describe('callers that are slow, or leave', () => {
  const framing = (length: number) => [
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ];
  const pay = 'POST /v1/payments HTTP/1.1';

  it.each<[string, () => string]>([
    ['a request line', () => 'GET /livez HTTP/1.1\r\n'],
    ['half of a body', () => `${speaker.head(pay, framing(10))}{"a"`],
    [
      'half of a chunk',
      () =>
        `${speaker.head(pay, ['Content-Type: application/json', 'Transfer-Encoding: chunked'])}a\r\n{"a"`,
    ],
  ])('%s, and nothing more: 408', async (_name, bytes) => {
    const wire = new Wire(host.port);
    wire.send(bytes());
    await wire.closed();
    expectAnswers(wire, [[408, 'request_timeout']]);
    await expectNoTrace();
  });

  it.each<[string, () => [atOnce: string, slowly: string]]>([
    ['a head', () => ['', speaker.head('GET /livez HTTP/1.1')]],
    ['a body', () => [speaker.head(pay, framing(1_000)), ' '.repeat(1_000)]],
  ])('%s byte by byte: 408', async (_name, bytes) => {
    const wire = new Wire(host.port);
    const [atOnce, slowly] = bytes();
    wire.send(atOnce);
    const rest = [...slowly];
    // At this pace it would take longer than any timeout, and never rests for long.
    const pace = setInterval(() => wire.send(rest.shift() ?? ''), REQUEST_TIMEOUT_MS / 50);
    await wire.closed().finally(() => clearInterval(pace));
    expectAnswers(wire, [[408, 'request_timeout']]);
    await expectNoTrace();
  });

  it.each<[string, (wire: Wire) => void]>([
    ['closes', (wire) => wire.destroy()],
    ['resets', (wire) => wire.reset()],
  ])('a caller that %s in the middle of a body leaves nothing behind', async (_name, leave) => {
    const wire = new Wire(host.port);
    wire.send(speaker.payment.slice(0, -5));
    await vi.waitUntil(async () => (await host.metric('http_requests_in_flight')) === 2, POLLING);
    leave(wire);
    await wire.closed();
    await vi.waitUntil(async () => (await host.metric('http_requests_in_flight')) === 1, POLLING);
    await expectNoTrace();
  });

  it('a caller that ends after its request is answered', async () => {
    const wire = new Wire(host.port);
    wire.send(speaker.head('GET /v1/payments?limit=1 HTTP/1.1'));
    wire.end();
    await wire.closed();
    expectAnswers(wire, [[200]]);
  });

  it('many callers that leave at once leave no request behind', async () => {
    const wires = Array.from({ length: 100 }, () => new Wire(host.port));
    for (const [index, wire] of wires.entries()) {
      // Each one a little further, and none to its end.
      wire.send(speaker.payment.slice(0, -1 - index));
    }
    await vi.waitUntil(async () => (await host.metric('http_requests_in_flight')) > 1, POLLING);
    for (const wire of wires) wire.reset();
    await vi.waitUntil(async () => (await host.metric('http_requests_in_flight')) === 1, POLLING);
    await expectNoTrace();
  });
});
