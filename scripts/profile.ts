/** Where the time of a path goes: `pnpm run profile payment|lead|search|detail|console [--seconds n]`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HostUnderLoad } from '../bench/load/host.ts';
import { type HostData, makeHostData } from '../bench/load/host-data.ts';
import type { Outcome } from '../bench/load/job.ts';
import { Load } from '../bench/load/load.ts';
import {
  consoleDetailPath,
  detailPath,
  jobOf,
  leadPath,
  paymentPath,
  searchPath,
} from '../bench/load/paths.ts';
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
const PATHS = ['payment', 'lead', 'search', 'detail', 'console'] as const;
type PathName = (typeof PATHS)[number];

const SEED = 1;
const PAYMENTS = 20_000;
const DEFAULT_SECONDS = 10;
/** Before the time that counts, so that it shows the compiled code. */
const WARM_UP_MS = 3_000;
const SAMPLE_US = 250;
const SHOWN = 20;
const SHOWN_OF_OTHERS = 8;
/** Signals that break a profile off, and its status then. */
const BROKEN_OFF = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

async function main(): Promise<void> {
  const { path, seconds } = readArguments();
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-profile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Broken off, it still leaves nothing behind: neither the folder nor the host.
  for (const [signal, status] of BROKEN_OFF) process.once(signal, () => process.exit(status));
  const { outcome, profiles } = await profileOf(path, { folder, seconds });
  const root = pathToFileURL(ROOT).href;
  const sampled = profiles
    .map((profile) => ({ profile, thread: threadOf(profile, outcome, root) }))
    .sort((a, b) => b.thread.tree.totalUs - a.thread.tree.totalUs);
  print(
    path,
    outcome,
    sampled.map(({ thread }) => thread),
  );
  write(path, outcome, sampled);
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
  const payments = path === 'payment' || path === 'lead' ? 0 : PAYMENTS;
  const data = await makeHostData({ folder: join(folder, 'data'), payments, seed: SEED, say });
  const written = join(folder, 'profiles');
  const flags = ['--cpu-prof', `--cpu-prof-dir=${written}`, `--cpu-prof-interval=${SAMPLE_US}`];
  say('starting the host');
  const host = await HostUnderLoad.start(data, flags);
  const load = new Load();
  let outcome: Outcome;
  try {
    const pathAfter = await requestsOf(path, data, host);
    const run = (sentBefore: number, durationMs: number) =>
      load.run(jobOf(pathAfter(sentBefore), host, { port: host.port, durationMs }));
    say('warming up');
    const { sent } = await run(0, WARM_UP_MS);
    say(`loading ${path} for ${seconds} s`);
    outcome = await run(sent, seconds * 1_000);
  } finally {
    await load.close();
    await host.stop();
  }
  // Written by the host as it ends.
  const profiles = readdirSync(written).map(
    (name) => JSON.parse(readFileSync(join(written, name), 'utf8')) as CpuProfile,
  );
  return { outcome, profiles };
}

/** The requests of a path, by how many were sent before. */
async function requestsOf(path: PathName, { folder, leadKey }: HostData, host: HostUnderLoad) {
  if (path === 'payment') return (before: number) => paymentPath(1 + before);
  if (path === 'lead') {
    const headers = { Authorization: `Bearer ${leadKey}` };
    return (before: number) => leadPath(1 + before, headers);
  }
  const { ids, emails } = await liveRecords(folder);
  if (path === 'console') {
    const pages = consoleDetailPath(ids, SEED, await host.signIn());
    return () => pages;
  }
  const listed = path === 'detail' ? detailPath(ids, SEED) : searchPath(emails, SEED);
  return () => listed;
}

function print(path: PathName, outcome: Outcome, threads: readonly Thread[]): void {
  const { answered, seconds, latencyMs, fromUs, toUs } = outcome;
  console.log(
    `\n${path}: ${Math.round(answered / seconds)} requests a second while sampled; ` +
      `p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`,
  );
  for (const [index, { name, tree }] of threads.entries()) {
    const busy = ((100 * tree.totalUs) / (toUs - fromUs)).toFixed(0);
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
  sampled: readonly { readonly profile: CpuProfile; readonly thread: Thread }[],
): void {
  mkdirSync(RESULTS, { recursive: true });
  const keep = (name: string, text: string) => {
    writeFileSync(join(RESULTS, name), text);
    console.log(`written: ${relative(ROOT, join(RESULTS, name))}`);
  };
  console.log('');
  const title = `${path}: ${Math.round(answered / seconds)} requests a second, ${seconds} s`;
  const threads = sampled.map(({ thread }) => thread);
  keep(`${path}.svg`, flameGraph(beside('busy time of all threads', threads), title));
  for (const { profile, thread } of sampled) {
    const of = thread.name === 'main thread' ? '' : `-${thread.name}`;
    keep(`${path}${of}.cpuprofile`, JSON.stringify(profile));
  }
}

await main();
