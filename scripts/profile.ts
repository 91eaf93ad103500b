/** Where the time or the allocations of a path go; `USAGE` has the options. */
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
  consoleSearchPath,
  detailPath,
  jobOf,
  leadPath,
  paymentPath,
  searchPath,
} from '../bench/load/paths.ts';
import { liveRecords } from '../bench/load/peer-data.ts';
import { type CpuProfile, threadOf } from './profile/cpu-profile.ts';
import { flameGraph, type Shown } from './profile/flame-graph.ts';
import { beside, bySelf, byTotal, type Cost, type Thread } from './profile/frames.ts';
import { allocationsOf, type HeapProfile } from './profile/heap-profile.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'bench/results/profile');
const SAMPLER = new URL('profile/sample-allocations.mjs', import.meta.url).href;
const PATHS = ['payment', 'lead', 'search', 'detail', 'console', 'console-search'] as const;
type PathName = (typeof PATHS)[number];

const USAGE = `Usage: pnpm run profile ${PATHS.join('|')} [--seconds n] [--allocations] [--thread name]
  --allocations  the bytes that calls allocate, instead of their time
  --thread name  show this thread in full: main thread, projection, writer`;

const SEED = 1;
const PAYMENTS = 20_000;
const DEFAULT_SECONDS = 10;
const MAIN_THREAD = 'main thread';
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

/** What is sampled in each thread of the host. */
interface Sampling {
  readonly suffix: string;
  /** The flags of node and the environment that have it written into the folder at the end. */
  flags(folder: string): {
    readonly flags: readonly string[];
    readonly env: Record<string, string>;
  };
  readonly ending: string;
  threadOf(written: string, outcome: Outcome, root: string): Thread;
  /** What a whole thread took. */
  summaryOf(thread: Thread, outcome: Outcome): string;
  readonly shown: Shown;
}

const TIME: Sampling = {
  suffix: '',
  flags: (folder) => ({
    flags: ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_US}`],
    env: {},
  }),
  ending: '.cpuprofile',
  threadOf: (written, outcome, root) => threadOf(JSON.parse(written) as CpuProfile, outcome, root),
  summaryOf({ tree }, { answered, fromUs, toUs }) {
    const busy = ((100 * tree.total) / (toUs - fromUs)).toFixed(0);
    return `busy ${busy}% of the time, ${(tree.total / answered).toFixed(0)} µs a request`;
  },
  shown: (us) => `${(us / 1_000).toFixed(1)} ms`,
};

const ALLOCATIONS: Sampling = {
  suffix: '-allocations',
  flags: (folder) => ({ flags: ['--import', SAMPLER], env: { ALLOCATIONS_DIR: folder } }),
  ending: '.heapprofile',
  threadOf: (written, _, root) => allocationsOf(JSON.parse(written) as HeapProfile, root),
  summaryOf: ({ tree }, { answered }) =>
    `${(tree.total / answered / 1_024).toFixed(1)} KiB allocated a request`,
  shown: (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`,
};

interface Options {
  readonly path: PathName;
  readonly seconds: number;
  readonly sampling: Sampling;
  /** Shown first and in full. */
  readonly thread: string;
}

async function main(): Promise<void> {
  const options = readArguments();
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-profile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Broken off, it still leaves nothing behind: neither the folder nor the host.
  for (const [signal, status] of BROKEN_OFF) process.once(signal, () => process.exit(status));
  const { outcome, profiles } = await profileOf(options, folder);
  const root = pathToFileURL(ROOT).href;
  const { sampling, thread: first } = options;
  const sampled = profiles
    .map((written) => ({ written, thread: sampling.threadOf(written, outcome, root) }))
    .sort((a, b) => b.thread.tree.total - a.thread.tree.total);
  const threads = sampled.map(({ thread }) => thread);
  if (!threads.some(({ name }) => name === first)) {
    throw new Error(`no thread ${first}; there are: ${threads.map(({ name }) => name).join(', ')}`);
  }
  print(options, outcome, threads);
  write(options, outcome, sampled);
}

function readArguments(): Options {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
      allocations: { type: 'boolean', default: false },
      thread: { type: 'string', default: MAIN_THREAD },
    },
  });
  const path = PATHS.find((each) => each === positionals[0]);
  const seconds = Number(values.seconds);
  if (path === undefined || positionals.length > 1 || !(seconds > 0)) {
    console.error(USAGE);
    process.exit(1);
  }
  const sampling = values.allocations ? ALLOCATIONS : TIME;
  return { path, seconds, sampling, thread: values.thread };
}

interface Profiled {
  readonly outcome: Outcome;
  /** One a thread of the host, as it was written. */
  readonly profiles: readonly string[];
}

async function profileOf({ path, seconds, sampling }: Options, folder: string): Promise<Profiled> {
  const say = (what: string) => console.log(what);
  const payments = path === 'payment' || path === 'lead' ? 0 : PAYMENTS;
  const data = await makeHostData({ folder: join(folder, 'data'), payments, seed: SEED, say });
  const written = join(folder, 'profiles');
  mkdirSync(written);
  const { flags, env } = sampling.flags(written);
  say('starting the host');
  const host = await HostUnderLoad.start(data, flags, env);
  const load = new Load();
  let outcome: Outcome;
  try {
    const pathAfter = await requestsOf(path, data, host);
    const run = (sentBefore: number, durationMs: number) =>
      load.run(jobOf(pathAfter(sentBefore), host, { port: host.port, durationMs }));
    say('warming up');
    const { sent } = await run(0, WARM_UP_MS);
    writeFileSync(join(written, 'begin'), '');
    say(`loading ${path} for ${seconds} s`);
    outcome = await run(sent, seconds * 1_000);
  } finally {
    await load.close();
    await host.stop();
  }
  // Written by the host as it ends.
  const profiles = readdirSync(written)
    .filter((name) => name.endsWith(sampling.ending))
    .map((name) => readFileSync(join(written, name), 'utf8'));
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
  if (path === 'console' || path === 'console-search') {
    const cookie = await host.signIn();
    const pages =
      path === 'console'
        ? consoleDetailPath(ids, SEED, cookie)
        : consoleSearchPath(emails, SEED, cookie);
    return () => pages;
  }
  const listed = path === 'detail' ? detailPath(ids, SEED) : searchPath(emails, SEED);
  return () => listed;
}

function print(
  { path, sampling, thread: first }: Options,
  outcome: Outcome,
  threads: readonly Thread[],
): void {
  const { answered, seconds, latencyMs } = outcome;
  console.log(
    `\n${path}: ${Math.round(answered / seconds)} requests a second while sampled; ` +
      `p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`,
  );
  const inOrder = threads.toSorted((one) => (one.name === first ? -1 : 0));
  for (const thread of inOrder) {
    const { name, tree } = thread;
    console.log(`\n${name}: ${sampling.summaryOf(thread, outcome)}`);
    const shown = name === first ? SHOWN : SHOWN_OF_OTHERS;
    const list = (title: string, costs: readonly Cost[]) => {
      console.log(`  ${title}`);
      for (const { name: called, amount } of costs.slice(0, shown)) {
        const share = ((100 * amount) / Math.max(1, tree.total)).toFixed(1).padStart(6);
        console.log(`  ${share}%  ${sampling.shown(amount).padStart(10)}  ${called}`);
      }
    };
    list('by itself', bySelf(tree));
    list('with what it calls', byTotal(tree));
  }
}

function write(
  { path, sampling }: Options,
  { answered, seconds }: Outcome,
  sampled: readonly { readonly written: string; readonly thread: Thread }[],
): void {
  mkdirSync(RESULTS, { recursive: true });
  const keep = (name: string, text: string) => {
    writeFileSync(join(RESULTS, name), text);
    console.log(`written: ${relative(ROOT, join(RESULTS, name))}`);
  };
  console.log('');
  const title = `${path}: ${Math.round(answered / seconds)} requests a second, ${seconds} s`;
  const tree = beside(
    'all threads',
    sampled.map(({ thread }) => thread),
  );
  keep(`${path}${sampling.suffix}.svg`, flameGraph(tree, title, sampling.shown));
  for (const { written, thread } of sampled) {
    const of = thread.name === MAIN_THREAD ? '' : `-${thread.name}`;
    keep(`${path}${of}${sampling.ending}`, written);
  }
}

await main();
