/** Compares the gateway's records with the log: no request took effect twice. */

import type { SandboxRecord } from '@counterfoil/engine/gateways';
import { isOpen, type Model, type Payment, refundsOf, sumOf } from '@counterfoil/test/model';
import type { Claim } from './claim.ts';
import type { Inside } from './cluster.ts';

type Charge = Extract<SandboxRecord, { operation: 'charge' }>;

interface Entries {
  readonly charges: Charge[];
  readonly refunds: SandboxRecord[];
}

/** The status of a charge at the gateway for each status of the payment. */
const CHARGE_OF_STATUS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  Captured: ['captured'],
  Authorized: ['authorized'],
  Voided: ['voided'],
  Declined: ['declined'],
  RequiresAction: ['requires-action'],
  // The request may never have arrived there.
  Failed: ['failed', undefined],
};
const GOOD = ['authorized', 'captured', 'voided'];

/** All keys that the gateway received, by payment: they begin with its id. */
async function entriesOf({ gateway }: Inside): Promise<Map<string, Entries>> {
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

/** Payments with an open outcome that the gateway knows. */
export async function stillOpen(model: Model, inside: Inside): Promise<readonly string[]> {
  const entries = await entriesOf(inside);
  const isHeard = ({ id, attempts }: Payment) =>
    entries.get(id)?.charges.some((charge) => isOfAttempt(charge, attempts)) === true;
  return [...model.payments.values()]
    .filter((payment) => isOpen(payment) && isHeard(payment))
    .map(({ id, status }) => `${id} is ${status}`);
}

export async function noSecondEffect(model: Model, inside: Inside): Promise<Claim> {
  const entries = await entriesOf(inside);
  const payments = [...model.payments.values()];
  const problems = payments.flatMap((payment) =>
    problemsOf(payment, entries.get(payment.id) ?? { charges: [], refunds: [] }),
  );
  const known = new Set(payments.map(({ id }) => id));
  const strangers = [...entries.keys()].filter((id) => !known.has(id));
  problems.push(...strangers.map((id) => `the gateway knows ${id}, and the log does not`));
  const sums = [...entries.values()];
  const charges = sums.reduce((sum, each) => sum + each.charges.length, 0);
  const refunds = sums.reduce((sum, each) => sum + each.refunds.length, 0);
  const waiting = payments.filter(isOpen).length;
  const facts = `${charges} charges and ${refunds} refunds there, ${waiting} payments wait for a gateway that has not heard of them`;
  return { says: 'no second effect at the gateway', facts, problems };
}

function problemsOf(payment: Payment, { charges, refunds }: Entries): readonly string[] {
  const { id, status, attempts } = payment;
  const problems: string[] = [];
  const expect = (holds: boolean, otherwise: string) => {
    if (!holds) problems.push(`${id}: ${otherwise}`);
  };
  const keys = new Set(charges.map(({ idempotencyKey }) => idempotencyKey));
  expect(keys.size === charges.length && charges.length <= attempts, 'charged more than once');
  const good = charges.filter((charge) => GOOD.includes(charge.status));
  expect(good.length <= 1, 'money was taken by more than one attempt');
  const last = charges.find((charge) => isOfAttempt(charge, attempts));
  if (!isOpen(payment)) {
    const expected = CHARGE_OF_STATUS[status]?.includes(last?.status) === true;
    expect(expected, `${status} in the log, ${last?.status} at the gateway`);
    const held = status === 'Voided' ? 0n : payment.capturedMinor;
    expect((last?.capturedMinor ?? 0n) === held, 'another amount was captured');
  }
  const paid = refundsOf(payment, 'Refunded');
  const done = refunds.filter(({ result }) => result.result === 'done');
  const listOf = (refundId: string | undefined, amountMinor: bigint) =>
    `${refundId} ${amountMinor}`;
  const logged = paid.map((each) => listOf(each.id, each.amountMinor)).sort();
  const kept = done
    .map((each) => listOf(each.idempotencyKey.split('/')[2], each.amountMinor))
    .sort();
  const isPending = refundsOf(payment, 'RefundPending').length > 0;
  expect(
    isPending || String(logged) === String(kept),
    `refunds ${logged} in the log, ${kept} there`,
  );
  expect(isPending || (last?.refundedMinor ?? 0n) === sumOf(paid), 'another sum was refunded');
  return problems;
}

function isOfAttempt({ idempotencyKey }: Charge, attempt: number): boolean {
  return idempotencyKey.endsWith(`/charge/${attempt}`);
}
