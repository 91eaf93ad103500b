/** Endpoints for operators: liveness, readiness and metrics. */
import { z } from 'zod';
import { type Endpoint, endpoint } from './endpoint.ts';
import type { Metrics } from './metrics.ts';

/** Resolves when the dependency is usable, rejects when not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<void> | void;

const CHECK_TIMEOUT_MS = 2_000;

export interface ReadinessReport {
  readonly status: 'ok' | 'starting' | 'unavailable';
  readonly checks: Record<string, 'ok' | 'failed'>;
}

/** Collects the readiness checks. */
export class Readiness {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #onFailure: (name: string, error: unknown) => void;
  #phase: 'starting' | 'serving' | 'draining' = 'starting';

  /** `onFailure` receives the error of a failed check; the caller of /readyz does not. */
  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  /** Reads work: from now on only the checks decide. */
  started(): void {
    if (this.#phase === 'starting') this.#phase = 'serving';
  }

  /** Permanently not ready: the load balancer must send requests elsewhere. */
  drain(): void {
    this.#phase = 'draining';
  }

  /** Runs all checks concurrently. */
  async report(): Promise<ReadinessReport> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await this.#run(name, check)] as const),
    );
    const checks = Object.fromEntries(results);
    if (this.#phase === 'starting') return { status: 'starting', checks };
    const isSound = results.every(([, result]) => result === 'ok');
    return { status: this.#phase === 'serving' && isSound ? 'ok' : 'unavailable', checks };
  }

  async #run(name: string, check: ReadinessCheck): Promise<'ok' | 'failed'> {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      // A check that throws synchronously must reach the race too: otherwise the rejection of
      // `timedOut` is unhandled.
      await Promise.race([Promise.resolve(signal).then(check), timedOut]);
      return 'ok';
    } catch (error) {
      this.#onFailure(name, error);
      return 'failed';
    }
  }
}

const TAG = 'Operations';
const PUBLIC = { kind: 'public' } as const;

const Live = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });

const Ready = z
  .object({
    status: z.enum(['ok', 'starting', 'unavailable']).meta({
      description: '`starting`: the read models do not yet show all that the log held at the start',
    }),
    checks: z
      .record(z.string(), z.enum(['ok', 'failed']))
      .meta({ description: 'Each check by name' }),
  })
  .meta({ id: 'Readiness' });

/** No key required, and answered under overload. */
const SHARED = {
  method: 'GET',
  tag: TAG,
  access: PUBLIC,
  rejections: [],
  idempotency: 'none',
  answeredUnderOverload: true,
} as const;

/** /livez and /readyz. */
export function healthEndpoints(readiness: Readiness): Endpoint[] {
  return [
    endpoint({
      ...SHARED,
      operationId: 'getLiveness',
      path: '/livez',
      summary: 'Is the process alive',
      description: 'Answers as long as the process can answer at all. A failure means: restart it.',
      responses: { 200: { description: 'It is', schema: Live } },
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    }),
    endpoint({
      ...SHARED,
      operationId: 'getReadiness',
      path: '/readyz',
      summary: 'May requests be sent here',
      description:
        'Not ready until the read models show all that the log held at the start, while a check fails, and from the beginning of a shutdown.',
      responses: {
        200: { description: 'Ready', schema: Ready },
        503: { description: 'Not ready: send requests elsewhere', schema: Ready },
      },
      handle: async () => {
        const report = await readiness.report();
        return { status: report.status === 'ok' ? 200 : 503, body: report };
      },
    }),
  ];
}

/** /metrics, on the port of the interface or on one of its own. */
export function metricsEndpoint(metrics: Metrics): Endpoint {
  return endpoint({
    ...SHARED,
    operationId: 'getMetrics',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    description: 'In the text format of Prometheus.',
    responses: {
      200: { description: 'The figures', schema: z.string(), contentType: 'text/plain' },
    },
    handle: async () => ({
      status: 200,
      raw: await metrics.text(),
      contentType: metrics.contentType,
    }),
  });
}
