/** Samples /metrics once a second under load. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 1_000;
const MIB = 1_024 * 1_024;

interface Watched {
  readonly url: string;
  /** Where its files lie. */
  readonly folder: string;
}

export interface Sample {
  /** Of all files of the host. */
  readonly filesMib: number;
  readonly residentMib: number;
  readonly heapMib: number;
  readonly inFlight: number;
  /** The worst of all projections. */
  readonly behindEvents: number;
  readonly behindSeconds: number;
}

export interface CountedSample extends Sample {
  readonly payments: number;
}

export async function sampleOf({ url, folder }: Watched): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map((match) =>
      Number(match[1]),
    );
  const [residentBytes = 0] = values('process_resident_memory_bytes');
  const [heapBytes = 0] = values('nodejs_heap_size_used_bytes');
  const [inFlight = 0] = values('http_requests_in_flight');
  return {
    inFlight,
    filesMib: bytesIn(folder) / MIB,
    residentMib: residentBytes / MIB,
    heapMib: heapBytes / MIB,
    behindEvents: Math.max(0, ...values('projection_behind_events')),
    behindSeconds: Math.max(0, ...values('projection_behind_seconds')),
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

/** Samples until the signal; `count` returns the number of payments so far. */
export async function watch(
  host: Watched,
  signal: AbortSignal,
  count: () => number,
): Promise<CountedSample[]> {
  const samples: CountedSample[] = [];
  while (!signal.aborted) {
    samples.push({ ...(await sampleOf(host)), payments: count() });
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  return samples;
}

/**
 * How much higher a figure stands in the last quarter of a run than in the second one. What counts
 * is the low end of each: garbage that is not collected yet comes on top of it.
 */
export function growthOf(
  samples: readonly CountedSample[],
  figure: (sample: CountedSample) => number,
): number {
  const quarter = Math.floor(samples.length / 4);
  const low = (part: readonly CountedSample[]) => Math.min(...part.map(figure));
  return low(samples.slice(-quarter)) - low(samples.slice(quarter, 2 * quarter));
}
