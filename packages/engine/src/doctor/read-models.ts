/** Checks the read models: what is parked, what is left open, and whether a rebuild gives the same. */

import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore, Position } from '@counterfoil/core';
import {
  type Build,
  type Difference,
  latest,
  type OpenIntent,
  openIntents,
  openSqliteReadModelStore,
  PROJECTIONS,
  type Projection,
  ReadModelError,
  type ReadModelStore,
  rebuild,
} from '@counterfoil/projections';
import { counted } from '../counted.ts';
import { LAST_ASK_MS } from '../payments/sweeper.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

const OPEN_PAGE = 200;
const HOLDER = 'doctor';
const MAX_TRIES = 3;
const SCRATCH_PREFIX = 'counterfoil-doctor-';
const SCRATCH_ADVICE =
  'Name a folder where this user may write, with room for the largest read model: counterfoil doctor --scratch <folder>.';

const ERASURE_ADVICE =
  'Start the host, which finishes the erasures that the log asks for; beside a running one wait until it has. Then examine it again.';

function rebuildAdvice(projection: string): string {
  return `counterfoil read-models rebuild ${projection} (beside the host or without it). The log is the truth: nothing is lost.`;
}

/** Streams of which an event could not be applied. */
export async function checkParked(
  store: ReadModelStore,
  { advice }: Pick<Examining, 'advice'>,
): Promise<Checked> {
  const findings = new Findings('parked');
  let builds = 0;
  try {
    for (const { name } of PROJECTIONS) {
      const live = await store.live(name);
      if (live === undefined) continue;
      builds += 1;
      for (const stream of await live.parkedStreams()) {
        findings.warn(
          `${stream} is parked in ${name}: the read model shows it as it was before`,
          'counterfoil read-models parked list shows the reason. When it is fixed (mostly by a newer build): read-models parked retry, or read-models rebuild.',
        );
      }
    }
  } catch (error) {
    if (error instanceof ReadModelError && error.code === 'damaged') {
      findings.damage(reasonOf(error), advice.readModels);
    }
    return findings.leftOut(`the read models cannot be read: ${reasonOf(error)}`);
  }
  return findings.made(counted(builds, 'read model'));
}

/** Intents that the sweeper does not ask about any more: it gives up after its last ask, until the next start. */
export async function checkOpenIntents(
  store: ReadModelStore,
  { now }: Pick<Examining, 'now'>,
): Promise<Checked> {
  const findings = new Findings('open-intents');
  let open = 0;
  try {
    for (let after: string | undefined, more = true; more; ) {
      const query = { limit: OPEN_PAGE, ...(after !== undefined && { after }) };
      const { work, next } = await openIntents(store, query);
      for (const intent of work) {
        open += 1;
        if (isForgotten(intent, now())) reportForgotten(findings, intent);
      }
      after = next;
      more = next !== undefined;
    }
  } catch (error) {
    return findings.leftOut(`the read models cannot be read: ${reasonOf(error)}`);
  }
  return findings.made(`${open} open`);
}

function isForgotten({ reasons, changedAt }: OpenIntent, nowMs: number): boolean {
  const waitsForCustomer = reasons.every((reason) => reason === 'action');
  return !waitsForCustomer && nowMs - Date.parse(changedAt) > LAST_ASK_MS;
}

function reportForgotten(findings: Findings, intent: OpenIntent): void {
  const { tenantId, transactionId, status, reasons, changedAt } = intent;
  findings.warn(
    `payment ${transactionId} of tenant ${tenantId} is ${status} since ${changedAt}, waiting for: ${reasons.join(', ')}`,
    'Restart the host, which asks the gateway about it once more. If it stays open, look it up at the gateway.',
  );
}

interface Comparing {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  /** How many events the log has, as far as is known. */
  readonly total: number;
  /** Folder in which read models are rebuilt, and removed again. */
  readonly scratch: string;
}

/** Compares each live read model with one that is rebuilt from the log, at the same position. */
export async function checkReadModels(
  examining: Examining,
  comparing: Comparing,
): Promise<Checked> {
  const findings = new Findings('read-models');
  const fault = faultOfScratch(comparing.scratch);
  if (fault !== undefined) {
    findings.unexamined(
      `no read model can be made in ${comparing.scratch}: ${fault}`,
      SCRATCH_ADVICE,
    );
    return findings.leftOut('there is no place to make others in');
  }
  const compared: string[] = [];
  for (const projection of PROJECTIONS) {
    const { name } = projection;
    try {
      compared.push(await compareLive(findings, { ...comparing, projection }, examining));
    } catch (error) {
      findings.damage(`${name} could not be compared: ${reasonOf(error)}`, rebuildAdvice(name));
    }
  }
  return findings.made(compared.join(', '));
}

/** Why no folder can be made in there. */
function faultOfScratch(scratch: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(join(scratch, SCRATCH_PREFIX)));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

interface Compared extends Comparing {
  readonly projection: Projection;
}

/** Tries again when another build was made live meanwhile, and this one removed. Answers what was compared. */
async function compareLive(
  findings: Findings,
  comparing: Compared,
  examining: Examining,
): Promise<string> {
  const { store, projection } = comparing;
  const { name, version } = projection;
  for (let tries = 1; ; tries += 1) {
    const live = await store.live(name);
    if (live === undefined) {
      const message = `there is no read model ${name}: its queries are refused`;
      findings.warn(message, 'Start the host, which makes it from the log.');
      return `${name} (none)`;
    }
    if (live.info.version !== version) {
      return `${name} (of another version: rebuilt by the next start)`;
    }
    try {
      await compare(findings, { ...comparing, live }, examining);
      return name;
    } catch (error) {
      const now = await store.live(name);
      if (tries === MAX_TRIES || now?.info.build === live.info.build) throw error;
    }
  }
}

async function compare(
  findings: Findings,
  { events, total, scratch, projection, live }: Compared & { readonly live: Build },
  { onProgress, keys }: Examining,
): Promise<void> {
  const { name } = projection;
  const position = latest(await live.checkpoints());
  // A log that has lost its end is a finding of another check.
  const head = await events.head();
  if (position !== undefined && (head === undefined || position > head)) return;
  const folder = mkdtempSync(join(scratch, SCRATCH_PREFIX));
  const store = openSqliteReadModelStore({ path: join(folder, 'rebuilt.db') });
  try {
    const rebuilt = await rebuild({
      events,
      vault: keys,
      store,
      projection,
      compareWith: live,
      holder: HOLDER,
      now: Date.now,
      onProgress: ({ events: done }) =>
        onProgress(`Read model ${name}`, done, Math.max(done, total)),
    });
    const { differences = await cannotCompare(live) } = rebuilt;
    if (differences.length === 0) return;
    const open = await unfinishedErasures(events, rebuilt.position);
    for (const difference of differences) {
      const message = `${name} differs from what the log gives: ${shown(difference)}`;
      if (open === 0) {
        findings.damage(`${message}; searches and details may answer wrongly`, rebuildAdvice(name));
      } else {
        findings.warn(`${message}, with ${counted(open, 'erasure')} that began`, ERASURE_ADVICE);
      }
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function shown({ collection, live, rebuilt }: Difference): string {
  const before = live?.count ?? 0;
  const after = rebuilt?.count ?? 0;
  return before === after
    ? `${collection} has ${before} documents, and not all of them the same`
    : `${collection} has ${before} documents instead of ${after}`;
}

/** Throws what is wrong with a live build that could not be compared. */
async function cannotCompare(live: Build): Promise<never> {
  await live.summary();
  throw new Error('it is not sound, or a rebuild beside this has removed it');
}

/**
 * Persons whose erasure is requested, and not recorded up to there. Their keys may be destroyed
 * already: a rebuild cannot read any more what a read model still has.
 */
async function unfinishedErasures(events: EventStore, upTo: Position | undefined): Promise<number> {
  const open = new Set<string>();
  for await (const batch of events.subscribe({ untilHead: true })) {
    for (const { type, stream, position } of batch) {
      if (type === 'CustomerErasureRequested') open.add(stream);
      else if (type === 'CustomerErased' && upTo !== undefined && position <= upTo) {
        open.delete(stream);
      }
    }
  }
  return open.size;
}
