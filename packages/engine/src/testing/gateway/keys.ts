/** Cases of the gateway contract about idempotency keys. */
import { describe, expect, it } from 'vitest';
import type { PaymentGateway } from '../../gateways/payment-gateway.ts';
import { expectDone, expectKeyRefused, expectRefused, type Harness } from './harness.ts';

const TIMES = 3;

export function describeKeys<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  describe('an idempotency key', () => {
    harness.declare('gives the same charge and refund again', ['approve'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('approve');
      const { request, answer, id } = charged;
      const refund = opened.followUp(charged, 25n);
      const refunded = await expectDone(gateway.refund(refund));
      for (let time = 0; time < TIMES; time += 1) {
        expect(await gateway.charge(request)).toEqual(answer);
        expect(await gateway.refund(refund)).toEqual(refunded);
      }
      const { amountMinor } = request;
      await opened.expectMoved(id, { capturedMinor: amountMinor, refundedMinor: 25n });
    });

    harness.declare('gives the same capture and void again', ['authorize'], async (opened) => {
      const { gateway } = opened;
      const [first, second] = [await opened.authorized(), await opened.authorized()];
      const capture = opened.followUp(first, 60n);
      const captured = await expectDone(gateway.capture(capture));
      const release = opened.followUp(second);
      const voided = await expectDone(gateway.void(release));
      for (let time = 0; time < TIMES; time += 1) {
        expect(await gateway.capture(capture)).toEqual(captured);
        expect(await gateway.void(release)).toEqual(voided);
        expect(await gateway.charge(first.request)).toEqual(first.answer);
      }
      await opened.expectMoved(first.id, { capturedMinor: 60n, refundedMinor: 0n });
    });

    harness.declare('gives the same decline again', ['decline'], async (opened) => {
      const request = await opened.chargeRequest('decline');
      const answer = await opened.gateway.charge(request);
      expect(await opened.gateway.charge(request)).toEqual(answer);
    });

    harness.declare(
      'gives a refusal again that would be done now',
      ['authorize'],
      async (opened) => {
        const { gateway } = opened;
        const charged = await opened.authorized();
        const refund = opened.followUp(charged, 1n);
        const refused = await expectRefused(gateway.refund(refund));
        await expectDone(gateway.capture(opened.followUp(charged)));
        expect(await gateway.refund(refund)).toEqual(refused);
        const capturedMinor = charged.request.amountMinor;
        await opened.expectMoved(charged.id, { capturedMinor, refundedMinor: 0n });
      },
    );

    harness.declare('is refused for another request', ['approve'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('approve');
      const { request, answer, id } = charged;
      const { token } = await opened.tokenOf('approve');
      await expectKeyRefused(gateway.charge({ ...request, amountMinor: request.amountMinor + 1n }));
      await expectKeyRefused(gateway.charge({ ...request, token }));
      const refund = opened.followUp(charged, 25n);
      const refunded = await expectDone(gateway.refund(refund));
      await expectKeyRefused(gateway.refund({ ...refund, amountMinor: 26n }));
      await expectKeyRefused(gateway.void(refund));
      expect(await gateway.findCharge(request)).toEqual(answer);
      expect(await gateway.findFollowUp('refund', refund)).toEqual(refunded);
      const { amountMinor } = request;
      await opened.expectMoved(id, { capturedMinor: amountMinor, refundedMinor: 25n });
    });

    harness.declare('names a charge or a follow-up', ['approve'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('approve');
      const refund = opened.followUp(charged, 25n);
      await expectDone(gateway.refund(refund));
      const { idempotencyKey } = charged.request;
      const asRefund = { ...refund, idempotencyKey };
      expect(await gateway.findFollowUp('refund', asRefund)).toBeUndefined();
      const asCharge = { ...charged.request, idempotencyKey: refund.idempotencyKey };
      expect(await gateway.findCharge(asCharge)).toBeUndefined();
    });

    it.skipIf(harness.contract.reopen === undefined)('is known after a restart', async () => {
      const opened = await harness.open();
      const charged = await opened.charged('approve');
      const { request, answer, id } = charged;
      const refund = opened.followUp(charged, 25n);
      const refunded = await expectDone(opened.gateway.refund(refund));

      const restarted = await harness.restart(opened);
      const { gateway } = restarted;
      expect(await gateway.findCharge(request)).toEqual(answer);
      expect(await gateway.charge(request)).toEqual(answer);
      expect(await gateway.refund(refund)).toEqual(refunded);
      await expectKeyRefused(gateway.refund({ ...refund, amountMinor: 26n }));
      const { amountMinor } = request;
      await expectRefused(gateway.refund(restarted.followUp(charged, amountMinor - 24n)));
      await restarted.expectMoved(id, { capturedMinor: amountMinor, refundedMinor: 25n });
    });
  });
}
