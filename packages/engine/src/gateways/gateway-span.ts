/** How a call of a gateway shows in traces. */
import { SpanKind } from '@opentelemetry/api';
import type { Operation } from '../tracing.ts';
import type { AccountContext, PaymentGateway } from './payment-gateway.ts';

export function gatewaySpan(
  { gatewayId, name }: Pick<PaymentGateway, 'gatewayId' | 'name'>,
  call: string,
  { account }: AccountContext,
): Operation {
  return {
    name: `gateway ${call}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'counterfoil.gateway': name,
      'counterfoil.gateway_id': gatewayId,
      'counterfoil.merchant_account_id': account.merchantAccountId,
    },
  };
}
