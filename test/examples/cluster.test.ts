/** The cluster example as a newcomer runs it, for a quarter of a minute: all that it claims holds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresUrl } from '../setup/databases.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'examples/cluster/main.ts');
const SECONDS = 15;
const SEED = 20_261_121;
const CLAIMS = 10;
const BOUND_MS = 480_000;
const POLLING = { timeout: 180_000, interval: 50 };

/** Where the runs make their folders. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-clusters-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  said(): string;
}

/** In a process group of its own, so that it can be seen whether anything is left of it. */
function start(...args: readonly string[]): Run {
  const env = { ...process.env, DATABASE_URL: postgresUrl(), TMPDIR: folder };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: ROOT, env, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  return { child, ended: once(child, 'close'), said: () => said };
}

function expectNothingLeftOf({ child }: Run): void {
  expect(readdirSync(folder)).toEqual([]);
  expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH');
}

describe('the cluster', { timeout: BOUND_MS }, () => {
  it(`holds its claims under kills (seed ${SEED})`, async () => {
    const run = start('--seconds', String(SECONDS), '--seed', String(SEED));
    const [code] = await run.ended;
    process.stdout.write(`${run.said().split('\n').slice(-2).join('\n')}`);
    expect({ code, said: run.said() }).toMatchObject({ code: 0 });
    expect(run.said().match(/^ {2}holds /gm)).toHaveLength(CLAIMS);
    expect(run.said()).toContain(`seed ${SEED}:`);
    const [, kills] = /started (\d+) times/.exec(run.said()) ?? [];
    expect(Number(kills)).toBeGreaterThan(4);
    expectNothingLeftOf(run);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const run = start('--seconds', '600');
    await vi.waitUntil(() => run.said().includes('Storm'), POLLING);
    run.child.kill('SIGINT');
    const [code] = await run.ended;
    expect(code).toBe(130);
    expectNothingLeftOf(run);
  });

  it.each([
    [['--seconds', '0'], '--seconds must be a whole number from 1'],
    [['--seconds', 'ten'], '--seconds must be a whole number from 1'],
    [['--seed', '-1'], '--seed'],
    [['--log', 'sqlite'], '--log must be one of postgres, eventstoredb'],
    [['--fast'], "Unknown option '--fast'"],
    [['60'], 'Unexpected argument'],
  ])('refuses %j', async (args, message) => {
    const run = start(...args);
    const [code] = await run.ended;
    expect(code).toBe(2);
    expect(run.said()).toContain(message);
    expect(run.said()).toContain('npx -y pnpm@12 example:cluster');
  });
});
