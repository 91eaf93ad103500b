/** The data that the examples of the document act on: created for each, so that all can be sent. */

import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: bodies and answers are looked into as a user would
type Json = any;

/** Sends a request to a running host and answers the body of a success; anything else throws. */
export type Send = (method: string, path: string, body?: Json) => Promise<Json>;

/** The ids that the examples name, by their variables of the shell. */
export type Subject = Readonly<Record<string, string>>;

export interface Making {
  readonly send: Send;
  /** Another one for each subject. */
  readonly serial: number;
  /** In the place of the one that the examples name. */
  readonly companyId?: number;
  /** Of the document. */
  readonly paths: Json;
}

const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2035, cvv: '123' };
const ACTION_REQUIRED = '4000000000003220';

/** The operation on a collection makes what the others act on; payments need one for each state. */
export async function subjectOf(
  { id: operationId, path }: { readonly id: string; readonly path: string },
  { send, serial, companyId, paths }: Making,
): Promise<Subject> {
  const email = `subject-${serial}@shop.example`;
  if (operationId === 'takeGatewayEvent') {
    return { GATEWAY_ID: 'stripe', MERCHANT_ACCOUNT_ID: '1' };
  }
  if (path.startsWith('/docs/')) return { DOC_ID: 'scalar.js' };
  if (path.startsWith('/widget/')) return { WIDGET_ID: 'v1.js' };
  if (path.includes('/checkout-sessions')) {
    const { example } = paths['/v1/checkout-sessions'].post.requestBody.content['application/json'];
    const order = { ...example, email, ...(companyId !== undefined && { companyId }) };
    const { id, clientSecret } = await send('POST', '/v1/checkout-sessions', order);
    return { CHECKOUT_SESSION_ID: id, CLIENT_SECRET: clientSecret };
  }
  if (path.startsWith('/api/admin/')) return adminSubject(path, { send, email, companyId, paths });
  if (operationId === 'getEmail' || operationId === 'resendEmail') {
    const { example } = paths['/api/email'].post.requestBody.content['application/json'];
    const { id } = await send('POST', '/api/email', { ...example, to: email });
    if (operationId === 'resendEmail') {
      const isSent = async () => (await send('GET', `/api/email/${id}`)).email.status === 'sent';
      await expect.poll(isSent, { timeout: 30_000 }).toBe(true);
    }
    return { EMAIL_ID: id };
  }
  const order = { amount: 20, currency: 'GBP', email, card: CARD, companyId };
  const pay = (more: Json = {}) => send('POST', '/v1/payments', { ...order, ...more });
  if (operationId === 'capturePayment') return { PAYMENT_ID: (await pay({ capture: false })).id };
  if (operationId === 'confirmPayment') {
    return { PAYMENT_ID: (await pay({ card: { ...CARD, number: ACTION_REQUIRED } })).id };
  }
  if (operationId.endsWith('Customer') || operationId.endsWith('PaymentMethod')) {
    const { id } = await send('POST', '/customers', { email });
    if (operationId !== 'removePaymentMethod') return { CUSTOMER_ID: String(id) };
    const kept = await send('POST', `/customers/${id}/payment-methods`, { card: CARD, companyId });
    return { CUSTOMER_ID: String(id), PAYMENT_METHOD_ID: kept.id };
  }
  const paid = await pay({ subscription: { name: 'Tea club', rebillAmount: 5, frequency: 30 } });
  const subscription = `/v1/subscriptions/${paid.subscriptionId}`;
  if (operationId === 'unfreezeSubscription') await send('POST', `${subscription}/freeze`, {});
  return {
    PAYMENT_ID: paid.id,
    TRANSACTION_ID: paid.id,
    CUSTOMER_ID: String(paid.customerId),
    SUBSCRIPTION_ID: String(paid.subscriptionId),
  };
}

/** By the example of the POST to the collection. */
async function adminSubject(
  path: string,
  {
    send,
    email,
    companyId,
    paths,
  }: { send: Send; email: string; companyId: number | undefined; paths: Json },
): Promise<Subject> {
  const [collection = '', ...more] = path.split('/{');
  if (more.length === 0) return {};
  if (collection === '/api/admin/settlements') {
    const paid = { amount: 20, currency: 'GBP', email, card: CARD, companyId };
    const { merchantAccountId } = await send('POST', '/v1/payments', paid);
    const { example } = paths[collection].post.requestBody.content['text/csv'];
    const query = `?merchantAccountId=${merchantAccountId}`;
    return { SETTLEMENT_ID: (await send('POST', collection + query, example)).item.id };
  }
  if (collection === '/api/admin/disputes') return disputeSubject(path, { send, email, companyId });
  const example = paths[collection]?.post?.requestBody?.content['application/json'].example;
  if (example === undefined) throw new Error(`no example of POST ${collection} makes a subject`);
  const made = await send('POST', collection, {
    ...example,
    ...('email' in example && { email }),
    // The same value is the same entry of the black list, whatever was changed of it.
    ...(example.kind === 'email' && { value: email }),
    ...('domain' in example && { domain: email.replace('@', '.') }),
    ...('search' in example && { name: email }),
    ...(collection === '/api/admin/roles' && { name: email }),
    ...('companyId' in example && companyId !== undefined && { companyId }),
  });
  const id = String((made.item ?? made.returnVal ?? made).id);
  const subject = { [variableOf(collection)]: id };
  if (!path.includes('{deliveryId}')) return subject;
  const sent = await send('POST', `${collection}/${id}/test`);
  return { ...subject, DELIVERY_ID: sent.item.id };
}

/** An alert to answer, a report to match, or a chargeback, with a file of evidence where one is read. */
async function disputeSubject(
  path: string,
  { send, email, companyId }: { send: Send; email: string; companyId: number | undefined },
): Promise<Subject> {
  const order = { amount: 20, currency: 'GBP', email, card: CARD, companyId };
  const { id } = await send('POST', '/v1/payments', order);
  const isAlert = /(refund|decline)$/.test(path);
  const place = path.endsWith('match') ? { arn: `unknown ${email}` } : { transactionId: id };
  const { disputeId } = await send(
    'POST',
    `/api/mitigation/${isAlert ? 'alerts' : 'chargebacks'}?provider=acme`,
    {
      reference: `of ${email}`,
      amount: 20,
      currency: 'GBP',
      ...place,
      ...(isAlert && { type: 'CustomerDispute', source: 'CDRN' }),
    },
  );
  const subject = { DISPUTE_ID: disputeId, PAYMENT_ID: id };
  if (!path.endsWith('{digest}')) return subject;
  const evidence = `/api/admin/disputes/${disputeId}/evidence?name=x`;
  const { item } = await send('POST', evidence, 'Delivered on 3 March');
  return { ...subject, EVIDENCE_ID: item.digest };
}

/** The media type of a file that is sent there. */
export function fileTypeOf(path: string): string {
  return path.includes('/evidence') ? 'application/octet-stream' : 'text/csv';
}

/** The variable for the id after this path, as the samples of the document name it. */
export function variableOf(path: string): string {
  const one = (path.split('/').at(-1) ?? '').replace(/ies$/, 'y').replace(/(?<=ch)es$|s$/, '');
  return `${one.replaceAll('-', '_').toUpperCase()}_ID`;
}
