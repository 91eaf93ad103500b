/**
 * Shared by the floors of payments and rebills: steps that each add one promise to bare inserts of the same
 * events. Every round runs each step once, and a ratio is that of one round: the speed beside the inserts,
 * and their processor time beside that of all threads of the step.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AnyVault,
  type AppendRequest,
  type EncodedEvent,
  type Event,
  encodeEvent,
  eventIdOf,
  type Loaded,
  type StateCache,
  type StoredEvent,
  type StreamName,
  sealerOf,
  type TenantId,
  type Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import { spread } from '../report/numbers.ts';

export const IN_FLIGHT = 64;
const SECOND_MS = 1_000;
/** Of the machine that the rows are measured on. */
const CORES = 2;

export interface Cost {
  readonly perSecond: number;
  /** Of the main thread, and of all threads, for one payment or rebill. */
  readonly mainUs: number;
  readonly allUs: number;
}

/** The first one is bare inserts. */
export type Step = readonly [what: string, run: (path: string) => Promise<Cost>];

/**
 * What `work` costs for each of `count`. The time until `rest` has ended does not count, and its processor
 * time does: until the threads beside it have caught up.
 */
export async function costOf(
  count: number,
  work: () => unknown,
  rest: () => Promise<unknown> = async () => undefined,
): Promise<Cost> {
  const before = { main: process.threadCpuUsage(), all: process.cpuUsage() };
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  await rest();
  const us = ({ user, system }: ReturnType<typeof process.cpuUsage>) => (user + system) / count;
  return {
    perSecond: count / seconds,
    mainUs: us(process.threadCpuUsage(before.main)),
    allUs: us(process.cpuUsage(before.all)),
  };
}

export function rawInserts(events: readonly StoredEvent[], count: number): Step {
  return [
    'raw inserts, 64 events a commit',
    async (path) => {
      const raw = new RawSqlite(path);
      const cost = await costOf(count, () => raw.insert(events, IN_FLIGHT));
      raw.close();
      return cost;
    },
  ];
}

/** The two commands of a payment that was captured at once. */
export type PaymentCommands = readonly [
  Transaction.CommandOf<'SubmitPayment'>,
  Transaction.CommandOf<'RecordOutcome'>,
];

/** The commands that its events came from. */
export function commandsOf(
  addressed: { readonly tenantId: TenantId; readonly transactionId: TransactionId },
  [submitted, started, captured]: readonly Event[],
): PaymentCommands {
  if (
    submitted?.type !== 'PaymentSubmitted' ||
    started?.type !== 'AttemptStarted' ||
    captured?.type !== 'PaymentCaptured'
  ) {
    throw new Error('not the events of a payment that was captured at once');
  }
  const { route } = started;
  const intent = { ...submitted, ...addressed, route, blackListing: 0, type: 'SubmitPayment' };
  const outcome = { ...captured, result: 'captured' };
  const { at } = captured;
  return [
    intent as PaymentCommands[0],
    { type: 'RecordOutcome', ...addressed, attempt: 1, outcome, at } as PaymentCommands[1],
  ];
}

/** Appends events as the first of them was stored. */
export function requestOf(
  events: readonly EncodedEvent[],
  { stream, revision, commandId, commandFingerprint }: StoredEvent,
): AppendRequest {
  return {
    stream,
    events,
    expected: revision === 0 ? { kind: 'noStream' } : { kind: 'exact', revision: revision - 1 },
    command: { id: commandId, fingerprint: commandFingerprint },
  };
}

/** The same, of events that are encoded and sealed first. */
export async function encodedRequestOf(
  events: readonly Event[],
  first: StoredEvent,
  keys: AnyVault | undefined,
): Promise<AppendRequest> {
  const { commandId, stream, time, metadata } = first;
  const tenantId = first.tenantId as TenantId;
  const vault = await sealerOf(keys, { tenantId, events });
  const encoded = events.map((event, index) => ({
    ...encodeEvent(event, vault && { tenantId, vault }),
    id: eventIdOf(commandId, stream, index),
    tenantId,
    time,
    metadata,
  }));
  return requestOf(encoded, first);
}

export function mapCache(): StateCache {
  const states = new Map<StreamName, Loaded<unknown>>();
  return {
    get: (stream) => states.get(stream),
    set: (stream, loaded) => void states.set(stream, loaded),
  };
}

/** A folder on the disk of the project, while `work` runs. */
export async function withFolder(
  name: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const results = fileURLToPath(new URL('../results/', import.meta.url));
  const folder = mkdtempSync(join(results, `${name}-`));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly rounds: number;
  readonly folder: string;
  /** Of the speed of the inserts. */
  readonly reach: number;
}

export async function measureSteps(
  steps: readonly Step[],
  { rounds, folder, reach }: Measured,
): Promise<void> {
  const costs: Cost[][] = steps.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, [, run]] of steps.entries()) {
      const cost = await run(join(folder, `${round}-${index}.db`));
      // Round 0 warms up.
      if (round > 0) costs[index]?.push(cost);
    }
  }
  const raw = costs[0] ?? [];
  console.log('| step | of the speed | of the processor time | main thread µs | all threads µs |');
  console.log('|---|---|---|---|---|');
  for (const [index, [what]] of steps.entries()) {
    const own = costs[index] ?? [];
    const speeds = own.map(({ perSecond }, at) => perSecond / (raw[at]?.perSecond ?? 0));
    const shares = own.map(({ allUs }, at) => (raw[at]?.allUs ?? 0) / allUs);
    const mainUs = own.map((each) => each.mainUs);
    const allUs = own.map((each) => each.allUs);
    const cells = [spread(speeds, 3), spread(shares, 3), spread(mainUs, 0), spread(allUs, 0)];
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
  const leftUs = raw.map(({ allUs }) => (CORES * allUs) / reach);
  console.log(
    `At ${reach} of the inserts ${CORES} cores that never wait have ${spread(leftUs, 0)} µs.`,
  );
}
