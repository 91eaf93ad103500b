/** One run: load with kills, settling, then the checks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '@counterfoil/test/dice';
import { type Model, modelOf } from '@counterfoil/test/model';
import { SingleBar } from 'cli-progress';
import { exactlyOnce, sameAnswers } from './acknowledged.ts';
import { Balancer } from './balancer.ts';
import { type Claim, printClaim } from './claim.ts';
import type { Cluster } from './cluster.ts';
import { noSecondEffect, stillOpen } from './gateway-books.ts';
import { Killer } from './killer.ts';
import { Load, type Sent } from './load.ts';
import type { Options } from './options.ts';
import { balancedBooks, caughtUp, equalToRebuilt } from './read-models.ts';
import { sharedKeys, sharedRateLimit } from './shared-limits.ts';
import { Watcher } from './watcher.ts';

const LOOK_MS = 250;
/** So that the loads draw different numbers, under different keys. */
const SEEDS_APART = 1_000;
const START_LIMIT_MS = 180_000;
/** An unknown outcome is queried after five seconds, and again after a minute. */
const SETTLED_LIMIT_MS = 180_000;
const SETTLED_LOOK_MS = 2_000;
const SECOND_MS = 1_000;
/** Reads after the kills, when all hosts are ready. */
const CALM_LOOKS = 20;
/** Far longer than a lease, and than both workers need to restart. */
const LONGEST_STANDSTILL_MS = 90_000;

interface Parts {
  readonly cluster: Cluster;
  readonly balancer: Balancer;
  /** One for each shop. */
  readonly loads: readonly Load[];
  readonly watcher: Watcher;
}

/** Resolves with whether every claim holds. What is started here ends with `making`. */
export async function run(
  options: Options,
  cluster: Cluster,
  making: AsyncDisposableStack,
): Promise<boolean> {
  const { seed } = options;
  console.log(cluster.described);
  const balancer = new Balancer(cluster.hosts);
  making.defer(() => balancer.stop());
  await allUp(cluster, balancer);
  const loads = cluster.shops.map(
    (as, index) => new Load({ balancer, as, seed: seed + index * SEEDS_APART }),
  );
  for (const load of loads) {
    await load.pay(load.drawPayment(new Dice(seed)));
  }
  const { readModelUrl, inside } = cluster;
  const watcher = new Watcher({ readModelUrl, events: inside.events });
  making.defer(() => watcher.stop());
  await watcher.start();
  const parts = { cluster, balancer, loads, watcher };
  await loadUnderKills(parts, options);
  console.log('Kills ended: waiting until everything is settled');
  await allUp(cluster, balancer);
  const model = await settled(cluster);
  const claims = await prove(parts, { seed, model });
  for (const claim of claims) printClaim(claim);
  tellFigures(parts, options);
  return claims.every(({ problems }) => problems.length === 0);
}

async function allUp({ members, hosts }: Cluster, balancer: Balancer): Promise<void> {
  const until = Date.now() + START_LIMIT_MS;
  const isUp = () =>
    members.every((member) => member.hasStarted) && hosts.every((host) => balancer.isReady(host));
  while (!isUp()) {
    const faults = members.flatMap((member) => member.faults);
    if (faults.length > 0 || Date.now() > until) {
      throw new Error(`the cluster does not come up: ${faults.join('\n')}`);
    }
    await sleep(LOOK_MS);
  }
}

/** Runs load and kills concurrently. */
async function loadUnderKills(
  { cluster, balancer, loads, watcher }: Parts,
  { seconds, seed }: Options,
): Promise<void> {
  const bar = new SingleBar({
    format:
      'Storm [{bar}] {value} of {total} s, {requests} requests, {kills} kills, {takeovers} takeovers',
    noTTYOutput: true,
    notTTYSchedule: 5 * SECOND_MS,
  });
  const figures = () => ({
    requests: balancer.answers,
    kills: killsOf(cluster.members),
    takeovers: watcher.takeovers,
  });
  const ending = new AbortController();
  bar.start(seconds, 0, figures());
  const running = Promise.all([
    ...loads.map((load) => load.run(ending.signal)),
    new Killer(cluster.members, new Dice(seed + 1)).run(ending.signal),
  ]);
  for (let second = 1; second <= seconds; second += 1) {
    await sleep(SECOND_MS);
    bar.update(second, figures());
  }
  ending.abort();
  await running;
  bar.update(seconds, figures());
  bar.stop();
}

function killsOf(members: Cluster['members']): number {
  return members.reduce((sum, { kills }) => sum + kills, 0);
}

/** Waits until no open outcome is known to the gateway and the read models are current. */
async function settled({ inside }: Cluster): Promise<Model> {
  const until = Date.now() + SETTLED_LIMIT_MS;
  for (;;) {
    const model = await modelOf(inside.events, { vault: inside.keys });
    const open = await stillOpen(model, inside);
    if (open.length === 0) {
      await caughtUp(inside);
      return model;
    }
    if (Date.now() > until) throw new Error(`not settled: ${open.join(', ')}`);
    await sleep(SETTLED_LOOK_MS);
  }
}

async function prove(
  { cluster, balancer, loads, watcher }: Parts,
  { seed }: { readonly seed: number; readonly model: Model },
): Promise<readonly Claim[]> {
  const { hosts, inside } = cluster;
  const [load] = loads;
  if (load === undefined) throw new Error('there is no tenant');
  const races = { balancer, load, dice: new Dice(seed + 2), name: `race-${seed}` };
  const limit = await sharedRateLimit(cluster, balancer);
  const keys = await sharedKeys(cluster, races);
  for (const each of loads) await each.lookAcross(races.dice, CALM_LOOKS / loads.length);
  await settled(cluster);
  const same = await sameAnswers(sentBy(loads), { balancer, hosts });
  // Any second effect of the repeated keys would be visible here.
  const model = await settled(cluster);
  return [
    await exactlyOnce({ model, sent: sentBy(loads) }, inside),
    same,
    readYourWrites(loads),
    await equalToRebuilt(inside),
    await balancedBooks(model, inside, { balancer, hosts, all: cluster.shops }),
    await noSecondEffect(model, inside),
    limit,
    keys,
    await oneWorkerEach(cluster, watcher),
    noFaults(cluster, balancer),
  ];
}

function sentBy(loads: readonly Load[]): readonly Sent[] {
  return loads.flatMap(({ sent }) => sent);
}

function readYourWrites(loads: readonly Load[]): Claim {
  const looks = loads.reduce((sum, load) => sum + load.looks, 0);
  const facts = `${looks} details and searches at the other host`;
  const problems = loads.flatMap(({ unseen, failures }) => [...unseen, ...failures]);
  if (looks < CALM_LOOKS / 2) problems.push('too few were at another host');
  return { says: 'what was acknowledged is seen', facts, problems };
}

/** More takeovers than kills and returns explain would mean that workers compete for a shard. */
async function oneWorkerEach({ workers }: Cluster, watcher: Watcher): Promise<Claim> {
  const shares = await watcher.sharesInRest(workers.length);
  const { takeovers, longestStandstillMs, looks } = watcher;
  const kills = killsOf(workers);
  const problems = [...watcher.faults];
  const shards = shares.reduce((sum, share) => sum + share, 0);
  // A death and a return can move every shard once, and so can the start.
  if (takeovers > (2 * kills + 1) * shards) {
    problems.push(`${takeovers} takeovers after ${kills} kills`);
  }
  if (kills > 0 && takeovers === 0) problems.push('no worker took over from another');
  if (longestStandstillMs > LONGEST_STANDSTILL_MS)
    problems.push('no worker applied events of a shard for too long');
  if (shares.length !== workers.length || Math.max(...shares) - Math.min(...shares) > 1) {
    problems.push(`the workers have ${shares.join(', ')} shards`);
  }
  const facts = `${takeovers} takeovers of a shard after ${kills} kills of workers, ${shares.join(', ')} shards at the end, the read models stood still for ${inSeconds(longestStandstillMs)} s at most, epochs and checkpoints only grew in ${looks} looks`;
  return { says: 'one worker applies a shard at a time', facts, problems };
}

function noFaults({ members }: Cluster, { internalErrors }: Balancer): Claim {
  const problems = members.flatMap(({ name, faults }) =>
    faults.map((fault) => `${name}: ${fault}`),
  );
  const facts = `${members.length} processes, started ${killsOf(members) + members.length} times`;
  const errors = internalErrors.map((where) => `an internal error: ${where}`);
  return { says: 'no process failed by itself', facts, problems: [...problems, ...errors] };
}

function tellFigures(
  { cluster, balancer, watcher, loads }: Parts,
  { seconds, seed }: Options,
): void {
  const { hosts, workers } = cluster;
  const { answers, repeats } = balancer;
  console.log(
    [
      `seed ${seed}: ${answers} requests answered (${sentBy(loads).length} commands, ${repeats} tries repeated)`,
      `${killsOf(hosts)} kills of hosts and ${killsOf(workers)} of workers in ${seconds} s`,
      `${watcher.takeovers} takeovers of shards and ${watcher.leaderships} of the hosts' own work`,
      `longest standstill ${inSeconds(watcher.longestStandstillMs)} s`,
    ].join('; '),
  );
}

function inSeconds(ms: number): string {
  return (ms / SECOND_MS).toFixed(1);
}
