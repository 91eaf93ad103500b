/** Measures the sides of a row alternately, so that a slow phase of the machine affects all of them. */
import type { Row, Setting, Sides } from './stage.ts';

export interface Spread {
  readonly median: number;
  readonly smallest: number;
  readonly largest: number;
}

export interface Measured {
  readonly row: Row;
  /** In the row's unit. */
  readonly value: Spread;
  /** Own divided by the peer, round by round. */
  readonly ratios: Readonly<Record<string, Spread>>;
}

export async function measureRow(row: Row, sides: Sides, setting: Setting): Promise<Measured> {
  const peers = Object.keys(row.reach);
  const own: number[] = [];
  const ratios = new Map(peers.map((peer) => [peer, [] as number[]]));
  for (let round = 0; round <= setting.rounds; round += 1) {
    setting.say(`${row.id}: ${round === 0 ? 'warming up' : `round ${round} of ${setting.rounds}`}`);
    const figures = await oneRound(row, sides, { ownFirst: round % 2 === 0 });
    // Round 0 warms up files, caches and the JIT.
    if (round === 0) continue;
    own.push(figures.own);
    for (const peer of peers) ratios.get(peer)?.push(figures.own / figureOf(figures.peers, peer));
  }
  const spreads = [...ratios].map(([peer, values]) => [peer, spreadOf(values)] as const);
  return { row, value: spreadOf(own), ratios: Object.fromEntries(spreads) };
}

async function oneRound(row: Row, sides: Sides, { ownFirst }: { readonly ownFirst: boolean }) {
  const measured = new Map<string, number>();
  const first = ownFirst ? await sides.own() : undefined;
  for (const peer of Object.keys(row.reach)) {
    const measure = sides.peers[peer];
    if (measure === undefined) throw new Error(`${row.id} has no measure of ${peer}`);
    measured.set(peer, await measure());
  }
  return { own: first ?? (await sides.own()), peers: measured };
}

function figureOf(figures: ReadonlyMap<string, number>, peer: string): number {
  const figure = figures.get(peer);
  if (figure === undefined || !(figure > 0)) throw new Error(`${peer} measured ${figure}`);
  return figure;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: at(sorted.length >> 1), smallest: at(0), largest: at(sorted.length - 1) };
}
