/** An event of a later version of the host: the one under test does not know it. */
import {
  type CommandId,
  type EventStore,
  encodeEvent,
  streamName,
  type TenantId,
} from '@counterfoil/core';

/** Appends it to a payment of the tenant, and closes the log. */
export async function appendUnknown(
  events: EventStore,
  tenantId: TenantId,
  id: string,
): Promise<void> {
  const settled = { sandbox: false, merchantAccountId: 1, currency: 'GBP', amountMinor: 1n };
  const at = new Date().toISOString();
  const reference = 'from the future';
  const encoded = encodeEvent({ type: 'PaymentSettled', ...settled, reference, at });
  await events.append({
    stream: streamName('transaction', tenantId, id),
    events: [
      {
        ...encoded,
        type: 'PaymentTeleported',
        id: '0195a000-0000-8000-8000-000000000001',
        tenantId,
        time: at,
        metadata: '{"actor":"a@example.com"}',
      },
    ],
    expected: { kind: 'exists' },
    command: { id: '0195a000-0000-8000-8000-000000000002' as CommandId, fingerprint: 'f' },
  });
  await events.close();
}
