/** The contract of gateways in Stripe's test mode, with the reader's own key: `pnpm verify:stripe`. */
import { gatewayContract, type MovedMoney } from '@counterfoil/engine/testing';
import { stripe } from '@counterfoil/gateway-stripe';
import Stripe from 'stripe';
import { describe } from 'vitest';

/** Stripe's test mode takes 25 requests a second, and the adapter waits. */
const GATEWAY_TIMEOUT_MS = 120_000;
const CASE_TIMEOUT_MS = 1_800_000;

const { STRIPE_TEST_KEY: key, STRIPE_TEST_API: apiBase, VERIFY_STRIPE } = process.env;
if (VERIFY_STRIPE !== undefined && key === undefined) {
  throw new Error('Set STRIPE_TEST_KEY to a key of the test mode of your account: rk_test_…');
}

const approve = { gatewayToken: 'pm_card_visa' };

function clientOf(): Stripe {
  const url = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(key ?? '', {
    maxNetworkRetries: 5,
    ...(url !== undefined && { host: url.hostname, port: url.port, protocol: 'http' }),
  });
}

/** By what Stripe says, not by what the adapter says. */
async function moved(_: unknown, id: string): Promise<MovedMoney> {
  const client = clientOf();
  if (id.startsWith('seti_')) return { capturedMinor: 0n, refundedMinor: 0n };
  const intent = await client.paymentIntents.retrieve(id);
  const refunds = await client.refunds.list({ payment_intent: id, limit: 100 });
  const isOurs = ({ status, metadata }: Stripe.Refund) =>
    status !== 'failed' && status !== 'canceled' && metadata?.['counterfoil_key'] !== undefined;
  const refunded = refunds.data.filter(isOurs).reduce((sum, { amount }) => sum + amount, 0);
  return { capturedMinor: BigInt(intent.amount_received), refundedMinor: BigInt(refunded) };
}

describe.skipIf(key === undefined)('Stripe itself, with STRIPE_TEST_KEY', () => {
  const apiKey = JSON.stringify({ key, apiBase });
  const credentials = { apiKey, username: '', password: '', emailAddress: '' };
  const noKey = JSON.stringify({ key: 'rk_test_00000000000000000000', apiBase });
  const open = () => stripe({ production: apiBase === undefined });
  gatewayContract({
    name: 'Stripe',
    open,
    reopen: open,
    account: { merchantAccountId: 7, mid: '7', credentials },
    refusedAccount: {
      merchantAccountId: 8,
      mid: '8',
      credentials: { ...credentials, apiKey: noKey },
    },
    currency: 'USD',
    gatewayTimeoutMs: GATEWAY_TIMEOUT_MS,
    timeoutMs: CASE_TIMEOUT_MS,
    moved,
    behaviours: {
      approve,
      decline: { gatewayToken: 'pm_card_visa_chargeDeclined' },
      authorize: approve,
      voidOfCapture: 'lacks',
      zeroAmount: approve,
      // Somebody would have to act, and the network to fail.
      action: 'lacks',
      lostCharge: 'lacks',
      neverReceived: 'lacks',
      lostRefund: 'lacks',
      chargeback: 'lacks',
      alert: 'lacks',
    },
  });
});
