/** Cases of the gateway contract about lost answers, whose outcome is queried. */
import { describe, expect } from 'vitest';
import { GatewayTimeout, type PaymentGateway } from '../../gateways/payment-gateway.ts';
import { expectRefused, type Harness, idIn } from './harness.ts';

export function describeLostAnswers<Gateway extends PaymentGateway>(
  harness: Harness<Gateway>,
): void {
  describe('a call without an answer', () => {
    harness.declare('is found by asking, and charges once', ['lostCharge'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('lostCharge');
      await expect(gateway.charge(request)).rejects.toThrow(GatewayTimeout);
      const found = await gateway.findCharge(request);
      expect(found).toMatchObject({ result: 'captured' });
      // It may time out again or give the found answer; it must not charge again.
      const again = await gateway.charge(request).catch(timeoutOf);
      if (again !== undefined) expect(again).toEqual(found);
      expect(await gateway.findCharge(request)).toEqual(found);
      const { amountMinor } = request;
      await opened.expectMoved(idIn(found), { capturedMinor: amountMinor, refundedMinor: 0n });
    });

    harness.declare('is not known if it was never received', ['neverReceived'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('neverReceived');
      await expect(gateway.charge(request)).rejects.toThrow(GatewayTimeout);
      expect(await gateway.findCharge(request)).toBeUndefined();
    });

    harness.declare('refunds once', ['lostRefund'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('lostRefund');
      const { amountMinor } = charged.request;
      const refund = opened.followUp(charged);
      await expect(gateway.refund(refund)).rejects.toThrow(GatewayTimeout);
      const found = await gateway.findFollowUp('refund', refund);
      expect(found).toMatchObject({ result: 'done' });
      const again = await gateway.refund(refund).catch(timeoutOf);
      if (again !== undefined) expect(again).toEqual(found);
      await expectRefused(gateway.refund(opened.followUp(charged, 1n)));
      await opened.expectMoved(charged.id, {
        capturedMinor: amountMinor,
        refundedMinor: amountMinor,
      });
    });
  });
}

function timeoutOf(error: unknown): undefined {
  if (!(error instanceof GatewayTimeout)) throw error;
}
