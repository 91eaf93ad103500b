/** The data that the examples of the document act on: created for each, so that all can be sent. */

// biome-ignore lint/suspicious/noExplicitAny: bodies and answers are looked into as a user would
type Json = any;

/** Sends a request to a running host and answers the body of a success; anything else throws. */
export type Send = (method: string, path: string, body?: Json) => Promise<Json>;

/** The ids that the examples name, by their variables of the shell. */
export interface Subject {
  readonly PAYMENT_ID?: string;
  readonly CUSTOMER_ID?: string;
  readonly PAYMENT_METHOD_ID?: string;
  readonly SUBSCRIPTION_ID?: string;
}

const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2035, cvv: '123' };
const ACTION_REQUIRED = '4000000000003220';

/** An operation of its own for each state; all others take a payment, a customer and a subscription. */
export async function subjectOf(operationId: string, send: Send, serial: number): Promise<Subject> {
  const email = `subject-${serial}@shop.example`;
  const pay = (more: Json = {}) =>
    send('POST', '/v1/payments', { amount: 20, currency: 'GBP', email, card: CARD, ...more });
  if (operationId === 'capturePayment') return { PAYMENT_ID: (await pay({ capture: false })).id };
  if (operationId === 'confirmPayment') {
    return { PAYMENT_ID: (await pay({ card: { ...CARD, number: ACTION_REQUIRED } })).id };
  }
  if (operationId.endsWith('Customer') || operationId.endsWith('PaymentMethod')) {
    const { id } = await send('POST', '/customers', { email });
    if (operationId !== 'removePaymentMethod') return { CUSTOMER_ID: String(id) };
    const kept = await send('POST', `/customers/${id}/payment-methods`, { card: CARD });
    return { CUSTOMER_ID: String(id), PAYMENT_METHOD_ID: kept.id };
  }
  const paid = await pay({ subscription: { name: 'Tea club', rebillAmount: 5, frequency: 30 } });
  const subscription = `/v1/subscriptions/${paid.subscriptionId}`;
  if (operationId === 'unfreezeSubscription') await send('POST', `${subscription}/freeze`, {});
  return {
    PAYMENT_ID: paid.id,
    CUSTOMER_ID: String(paid.customerId),
    SUBSCRIPTION_ID: String(paid.subscriptionId),
  };
}
