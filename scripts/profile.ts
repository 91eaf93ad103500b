/** Where the time of a path goes: `pnpm run profile payment|search|detail [--seconds n]`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HostUnderLoad } from '../bench/load/host.ts';
import { type HostData, makeHostData } from '../bench/load/host-data.ts';
import type { Outcome } from '../bench/load/job.ts';
import { Load } from '../bench/load/load.ts';
import { detailPath, jobOf, paymentPath, searchPath } from '../bench/load/paths.ts';
import { liveRecords } from '../bench/load/peer-data.ts';
import {
  beside,
  bySelf,
  byTotal,
  type Cost,
  type CpuProfile,
  type Thread,
  threadOf,
} from './profile/cpu-profile.ts';
import { flameGraph } from './profile/flame-graph.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'bench/results/profile');
const PATHS = ['payment', 'search', 'detail'] as const;
type PathName = (typeof PATHS)[number];

const SEED = 1;
const PAYMENTS = 20_000;
const DEFAULT_SECONDS = 10;
/** Before the time that counts, so that it shows the compiled code. */
const WARM_UP_MS = 3_000;
const SAMPLE_US = 250;
const SHOWN = 20;
const SHOWN_OF_OTHERS = 8;
const INTERRUPTED = 130;

async function main(): Promise<void> {
  const { path, seconds } = readArguments();
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-profile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Broken off, it still leaves nothing behind: neither the folder nor the host.
  process.once('SIGINT', () => process.exit(INTERRUPTED));
  const { outcome, profiles } = await profileOf(path, { folder, seconds });
  const threads = profiles
    .map((profile) => threadOf(profile, outcome, pathToFileURL(ROOT).href))
    .sort((a, b) => b.tree.totalUs - a.tree.totalUs);
  print(path, outcome, threads);
  write(path, outcome, { threads, profiles });
}

function readArguments(): { path: PathName; seconds: number } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: String(DEFAULT_SECONDS) } },
  });
  const path = PATHS.find((each) => each === positionals[0]);
  const seconds = Number(values.seconds);
  if (path === undefined || positionals.length > 1 || !(seconds > 0)) {
    console.error(`Usage: pnpm run profile ${PATHS.join('|')} [--seconds n]`);
    process.exit(1);
  }
  return { path, seconds };
}

interface Profiled {
  readonly outcome: Outcome;
  /** One a thread of the host. */
  readonly profiles: readonly CpuProfile[];
}

async function profileOf(
  path: PathName,
  { folder, seconds }: { readonly folder: string; readonly seconds: number },
): Promise<Profiled> {
  const say = (what: string) => console.log(what);
  const payments = path === 'payment' ? 0 : PAYMENTS;
  const data = await makeHostData({ folder: join(folder, 'data'), payments, seed: SEED, say });
  const written = join(folder, 'profiles');
  const flags = ['--cpu-prof', `--cpu-prof-dir=${written}`, `--cpu-prof-interval=${SAMPLE_US}`];
  say('starting the host');
  const host = await HostUnderLoad.start(data, flags);
  const load = new Load();
  try {
    const pathAfter = await requestsOf(path, data);
    const run = (sentBefore: number, durationMs: number) =>
      load.run(jobOf(pathAfter(sentBefore), host, { port: host.port, durationMs }));
    say('warming up');
    const { sent } = await run(0, WARM_UP_MS);
    say(`loading ${path} for ${seconds} s`);
    const outcome = await run(sent, seconds * 1_000);
    await load.close();
    await host.stop();
    const profiles = readdirSync(written).map(
      (name) => JSON.parse(readFileSync(join(written, name), 'utf8')) as CpuProfile,
    );
    return { outcome, profiles };
  } finally {
    await load.close();
    await host.stop();
  }
}

/** The requests of a path, by how many were sent before. */
async function requestsOf(path: PathName, { folder }: HostData) {
  if (path === 'payment') return (before: number) => paymentPath(1 + before);
  const { ids, emails } = await liveRecords(folder);
  const listed = path === 'detail' ? detailPath(ids, SEED) : searchPath(emails, SEED);
  return () => listed;
}

/** The time of the load in milliseconds, on one core. */
function spanMs({ seconds }: Outcome): number {
  return seconds * 1_000;
}

function print(path: PathName, outcome: Outcome, threads: readonly Thread[]): void {
  const { answered, seconds, latencyMs } = outcome;
  console.log(
    `\n${path}: ${Math.round(answered / seconds)} requests a second while sampled; ` +
      `p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`,
  );
  for (const [index, { name, tree }] of threads.entries()) {
    const busy = (tree.totalUs / 10 / spanMs(outcome)).toFixed(0);
    const perRequest = (tree.totalUs / Math.max(1, answered)).toFixed(0);
    console.log(`\n${name}: busy ${busy}% of the time, ${perRequest} µs a request`);
    const shown = index === 0 ? SHOWN : SHOWN_OF_OTHERS;
    list('by itself', bySelf(tree).slice(0, shown), tree.totalUs);
    list('with what it calls', byTotal(tree).slice(0, shown), tree.totalUs);
  }
}

function list(title: string, costs: readonly Cost[], wholeUs: number): void {
  console.log(`  ${title}`);
  for (const { name, us } of costs) {
    const share = ((100 * us) / Math.max(1, wholeUs)).toFixed(1).padStart(6);
    console.log(`  ${share}%  ${(us / 1_000).toFixed(0).padStart(7)} ms  ${name}`);
  }
}

function write(
  path: PathName,
  { answered, seconds }: Outcome,
  { threads, profiles }: { threads: readonly Thread[]; profiles: readonly CpuProfile[] },
): void {
  mkdirSync(RESULTS, { recursive: true });
  const keep = (name: string, text: string) => {
    writeFileSync(join(RESULTS, name), text);
    console.log(`written: ${relative(ROOT, join(RESULTS, name))}`);
  };
  console.log('');
  const title = `${path}: ${Math.round(answered / seconds)} requests a second, ${seconds} s`;
  keep(`${path}.svg`, flameGraph(beside('busy time of all threads', threads), title));
  const names = profiles.map((profile) => threadOf(profile, NEVER, '').name);
  for (const [index, profile] of profiles.entries()) {
    const thread = names[index] === 'main thread' ? '' : `-${names[index]}`;
    keep(`${path}${thread}.cpuprofile`, JSON.stringify(profile));
  }
}

const NEVER = { fromUs: 0, toUs: 0 };

await main();
