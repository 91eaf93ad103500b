/** The page of the bank that a customer is sent to: completes or fails, then sends back. */
import type { ServerResponse } from 'node:http';
import { finishChallenge } from './intent-machine.ts';
import { finishSetup } from './setup-intents.ts';
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
  if (method !== 'POST') {
    page(response, id);
    return;
  }
  const passed = new URLSearchParams(body.toString('utf8')).get('outcome') === 'complete';
  const back = passChallenge(states, id, passed);
  if (back === undefined) response.writeHead(404).end();
  else response.writeHead(303, { Location: back }).end();
}

/** @returns Where the customer goes next; undefined where there is no such intent. */
export function passChallenge(
  states: Iterable<AccountState>,
  id: string,
  passed: boolean,
): string | undefined {
  for (const state of states) {
    const intent = state.paymentIntents.find(id);
    if (intent !== undefined) {
      finishChallenge(state, intent, passed);
      return returnAddress(state, state.factsOf(id).returnUrl, 'payment_intent', intent);
    }
    const setup = state.setupIntents.find(id);
    if (setup !== undefined) {
      finishSetup(state, setup, passed);
      return returnAddress(state, state.setupReturns.get(id) ?? null, 'setup_intent', setup);
    }
  }
  return undefined;
}

function returnAddress(
  state: AccountState,
  returnUrl: string | null,
  name: 'payment_intent' | 'setup_intent',
  intent: { readonly id: string; readonly client_secret: string | null; readonly status: string },
): string {
  const back = new URL(returnUrl ?? `${state.url()}/returned`);
  back.searchParams.set(name, intent.id);
  back.searchParams.set(`${name}_client_secret`, String(intent.client_secret));
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
