/**
 * What a host takes of memory under payments: `node bench/experiments/payment-memory.ts [seconds] [rounds]`. A host a
 * round and variant: at rest, the most of it under 64 connections, and some seconds after. The variants
 * bound what V8 and the C library keep for speed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HostUnderLoad } from '../load/host.ts';
import { makeHostData } from '../load/host-data.ts';
import { Load } from '../load/load.ts';
import { jobOf, paymentPath } from '../load/paths.ts';
import { spread } from '../report/numbers.ts';

const [SECONDS = 10, ROUNDS = 3] = process.argv.slice(2).map(Number);
const STRIPPED = fileURLToPath(new URL('../../scripts/strip-types.mjs', import.meta.url));
const REST_MS = 15_000;
const MIB = 2 ** 20;

interface Variant {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const SMALL_YOUNG = '--max-semi-space-size=4';
const VARIANTS: Readonly<Record<string, Variant>> = {
  'as it is': { flags: [], env: {} },
  '4 MiB of young objects': { flags: [SMALL_YOUNG], env: {} },
  'two arenas of malloc': { flags: [], env: { MALLOC_ARENA_MAX: '2' } },
  'a heap that grows by a fifth': { flags: ['--heap-growing-percent=20'], env: {} },
  'optimized for size': { flags: ['--optimize-for-size'], env: {} },
};

interface Taken {
  readonly idle: number;
  readonly most: number;
  readonly after: number;
  readonly perSecond: number;
}

async function taken({ flags, env }: Variant): Promise<Taken> {
  const folder = mkdtempSync(
    join(fileURLToPath(new URL('../results', import.meta.url)), 'memory-'),
  );
  const load = new Load();
  try {
    const data = await makeHostData({ folder, payments: 0, seed: 1, say: () => undefined });
    const host = await HostUnderLoad.start(data, ['--import', STRIPPED, ...flags], env);
    await sleep(REST_MS);
    const idle = await host.residentBytes();
    const job = jobOf(paymentPath(1), host, { port: host.port, durationMs: SECONDS * 1_000 });
    const { bytes: most, result } = await host.largestDuring(() => load.run(job));
    await sleep(REST_MS);
    const after = await host.residentBytes();
    await host.stop();
    return { idle, most, after, perSecond: result.answered / SECONDS };
  } finally {
    await load.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const found = new Map<string, Taken[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, variant] of Object.entries(VARIANTS)) {
    found.set(name, [...(found.get(name) ?? []), await taken(variant)]);
  }
}
for (const [name, rounds] of found) {
  const shown = (of: (each: Taken) => number, digits = 0) => spread(rounds.map(of), digits);
  console.log(
    `${name.padEnd(28)} at rest ${shown(({ idle }) => idle / MIB)}, under payments ${shown(({ most }) => most / MIB)}, after ${shown(({ after }) => after / MIB)} MiB; ratio ${shown(({ most, idle }) => most / idle, 2)}; ${shown(({ perSecond }) => perSecond)} payments a second`,
  );
}
