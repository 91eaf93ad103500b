/** A shop of one page, on another origin than the host: its server has the secret key, its page the public ones. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const PRODUCT = 'Blue teapot';
const PRICE = 24.5;
const CURRENCY = 'GBP';
/** Its domain is one of the tenant's sender domains. */
const SENDER = 'Teapots <orders@teapots.example>';
const MAX_BODY_BYTES = 64 * 1_024;
const WEBHOOK_TOLERANCE_SECONDS = 300;

export interface ShopOptions {
  /** The address of the host. */
  readonly host: string;
  readonly tenantId: number;
  /** Secret: it stays on this server. */
  readonly apiKey: string;
  /** Of webhooks: `whsec_…`. Without one none are taken. */
  readonly webhookSecret?: () => string | undefined;
  /** Secret: mails receipts. Without one none are sent. */
  readonly tenantKey?: string;
  readonly leadKey: string;
  readonly paymentKey: string;
  /** 0: any free one. */
  readonly port?: number;
}

interface Order {
  readonly number: string;
  sessionId?: string;
}

/** An event that the host has sent, and that has its signature. */
export interface Received {
  readonly type: string;
  readonly data: unknown;
}

export interface Shop {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

export async function openShop(options: ShopOptions): Promise<Shop> {
  const orders = new Map<string, Order>();
  const received: Received[] = [];
  const shop: Running = { options, orders, received, url: '' };
  const server = createServer((request, response) => {
    answer(shop, request, response).catch((error: unknown) => {
      console.error(error);
      send(response, 500, 'text/plain', 'Something went wrong');
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  shop.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: shop.url, received, close: () => closed(server) };
}

interface Running {
  readonly options: ShopOptions;
  readonly orders: Map<string, Order>;
  readonly received: Received[];
  url: string;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(
  shop: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', shop.url);
  const route = `${request.method} ${pathname}`;
  if (route === 'GET /') return sendPage(shop, response, productPage(shop.options));
  if (route === 'GET /shop.js') return sendFile(response, 'page.js', 'text/javascript');
  if (route === 'GET /shop.css') return sendFile(response, 'page.css', 'text/css');
  if (route === 'GET /thanks') {
    return sendPage(shop, response, await thanksPage(shop, searchParams.get('order') ?? ''));
  }
  if (route === 'POST /checkout') return checkout(shop, await bodyOf(request), response);
  if (route === 'POST /webhooks') return takeWebhook(shop, request, response);
  send(response, 404, 'text/plain', 'There is no such page');
}

/** Opens a checkout session: the price is this server's, whatever the page says. */
async function checkout(shop: Running, body: string, response: ServerResponse): Promise<void> {
  const { email, serviceSession, partnerSession } = JSON.parse(body) as Record<string, string>;
  const order: Order = { number: randomUUID() };
  const { status, answer: session } = await callHost(
    shop.options,
    'POST',
    '/v1/checkout-sessions',
    {
      amount: PRICE,
      currency: CURRENCY,
      email,
      serviceSession,
      partnerSession,
      successUrl: `${shop.url}/thanks?order=${order.number}`,
      cancelUrl: `${shop.url}/`,
      expiresIn: 3_600,
    },
  );
  if (status !== 201) return sendJson(response, 400, { message: session['message'] });
  order.sessionId = String(session['id']);
  shop.orders.set(order.number, order);
  sendJson(response, 200, { sessionId: session['id'], clientSecret: session['clientSecret'] });
}

async function callHost(
  { host, apiKey, tenantId }: ShopOptions,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }> {
  const given = await fetch(host + path, {
    method,
    headers: {
      Authorization: apiKey,
      ClientId: String(tenantId),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: given.status, answer: (await given.json()) as Record<string, unknown> };
}

/** Standard Webhooks: HMAC-SHA256 of id, time and body with the secret. */
async function takeWebhook(
  { options, received }: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  const secret = options.webhookSecret?.();
  const id = String(request.headers['webhook-id']);
  const timestamp = String(request.headers['webhook-timestamp']);
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (secret === undefined || !(ageSeconds <= WEBHOOK_TOLERANCE_SECONDS)) {
    return send(response, 400, 'text/plain', 'Not signed');
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = String(request.headers['webhook-signature'])
    .split(' ')
    .map((each) => Buffer.from(each.replace(/^v1,/, ''), 'base64'))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  if (!isSigned) return send(response, 401, 'text/plain', 'Wrong signature');
  const event = JSON.parse(body) as Received;
  // An answer of 500 has the host send the event again.
  if (event.type === 'customer_lead.paid') await mailReceipt(options, id, event.data as PaidLead);
  received.push(event);
  send(response, 204, 'text/plain', '');
}

/** `data` of `customer_lead.paid`, as far as it is used. */
interface PaidLead {
  readonly lead: { readonly email: string; readonly first_name: string | null };
  readonly transaction: {
    readonly orderId: number;
    readonly amount: number;
    readonly currency: string;
  };
}

/** One receipt for each event, however often the event arrives. */
async function mailReceipt(
  options: ShopOptions,
  eventId: string,
  { lead, transaction }: PaidLead,
): Promise<void> {
  const { tenantKey } = options;
  if (tenantKey === undefined) return;
  const price = priceOf(transaction.amount, transaction.currency);
  const { status, answer: email } = await callHost(options, 'POST', '/api/email', {
    tenant_key: tenantKey,
    from: SENDER,
    to: lead.email,
    subject: `Your order ${transaction.orderId}`,
    templateType: 'react',
    templateName: 'order-confirmation',
    templateData: {
      orderNumber: String(transaction.orderId),
      customerName: lead.first_name ?? undefined,
      items: [{ name: PRODUCT, quantity: 1, price }],
      total: price,
    },
    idempotencyKey: `receipt-${eventId}`,
  });
  if (status !== 202) throw new Error(`the receipt was refused: ${email['message']}`);
}

function priceOf(amount: number, currency: string): string {
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(amount);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function productPage({ host, leadKey, paymentKey }: ShopOptions): string {
  const settings = { host, 'lead-key': leadKey, 'payment-key': paymentKey };
  const data = Object.entries(settings).map(([name, value]) => `data-${name}="${escaped(value)}"`);
  return `<main ${data.join(' ')} id="shop">
<h1>${PRODUCT}</h1>
<p>Holds a litre, pours without a drip.</p>
<p class="price">${priceOf(PRICE, CURRENCY)}</p>
<form id="who">
<h2>Who is it for?</h2>
<label for="email">Email</label><input id="email" type="email" autocomplete="email" required>
<label for="first-name">First name</label><input id="first-name" autocomplete="given-name">
<button type="submit">Go on to payment</button>
<p id="problem" role="alert"></p>
</form>
<section id="payment" aria-labelledby="payment-title" hidden>
<h2 id="payment-title" tabindex="-1">Payment</h2>
<div id="card"></div>
</section>
</main>
<script src="${escaped(host)}/widget/v1.js"></script>
<script src="/shop.js"></script>`;
}

/** What the page says is no proof: the server asks whether the session is paid. */
async function thanksPage({ options, orders }: Running, number: string): Promise<string> {
  const { sessionId } = orders.get(number) ?? {};
  const path = `/v1/checkout-sessions/${sessionId}`;
  const found = sessionId === undefined ? undefined : await callHost(options, 'GET', path);
  return found?.answer['status'] === 'complete'
    ? `<main><h1>Thank you</h1><p>Your teapot is on its way.</p><p>Order ${escaped(number)}</p></main>`
    : '<main><h1>Not paid yet</h1><p><a href="/">Back to the shop</a></p></main>';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

function sendPage({ options: { host } }: Running, response: ServerResponse, body: string): void {
  response.setHeader(
    'Content-Security-Policy',
    [
      "default-src 'none'",
      `script-src 'self' ${host}`,
      "style-src 'self'",
      'img-src data:',
      `connect-src 'self' ${host}`,
      `frame-src ${host}`,
      "base-uri 'none'",
      "form-action 'self'",
    ].join('; '),
  );
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Teapots</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">';
  const html = `<!doctype html><html lang="en-GB"><head>${head}</head><body>${body}</body></html>`;
  send(response, 200, 'text/html; charset=utf-8', html);
}

function sendFile(response: ServerResponse, file: string, type: string): void {
  send(response, 200, `${type}; charset=utf-8`, readFileSync(new URL(file, import.meta.url)));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(status === 204 ? undefined : body);
}
