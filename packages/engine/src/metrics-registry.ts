/** Port of metrics: a host registers the engine's metrics with its own library. */

export interface LabelledFigure<Facts> {
  readonly help: string;
  /** It only grows while the process lives: a counter, and no gauge. Default: false. */
  readonly isCount?: boolean;
  of(facts: Facts): number;
}

/** Gauges and counters with one label. */
export interface LabelledGauges<Facts> {
  readonly label: string;
  /** Keyed by the name of the metric. */
  readonly names: Readonly<Record<string, LabelledFigure<Facts>>>;
  /** Called once per scrape; returns the facts by the value of the label. */
  readonly look: () => Promise<ReadonlyMap<string, Facts>>;
}

/** Where the engine registers its metrics. */
export interface MetricsRegistry {
  /** A value read on every scrape: `read` must be cheap. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** A monotonic count. */
  counter(name: string, help: string, read: () => number): void;
  /** Labelled values, all read by one call per scrape. */
  gauges<Facts>(gauges: LabelledGauges<Facts>): void;
}
