/** The port for metrics: a host registers the figures of the engine with its own library. */

/** Figures of several things of a kind, which a label tells apart. */
export interface LabelledGauges<Facts> {
  readonly label: string;
  /** By the name of the metric. */
  readonly names: Readonly<Record<string, { readonly help: string; of(facts: Facts): number }>>;
  /** Made once for a text; answers the facts by the value of the label. */
  readonly look: () => Promise<ReadonlyMap<string, Facts>>;
}

/** Where the engine's figures are registered. */
export interface Figures {
  /** A value that is read whenever the metrics are: `read` must be cheap. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** A count that only grows. */
  counter(name: string, help: string, read: () => number): void;
  /** Values that one look gives for each of several things. */
  gauges<Facts>(gauges: LabelledGauges<Facts>): void;
}
