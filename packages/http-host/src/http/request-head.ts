/** Parses the head of a request from the raw headers: node's merged view hides duplicates. */
import { type Refusal, refuse } from './errors.ts';

/** The headers that this layer uses. All others are left to node. */
export interface RequestHead {
  authorization: string | undefined;
  clientId: string | undefined;
  userEmail: string | undefined;
  idempotencyKey: string | undefined;
  host: string | undefined;
  accept: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  requestId: string | undefined;
  traceparent: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  origin: string | undefined;
  leadKey: string | undefined;
  paymentKey: string | undefined;
  tenantKey: string | undefined;
  webhookId: string | undefined;
  webhookTimestamp: string | undefined;
  webhookSignature: string | undefined;
  /** `Stripe-Signature`. */
  gatewaySignature: string | undefined;
  /** The first header sent twice that must be unique. */
  duplicated: string | undefined;
}

const FIELDS: ReadonlyMap<string, Exclude<keyof RequestHead, 'duplicated'>> = new Map([
  ['authorization', 'authorization'],
  ['clientid', 'clientId'],
  ['useremail', 'userEmail'],
  ['idempotency-key', 'idempotencyKey'],
  ['host', 'host'],
  ['accept', 'accept'],
  ['content-type', 'contentType'],
  ['content-encoding', 'contentEncoding'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['x-request-id', 'requestId'],
  ['traceparent', 'traceparent'],
  ['if-match', 'ifMatch'],
  ['if-none-match', 'ifNoneMatch'],
  ['accept-encoding', 'acceptEncoding'],
  ['origin', 'origin'],
  ['x-service-lead-key', 'leadKey'],
  ['x-service-payment-key', 'paymentKey'],
  ['x-tenant-key', 'tenantKey'],
  ['webhook-id', 'webhookId'],
  ['webhook-timestamp', 'webhookTimestamp'],
  ['webhook-signature', 'webhookSignature'],
  ['stripe-signature', 'gatewaySignature'],
]);

/** These may be repeated; every other header here must be unique. */
const LISTS: ReadonlySet<keyof RequestHead> = new Set([
  'accept',
  'acceptEncoding',
  'ifMatch',
  'ifNoneMatch',
]);

/** Collects the known headers in one pass over `rawHeaders` (name, value, name, value, ...). */
export function readHead(rawHeaders: readonly string[]): RequestHead {
  const head: RequestHead = {
    authorization: undefined,
    clientId: undefined,
    userEmail: undefined,
    idempotencyKey: undefined,
    host: undefined,
    accept: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    requestId: undefined,
    traceparent: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
    origin: undefined,
    leadKey: undefined,
    paymentKey: undefined,
    tenantKey: undefined,
    webhookId: undefined,
    webhookTimestamp: undefined,
    webhookSignature: undefined,
    gatewaySignature: undefined,
    duplicated: undefined,
  };
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const field = FIELDS.get(name.toLowerCase());
    if (field === undefined) continue;
    const value = rawHeaders[index + 1] as string;
    const earlier = head[field];
    if (earlier === undefined) head[field] = value;
    else if (LISTS.has(field)) head[field] = `${earlier}, ${value}`;
    else head.duplicated ??= name;
  }
  return head;
}

/** Whether a body follows this head. */
export function announcesBody(head: RequestHead): boolean {
  return (
    head.transferEncoding !== undefined ||
    (head.contentLength !== undefined && head.contentLength !== '0')
  );
}

/**
 * Why this head must be refused: an ambiguous one may mean one request to us and another to a proxy
 * (request smuggling). The parser refuses most of these already; this does not depend on its
 * leniency. The connection must be closed.
 */
export function headViolation(head: RequestHead, httpVersion: string): Refusal | undefined {
  // The parser accepts 0.9 and 2.0 too; clients of those would not understand the response.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refuse('malformed_request');
  if (head.duplicated !== undefined) {
    return refuse('duplicate_header', `The header ${head.duplicated} was sent more than once`);
  }
  if (head.host === undefined && httpVersion === '1.1') return refuse('host_required');
  if (head.transferEncoding !== undefined) {
    const isChunked = head.transferEncoding.toLowerCase() === 'chunked';
    if (head.contentLength !== undefined || !isChunked || httpVersion === '1.0') {
      return refuse('malformed_request');
    }
  }
  return undefined;
}
