/** Port of metrics: a host registers the engine's metrics with its own library. */

/** Gauges with one label. */
export interface LabelledGauges<Facts> {
  readonly label: string;
  /** Keyed by the name of the metric. */
  readonly names: Readonly<Record<string, { readonly help: string; of(facts: Facts): number }>>;
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
