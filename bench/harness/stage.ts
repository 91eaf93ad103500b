/** What is measured: stages, each with its data prepared once, and the rows that are measured on it. */

import type { RunPostgres } from './postgres.ts';

/** How large a run is. */
export interface Setting {
  /** `--quick`: smaller data and shorter rounds, the whole bench in some minutes. */
  readonly quick: boolean;
  /** Rounds that count, after one that does not. */
  readonly rounds: number;
  /** Seed of all synthetic data. */
  readonly seed: number;
  /** An empty folder on disk, removed when the stage has ended. */
  readonly folder: string;
  /** Started when a row first wants it, stopped at the end of the run. */
  readonly postgres: RunPostgres;
  /** Shows what is going on, in the progress line. */
  readonly say: (what: string) => void;
}

/** One line of the results. */
export interface Row {
  /** As in the table of the README: `append-64`. */
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** Whether `reach` is a floor or a ceiling. */
  readonly better: 'higher' | 'lower';
  /** The ratio to each peer that is aimed at; null where nothing is, and the ratio only tells. */
  readonly reach: Readonly<Record<string, number | null>>;
  /** What is durable when the clock stops, such as `synchronous=FULL, group commit`. */
  readonly durability: string;
}

/** One measurement of one side: a figure in the row's unit. */
export type Measure = () => Promise<number>;

export interface Sides {
  readonly own: Measure;
  /** By the names in `reach`. */
  readonly peers: Readonly<Record<string, Measure>>;
}

export interface Prepared {
  /** By the id of the row. */
  readonly sides: Readonly<Record<string, Sides>>;
  /** What was measured on: sizes, and versions of the peers. */
  readonly facts: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface Stage {
  readonly name: string;
  readonly rows: readonly Row[];
  prepare(setting: Setting): Promise<Prepared>;
}
