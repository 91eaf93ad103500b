/**
 * A stand-in for Stripe.js, of which the card form uses little: a card element in a frame of this server,
 * and `createPaymentMethod`, which that frame does. The real one is at js.stripe.com alone.
 */
import type { ServerResponse } from 'node:http';

const SCRIPT = `'use strict';
(() => {
  const { origin } = new URL(document.currentScript.src);
  globalThis.Stripe = (key, { stripeAccount } = {}) => ({
    elements: () => ({ create: (type) => elementOf(type) }),
    async createPaymentMethod({ type, card, billing_details }) {
      if (type !== 'card') throw new Error('no such type');
      return card.ask({ key, stripeAccount, billing_details });
    },
  });
  function elementOf(type) {
    if (type !== 'card') throw new Error('no such element');
    const frame = document.createElement('iframe');
    frame.src = origin + '/v3/card';
    frame.title = 'Secure card payment input frame';
    frame.style.cssText = 'border:0;width:100%;height:1.5rem;display:block';
    const waiting = [];
    const listeners = [];
    addEventListener('message', ({ source, origin: from, data }) => {
      if (source !== frame.contentWindow || from !== origin) return;
      if (data.changed) listeners.forEach((each) => each());
      else waiting.shift()?.(data);
    });
    const send = (message) => frame.contentWindow.postMessage(message, origin);
    return {
      mount: (into) => into.append(frame),
      on: (event, listener) => void listeners.push(listener),
      update: (options) => send({ do: 'update', ...options }),
      clear: () => send({ do: 'clear' }),
      focus: () => frame.focus(),
      ask: (asked) => new Promise((resolve) => {
        waiting.push(resolve);
        send({ do: 'create', ...asked });
      }),
    };
  }
})();
`;

const CARD_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card</title>
<input id="cardnumber" aria-label="Card number" autocomplete="cc-number">
<input id="exp-date" aria-label="Expiry date" autocomplete="cc-exp">
<input id="cvc" aria-label="Security code" autocomplete="cc-csc">
<script src="/v3/card.js"></script></html>`;

const CARD_SCRIPT = `'use strict';
const fields = ['cardnumber', 'exp-date', 'cvc'].map((id) => document.getElementById(id));
const tell = (message) => parent.postMessage(message, '*');
for (const each of fields) each.addEventListener('input', () => tell({ changed: true }));
addEventListener('message', async ({ source, data }) => {
  if (source !== parent) return;
  if (data.do === 'update') for (const each of fields) each.disabled = data.disabled;
  if (data.do === 'clear') for (const each of fields) each.value = '';
  if (data.do === 'create') tell(await created(data));
});
async function created({ key, stripeAccount, billing_details }) {
  const [number, expiry, cvc] = fields.map(({ value }) => value.replaceAll(' ', ''));
  const [month, year] = expiry.split('/');
  if (!number || !month || !year || !cvc) return { error: { message: 'Your card is incomplete.' } };
  const form = new URLSearchParams({
    type: 'card',
    'card[number]': number,
    'card[exp_month]': month,
    'card[exp_year]': '20' + year,
    'card[cvc]': cvc,
  });
  if (billing_details) form.set('billing_details[name]', billing_details.name);
  const answer = await fetch('/v1/payment_methods', {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ' + key,
      ...(stripeAccount && { 'Stripe-Account': stripeAccount }),
    },
    body: form,
  });
  const { error, id } = await answer.json();
  return error ? { error: { message: error.message } } : { paymentMethod: { id } };
}
`;

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/v3/': ['text/javascript', SCRIPT],
  '/v3/card': ['text/html', CARD_PAGE],
  '/v3/card.js': ['text/javascript', CARD_SCRIPT],
};

/** Whether the path is one of the script's. */
export function answerScript(path: string, response: ServerResponse): boolean {
  const [type, text] = FILES[path] ?? [];
  if (type === undefined) return false;
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(text);
  return true;
}
