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
import { Load } from './load.ts';
import type { Options } from './options.ts';
import { balancedBooks, caughtUp, equalToRebuilt } from './read-models.ts';
import { sharedKeys, sharedRateLimit } from './shared-limits.ts';
import { Watcher } from './watcher.ts';

const LOOK_MS = 250;
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
  readonly load: Load;
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
  const load = new Load({ balancer, as: cluster.shop, seed });
  await load.ask('payment', '/v1/payments', load.drawPayment(new Dice(seed)));
  const { readModelUrl, inside } = cluster;
  const watcher = new Watcher({ readModelUrl, events: inside.events });
  making.defer(() => watcher.stop());
  await watcher.start();
  const parts = { cluster, balancer, load, watcher };
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
  { cluster, balancer, load, watcher }: Parts,
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
    load.run(ending.signal),
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
  { cluster, balancer, load, watcher }: Parts,
  { seed }: { readonly seed: number; readonly model: Model },
): Promise<readonly Claim[]> {
  const { hosts, shop: as, inside } = cluster;
  const races = { balancer, load, dice: new Dice(seed + 2), name: `race-${seed}` };
  const limit = await sharedRateLimit(cluster, balancer);
  const keys = await sharedKeys(cluster, races);
  await load.lookAcross(races.dice, CALM_LOOKS);
  await settled(cluster);
  const same = await sameAnswers(load.sent, { balancer, hosts, as });
  // Any second effect of the repeated keys would be visible here.
  const model = await settled(cluster);
  return [
    await exactlyOnce({ model, sent: load.sent }, inside),
    same,
    readYourWrites(load),
    await equalToRebuilt(inside),
    await balancedBooks(model, inside, { balancer, hosts, as }),
    await noSecondEffect(model, inside),
    limit,
    keys,
    oneWorker(cluster, watcher),
    noFaults(cluster, balancer),
  ];
}

function readYourWrites({ looks, unseen, failures }: Load): Claim {
  const facts = `${looks} details and searches at the other host`;
  const problems = [...unseen, ...failures];
  if (looks < CALM_LOOKS / 2) problems.push('too few were at another host');
  return { says: 'what was acknowledged is seen', facts, problems };
}

/** Takeovers without a kill would mean that workers compete for the lease. */
function oneWorker({ workers }: Cluster, watcher: Watcher): Claim {
  const { takeovers, longestStandstillMs, looks } = watcher;
  const kills = killsOf(workers);
  const problems = [...watcher.faults];
  if (takeovers > kills) problems.push(`${takeovers} takeovers after ${kills} kills`);
  if (longestStandstillMs > LONGEST_STANDSTILL_MS)
    problems.push('no worker applied events for too long');
  const facts = `${takeovers} takeovers after ${kills} kills of workers, the read models stood still for ${inSeconds(longestStandstillMs)} s at most, epochs and checkpoints only grew in ${looks} looks`;
  return { says: 'one worker applies at a time', facts, problems };
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
  { cluster, balancer, watcher, load }: Parts,
  { seconds, seed }: Options,
): void {
  const { hosts, workers } = cluster;
  const { answers, repeats } = balancer;
  console.log(
    [
      `seed ${seed}: ${answers} requests answered (${load.sent.length} commands, ${repeats} tries repeated)`,
      `${killsOf(hosts)} kills of hosts and ${killsOf(workers)} of workers in ${seconds} s`,
      `${watcher.takeovers} takeovers of the projections and ${watcher.leaderships} of the hosts' own work`,
      `longest standstill ${inSeconds(watcher.longestStandstillMs)} s`,
    ].join('; '),
  );
}

function inSeconds(ms: number): string {
  return (ms / SECOND_MS).toFixed(1);
}
