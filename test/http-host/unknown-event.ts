/** An event of a later version of the host: the one under test does not know it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import {
  type CommandId,
  type EventStore,
  encodeEvent,
  streamName,
  type TenantId,
} from '@counterfoil/core';
import { expect } from 'vitest';

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

/** What an upgrade of the host would do for the event that waits: it can be read. */
export function makeKnown(folder: string): void {
  const [build = ''] = readdirSync(folder).filter((name) => /-transactions-\d+$/.test(name));
  const database = new DatabaseSync(join(folder, build));
  const row = database.prepare('SELECT stream, revision, event FROM parked_events').get();
  const event = String(row?.['event']).replace('PaymentTeleported', 'PaymentSettled');
  // Written as the host would have written it: under a seal over where it stands.
  const seal = crc32(`parked ${row?.['stream']} ${row?.['revision']}\n${event}`);
  const { changes } = database
    .prepare('UPDATE parked_events SET event = ?, seal = ?')
    .run(event, seal);
  database.close();
  expect(changes).toBe(1);
}
