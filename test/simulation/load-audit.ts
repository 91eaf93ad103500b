/** What has to hold of a host after any load: what was answered, the gateway, the books, the read models. */
import { toMajor } from '@counterfoil/core';
import { expectMoneyOutRule } from '@counterfoil/core/testing';
import { PROJECTIONS } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import { expect } from 'vitest';
import { expectAgreement, strangersOf } from './agreement.ts';
import { expectBooks, expectCaughtUp } from './audit.ts';
import type { KilledHost } from './killed-host.ts';
import type { Sent } from './load.ts';
import { type Child, type Model, modelOf, type Payment, refundsOf } from './model.ts';

const QUIET_TRIES = 10;

/** All invariants, at a moment in which the log did not move. */
export async function expectAllInPlace(host: KilledHost, sent: readonly Sent[]): Promise<Model> {
  return host.beside(async ({ events, store, gateway, keys: vault }) => {
    for (let tried = 1; ; tried += 1) {
      const head = await events.head();
      try {
        const model = await modelOf(events, { vault });
        expectAcknowledged(model, sent);
        for (const { events } of model.payments.values()) expectMoneyOutRule(events);
        await expectAgreement(model, gateway);
        expect(await strangersOf(model, gateway)).toEqual([]);
        await expectBooks(model, host.caller);
        await expectCaughtUp(events, store);
        await expectEqualToRebuilt({ events, store, vault, projections: PROJECTIONS });
        expect(host.faults).toEqual([]);
        return model;
      } catch (error) {
        if (tried === QUIET_TRIES || (await events.head()) === head) throw error;
      }
    }
  });
}

/**
 * What was acknowledged is there as it was told, once; and nothing is there that nobody asked for.
 * Every key of `sent` has its answer.
 */
function expectAcknowledged(model: Model, sent: readonly Sent[]): void {
  const payments = new Map([...model.payments.values()].map((payment) => [payment.id, payment]));
  const refunds = new Map(
    [...payments.values()].flatMap((payment) =>
      refundsOf(payment, 'RefundPending', 'Refunded', 'RefundFailed').map((each) => [
        each.id,
        each,
      ]),
    ),
  );
  const done = sent.filter(({ answer }) => answer?.body.id !== undefined);
  const idsOf = (deed: Sent['deed'], ...statuses: readonly number[]) =>
    done
      .filter(({ deed: its, answer }) => its === deed && answer !== undefined)
      .filter(({ answer }) => statuses.length === 0 || statuses.includes(answer?.status ?? 0))
      .map(({ answer }) => answer?.body.id as string);
  expect(idsOf('payment').sort()).toEqual([...payments.keys()].sort());
  expect(idsOf('refund').sort()).toEqual([...refunds.keys()].sort());
  for (const each of done) {
    const { id } = each.answer?.body ?? {};
    if (each.deed === 'payment') expectPayment(payments.get(id), each);
    if (each.deed === 'refund') expectRefund(refunds.get(id), each);
  }
  // Captures and voids in the log are exactly the acknowledged ones.
  const captured = [...payments.values()].filter(({ capturedAt }) => capturedAt !== undefined);
  const later = captured.filter(({ order }) => order.captureMode === 'manual');
  expect(later.map(({ id }) => id).sort()).toEqual(once(idsOf('capture', 200)));
  const voided = [...payments.values()].filter(({ status }) => status === 'Voided');
  expect(voided.map(({ id }) => id).sort()).toEqual(once(idsOf('void', 200)));
}

function once(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}

function expectPayment(logged: Payment | undefined, { answer, key }: Sent): void {
  const { status, capturedAmount, gatewayTransactionId } = answer?.body ?? {};
  switch (status) {
    case 'Captured':
      expect(toMajor(logged?.capturedMinor ?? 0n, 'GBP'), key).toBe(capturedAmount);
      expect(logged?.gatewayTransactionId, key).toBe(gatewayTransactionId);
      break;
    case 'Authorized':
      expect(logged?.gatewayTransactionId, key).toBe(gatewayTransactionId);
      break;
    case 'Declined':
      expect(logged?.status, key).toBe(status);
      break;
    default:
  }
}

function expectRefund(logged: Child | undefined, { answer, key }: Sent): void {
  const { status, amount } = answer?.body ?? {};
  expect(toMajor(logged?.amountMinor ?? 0n, 'GBP'), key).toBe(amount);
  // A pending one has ended since, or not.
  if (status !== 'RefundPending') expect(logged?.status, key).toBe(status);
}
