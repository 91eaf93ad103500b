/** Opens sandbox gateways for tests, and makes what they are asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Behaviour,
  type CardDetails,
  type ChargeRequest,
  type ChargeResult,
  type FollowUpRequest,
  type FollowUpResult,
  GatewayTimeout,
  openSandboxGateway,
  SANDBOX_CARDS,
  type SandboxGateway,
  type SandboxOptions,
} from '@counterfoil/engine/gateways';
import { onTestFinished } from 'vitest';

export const CVV = '8317';
export const FINGERPRINT = 'c0ffee'.repeat(5);
export const ACCOUNT = {
  merchantAccountId: 7,
  mid: 'MID7',
  credentials: {
    apiKey: 'key',
    username: 'user',
    password: 'secret',
    emailAddress: 'a@example.com',
  },
};

/** Where there is no file yet; the folder goes with the test. */
export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'gateway.db');
}

export function open(place: string | SandboxOptions): SandboxGateway {
  const options = typeof place === 'string' ? { path: place } : place;
  const gateway = openSandboxGateway({ answerDelayMs: 1, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

export function card(number: string): CardDetails {
  return { number, expMonth: 12, expYear: 2030, cvv: CVV, holder: 'Ada Byron' };
}

/** Of the ledger; the sandbox has no use for them. */
const IDS = { firstSentAgoMs: 0, paymentId: 'p1', transactionId: 't1' };

function numberOf(behaviour: Behaviour): string {
  const row = SANDBOX_CARDS.find((each) => each.behaviour === behaviour);
  if (row === undefined) throw new Error(`no card does ${behaviour}`);
  return row.number;
}

export async function chargeRequest(
  gateway: SandboxGateway,
  behaviour: Behaviour,
  change: Partial<ChargeRequest> = {},
): Promise<ChargeRequest> {
  const { token } = await gateway.tokenize(card(numberOf(behaviour)), FINGERPRINT);
  return {
    idempotencyKey: 'charge-1',
    sandbox: true,
    account: ACCOUNT,
    amountMinor: 10_000n,
    currency: 'EUR',
    token,
    cvv: CVV,
    capture: true,
    recurring: false,
    descriptor: 'SHOP*1',
    customer: '1',
    subscribes: false,
    ...IDS,
    ...change,
  };
}

export function followUp(
  gatewayTransactionId: string,
  idempotencyKey: string,
  amountMinor = 10_000n,
): FollowUpRequest {
  const request = { idempotencyKey, sandbox: true, account: ACCOUNT, currency: 'EUR', ...IDS };
  return { ...request, amountMinor, gatewayTransactionId };
}

/** The id of a charge that the gateway carried out. */
export async function charged(
  gateway: SandboxGateway,
  behaviour: Behaviour,
  change: Partial<ChargeRequest> = {},
): Promise<string> {
  return idIn(await gateway.charge(await chargeRequest(gateway, behaviour, change)));
}

export function idIn(result: ChargeResult | FollowUpResult | undefined): string {
  if (result === undefined || !('gatewayTransactionId' in result)) throw new Error('no charge');
  return result.gatewayTransactionId;
}

export function timedOut(error: unknown): undefined {
  if (!(error instanceof GatewayTimeout)) throw error;
}
