/** The doctor where the log of hosts is not in their database: in an EventStoreDB, in a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTenant, startHost } from '../e2e/running-host.ts';
import { startProtocolServer } from '../eventstoredb-server/server.ts';
import { newDatabase } from '../setup/databases.ts';
import { checkOf, complaintsOf, examinationOf, expectFinding } from './doctor-findings.ts';

vi.setConfig({ testTimeout: 180_000 });

const TENANT = 8;
const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');
const POLLING = { timeout: 60_000, interval: 50 };

interface Engine {
  readonly name: string;
  readonly open: (folder: string) => Promise<string>;
  readonly leftOut: readonly string[];
}

const ENGINES: readonly Engine[] = [
  {
    name: 'an EventStoreDB (the protocol server)',
    async open() {
      const server = await startProtocolServer();
      onTestFinished(() => server.close());
      return server.url;
    },
    leftOut: ['files', 'pages'],
  },
  {
    name: 'a file',
    open: async (folder) => `sqlite:${join(folder, 'events.db')}`,
    leftOut: ['files'],
  },
];

it.each(ENGINES)('examines a log in $name', async ({ open, leftOut }) => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-doctor-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await newDatabase();
  const env = { EVENT_STORE_URL: await open(folder), READ_MODEL_URL: database, MASTER_KEY };
  const running = await startHost({ onDisk: true, env });
  const { readSide } = running.host;
  const caller = await openTenant(running, TENANT);
  const { id } = await caller.paid();
  expect((await caller.refund(id)).status).toBe(200);
  const isRead = () =>
    readSide.caughtUp(TENANT).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isRead, POLLING);
  await running.close();

  const examination = await examinationOf(folder, { env });
  expect(complaintsOf(examination)).toEqual([]);
  const skipped = examination.checks.filter((each) => each.skipped !== undefined);
  expect(skipped.map(({ check }) => check)).toEqual(leftOut);
  expect(checkOf(examination, 'journal').looked).toMatch(/^[1-9]\d* entries/);

  // Read models of a log that went further than this one.
  const other = await newDatabase();
  const empty = { ...env, EVENT_STORE_URL: other };
  expectFinding(await examinationOf(folder, { env: empty, quick: true }), 'loss', {
    message: /there is no log/,
  });
});
