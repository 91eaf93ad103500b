/** Sends due deliveries: of each endpoint beside the others, signed, and again until it is taken. */
import type { KeyObject } from 'node:crypto';
import { WebhookEndpoints as Aggregate } from '@counterfoil/core';
import { SpanKind } from '@opentelemetry/api';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { Logger } from '../logger.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';
import { atDueTime, type Clock } from '../runtime/clock.ts';
import { isPermanent } from '../runtime/log-follower.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { markFailed, traced } from '../tracing.ts';
import type { Delivery, DeliveryStore, Outcome, Tried, Waiting } from './delivery-store.ts';
import { bodyOf } from './message-body.ts';
import { delayAfter, retryAfterMs } from './retries.ts';
import { keyOf, signatureOf } from './signatures.ts';
import type { Answer, Post, Transport } from './transport.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

/** Requests at once, of all endpoints. */
const MAX_IN_FLIGHT = 512;
/** ... of one tenant, ... */
const MAX_OF_TENANT = 128;
/** ... of one endpoint, ... */
const MAX_OF_ENDPOINT = 16;
/** ... and of one that has not answered within a second yet, or did not the last time. */
const MAX_OF_SLOW = 1;
const SLOW_MS = 1_000;
/** Taken of an endpoint at once. */
const PAGE = 256;
/** How often a round that waits for answers looks for more that became due. */
const LOOK_MS = 250;
/** How long a stop waits for the answers of requests. */
const STOP_GRACE_MS = 5_000;
/** Signing keys that are remembered. */
const MAX_KEYS = 1_000;
const GONE = 410;
const USER_AGENT = 'Counterfoil-Webhooks/1';

export interface WebhookSenderOptions {
  readonly deliveries: DeliveryStore;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly credentials: CredentialVault;
  readonly commands: CommandRunner;
  readonly transport: Pick<Transport, 'post'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** At least 0 and less than 1. */
  readonly random?: () => number;
}

/** Since the start of this process. */
export interface WebhookCounts {
  delivered: number;
  failed: number;
  dead: number;
}

/** What is known of an endpoint while it is sent to. */
interface Lane {
  readonly endpointId: string;
  /** Not begun yet. */
  readonly taken: Delivery[];
  inFlight: number;
  isFast: boolean;
}

interface Round {
  readonly stopping: AbortSignal;
  /** Ends requests. */
  readonly giveUp: AbortSignal;
  readonly running: Set<Promise<void>>;
  /** Records of tries. */
  readonly writing: Set<Promise<void>>;
  /** By tenant. */
  readonly ofTenant: Map<number, number>;
  failure: { readonly error: unknown } | undefined;
  /** Called when a request, or a record, has ended. */
  wake: () => void;
}

export class WebhookSender implements TimedWork {
  readonly name = 'webhooks';
  readonly counts: WebhookCounts = { delivered: 0, failed: 0, dead: 0 };
  readonly #options: WebhookSenderOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #keys = new Map<string, KeyObject>();

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  nextDueAt(): Promise<string | undefined> {
    return this.#options.deliveries.nextDueAt();
  }

  /** Ends when nothing is due. What is slow does not hold up what becomes due meanwhile. */
  async runDue(stopping: AbortSignal): Promise<void> {
    await this.#resumeHeld();
    const giveUp = new AbortController();
    const stop = () => setTimeout(() => giveUp.abort(), STOP_GRACE_MS).unref();
    stopping.addEventListener('abort', stop, { once: true });
    const round: Round = {
      stopping,
      giveUp: giveUp.signal,
      running: new Set(),
      writing: new Set(),
      ofTenant: new Map(),
      failure: undefined,
      wake: () => undefined,
    };
    try {
      while (!stopping.aborted && round.failure === undefined) {
        const started = await this.#startDue(round);
        if (started === 0 && isIdle(round)) break;
        await restOf(round);
      }
    } finally {
      await Promise.all(round.running);
      await Promise.all(round.writing);
      stopping.removeEventListener('abort', stop);
      await this.#leave();
    }
    if (round.failure !== undefined) throw round.failure.error;
  }

  /** Keeps nothing that was taken. */
  async #leave(): Promise<void> {
    for (const [id, { taken, isFast }] of this.#lanes) {
      // Of a round that failed; a database that fails now leaves the claims to expire.
      if (taken.length > 0) {
        await this.#options.deliveries.giveBack(taken.splice(0)).catch(() => undefined);
      }
      if (!isFast) this.#lanes.delete(id);
    }
  }

  /** Endpoints may have been resumed, or removed, by any host. */
  async #resumeHeld(): Promise<void> {
    const { deliveries } = this.#options;
    for (const waiting of await deliveries.waiting('held')) {
      const endpoint = await this.#endpointOf(waiting);
      if (endpoint?.status === 'active') await deliveries.resume(waiting.endpointId);
      else if (endpoint?.status !== 'paused') await this.#abandon(waiting, endpoint);
    }
  }

  /** Answers how many were started. */
  async #startDue(round: Round): Promise<number> {
    const { deliveries, clock } = this.#options;
    const now = clock.now();
    const waiting = (await deliveries.waiting('pending')).filter(({ dueAt }) => dueAt <= now);
    let started = 0;
    for (const each of waiting) {
      if (round.stopping.aborted) return started;
      const endpoint = await this.#endpointOf(each);
      if (endpoint?.status === 'paused') await deliveries.hold(each.endpointId);
      else if (endpoint?.status !== 'active') await this.#abandon(each, endpoint);
      else started += await this.#startOf(endpoint, each, round);
    }
    return started;
  }

  /** Starts what one endpoint may be sent now; it is refilled as its requests end. */
  async #startOf(endpoint: Aggregate.Endpoint, { tenantId }: Waiting, round: Round) {
    const { deliveries, clock } = this.#options;
    const { endpointId } = endpoint;
    const lane = this.#laneOf(endpointId);
    const room = this.#roomOf(lane, tenantId, round);
    if (room <= 0) return 0;
    if (lane.taken.length === 0) {
      const limit = lane.isFast ? PAGE : room;
      lane.taken.push(...(await deliveries.take(endpoint, clock.now(), limit)));
    }
    const count = Math.min(room, lane.taken.length);
    for (let worker = 0; worker < count; worker += 1) {
      lane.inFlight += 1;
      round.ofTenant.set(tenantId, (round.ofTenant.get(tenantId) ?? 0) + 1);
      const running = this.#work(lane, round).finally(() => {
        lane.inFlight -= 1;
        round.ofTenant.set(tenantId, (round.ofTenant.get(tenantId) ?? 1) - 1);
        round.running.delete(running);
        round.wake();
      });
      round.running.add(running);
    }
    return count;
  }

  #roomOf(lane: Lane, tenantId: number, { running, ofTenant }: Round): number {
    const ofLane = (lane.isFast ? MAX_OF_ENDPOINT : MAX_OF_SLOW) - lane.inFlight;
    const left = MAX_OF_TENANT - (ofTenant.get(tenantId) ?? 0);
    return Math.min(ofLane, left, MAX_IN_FLIGHT - running.size);
  }

  #laneOf(endpointId: string): Lane {
    let lane = this.#lanes.get(endpointId);
    if (lane === undefined) {
      lane = { endpointId, taken: [], inFlight: 0, isFast: false };
      this.#lanes.set(endpointId, lane);
    }
    return lane;
  }

  /** Sends the next one that was taken until there is none, or the endpoint is slow. */
  async #work(lane: Lane, round: Round): Promise<void> {
    const { clock, deliveries } = this.#options;
    try {
      for (let next = lane.taken.shift(); next !== undefined; next = lane.taken.shift()) {
        const delivery = next;
        const begunMs = performance.now();
        const tried = await atDueTime(clock, delivery.dueAt, () =>
          this.#send(delivery, round.giveUp),
        );
        if (tried !== undefined) this.#record(tried, round);
        lane.isFast = performance.now() - begunMs < SLOW_MS;
        const goesOn = lane.isFast && !round.stopping.aborted && round.failure === undefined;
        // What is left is taken again when there is room.
        if (!goesOn) await deliveries.giveBack(lane.taken.splice(0));
      }
    } catch (error) {
      round.failure ??= { error };
    }
  }

  /** The next one is sent while it is written. */
  #record(tried: Tried, round: Round): void {
    const recording = this.#options.deliveries
      .record(tried)
      .catch((error: unknown) => {
        round.failure ??= { error };
      })
      .finally(() => {
        round.writing.delete(recording);
        if (round.running.size === 0) round.wake();
      });
    round.writing.add(recording);
  }

  /** Undefined where there was no try, and the delivery was given back. */
  async #send(delivery: Delivery, giveUp: AbortSignal): Promise<Tried | undefined> {
    const { deliveries, clock } = this.#options;
    // Any host may have changed it since the delivery was taken.
    const endpoint = await this.#endpointOf(delivery);
    if (endpoint?.status !== 'active' || endpoint.url === null) {
      await deliveries.giveBack([delivery]);
      return undefined;
    }
    const at = clock.now();
    const begunMs = performance.now();
    const answer = await this.#post(delivery, { ...endpoint, url: endpoint.url }, giveUp);
    // The receiver is not to blame for a stop of this host.
    if (answer.fault === 'stopped') {
      await deliveries.giveBack([delivery]);
      return undefined;
    }
    const attempt = {
      number: delivery.attempts + 1,
      at,
      durationMs: Math.round(performance.now() - begunMs),
      status: answer.status,
      error: answer.fault,
      answer: answer.text,
    };
    const outcome = this.#outcomeOf(delivery, answer);
    const { ordered } = endpoint;
    this.#count(outcome, delivery);
    if (answer.status === GONE) await this.#disable(delivery);
    return { delivery, attempt, outcome, ordered };
  }

  async #post(
    delivery: Delivery,
    endpoint: Aggregate.Endpoint & { readonly url: string },
    signal: AbortSignal,
  ): Promise<Omit<Answer, 'fault'> & { readonly fault: string | null }> {
    const { commands, clock, logger } = this.#options;
    let body: Buffer;
    try {
      body = await bodyOf(commands, delivery);
    } catch (error) {
      // One message that cannot be made must not delay the others.
      const { messageId, subject } = delivery;
      logger.error({ err: error, message: messageId, subject }, 'a webhook could not be written');
      return { status: null, fault: 'unreadable', text: '', retryAfter: undefined };
    }
    const now = clock.now();
    const secrets = Aggregate.secretsOf(endpoint, now).map((each) => this.#keyOf(each));
    const id = delivery.messageId;
    const timestamp = String(Math.floor(Date.parse(now) / 1_000));
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf({ id, timestamp, body }, secrets),
    };
    return this.#exchange(delivery, { url: endpoint.url, headers, body, signal });
  }

  #exchange(delivery: Delivery, post: Post): Promise<Answer> {
    const { tenantId, endpointId, messageId, attempts } = delivery;
    return traced(
      () => ({
        name: 'send webhook',
        kind: SpanKind.CLIENT,
        attributes: {
          'http.request.method': 'POST',
          'counterfoil.tenant_id': tenantId,
          'counterfoil.webhook_endpoint': endpointId,
          'counterfoil.webhook_message': messageId,
          'counterfoil.attempt': attempts + 1,
        },
      }),
      async (span) => {
        const answer = await this.#options.transport.post(post);
        if (span === undefined) return answer;
        const { status, fault } = answer;
        if (status !== null) span.setAttribute('http.response.status_code', status);
        if (!isTaken(answer)) markFailed(span, fault ?? String(status));
        return answer;
      },
    );
  }

  /** Of a sealed secret: opening it costs more than a signature. */
  #keyOf(sealed: string): KeyObject {
    let key = this.#keys.get(sealed);
    if (key === undefined) {
      key = keyOf(this.#options.credentials.openText(sealed));
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
      this.#keys.set(sealed, key);
    }
    return key;
  }

  #outcomeOf(
    { tries }: Delivery,
    { status, fault, retryAfter }: Pick<Answer, 'status' | 'retryAfter'> & { fault: string | null },
  ): Outcome {
    const now = this.#options.clock.now();
    if (isTaken({ status })) return { status: 'delivered', dueAt: now, reason: '' };
    const reason = fault ?? String(status);
    const { random = Math.random } = this.#options;
    const asked = { retryAfterMs: retryAfterMs(retryAfter, now), random: random() };
    const delayMs = status === GONE ? undefined : delayAfter(tries + 1, asked);
    if (delayMs === undefined) return { status: 'dead', dueAt: now, reason };
    const dueAt = new Date(Date.parse(now) + delayMs).toISOString();
    return { status: 'pending', dueAt, reason };
  }

  #count({ status, reason, dueAt }: Outcome, { id, messageId, endpointId }: Delivery): void {
    if (status === 'delivered') {
      this.counts.delivered += 1;
      return;
    }
    this.counts.failed += 1;
    const facts = { delivery: id, message: messageId, endpoint: endpointId, reason };
    const { logger } = this.#options;
    if (status === 'pending') {
      logger.debug({ ...facts, dueAt }, 'a webhook was not taken; it is sent again');
      return;
    }
    this.counts.dead += 1;
    logger.warn(facts, 'a webhook was given up');
  }

  /** The receiver says that nothing is to be sent there again. */
  async #disable({ tenantId, endpointId }: Delivery): Promise<void> {
    const command = { type: 'DisableWebhookEndpoint', endpointId, reason: 'gone' } as const;
    try {
      await this.#options.webhookEndpoints.execute(tenantId, command, SYSTEM);
    } catch (error) {
      // It was removed meanwhile.
      if (!isPermanent(error)) throw error;
    }
  }

  async #abandon({ endpointId }: Waiting, endpoint: Aggregate.Endpoint | undefined): Promise<void> {
    const reason = endpoint === undefined ? 'endpoint_removed' : 'endpoint_disabled';
    await this.#options.deliveries.abandon(endpointId, reason, this.#options.clock.now());
  }

  async #endpointOf({
    tenantId,
    endpointId,
  }: Pick<Waiting, 'tenantId' | 'endpointId'>): Promise<Aggregate.Endpoint | undefined> {
    return (await this.#options.webhookEndpoints.state(tenantId)).get(endpointId);
  }
}

function isTaken({ status }: Pick<Answer, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

function isIdle({ running, writing }: Round): boolean {
  return running.size === 0 && writing.size === 0;
}

/** Until a request ends, or it is time to look for more. */
async function restOf(round: Round): Promise<void> {
  if (isIdle(round)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  round.wake = resolve;
  const timer = setTimeout(resolve, LOOK_MS);
  await promise;
  clearTimeout(timer);
}
