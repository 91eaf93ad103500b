/** The contract of gateways on the adapter of Stripe, against the protocol server. */
import { createHmac } from 'node:crypto';
import type { PaymentGateway } from '@counterfoil/engine/gateways';
import { gatewayContract, type MovedMoney } from '@counterfoil/engine/testing';
import { stripe } from '@counterfoil/gateway-stripe';
import { afterAll, beforeAll } from 'vitest';
import { type StripeServer, startStripeServer } from '../stripe-server/index.ts';

let server: StripeServer;
const credentials = { apiKey: '', username: '', password: '', emailAddress: '' };
const refused = { ...credentials };

beforeAll(async () => {
  server = await startStripeServer();
  const key = {
    key: server.restrictedKey,
    apiBase: server.url,
    cardNumbers: true,
    signingSecrets: [SECRET],
  };
  credentials.apiKey = JSON.stringify(key);
  const revoked = server.issueKey({ kind: 'restricted' });
  server.revokeKey(revoked);
  refused.apiKey = JSON.stringify({ ...key, key: revoked });
});
afterAll(() => server.close());

const cardOf = (number: string) => ({
  card: { number, expMonth: 12, expYear: 2090, cvv: '123', holder: 'Ada Byron' },
});
const approve = cardOf('4242424242424242');

const SECRET = 'whsec_contractcontract';

/** An event of the server, as Stripe signs it. */
function signed() {
  const body = Buffer.from(JSON.stringify(server.events()[0]));
  const seconds = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
  return { body, signature: `t=${seconds},v1=${mac}` };
}

/** By these amounts the network fails. */
const LOST_CHARGE = 20_001n;
const NEVER_RECEIVED = 20_002n;
const LOST_REFUND = 20_003n;

function open(): PaymentGateway {
  const gateway = stripe({ production: false });
  const lost = (on: string, when: 'before' | 'after') => server.fail({ kind: 'cut', on, when });
  const failing: Partial<PaymentGateway> = {
    charge(request, signal) {
      const { amountMinor } = request;
      if (amountMinor === LOST_CHARGE) lost('POST /v1/payment_intents', 'after');
      if (amountMinor === NEVER_RECEIVED) lost('POST /v1/payment_intents', 'before');
      return gateway.charge(request, signal);
    },
    refund(request, signal) {
      if (request.amountMinor === LOST_REFUND) lost('POST /v1/refunds', 'after');
      return gateway.refund(request, signal);
    },
  };
  return new Proxy(gateway, {
    get(target, name) {
      const member = Reflect.get(failing, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function moved(_: PaymentGateway, id: string): Promise<MovedMoney> {
  const intent = server.paymentIntents().find((each) => each.id === id);
  const ours = server
    .refunds()
    .filter(({ payment_intent, metadata }) => payment_intent === id && isOurs(metadata));
  const refundedMinor = ours.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return { capturedMinor: BigInt(intent?.amount_received ?? 0), refundedMinor };
}

/** What is released of an authorization is a refund of Stripe too. */
function isOurs(metadata: Readonly<Record<string, string>> | null): boolean {
  return metadata?.['counterfoil_key'] !== undefined;
}

gatewayContract({
  name: 'Stripe',
  open,
  reopen: open,
  account: { merchantAccountId: 7, mid: '7', credentials },
  refusedAccount: { merchantAccountId: 8, mid: '8', credentials: refused },
  act: async (url) => void server.completeChallenge(url.split('/').at(-1) ?? ''),
  moved,
  events: {
    failRefund: (id) => server.failRefund(id),
    dispute: (of) => void server.createDispute({ of }),
    signed,
  },
  behaviours: {
    approve,
    decline: cardOf('4000000000000002'),
    authorize: approve,
    // What is captured is refunded.
    voidOfCapture: 'lacks',
    zeroAmount: approve,
    action: cardOf('4000000000003220'),
    lostCharge: { ...approve, amountMinor: LOST_CHARGE },
    neverReceived: { ...approve, amountMinor: NEVER_RECEIVED },
    lostRefund: { ...approve, amountMinor: LOST_REFUND },
    // They come later than the capture, by events.
    chargeback: 'lacks',
    alert: 'lacks',
  },
});
