/** Stages: each prepares its data once and measures its rows. */

import type { RunPostgres } from './postgres.ts';

/** The scale of a run. */
export interface Setting {
  /** `--quick`: smaller data and shorter rounds; the whole bench takes some minutes. */
  readonly quick: boolean;
  /** Measured rounds, after one warm-up round. */
  readonly rounds: number;
  /** Seed of all synthetic data. */
  readonly seed: number;
  /** An empty folder on disk, removed when the stage has ended. */
  readonly folder: string;
  /** Started on first use, stopped at the end of the run. */
  readonly postgres: RunPostgres;
  /** Shows the current step in the progress line. */
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
  /** The target ratio to each peer; null where the ratio is only reported. */
  readonly reach: Readonly<Record<string, number | null>>;
  /** What is durable when the measurement ends, such as `synchronous=FULL, group commit`. */
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
  /** Conditions of the measurement: sizes, and versions of the peers. */
  readonly facts: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface Stage {
  readonly name: string;
  readonly rows: readonly Row[];
  prepare(setting: Setting): Promise<Prepared>;
}
