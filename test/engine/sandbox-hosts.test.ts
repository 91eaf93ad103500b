/** Several hosts on one database: their sandbox is one gateway, and does each thing once. */
import {
  type ChargeRequest,
  IdempotencyKeyReused,
  openSandboxGateway,
  type SandboxGateway,
  type SandboxRecord,
} from '@counterfoil/engine/gateways';
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { charged, chargeRequest, followUp } from './sandbox-desk.ts';

const HOSTS = 2;
const MANY = 300;
const ROUNDS = 10;

let databases: readonly HostDatabase[];
let drop: () => Promise<void>;
let gateways = 0;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  databases = await Promise.all(Array.from({ length: HOSTS }, () => openHostDatabase(created.url)));
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await drop();
});

/** One new gateway as each of the hosts has it. */
function hosts(): readonly SandboxGateway[] {
  gateways += 1;
  const gatewayId = gateways;
  return databases.map(({ pool }) => openSandboxGateway({ database: pool, gatewayId }));
}

function onlyHost(): SandboxGateway {
  const [host] = hosts();
  if (host === undefined) throw new Error('there is no host');
  return host;
}

/** As the first host reads them. */
async function recordsOf([host]: readonly SandboxGateway[]): Promise<readonly SandboxRecord[]> {
  if (host === undefined) throw new Error('there is no host');
  return Array.fromAsync(host.records());
}

async function manyRequests(host: SandboxGateway): Promise<readonly ChargeRequest[]> {
  const request = await chargeRequest(host, 'approve');
  return Array.from({ length: MANY }, (_, index) => ({
    ...request,
    idempotencyKey: `charge-${index}`,
  }));
}

it('charge once what all of them are asked, and answer the same', async () => {
  const [one, two] = hosts() as [SandboxGateway, SandboxGateway];
  const requests = await manyRequests(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    const named = requests.map((request) => ({
      ...request,
      idempotencyKey: `${round}/${request.idempotencyKey}`,
    }));
    // In opposite orders, so that each might wait for what the other has.
    const [answers, others] = await Promise.all([
      Promise.all(named.map((each) => one.charge(each))),
      Promise.all(named.toReversed().map((each) => two.charge(each))),
    ]);
    expect(others.toReversed()).toEqual(answers);
  }
  const keys = (await recordsOf([two])).map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(ROUNDS * MANY);
  expect(new Set(keys).size).toBe(ROUNDS * MANY);
});

it('take one of two requests under the same key', async () => {
  const [one, two] = hosts() as [SandboxGateway, SandboxGateway];
  for (const request of (await manyRequests(one)).slice(0, 20)) {
    const results = await Promise.allSettled([
      one.charge(request),
      two.charge({ ...request, amountMinor: 1n }),
    ]);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: expect.any(IdempotencyKeyReused) }]);
  }
  expect(await recordsOf([one])).toHaveLength(20);
});

it('refund once what all of them are asked', async () => {
  const all = hosts();
  const id = await charged(all[0] as SandboxGateway, 'approve');
  for (let each = 0; each < 10; each += 1) {
    const request = followUp(id, `refund-${each}`, 1_000n);
    const [first, ...others] = await Promise.all(all.map((host) => host.refund(request)));
    expect(first).toMatchObject({ result: 'done' });
    for (const other of others) expect(other).toEqual(first);
  }
  const [charge, ...refunds] = await recordsOf(all);
  expect(refunds).toHaveLength(10);
  expect(charge).toMatchObject({ capturedMinor: 10_000n, refundedMinor: 10_000n });
});

const asked = fc.record({
  host: fc.nat({ max: HOSTS - 1 }),
  operation: fc.constantFrom('capture', 'void', 'refund'),
  amountMinor: fc.bigInt(1n, 60n),
  key: fc.nat({ max: 8 }),
});

it('never give back more than was taken, whatever they are asked at the same moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.array(asked, { minLength: 1, maxLength: 8 }), { maxLength: 3 }),
      async (capture, moments) => {
        const all = hosts();
        const request = { capture, amountMinor: 100n };
        const id = await charged(all[0] as SandboxGateway, 'approve', request);
        for (const moment of moments) {
          await Promise.all(
            moment.map(({ host, operation, amountMinor, key }) => {
              const name = `${operation}-${key}-${amountMinor}`;
              return (all[host] as SandboxGateway)[operation](followUp(id, name, amountMinor));
            }),
          );
        }
        expectSound(await recordsOf(all));
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);

/** The state of the charge follows from its follow-ups, in order. */
function expectSound([charge, ...followUps]: readonly SandboxRecord[]): void {
  if (charge?.operation !== 'charge') throw new Error('the charge comes first');
  const keys = followUps.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toEqual([...new Set(keys)]);
  const done = followUps.filter(({ result }) => result.result === 'done');
  const of = (wanted: SandboxRecord['operation']) =>
    done.filter(({ operation }) => operation === wanted);
  const sumOf = (records: readonly SandboxRecord[]) =>
    records.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const captures = of('capture');
  const isVoided = of('void').length > 0;
  const wasCaptured = charge.result.result === 'captured';
  expect(captures.length + (wasCaptured ? 1 : 0)).toBeLessThanOrEqual(1);
  expect(of('void').length).toBeLessThanOrEqual(1);
  const captured = wasCaptured ? charge.amountMinor : sumOf(captures);
  expect(charge.capturedMinor).toBe(isVoided ? 0n : captured);
  expect(charge.refundedMinor).toBe(sumOf(of('refund')));
  expect(sumOf(of('refund'))).toBeLessThanOrEqual(charge.capturedMinor);
}

it('send the charges of one turn together', async () => {
  const { pool } = databases[0] as HostDatabase;
  const host = onlyHost();
  const requests = await manyRequests(host);
  let used = 0;
  const count = () => {
    used += 1;
  };
  pool.on('acquire', count);
  await Promise.all(requests.map((each) => host.charge(each)));
  pool.off('acquire', count);
  expect(used).toBe(1);
});

it('do not block others with a request that the database cannot store', async () => {
  const host = onlyHost();
  const request = await chargeRequest(host, 'approve');
  const [bad, good] = await Promise.allSettled([
    host.charge({ ...request, idempotencyKey: 'a\0b' }),
    host.charge(request),
  ]);
  expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
  expect(good).toMatchObject({ status: 'fulfilled', value: { result: 'captured' } });
});

it('survive broken connections, and charge once on a retry', async () => {
  const [one, two] = hosts() as [SandboxGateway, SandboxGateway];
  const requests = await manyRequests(one);
  const first = Promise.allSettled(requests.map((each) => one.charge(each)));
  await databases[1]?.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await first;
  // A broken idle connection is only detected on its next use.
  const ask = (host: SandboxGateway) =>
    vi.waitUntil(() =>
      Promise.all(requests.map((each) => host.charge(each))).catch(() => undefined),
    );
  expect(await ask(two)).toEqual(await ask(one));
  expect(await recordsOf([one])).toHaveLength(MANY);
});
