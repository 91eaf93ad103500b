/** The doctor's comparison of gateway books with the ledger, where hosts keep both in PostgreSQL. */
import { checkGateway, streamsOf } from '@counterfoil/engine/doctor';
import { openBooks, openSandboxGateway } from '@counterfoil/engine/gateways';
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { charged } from '../engine/sandbox-desk.ts';
import { createDatabase } from '../setup/databases.ts';

const GATEWAY_ID = 1;

let drop: () => Promise<void>;
let database: HostDatabase;
let running: Running;
let caller: Caller;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  const env = { EVENT_STORE_URL: created.url, READ_MODEL_URL: created.url };
  running = await startHost({ onDisk: true, env });
  database = await openHostDatabase(created.url);
  caller = await openTenant(running, 21);
}, 60_000);
afterAll(async () => {
  await running.close();
  await database.close();
  await drop();
});

function examined({ quick = false } = {}) {
  const { events } = running.host;
  const options = { quick, onProgress: () => undefined };
  const books = openBooks({ database: database.pool, gatewayId: GATEWAY_ID });
  const place = 'the host database';
  return checkGateway(options, { events, streams: streamsOf(events), books, place });
}

it('is sound, and then finds what the log or the books have lost', async () => {
  const { id } = await caller.paid();
  expect((await caller.refund(id)).status).toBe(200);
  await caller.pay({ card: card(CARDS.insufficientFunds) });
  expect(await examined()).toMatchObject({ looked: '3 records', findings: [] });
  expect(await examined({ quick: true })).toMatchObject({ findings: [] });

  const gateway = openSandboxGateway({ database: database.pool, gatewayId: GATEWAY_ID });
  await charged(gateway, 'approve', { idempotencyKey: 'stranger/charge/1' });
  expect(await examined()).toMatchObject({
    looked: '4 records',
    findings: [{ severity: 'damage', message: expect.stringContaining('no such payment') }],
  });
  await database.pool.query(
    "DELETE FROM counterfoil_host.gateway_requests WHERE key LIKE 'stranger/%' OR key = $1",
    [`${id}/charge/1`],
  );
  expect(await examined()).toMatchObject({
    findings: [
      { severity: 'damage', message: expect.stringMatching(/the gateway has no charge sbx_/) },
    ],
  });
  await database.pool.query('DELETE FROM counterfoil_host.gateway_requests');
  expect(await examined()).toMatchObject({
    findings: [{ message: expect.stringContaining('the host database has no charge at all') }],
  });
}, 60_000);
