/** Prometheus metrics of the host. Tenants are never labels: labels multiply, and leak. */

import type { LabelledGauges, MetricsRegistry } from '@counterfoil/engine';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const UNMATCHED = 'unmatched';

export class Metrics implements MetricsRegistry {
  readonly #registry = new Registry();
  readonly #durations: Histogram;

  constructor() {
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the arrival of the head of a request to its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS_SECONDS,
      registers: [this.#registry],
    });
  }

  /** Adds process metrics: memory, event loop, garbage collection. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts one answered request. `route` is the declared path, never the one that was sent. */
  observeRequest(
    request: { method: string; route: string | undefined; status: number },
    seconds: number,
  ): void {
    const { method, route, status } = request;
    // The caller may send any method to an unknown path.
    const labels =
      route === undefined ? { method: UNMATCHED, route: UNMATCHED } : { method, route };
    this.#durations.observe({ ...labels, status }, seconds);
  }

  /** Registers a gauge that is read at every scrape: `read` must be cheap. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Registers a counter that is kept elsewhere. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Registers gauges and counters that one call of `look` reads for several values of `label`. */
  gauges<Facts>({ label, names, look }: LabelledGauges<Facts>): void {
    let looking: ReturnType<typeof look> | undefined;
    // All figures of one scrape come from the same call.
    const lookOnce = () => {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    };
    for (const [name, { help, isCount = false, of }] of Object.entries(names)) {
      const options = { name, help, labelNames: [label], registers: [this.#registry] };
      if (isCount) {
        new Counter({
          ...options,
          async collect() {
            const found = await lookOnce();
            this.reset();
            for (const [value, facts] of found) this.inc({ [label]: value }, of(facts));
          },
        });
      } else {
        new Gauge({
          ...options,
          async collect() {
            const found = await lookOnce();
            this.reset();
            for (const [value, facts] of found) this.set({ [label]: value }, of(facts));
          },
        });
      }
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** What observes the garbage collector stays for the life of the process, and with it its registry. */
  close(): void {
    this.#registry.clear();
  }
}
