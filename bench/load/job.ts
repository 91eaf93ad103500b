/** A load: connections, duration, requests, and the expected content of responses. */

/** Prepared requests, sent in order and repeatedly. */
export interface ListedRequests {
  readonly kind: 'listed';
  readonly bodies: readonly string[];
  /** For each body, text that a correct response contains. */
  readonly markers: readonly string[];
}

/** Prepared GETs, sent in order and repeatedly. */
export interface PageRequests {
  readonly kind: 'pages';
  readonly paths: readonly string[];
  /** For each page, text that it contains. */
  readonly markers: readonly string[];
}

/** New payments, each with a new order and idempotency key. */
export interface PaymentRequests {
  readonly kind: 'payments';
  /** The first order id; ids must be unique within a data folder. */
  readonly firstOrder: number;
  readonly payers: Payers;
}

/** Customers who have paid before take turns, or each payment is the first of its customer. */
export type Payers = 'known' | 'new';

/** New leads, each with an email and a session of its own. */
export interface LeadRequests {
  readonly kind: 'leads';
  /** The first number; numbers must be unique within a data folder. */
  readonly firstLead: number;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: ListedRequests | PageRequests | PaymentRequests | LeadRequests;
  readonly status: number;
  /** The body of every response, if constant; otherwise the markers are checked. */
  readonly answer?: string;
}

export interface Outcome {
  /** Correct responses within the duration. A single wrong one sets `wrong`. */
  readonly answered: number;
  /** Requests sent, including those answered after the end. */
  readonly sent: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly largest: number };
  /** When the load began and ended, as `process.hrtime` counts on this machine. */
  readonly fromUs: number;
  readonly toUs: number;
  /** The first incorrect response, or why there was none. */
  readonly wrong?: string;
}
