/** Where mails lead customers whose bank wants them to authenticate a payment of their subscription. */
import type { Authentication, Authentications } from '@counterfoil/engine';
import { bounded } from '@counterfoil/engine/input';
import { z } from 'zod';
import { challengeUrl, widgetAddress } from '../api/widget.ts';
import { addressOf } from '../api/wire.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { EMPTY_FORM } from './form-body.ts';
import { HTML, mailPage } from './mail-page.ts';

const PATH = '/mail/authenticate';
const Token = z.object({
  token: bounded(500).meta({ description: 'As it is in the mail', example: 'AAAA.BBBB' }),
});
const shared = {
  path: PATH,
  tag: 'Subscriptions',
  access: { kind: 'public' },
  query: Token,
  rejections: [],
  idempotency: 'none',
} as const;

export interface AuthenticationPageServices {
  readonly authentications: Authentications;
}

export function authenticationPageEndpoints({
  authentications,
}: AuthenticationPageServices): Endpoint[] {
  return [
    endpoint({
      ...shared,
      operationId: 'askToAuthenticate',
      method: 'GET',
      summary: 'The page at which a customer authenticates a payment of a subscription',
      description: 'Shows what is to be paid, and the page of the bank once that is asked for.',
      responses: {
        200: { description: 'The page', schema: z.string(), ...HTML },
        404: { description: 'The token is none of this host', schema: z.string(), ...HTML },
        410: { description: 'The link is over, and why', schema: z.string(), ...HTML },
      },
      handle: async (_, { query: { token } }) => pageOf(await authentications.find(token)),
    }),
    endpoint({
      ...shared,
      ...EMPTY_FORM,
      operationId: 'authenticateSubscription',
      method: 'POST',
      summary: 'Begin the payment, or go on after the customer acted',
      description: 'Leads to the page. The cycle is paid once, however often this is asked for.',
      responses: { 303: { description: 'To the page' } },
      async handle(context, { query: { token } }) {
        await authentications.goOn(token, { ip: addressOf(context) });
        const Location = `${PATH}?${new URLSearchParams({ token })}`;
        return { status: 303, body: undefined, headers: { Location } };
      },
    }),
  ];
}

const OVER = {
  unknown: [404, 'This link does not work', 'It is not complete, or not of this sender.'],
  expired: [410, 'This link has ended', 'It was good for two weeks. Nothing was charged by it.'],
  ended: [410, 'This subscription has ended', 'There is nothing to pay, and nothing is charged.'],
  closed: [
    410,
    'This payment cannot be confirmed here',
    'Your subscription is paused. Please get in touch with who sent you the link.',
  ],
  settled: [200, 'Thank you', 'There is nothing left to confirm: your subscription goes on.'],
  processing: [200, 'One moment, please', 'We are waiting for the answer of your bank.'],
} as const;

function pageOf(found: Authentication) {
  if (found.state !== 'asked' && found.state !== 'challenge') {
    const [status, title, text] = OVER[found.state];
    return mailPage({ status, title, paragraphs: [text] });
  }
  const { company, plan, amount, currency } = found;
  const what = `${amount} ${currency} to ${company} for ${plan}`;
  if (found.state === 'challenge') {
    const script = widgetAddress('authenticate');
    return mailPage({
      title: 'Your bank asks you to confirm',
      paragraphs: [`The payment of ${what}.`, 'Once you have, this page goes on by itself.'],
      button: 'I have confirmed it',
      challenge: { url: challengeUrl(found.url), script },
    });
  }
  const declined = found.wasDeclined ? ['The payment did not go through. You can try again.'] : [];
  return mailPage({
    title: 'Confirm the payment?',
    paragraphs: [...declined, `Your bank wants you to confirm the payment of ${what}.`],
    button: 'Confirm the payment',
  });
}
