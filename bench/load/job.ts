/** What a load is: requests over so many connections for so long, and what a right answer has in it. */

/** Requests that were made beforehand, sent in their order and over again. */
export interface ListedRequests {
  readonly kind: 'listed';
  readonly bodies: readonly string[];
  /** For each body, what stands in a right answer to it. */
  readonly markers: readonly string[];
}

/** New payments, each with an order and an idempotency key of its own. */
export interface PaymentRequests {
  readonly kind: 'payments';
  /** Orders are counted from here: a number is used once in the life of a data folder. */
  readonly firstOrder: number;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: ListedRequests | PaymentRequests;
  readonly status: number;
  /** The body of every answer, where all are the same; absent where the markers are looked for. */
  readonly answer?: string;
}

export interface Outcome {
  /** Right answers that came in time. A single wrong one makes `wrong`. */
  readonly answered: number;
  /** Requests sent, those included whose answers came after the end. */
  readonly sent: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly largest: number };
  /** When the load began and ended, as `process.hrtime` counts on this machine. */
  readonly fromUs: number;
  readonly toUs: number;
  /** The first answer that was not right, or why there was none. */
  readonly wrong?: string;
}
