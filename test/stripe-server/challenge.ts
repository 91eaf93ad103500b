/** The page of the bank that a customer is sent to: completes or fails, then sends back. */
import type { ServerResponse } from 'node:http';
import type Stripe from 'stripe';
import { finishChallenge } from './intent-machine.ts';
import type { AccountState } from './state.ts';

export interface PageRequest {
  readonly url: URL;
  readonly method: string | undefined;
  readonly body: Buffer;
}

export function answerChallenge(
  states: Iterable<AccountState>,
  { url, method, body }: PageRequest,
  response: ServerResponse,
): void {
  const id = url.pathname.split('/')[2] ?? '';
  for (const state of states) {
    const intent = state.paymentIntents.find(id);
    if (intent === undefined) continue;
    if (method !== 'POST') {
      page(response, id);
      return;
    }
    const passed = new URLSearchParams(body.toString('utf8')).get('outcome') === 'complete';
    sendBack(response, passChallenge(state, intent, passed));
    return;
  }
  response.writeHead(404).end();
}

/** @returns Where the customer goes next. */
export function passChallenge(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  passed: boolean,
): string {
  const returnUrl = state.factsOf(intent.id).returnUrl ?? `${state.url()}/returned`;
  finishChallenge(state, intent, passed);
  const back = new URL(returnUrl);
  back.searchParams.set('payment_intent', intent.id);
  back.searchParams.set('payment_intent_client_secret', String(intent.client_secret));
  const failed = intent.status === 'requires_payment_method';
  back.searchParams.set('redirect_status', failed ? 'failed' : 'succeeded');
  return back.href;
}

function page(response: ServerResponse, id: string): void {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html lang="en"><title>3-D Secure test page</title>
<h1>3-D Secure test page</h1>
<form method="post" action="/challenge/${encodeURIComponent(id)}">
<button name="outcome" value="complete" id="complete">Complete</button>
<button name="outcome" value="fail" id="fail">Fail</button>
</form></html>`);
}

function sendBack(response: ServerResponse, to: string): void {
  response.writeHead(303, { Location: to }).end();
}
