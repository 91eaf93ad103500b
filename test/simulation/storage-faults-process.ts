/** A host in a separate process, on a folder without space or permissions. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Answer, Caller } from './caller.ts';
import { paymentBody, type Truth } from './storage-faults-truth.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const CONCURRENT = 8;
/** A disk that takes more than so many payments is not full. */
const MOST_PAYMENTS = 2_000;

export interface Limits {
  /** No file may grow beyond so many blocks of 512 bytes. */
  readonly fileBlocks?: number;
  /** Runs as this user and group, who own nothing. */
  readonly uid?: number;
  readonly gid?: number;
}

export interface HostProcess {
  /** Undefined when it ended before it listened. */
  readonly url: string | undefined;
  readonly output: () => string;
  readonly code: () => number | null;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a host; answers when it listens or has ended. */
export async function startProcess(
  folder: string,
  { fileBlocks, ...identity }: Limits = {},
): Promise<HostProcess> {
  const { PATH } = process.env;
  const options = {
    env: { PATH, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' },
    ...identity,
  };
  const command = [process.execPath, CLI, 'start'];
  // A write beyond the limit is to fail, not to end the process.
  const limited = `trap '' XFSZ; ulimit -f ${fileBlocks}; exec "$@"`;
  const child: ChildProcess =
    fileBlocks === undefined
      ? spawn(process.execPath, [CLI, 'start'], options)
      : spawn('/bin/sh', ['-c', limited, 'sh', ...command], options);
  let output = '';
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk);
      const url = /listens on (http:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  }
  child.once('close', () => resolve(undefined));
  return {
    url: await promise,
    output: () => output,
    code: () => child.exitCode,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

/** Requests under their keys, and what came of them. */
export interface Paid {
  readonly acknowledged: Map<number, Answer>;
  readonly refused: Set<number>;
}

/** Pays until that many payments were refused. */
export async function payUntilRefused(caller: Caller, refusals: number): Promise<Paid> {
  const paid: Paid = { acknowledged: new Map(), refused: new Set() };
  for (let next = 0; paid.refused.size < refusals; next += CONCURRENT) {
    expect(next).toBeLessThan(MOST_PAYMENTS);
    await Promise.all(
      Array.from({ length: CONCURRENT }, async (_, index) => {
        const answer = await pay(caller, next + index);
        if (answer.status < 500) paid.acknowledged.set(next + index, answer);
        else paid.refused.add(next + index);
      }),
    );
  }
  return paid;
}

export function pay(caller: Caller, index: number): Promise<Answer> {
  return caller.post('/v1/payments', { body: paymentBody(index), key: `faulty-${index}` });
}

/** Acknowledged requests are in the log, and refused ones now succeed, once. */
export async function expectNothingLost(
  url: string,
  { apiKey }: Truth,
  { acknowledged, refused }: Paid,
): Promise<void> {
  const caller = new Caller(() => url, { tenantId: 1, key: apiKey });
  for (const [index, { status, body }] of acknowledged) {
    const again = await pay(caller, index);
    expect(again).toMatchObject({ status, body: { id: body.id, status: body.status } });
    const { status: found } = await caller.get('/v1/payments/{id}', { path: { id: body.id } });
    expect(found, body.id).toBe(200);
  }
  const ids = new Set([...acknowledged.values()].map(({ body }) => body.id));
  for (const index of refused) {
    const { status, body } = await pay(caller, index);
    expect([201, 402], JSON.stringify(body)).toContain(status);
    expect(ids.has(body.id)).toBe(false);
    ids.add(body.id);
  }
  expect(ids.size).toBe(acknowledged.size + refused.size);
}

const NOBODY_UID = 65_534;

/**
 * As whom a process is started that the permission bits bind: root passes over them, so it starts
 * one as nobody. Undefined where nobody may not read the sources.
 */
export function boundByPermissions(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  const other = { uid: NOBODY_UID, gid: NOBODY_UID };
  const reading = `require('node:fs').readFileSync(${JSON.stringify(CLI)})`;
  return spawnSync(process.execPath, ['-e', reading], other).status === 0 ? other : undefined;
}
