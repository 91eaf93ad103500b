/** Webhook endpoints: signed deliveries over HTTP, when and as often as a test says. */
import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import { matches } from './events.ts';
import type { AccountState } from './state.ts';

export interface WebhookEndpoint {
  readonly url: string;
  /** Types of events, `charge.*` or `*`; all if not given. */
  readonly events?: readonly string[];
  /** Its account; the first one if not given. */
  readonly account?: string;
  /** Of live mode, not of test mode. */
  readonly livemode?: boolean;
  /** Events of connected accounts, which name them, instead of the account's own. */
  readonly connect?: boolean;
  /** Sends each event by itself; otherwise events wait for `deliverWebhooks`. */
  readonly automatic?: boolean;
}

export interface DeliveryPlan {
  /** Only these, by their types or ids; all if not given. */
  readonly only?: readonly string[];
  readonly order?:
    | 'oldestFirst'
    | 'newestFirst'
    | ((events: readonly Stripe.EventBase[]) => readonly Stripe.EventBase[]);
  /** How often each is sent. */
  readonly times?: number;
  /** The age of the signature: over 300 seconds it counts as replayed. */
  readonly signedSecondsAgo?: number;
}

export interface Delivered {
  readonly event: string;
  readonly type: string;
  /** Null where the endpoint could not be reached. */
  readonly status: number | null;
}

interface Endpoint extends WebhookEndpoint {
  readonly id: string;
  readonly account: string;
  secrets: { readonly secret: string; readonly until: number }[];
}

interface Waiting {
  readonly endpoint: Endpoint;
  readonly event: Stripe.EventBase;
  readonly stored: Stripe.EventBase;
}

const TIMEOUT_MS = 30_000;

export class Webhooks {
  readonly #now: () => number;
  readonly #connected: (platform: string, account: string) => boolean;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #underWay = new Set<Promise<unknown>>();
  #waiting: Waiting[] = [];

  constructor(now: () => number, connected: (platform: string, account: string) => boolean) {
    this.#now = now;
    this.#connected = connected;
  }

  add(id: string, secret: string, endpoint: WebhookEndpoint & { readonly account: string }): void {
    const secrets = [{ secret, until: Number.POSITIVE_INFINITY }];
    this.#endpoints.set(id, { ...endpoint, id, secrets });
  }

  remove(id: string): void {
    this.#endpoints.delete(id);
    this.#waiting = this.#waiting.filter(({ endpoint }) => endpoint.id !== id);
  }

  /** @param keepSeconds - How long the old secret signs beside the new one. */
  roll(id: string, secret: string, keepSeconds: number): void {
    const endpoint = this.#endpoints.get(id);
    if (endpoint === undefined) throw new Error(`No webhook endpoint ${id}`);
    const until = this.#now() + keepSeconds;
    endpoint.secrets = [
      ...endpoint.secrets.map((each) => ({ ...each, until: Math.min(each.until, until) })),
      { secret, until: Number.POSITIVE_INFINITY },
    ];
  }

  /** Takes an event on for each endpoint that wants it. */
  take(event: Stripe.EventBase, state: AccountState): void {
    for (const endpoint of this.#endpoints.values()) {
      if (!this.#wants(endpoint, event, state)) continue;
      event.pending_webhooks += 1;
      const shown = structuredClone(event);
      if (endpoint.connect === true) shown.account = state.account.id;
      const waiting = { endpoint, event: shown, stored: event };
      this.#waiting.push(waiting);
      if (endpoint.automatic === true) this.#follow(this.#deliver(waiting, {}));
    }
  }

  pending(): readonly Stripe.EventBase[] {
    return this.#waiting.map(({ event }) => structuredClone(event));
  }

  /** What was refused stays, and is sent again by the next call. */
  async deliver(plan: DeliveryPlan): Promise<readonly Delivered[]> {
    const chosen = this.#waiting.filter(
      ({ event }) =>
        plan.only === undefined ||
        plan.only.some((each) => each === event.id || matches(event.type, each)),
    );
    const done: Delivered[] = [];
    for (const waiting of ordered(chosen, plan.order)) {
      for (let time = 0; time < (plan.times ?? 1); time += 1) {
        done.push(await this.#deliver(waiting, plan));
      }
    }
    return done;
  }

  /** Forgets what waits, as a day of lost webhooks does. */
  drop(only?: readonly string[]): number {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter(
      ({ event }) =>
        only !== undefined && !only.some((each) => each === event.id || matches(event.type, each)),
    );
    return before - this.#waiting.length;
  }

  /** Until what endpoints with `automatic` are sent has been answered. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #wants(endpoint: Endpoint, event: Stripe.EventBase, state: AccountState): boolean {
    if ((endpoint.livemode ?? false) !== state.livemode) return false;
    const ofAccount =
      endpoint.connect === true
        ? this.#connected(endpoint.account, state.account.id)
        : endpoint.account === state.account.id;
    return ofAccount && (endpoint.events ?? ['*']).some((each) => matches(event.type, each));
  }

  #follow(delivery: Promise<unknown>): void {
    this.#underWay.add(delivery);
    delivery.finally(() => this.#underWay.delete(delivery)).catch(() => undefined);
  }

  async #deliver(waiting: Waiting, { signedSecondsAgo = 0 }: DeliveryPlan): Promise<Delivered> {
    const { endpoint, event } = waiting;
    const body = JSON.stringify(event, null, 2);
    const status = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': this.#sign(endpoint, body, this.#now() - signedSecondsAgo),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => null,
    );
    if (status !== null && status >= 200 && status < 300 && this.#waiting.includes(waiting)) {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      waiting.stored.pending_webhooks -= 1;
    }
    return { event: event.id, type: event.type, status };
  }

  #sign(endpoint: Endpoint, body: string, at: number): string {
    const signatures = endpoint.secrets
      .filter(({ until }) => this.#now() < until)
      .map(({ secret }) => createHmac('sha256', secret).update(`${at}.${body}`).digest('hex'));
    return [`t=${at}`, ...signatures.map((each) => `v1=${each}`)].join(',');
  }
}

function ordered(waiting: readonly Waiting[], order: DeliveryPlan['order']): readonly Waiting[] {
  if (order === 'newestFirst') return waiting.toReversed();
  if (typeof order !== 'function') return waiting;
  const events = order(waiting.map(({ event }) => event));
  return events.flatMap((event) => waiting.filter((each) => each.event.id === event.id));
}
