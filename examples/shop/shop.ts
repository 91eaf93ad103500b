/** A shop of one page, on another origin than the host: its server has the secret key, its page the public ones. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CounterfoilClient,
  createClient,
  verifyWebhook,
  type WebhookData,
  type WebhookEvent,
  WebhookRefused,
} from '@counterfoil/client';

const PRODUCT = 'Blue teapot';
const PRICE = 24.5;
const CURRENCY = 'GBP';
/** Its domain is one of the tenant's sender domains. */
const SENDER = 'Teapots <orders@teapots.example>';
const MAX_BODY_BYTES = 64 * 1_024;

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

export interface Shop {
  readonly url: string;
  /** The events that the host has sent, and that have its signature. */
  readonly received: readonly WebhookEvent[];
  close(): Promise<void>;
}

export async function openShop(options: ShopOptions): Promise<Shop> {
  const orders = new Map<string, Order>();
  const received: WebhookEvent[] = [];
  const { host: baseUrl, apiKey, tenantId: clientId, tenantKey } = options;
  const keys = { apiKey, ...(tenantKey !== undefined && { tenantKey }) };
  const client = createClient({ baseUrl, clientId, ...keys });
  const shop: Running = { options, client, orders, received, url: '' };
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
  readonly client: CounterfoilClient;
  readonly orders: Map<string, Order>;
  readonly received: WebhookEvent[];
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
  const { data: session, error } = await shop.client.POST('/v1/checkout-sessions', {
    params: { header: { 'Idempotency-Key': order.number } },
    body: {
      amount: PRICE,
      currency: CURRENCY,
      email: email ?? '',
      ...(serviceSession !== undefined && { serviceSession }),
      ...(partnerSession !== undefined && { partnerSession }),
      successUrl: `${shop.url}/thanks?order=${order.number}`,
      cancelUrl: `${shop.url}/`,
      expiresIn: 3_600,
    },
  });
  if (error !== undefined) return sendJson(response, 400, { message: error.message });
  order.sessionId = session.id;
  shop.orders.set(order.number, order);
  sendJson(response, 200, { sessionId: session.id, clientSecret: session.clientSecret });
}

async function takeWebhook(
  shop: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  const secret = shop.options.webhookSecret?.() ?? [];
  let event: WebhookEvent;
  try {
    event = await verifyWebhook({ body, headers: request.headers, secret });
  } catch (error) {
    if (error instanceof WebhookRefused) return send(response, 401, 'text/plain', error.message);
    throw error;
  }
  // An answer of 500 has the host send the event again.
  if (event.type === 'customer_lead.paid') await mailReceipt(shop, event.id, event.data);
  shop.received.push(event);
  send(response, 204, 'text/plain', '');
}

/** One receipt for each event, however often the event arrives. */
async function mailReceipt(
  { options, client }: Running,
  eventId: string,
  { lead, transaction }: WebhookData['customer_lead.paid'],
): Promise<void> {
  const { tenantKey } = options;
  if (tenantKey === undefined) return;
  const price = priceOf(transaction.amount, transaction.currency);
  const { error } = await client.POST('/api/email', {
    body: {
      tenant_key: tenantKey,
      from: SENDER,
      to: lead.email,
      subject: `Your order ${transaction.orderId}`,
      templateType: 'react',
      templateName: 'order-confirmation',
      templateData: {
        orderNumber: String(transaction.orderId),
        customerName: lead.first_name || undefined,
        items: [{ name: PRODUCT, quantity: 1, price }],
        total: price,
      },
      idempotencyKey: `receipt-${eventId}`,
    },
  });
  if (error !== undefined) throw new Error(`the receipt was refused: ${error.message}`);
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
async function thanksPage({ client, orders }: Running, number: string): Promise<string> {
  const { sessionId: id = '' } = orders.get(number) ?? {};
  const params = { path: { id } };
  const found = id === '' ? undefined : await client.GET('/v1/checkout-sessions/{id}', { params });
  return found?.data?.status === 'complete'
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
