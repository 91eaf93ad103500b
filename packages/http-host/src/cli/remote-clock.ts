/** The test clock of a running host, over HTTP. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Destination, type Moved, uuidV7 } from '@counterfoil/engine';
import { z } from 'zod';

const SECOND_MS = 1_000;
/** A move may outlast a connection: it is requested again under the same key. */
const WAIT_MS = 20_000;
const PAUSE_MS = 1_000;
/** After this many unanswered requests in a row the host is considered gone. */
const MAX_SILENCES = 10;

const Shown = z.object({ now: z.string(), movingTo: z.string().nullable() });
const MovedAnswer = z.object({
  now: z.string(),
  steps: z.number(),
  unfinished: z.array(z.object({ work: z.string(), dueAt: z.string() })),
});
const Refused = z.object({
  message: z.string(),
  code: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
});

const SILENCE = 'silence';
/** The move may be in progress: request it again. */
const WORTH_ASKING: ReadonlySet<string> = new Set([SILENCE, 'idempotency_in_flight']);

/** The host refused, or the responder has no test clock. */
export class ClockRefused extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'ClockRefused';
    this.code = code;
  }
}

/** A local or remote clock. */
export interface ReachedClock {
  now(): Promise<string>;
  move(
    destination: Destination,
    onProgress: (doneMs: number, totalMs: number) => void,
  ): Promise<Moved>;
}

interface RemoteClockOptions {
  readonly url: string;
  readonly key: string;
  readonly tenant: string;
}

export class RemoteClock implements ReachedClock {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, key, tenant }: RemoteClockOptions) {
    if (!URL.canParse(url)) throw new ClockRefused(`${url} is not an address`, 'url');
    this.#url = new URL('/v1/test/clock', url);
    this.#headers = { Authorization: key, ClientId: tenant, 'Content-Type': 'application/json' };
  }

  async now(): Promise<string> {
    return (await this.#shown()).now;
  }

  async move(
    destination: Destination,
    onProgress: (doneMs: number, totalMs: number) => void,
  ): Promise<Moved> {
    const idempotencyKey = `cli-${uuidV7()}`;
    // Also checks that there is a clock, and that the key may use it.
    const fromMs = Date.parse(await this.now());
    const body =
      'toMs' in destination
        ? { now: new Date(destination.toMs).toISOString() }
        : { advanceSeconds: destination.byMs / SECOND_MS };
    for (let silences = 0; silences < MAX_SILENCES; ) {
      try {
        return await this.#ask(MovedAnswer, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...this.#headers, 'Idempotency-Key': idempotencyKey },
        });
      } catch (error) {
        if (!(error instanceof ClockRefused) || !WORTH_ASKING.has(error.code)) throw error;
        silences = error.code === SILENCE ? silences + 1 : 0;
      }
      await this.#reportProgress(fromMs, onProgress);
      await sleep(PAUSE_MS);
    }
    throw new ClockRefused(`${this.#url.origin} does not answer any more`, SILENCE);
  }

  async #reportProgress(
    fromMs: number,
    onProgress: (doneMs: number, totalMs: number) => void,
  ): Promise<void> {
    const shown = await this.#shown().catch(() => undefined);
    if (shown === undefined || shown.movingTo === null) return;
    onProgress(Date.parse(shown.now) - fromMs, Date.parse(shown.movingTo) - fromMs);
  }

  #shown(): Promise<z.output<typeof Shown>> {
    return this.#ask(Shown, { headers: this.#headers });
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    request: RequestInit,
  ): Promise<z.output<Schema>> {
    const answer = await this.#fetch(request);
    const body: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) {
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
    }
    const refused = Refused.safeParse(body);
    if (!refused.success) {
      throw new ClockRefused(`${this.#url.href} answers ${answer.status}, and no clock`, 'strange');
    }
    const { message, code, errors } = refused.data;
    const why = code === 'route_not_found' ? 'The host has no test clock' : message;
    throw new ClockRefused(
      [...new Set([why, ...errors.map(({ detail }) => detail)])].join('. '),
      code,
    );
  }

  async #fetch(request: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url, { ...request, signal: AbortSignal.timeout(WAIT_MS) });
    } catch (error) {
      // The cause contains the system's message about the address.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ClockRefused(`${this.#url.origin} does not answer: ${reason}`, SILENCE);
    }
  }
}
