/** What a host tells at /metrics, looked at once a second while it is under load. */
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 1_000;
const MIB = 1_024 * 1_024;

export interface Sample {
  readonly residentMib: number;
  readonly heapMib: number;
  /** The worst of all projections. */
  readonly behindEvents: number;
  readonly behindSeconds: number;
}

export async function sampleOf(url: string): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map((match) =>
      Number(match[1]),
    );
  const [residentBytes = 0] = values('process_resident_memory_bytes');
  const [heapBytes = 0] = values('nodejs_heap_size_used_bytes');
  return {
    residentMib: residentBytes / MIB,
    heapMib: heapBytes / MIB,
    behindEvents: Math.max(0, ...values('projection_behind_events')),
    behindSeconds: Math.max(0, ...values('projection_behind_seconds')),
  };
}

/** Samples until the signal. */
export async function watch(url: string, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!signal.aborted) {
    samples.push(await sampleOf(url));
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  return samples;
}

/**
 * How much higher a figure stands in the last quarter of a run than in the second one. What counts
 * is the low end of each: garbage that is not collected yet comes on top of it.
 */
export function growthOf(samples: readonly Sample[], figure: (sample: Sample) => number): number {
  const quarter = Math.floor(samples.length / 4);
  const low = (part: readonly Sample[]) => Math.min(...part.map(figure));
  return low(samples.slice(-quarter)) - low(samples.slice(quarter, 2 * quarter));
}
