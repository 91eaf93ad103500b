/** Cases of the gateway contract about accounts whose credentials are refused. */
import { describe, expect, it } from 'vitest';
import type { GatewayAccount, PaymentGateway } from '../../gateways/payment-gateway.ts';
import { FOLLOW_UPS, type Harness } from './harness.ts';

export function describeCredentials<Gateway extends PaymentGateway>(
  harness: Harness<Gateway>,
): void {
  const { refusedAccount: account } = harness.contract;
  if (account === undefined) {
    describe.skip('refused credentials', () => it('are said to be', () => undefined));
    return;
  }
  describe('refused credentials', () => declareCases(harness, account));
}

function declareCases<Gateway extends PaymentGateway>(
  harness: Harness<Gateway>,
  account: GatewayAccount,
): void {
  const refusal = { code: 'CredentialsRefused' };

  harness.declare('charge nothing, and use up no key', ['approve'], async (opened) => {
    const { gateway } = opened;
    const request = await opened.chargeRequest('approve');
    await expect(gateway.charge({ ...request, account })).rejects.toMatchObject(refusal);
    await expect(gateway.findCharge({ ...request, account })).rejects.toMatchObject(refusal);
    const answer = await gateway.charge(request);
    expect(answer).toMatchObject({ result: 'captured' });
    expect(await gateway.charge(request)).toEqual(answer);
  });

  harness.declare('move nothing of a charge', ['approve', 'authorize'], async (opened) => {
    const { gateway } = opened;
    const [captured, held] = [await opened.charged('approve'), await opened.authorized()];
    for (const operation of FOLLOW_UPS) {
      const charged = operation === 'refund' ? captured : held;
      const request = { ...opened.followUp(charged, 25n), account };
      await expect(gateway[operation](request)).rejects.toMatchObject(refusal);
      await expect(gateway.findFollowUp(operation, request)).rejects.toMatchObject(refusal);
    }
    const capturedMinor = captured.request.amountMinor;
    await opened.expectMoved(captured.id, { capturedMinor, refundedMinor: 0n });
    await opened.expectMoved(held.id, { capturedMinor: 0n, refundedMinor: 0n });
  });

  harness.declare('find and take no card', ['approve'], async (opened) => {
    const { gateway, context } = opened;
    const refused = { ...context, account };
    const { token } = await opened.tokenOf('approve');
    await expect(gateway.findToken(token, refused)).rejects.toMatchObject(refusal);
    await expect(opened.tokenOf('approve', refused)).rejects.toMatchObject(refusal);
  });

  harness.declare('are seen by the check, where there is one', [], async ({ gateway, context }) => {
    const { checkCredentials } = gateway;
    if (checkCredentials === undefined) return;
    await checkCredentials(context);
    await expect(checkCredentials({ ...context, account })).rejects.toMatchObject(refusal);
  });
}
