/** The test clock of a host. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Destination, type Moved, uuidV7 } from '@counterfoil/engine';
import { z } from 'zod';
import { type HostClient, HostRefused, type HostRequest, SILENCE } from './host-client.ts';

const PATH = '/v1/test/clock';
const SECOND_MS = 1_000;
/** A move may outlast a connection: it is requested again under the same key. */
const WAIT_MS = 20_000;
const PAUSE_MS = 1_000;
/** After this many unanswered requests in a row the host is considered gone. */
const MAX_SILENCES = 10;
/** The move may be in progress: request it again. */
const WORTH_ASKING: ReadonlySet<string> = new Set([SILENCE, 'idempotency_in_flight']);

const Shown = z.object({ now: z.string(), movingTo: z.string().nullable() });
const MovedAnswer = z.object({
  now: z.string(),
  steps: z.number(),
  unfinished: z.array(z.object({ work: z.string(), dueAt: z.string() })),
});

type Report = (doneMs: number, totalMs: number) => void;

export class HostClock {
  readonly #host: HostClient;
  readonly #tenantId: number | undefined;

  /** `tenantId` is that of the key; undefined for the operator, who needs none. */
  constructor(host: HostClient, tenantId: number | undefined) {
    this.#host = host;
    this.#tenantId = tenantId;
  }

  async now(): Promise<string> {
    return (await this.#shown()).now;
  }

  async move(destination: Destination, onProgress: Report): Promise<Moved> {
    const idempotencyKey = `cli-${uuidV7()}`;
    // Also checks that there is a clock, and that the caller may use it.
    const fromMs = Date.parse(await this.now());
    const json =
      'toMs' in destination
        ? { now: new Date(destination.toMs).toISOString() }
        : { advanceSeconds: destination.byMs / SECOND_MS };
    const report = () => this.#reportProgress(fromMs, onProgress);
    for (let silences = 0; silences < MAX_SILENCES; ) {
      const looking = setInterval(() => void report(), PAUSE_MS);
      try {
        return await this.#ask(MovedAnswer, { method: 'POST', json, idempotencyKey });
      } catch (error) {
        if (!(error instanceof HostRefused) || !WORTH_ASKING.has(error.code)) throw error;
        silences = error.code === SILENCE ? silences + 1 : 0;
      } finally {
        clearInterval(looking);
      }
      await report();
      await sleep(PAUSE_MS);
    }
    throw new HostRefused(SILENCE, `${this.#host.name} does not answer any more`);
  }

  async #reportProgress(fromMs: number, onProgress: Report): Promise<void> {
    const shown = await this.#shown().catch(() => undefined);
    if (shown === undefined || shown.movingTo === null) return;
    onProgress(Date.parse(shown.now) - fromMs, Date.parse(shown.movingTo) - fromMs);
  }

  #shown(): Promise<z.output<typeof Shown>> {
    return this.#ask(Shown, { method: 'GET' });
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    request: Omit<HostRequest, 'path'>,
  ): Promise<z.output<Schema>> {
    const place = { path: PATH, tenantId: this.#tenantId, timeoutMs: WAIT_MS };
    try {
      return await this.#host.ask(schema, { ...request, ...place });
    } catch (error) {
      if (!(error instanceof HostRefused) || error.code !== 'route_not_found') throw error;
      throw new HostRefused('no_test_clock', 'The host has no test clock');
    }
  }
}
