/** Requests that Stripe may have forgotten are looked up, and never sent again. */
import { randomUUID } from 'node:crypto';
import type { ChargeRequest, FollowUpRequest, PaymentGateway } from '@counterfoil/engine/gateways';
import { stripe } from '@counterfoil/gateway-stripe';
import { expect, it, onTestFinished } from 'vitest';
import { type StripeServer, startStripeServer } from '../stripe-server/index.ts';

const HOUR_MS = 3_600_000;
const LATE_MS = 25 * HOUR_MS;

async function opened() {
  const server = await startStripeServer();
  onTestFinished(() => server.close());
  const apiKey = JSON.stringify({ key: server.restrictedKey, apiBase: server.url });
  const credentials = { apiKey, username: '', password: '', emailAddress: '' };
  const context = { account: { merchantAccountId: 1, mid: '1', credentials }, sandbox: true };
  const gateway = stripe({ production: false });
  const card = await gateway.adopt?.('pm_card_visa', context);
  const ids = { paymentId: randomUUID(), transactionId: randomUUID() };
  const request: ChargeRequest = {
    ...context,
    ...ids,
    idempotencyKey: `${ids.paymentId}/charge/1`,
    firstSentAgoMs: 0,
    amountMinor: 1_999n,
    currency: 'GBP',
    token: card?.token ?? '',
    customer: '7/sandbox/1',
    subscribes: false,
    capture: true,
    recurring: false,
    descriptor: 'SHOP',
  };
  return { server, gateway, request };
}

/** A day later: Stripe has forgotten the keys. */
function late<Request extends ChargeRequest | FollowUpRequest>(
  server: StripeServer,
  request: Request,
): Request {
  server.advance(LATE_MS);
  return { ...request, firstSentAgoMs: LATE_MS };
}

async function charged(gateway: PaymentGateway, request: ChargeRequest): Promise<FollowUpRequest> {
  const answer = await gateway.charge(request);
  if (!('gatewayTransactionId' in answer)) throw new Error('it was not charged');
  const { gatewayTransactionId } = answer;
  const idempotencyKey = `${request.paymentId}/follow-up/${randomUUID()}`;
  return { ...request, idempotencyKey, gatewayTransactionId };
}

it('a charge is found, by its customer and without one', async () => {
  const { server, gateway, request } = await opened();
  const answer = await gateway.charge(request);
  const again = late(server, request);
  expect(await gateway.charge(again)).toEqual(answer);
  expect(await gateway.findCharge({ ...again, token: '' })).toEqual(answer);
  expect(server.takenMinor('gbp')).toBe(1_999n);
});

it('a charge that Stripe has no trace of has failed', async () => {
  const { server, gateway, request } = await opened();
  expect(await gateway.charge(late(server, request))).toMatchObject({ result: 'failed' });
  expect(server.paymentIntents()).toEqual([]);
});

it('a charge with the id of another one is not taken for it', async () => {
  const { gateway, request } = await opened();
  const { gatewayTransactionId } = await charged(gateway, request);
  const other = { ...request, idempotencyKey: 'another/charge/1', gatewayTransactionId };
  expect(await gateway.findCharge(other)).toBeUndefined();
});

it('a refund is found, and one without a trace is refused', async () => {
  const { server, gateway, request } = await opened();
  const refund = await charged(gateway, request);
  const answer = await gateway.refund(refund);
  const again = late(server, refund);
  expect(await gateway.refund(again)).toEqual(answer);
  const never = { ...again, idempotencyKey: 'never-sent' };
  expect(await gateway.refund(never)).toMatchObject({ result: 'refused' });
  expect(server.refundedMinor('gbp')).toBe(1_999n);
});

it.each(['capture', 'void'] as const)('a %s is found, and is not made again', async (operation) => {
  const { server, gateway, request } = await opened();
  const followUp = await charged(gateway, { ...request, capture: false });
  const answer = await gateway[operation](followUp);
  expect(answer.result).toBe('done');
  const again = late(server, followUp);
  expect(await gateway[operation](again)).toEqual(answer);
  const never = { ...again, idempotencyKey: 'never-sent' };
  expect(await gateway[operation](never)).toMatchObject({ result: 'refused' });
});

it('a key with other parameters fails loudly, and charges nothing', async () => {
  const { server, gateway, request } = await opened();
  await gateway.charge(request);
  await expect(gateway.charge({ ...request, amountMinor: 2_000n })).rejects.toThrow(
    /same parameters/,
  );
  expect(server.takenMinor('gbp')).toBe(1_999n);
});

it('a refused key fails the call, and is not quoted', async () => {
  const { server, gateway, request } = await opened();
  server.revokeKey(server.restrictedKey);
  const error = await gateway.charge(request).catch((reason: Error) => reason);
  expect(String(error)).toContain('Stripe refused the key');
  expect(JSON.stringify(error) + String(error)).not.toContain(server.restrictedKey);
});
