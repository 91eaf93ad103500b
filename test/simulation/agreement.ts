/** Compares the gateway's records with the events of the ledger. */
import type { SandboxGateway, SandboxRecord } from '@counterfoil/engine/gateways';
import { expect } from 'vitest';
import { isOpen, type Model, type Payment, refundsOf, sumOf } from './model.ts';

type Charge = Extract<SandboxRecord, { operation: 'charge' }>;
type Refund = Extract<SandboxRecord, { operation: 'capture' | 'void' | 'refund' }>;

interface Entries {
  readonly charges: Charge[];
  readonly refunds: Refund[];
}

/** What a charge is in the gateway's books where the ledger has the payment so. */
const CHARGE_OF_STATUS: Readonly<Record<string, string>> = {
  Captured: 'captured',
  Settled: 'captured',
  Authorized: 'authorized',
  Voided: 'voided',
  Declined: 'declined',
  RequiresAction: 'requires-action',
};

/** The gateway does not learn that the ledger gave up. */
const CHARGE_OF_EXPIRED = ['authorized', 'requires-action'];

const GOOD = ['authorized', 'captured', 'voided'];

/**
 * Every payment that is settled stands at the gateway as it stands here, and nothing stands there
 * that is not here. Payments that are still open are passed over; answers how many were compared.
 */
export async function expectAgreement(model: Model, gateway: SandboxGateway): Promise<number> {
  const byPayment = await entriesOf(gateway);
  const known = new Map([...model.payments.values()].map((payment) => [payment.id, payment]));
  let compared = 0;
  for (const [id, payment] of known) {
    if (isOpen(payment)) continue;
    expectSame(payment, byPayment.get(id) ?? { charges: [], refunds: [] });
    compared += 1;
  }
  return compared;
}

/** Records of the gateway for payments unknown to the ledger. */
export async function strangersOf(model: Model, gateway: SandboxGateway): Promise<string[]> {
  const known = new Set([...model.payments.values()].map(({ id }) => id));
  return [...(await entriesOf(gateway)).keys()].filter((id) => !known.has(id));
}

/** The keys that the ledger sends begin with the payment's id. */
async function entriesOf(gateway: SandboxGateway): Promise<Map<string, Entries>> {
  const byPayment = new Map<string, Entries>();
  for await (const record of gateway.records()) {
    const id = record.idempotencyKey.split('/')[0] ?? '';
    const entries = byPayment.get(id) ?? { charges: [], refunds: [] };
    byPayment.set(id, entries);
    if (record.operation === 'charge') entries.charges.push(record);
    if (record.operation === 'refund') entries.refunds.push(record);
  }
  return byPayment;
}

function expectSame(payment: Payment, { charges, refunds }: Entries): void {
  const { id, status, order } = payment;
  // Of several attempts at most one has moved money, and it is the last.
  expect(charges.length, id).toBeLessThanOrEqual(payment.attempts);
  const good = charges.filter((charge) => GOOD.includes(charge.status));
  expect(good.length, `${id} was charged more than once`).toBeLessThanOrEqual(1);
  const last = charges.find(({ idempotencyKey }) =>
    idempotencyKey.endsWith(`/${payment.attempts}`),
  );
  if (status === 'Failed') expect([undefined, 'failed'], id).toContain(last?.status);
  else if (status === 'Expired') expect(CHARGE_OF_EXPIRED, id).toContain(last?.status);
  else expect(last?.status, `${id} is ${status}`).toBe(CHARGE_OF_STATUS[status]);

  const held = status === 'Voided' ? 0n : payment.capturedMinor;
  expect(last?.capturedMinor ?? 0n, `captured of ${id}`).toBe(held);
  if (last !== undefined && GOOD.includes(last.status)) {
    expect(last.gatewayTransactionId).toBe(payment.gatewayTransactionId);
    expect(last.amountMinor).toBe(order.amountMinor);
    expect(last.currency).toBe(order.currency);
  }

  const done = refunds.filter(({ result }) => result.result === 'done');
  const paid = refundsOf(payment, 'Refunded');
  const listOf = (each: { amountMinor: bigint }, refundId: string) =>
    `${refundId} ${each.amountMinor}`;
  expect(
    done.map((each) => listOf(each, each.idempotencyKey.split('/')[2] ?? '')).sort(),
    `refunds of ${id}`,
  ).toEqual(paid.map((each) => listOf(each, each.id)).sort());
  expect(last?.refundedMinor ?? 0n, `refunded of ${id}`).toBe(sumOf(paid));
}
