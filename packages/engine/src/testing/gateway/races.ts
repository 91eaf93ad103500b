/** Cases of the gateway contract about concurrent calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  FollowUpRequest,
  FollowUpResult,
  PaymentGateway,
} from '../../gateways/payment-gateway.ts';
import { expectDone, expectRefused, type Harness, newChargeKey, type Opened } from './harness.ts';

const AT_ONCE = 20;
const RUNS = 25;

export function describeRaces<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  describe('many calls at once', () => {
    harness.declare('of one key have one effect', ['approve'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('approve');
      const { amountMinor } = request;
      const charges = await atOnce(() => gateway.charge(request));
      expect(charges[0]).toMatchObject({ result: 'captured' });
      expect(new Set(charges.map((each) => JSON.stringify(each))).size).toBe(1);
      const [answer] = charges as [(typeof charges)[number]];
      const id = 'gatewayTransactionId' in answer ? answer.gatewayTransactionId : '';

      const refund = opened.followUp({ id, request }, amountMinor / 2n);
      const refunds = await atOnce(() => gateway.refund(refund));
      expect(refunds[0]).toMatchObject({ result: 'done' });
      expect(new Set(refunds.map((each) => JSON.stringify(each))).size).toBe(1);
      // Exactly the other half is left.
      const left = amountMinor - amountMinor / 2n;
      await expectDone(gateway.refund(opened.followUp({ id, request }, left)));
      await expectRefused(gateway.refund(opened.followUp({ id, request }, 1n)));
      await opened.expectMoved(id, { capturedMinor: amountMinor, refundedMinor: amountMinor });
    });

    harness.declare(
      'under keys of their own are charges of their own',
      ['approve'],
      async (opened) => {
        const request = await opened.chargeRequest('approve');
        const charges = await atOnce(() =>
          opened.gateway.charge({ ...request, idempotencyKey: newChargeKey() }),
        );
        const ids = charges.map(
          (each) => 'gatewayTransactionId' in each && each.gatewayTransactionId,
        );
        expect(new Set(ids).size).toBe(AT_ONCE);
      },
    );

    harness.declare('take one of two requests under one key', ['approve'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('approve');
      const other = { ...request, amountMinor: request.amountMinor + 1n };
      const answers = await Promise.allSettled([gateway.charge(request), gateway.charge(other)]);
      const taken = answers.filter((each) => each.status === 'fulfilled');
      expect(taken).toMatchObject([{ value: { result: 'captured' } }]);
      expect(await gateway.findCharge(request)).toEqual(taken[0]?.value);
    });

    harness.declare(
      'let one of two refunds through that are too much',
      ['approve'],
      async (opened) => {
        const { gateway } = opened;
        const charged = await opened.charged('approve');
        const { amountMinor } = charged.request;
        const most = (amountMinor * 6n) / 10n;
        const answers = await Promise.all(
          [0, 1].map(() => gateway.refund(opened.followUp(charged, most))),
        );
        expect(answers.map(({ result }) => result).sort()).toEqual(['done', 'refused']);
        await opened.expectMoved(charged.id, { capturedMinor: amountMinor, refundedMinor: most });
      },
    );

    const lacks = harness.contract.behaviours.authorize === 'lacks';
    it.skipIf(lacks)('never move more than was asked and taken', async () => {
      const opened = await harness.open();
      await fc.assert(
        fc.asyncProperty(fc.boolean(), fc.array(moment, { maxLength: 4 }), (capture, moments) =>
          play(opened, capture, moments),
        ),
        { numRuns: RUNS },
      );
    });
  });
}

/** Of the amount, in hundredths. */
interface Ask {
  readonly operation: 'capture' | 'void' | 'refund';
  readonly hundredths: bigint;
}

const moment = fc.array(
  fc.record({
    operation: fc.constantFrom('capture' as const, 'void' as const, 'refund' as const),
    hundredths: fc.bigInt(1n, 110n),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Sends all requests of each moment concurrently, each one twice. */
async function play<Gateway extends PaymentGateway>(
  opened: Opened<Gateway>,
  capture: boolean,
  moments: readonly (readonly Ask[])[],
): Promise<void> {
  const { gateway } = opened;
  const charged = await opened.charged('authorize', { capture });
  const { amountMinor } = charged.request;
  const answered: { ask: Ask; request: FollowUpRequest; answer: FollowUpResult }[] = [];
  for (const asks of moments) {
    const answers = await Promise.all(
      asks.map(async (ask) => {
        const request = opened.followUp(charged, (amountMinor * ask.hundredths) / 100n);
        const call = () => gateway[ask.operation](request);
        const [answer, again] = await Promise.all([call(), call()]);
        expect(again).toEqual(answer);
        return { ask, request, answer };
      }),
    );
    answered.push(...answers);
  }
  for (const { ask, request, answer } of answered) {
    const found = await gateway.findFollowUp(ask.operation, request);
    if (found !== undefined || answer.result === 'done') expect(found).toEqual(answer);
  }
  const doneOf = (operation: Ask['operation']) =>
    answered
      .filter(({ ask, answer }) => ask.operation === operation && answer.result === 'done')
      .map(({ request }) => request.amountMinor);
  const captures = capture ? [amountMinor, ...doneOf('capture')] : doneOf('capture');
  expect(captures.length).toBeLessThanOrEqual(1);
  const voids = doneOf('void').length;
  expect(voids).toBeLessThanOrEqual(1);
  const capturedMinor = voids > 0 ? 0n : (captures[0] ?? 0n);
  const refundedMinor = doneOf('refund').reduce((sum, each) => sum + each, 0n);
  expect(capturedMinor).toBeLessThanOrEqual(amountMinor);
  expect(refundedMinor).toBeLessThanOrEqual(capturedMinor);
  await opened.expectMoved(charged.id, { capturedMinor, refundedMinor });
}

function atOnce<Answer>(call: () => Promise<Answer>): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, call));
}
