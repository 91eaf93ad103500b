/** Cases of the gateway contract about chargebacks and alerts. */
import { describe, expect, vi } from 'vitest';
import type { GatewayNotice, PaymentGateway } from '../../gateways/payment-gateway.ts';
import { expectDone, type Harness, type Opened } from './harness.ts';

/** For slow test modes; bounded by the timeout of the case. */
const WAIT = { timeout: 30_000, interval: 50 };

export function describeNotices<Gateway extends PaymentGateway>(harness: Harness<Gateway>): void {
  describe('notices', () => {
    for (const kind of ['chargeback', 'alert'] as const) {
      harness.declare(`have the same reference each time: ${kind}`, [kind], async (opened) => {
        const { gateway } = opened;
        const { id, request } = await opened.charged(kind);
        const notices = await noticed(opened, id);
        const facts = kind === 'chargeback' ? ['reasonCode'] : ['source', 'alertType'];
        expect(notices).toMatchObject([
          {
            kind,
            reference: expect.stringMatching(/./),
            amountMinor: request.amountMinor,
            arn: expect.any(String),
          },
        ]);
        for (const fact of facts) expect(notices[0]).toHaveProperty(fact, expect.any(String));
        expect(await gateway.noticesOf?.(id, opened.context)).toEqual(notices);
        const other = await opened.charged(kind);
        expect((await noticed(opened, other.id))[0]?.reference).not.toBe(notices[0]?.reference);
      });
    }

    harness.declare('are about what was captured', ['chargeback', 'authorize'], async (opened) => {
      const { gateway } = opened;
      const charged = await opened.charged('chargeback', { capture: false });
      expect(await gateway.noticesOf?.(charged.id, opened.context)).toEqual([]);
      const part = charged.request.amountMinor / 4n;
      await expectDone(gateway.capture(opened.followUp(charged, part)));
      expect(await noticed(opened, charged.id)).toMatchObject([{ amountMinor: part }]);
    });

    harness.declare('are not given without a cause', ['approve'], async (opened) => {
      const { id } = await opened.charged('approve');
      expect((await opened.gateway.noticesOf?.(id, opened.context)) ?? []).toEqual([]);
    });
  });
}

function noticed<Gateway extends PaymentGateway>(
  { gateway, context }: Opened<Gateway>,
  id: string,
): Promise<readonly GatewayNotice[]> {
  return vi.waitFor(async () => {
    const notices = (await gateway.noticesOf?.(id, context)) ?? [];
    expect(notices.length).toBeGreaterThan(0);
    return notices;
  }, WAIT);
}
