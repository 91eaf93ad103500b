/** Cases of the gateway contract about captures, voids and refunds. */
import { describe, expect } from 'vitest';
import type { PaymentGateway } from '../../gateways/payment-gateway.ts';
import { expectDone, expectRefused, type Harness, idIn } from './harness.ts';

export function describeFollowUps<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  describe('captures, voids and refunds', () => {
    harness.declare('captures a part of an authorization, once', ['authorize'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.authorized();
      await opened.expectMoved(charged.id, { capturedMinor: 0n, refundedMinor: 0n });
      const part = charged.request.amountMinor / 2n;
      const capture = opened.followUp(charged, part);
      const answer = await expectDone(gateway.capture(capture));
      expect(await gateway.findFollowUp('capture', capture)).toEqual(answer);
      await expectRefused(gateway.capture(opened.followUp(charged, 1n)));
      await expectRefused(gateway.refund(opened.followUp(charged, part + 1n)));
      await expectDone(gateway.refund(opened.followUp(charged, part)));
      await opened.expectMoved(charged.id, { capturedMinor: part, refundedMinor: part });
    });

    harness.declare(
      'captures no more than was authorized, and not 0',
      ['authorize'],
      async (opened) => {
        const { gateway } = opened;
        const charged = await opened.authorized();
        for (const amountMinor of [charged.request.amountMinor + 1n, 0n, -1n]) {
          await expectRefused(gateway.capture(opened.followUp(charged, amountMinor)));
        }
        await expectDone(gateway.capture(opened.followUp(charged)));
      },
    );

    harness.declare('voids an authorization, once', ['authorize'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.authorized();
      const request = opened.followUp(charged);
      const answer = await expectDone(gateway.void(request));
      expect(await gateway.findFollowUp('void', request)).toEqual(answer);
      await expectRefused(gateway.void(opened.followUp(charged)));
      await expectRefused(gateway.capture(opened.followUp(charged)));
      await opened.expectMoved(charged.id, { capturedMinor: 0n, refundedMinor: 0n });
    });

    harness.declare('voids a capture, whole and once', ['voidOfCapture'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('voidOfCapture');
      await expectDone(gateway.void(opened.followUp(charged)));
      await expectRefused(gateway.void(opened.followUp(charged)));
      await expectRefused(gateway.refund(opened.followUp(charged, 1n)));
      await opened.expectMoved(charged.id, { capturedMinor: 0n, refundedMinor: 0n });
    });

    harness.declare(
      'refunds in parts, each a transaction of its own',
      ['approve'],
      async (opened) => {
        const { gateway } = opened;
        const charged = await opened.charged('approve');
        const { amountMinor } = charged.request;
        const part = amountMinor / 4n;
        const ids = new Set([charged.id]);
        for (let taken = 0; taken < 2; taken += 1) {
          const request = opened.followUp(charged, part);
          const answer = await expectDone(gateway.refund(request));
          expect(await gateway.findFollowUp('refund', request)).toEqual(answer);
          ids.add(idIn(answer));
        }
        expect(ids.size).toBe(3);
        const left = amountMinor - 2n * part;
        for (const tooMuch of [left + 1n, 0n, -1n]) {
          await expectRefused(gateway.refund(opened.followUp(charged, tooMuch)));
        }
        await expectDone(gateway.refund(opened.followUp(charged, left)));
        await opened.expectMoved(charged.id, {
          capturedMinor: amountMinor,
          refundedMinor: amountMinor,
        });
      },
    );

    harness.declare('refunds nothing that is not captured', ['authorize'], async (opened) => {
      await expectRefused(opened.gateway.refund(opened.followUp(await opened.authorized())));
    });
  });
}
