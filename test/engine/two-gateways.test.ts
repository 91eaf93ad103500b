/** A company with an account at each of two gateways, which do not know each other's tokens. */
import { TenantId } from '@counterfoil/core';
import { openLedger, silentLogger } from '@counterfoil/engine';
import { openSandboxGateway, type PaymentGateway } from '@counterfoil/engine/gateways';
import { expect, it, onTestFinished } from 'vitest';
import { OPERATOR, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const [FIRST, SECOND] = [1, 2];

/** A sandbox that knows only the tokens it made. */
function sandboxAlone(gatewayId: number): PaymentGateway {
  const gateway = openSandboxGateway({ path: ':memory:', gatewayId });
  const made = new Set<string>();
  const own: Partial<PaymentGateway> = {
    async tokenize(card, fingerprint) {
      const kept = await gateway.tokenize(card, fingerprint);
      made.add(kept.token);
      return kept;
    },
    findToken: async (token) => (made.has(token) ? gateway.findToken(token) : undefined),
  };
  return new Proxy<PaymentGateway>(gateway, {
    get(target, name) {
      const member = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

it('charges a token at the gateway that made it', async () => {
  const gateways = [FIRST, SECOND].map(sandboxAlone);
  const ledger = await openLedger({ storage: 'memory:', gateways, logger: silentLogger });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const second = { ...SHOP_ACCOUNT, gatewayId: SECOND };
  await ledger.merchantAccounts.openOnce(TENANT, 2, second, OPERATOR);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const gatewayOf = ({ payment }: Awaited<ReturnType<typeof shop.payments.submit>>) =>
    payment.attempts.map(({ route }) => route.gatewayId);

  const paid = await shop.payments.submit(order({ merchantAccountId: 2 }));
  expect(gatewayOf(paid)).toEqual([SECOND]);
  const again = await shop.payments.submit(order({ card: undefined, token: paid.token }));
  expect(gatewayOf(again)).toEqual([SECOND]);
  expect(gatewayOf(await shop.payments.submit(order()))).toEqual([FIRST]);
});
