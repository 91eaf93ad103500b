/** Cases of the gateway contract about cards and charges. */
import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { PaymentGateway } from '../../gateways/payment-gateway.ts';
import { expectRefused, FOLLOW_UPS, type Harness, idIn, newChargeKey } from './harness.ts';

/** The column width in read models. */
const LONGEST_TOKEN = 255;

export function describeCharges<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  describe('cards and charges', () => {
    harness.declare(
      'keeps a card under a token without its number',
      ['approve'],
      async (opened) => {
        const trigger = opened.triggerOf('approve');
        const kept = await opened.tokenOf('approve');
        expect(kept.token.length).toBeGreaterThan(0);
        expect(kept.token.length).toBeLessThanOrEqual(LONGEST_TOKEN);
        expect(await opened.gateway.findToken(kept.token, opened.context)).toEqual(kept);
        // Of what its own script made a gateway may say less.
        if (!('card' in trigger)) return;
        const { card } = trigger;
        expect(kept).toMatchObject({
          bin: card.number.slice(0, 6),
          last4: card.number.slice(-4),
          expMonth: card.expMonth,
          expYear: card.expYear,
          fingerprint: expect.stringMatching(/^(c0ffee){5}$/),
        });
        expect(JSON.stringify(kept)).not.toContain(card.number);
      },
    );

    harness.declare(
      'captures at once, and answers the same when asked',
      ['approve'],
      async (opened) => {
        const { gateway } = opened;
        const { request, answer, id } = await opened.charged('approve');
        expect(answer).toMatchObject({
          result: 'captured',
          authCode: expect.any(String),
          arn: expect.any(String),
          avsChecked: expect.any(Boolean),
        });
        expect(await gateway.findCharge(request)).toEqual(answer);
        await opened.expectMoved(id, { capturedMinor: request.amountMinor, refundedMinor: 0n });
      },
    );

    harness.declare('charges a token again, without a cvv', ['approve'], async (opened) => {
      const { request, id } = await opened.charged('approve');
      const { cvv: _, ...kept } = request;
      for (const recurring of [false, true]) {
        const again = { ...kept, recurring, idempotencyKey: newChargeKey() };
        const answer = await opened.gateway.charge(again);
        expect(answer).toMatchObject({ result: 'captured' });
        expect(idIn(answer)).not.toBe(id);
      }
    });

    harness.declare('declines, and lets nothing follow', ['decline'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('decline');
      const answer = await gateway.charge(request);
      expect(answer).toMatchObject({
        result: 'declined',
        declineCode: expect.stringMatching(/./),
        hard: expect.any(Boolean),
      });
      expect(await gateway.findCharge(request)).toEqual(answer);
      const { gatewayTransactionId: id } = answer as typeof answer & { result: 'declined' };
      for (const operation of FOLLOW_UPS) {
        await expectRefused(gateway[operation](opened.followUp({ id, request })));
      }
    });

    harness.declare(
      'takes 0 as a question about the card',
      ['zeroAmount', 'decline'],
      async (opened) => {
        const { answer, id } = await opened.charged('zeroAmount', { amountMinor: 0n });
        expect(answer).toMatchObject({ result: 'captured' });
        await opened.expectMoved(id, { capturedMinor: 0n, refundedMinor: 0n });
        const bad = await opened.chargeRequest('decline', { amountMinor: 0n });
        expect(await opened.gateway.charge(bad)).toMatchObject({ result: 'declined' });
      },
    );

    harness.declare('charges no token that it did not make', ['approve'], async (opened) => {
      const token = randomUUID();
      expect(await opened.gateway.findToken(token, opened.context)).toBeUndefined();
      const { result } = await opened.gateway.charge(
        await opened.chargeRequest('approve', { token }),
      );
      expect(['failed', 'declined']).toContain(result);
    });

    harness.declare('goes on once the customer has acted', ['action'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('action');
      const { request, answer, id } = charged;
      expect(answer).toMatchObject({
        result: 'action-required',
        nextAction: { type: expect.stringMatching(/./), url: expect.stringMatching(/^https?:/) },
      });
      expect(await gateway.findCharge(request)).toEqual(answer);
      for (const operation of FOLLOW_UPS) {
        await expectRefused(gateway[operation](opened.followUp(charged)));
      }
      await opened.act(answer);
      const confirm = opened.followUp(charged);
      const confirmed = await gateway.confirm(confirm);
      expect(confirmed).toMatchObject({ result: 'captured', gatewayTransactionId: id });
      expect(await gateway.confirm(confirm)).toEqual(confirmed);
      // The current state of the charge, by its key.
      expect(await gateway.findCharge(request)).toEqual(confirmed);
      await opened.expectMoved(id, { capturedMinor: request.amountMinor, refundedMinor: 0n });
    });

    harness.declare('does not find unknown keys', ['approve'], async (opened) => {
      const { gateway } = opened;
      const request = await opened.chargeRequest('approve');
      const unknown = { id: `unknown-${randomUUID()}`, request };
      expect(await gateway.findCharge(request)).toBeUndefined();
      expect((await gateway.noticesOf?.(unknown.id, opened.context)) ?? []).toEqual([]);
      for (const operation of FOLLOW_UPS) {
        const asked = opened.followUp(unknown);
        expect(await gateway.findFollowUp(operation, asked)).toBeUndefined();
        await expectRefused(gateway[operation](opened.followUp(unknown)));
      }
    });
  });
}
