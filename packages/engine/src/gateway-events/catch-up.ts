/** Asks gateways for events that were not delivered. */
import type { MerchantAccount, TenantId } from '@counterfoil/core';
import { merchantAccountsOf, type ReadModelStore } from '@counterfoil/projections';
import { SYSTEM } from '../command-runner.ts';
import type { GatewayEvent } from '../gateways/gateway-events.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { EventPlace, TakesEvents } from './gateway-events.ts';
import type { TakenEvents } from './taken-events.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 10 * MINUTE_MS;
/** An event may show up in the list after one that is younger. */
const OVERLAP_MS = HOUR_MS;
/** Longer than gateways list events. */
const REMEMBERED_MS = 60 * DAY_MS;
const MAX_PAGES = 1_000;

interface Behind {
  readonly gatewayId: number;
  readonly sinceMs: number;
}

export interface CatchUpOptions {
  readonly events: TakesEvents;
  readonly taken: TakenEvents;
  readonly store: ReadModelStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class CatchUp implements TimedWork {
  readonly name = 'gateway-events';
  readonly #options: CatchUpOptions;
  /** Of this process. */
  #lastRoundMs = 0;
  /** Since when each place has not been caught up with. */
  #behind = new Map<string, Behind>();

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  async nextDueAt(): Promise<string> {
    return new Date(this.#lastRoundMs + EVERY_MS).toISOString();
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const nowMs = Date.parse(this.#options.clock.now());
    if (nowMs < this.#lastRoundMs + EVERY_MS) return;
    const { events, store, taken } = this.#options;
    const seen = new Set<string>();
    for await (const { tenantId, ...account } of merchantAccountsOf(store)) {
      for (const place of events.placesIn(tenantId as TenantId, account)) {
        if (stopping.aborted) return;
        seen.add(place.name);
        await this.#catchUpOrLog(place);
      }
    }
    for (const name of this.#behind.keys()) if (!seen.has(name)) this.#behind.delete(name);
    await taken.forget(new Date(nowMs - REMEMBERED_MS).toISOString());
    this.#lastRoundMs = nowMs;
  }

  /** Takes what an account's gateway reports up to now. Refuses with `GatewayFailed`. */
  async catchUpWith(
    tenantId: TenantId,
    account: MerchantAccount.MerchantAccount,
    { sandbox }: { readonly sandbox: boolean },
  ): Promise<void> {
    for (const place of this.#options.events.placesIn(tenantId, account)) {
      if (place.context.sandbox === sandbox) await this.#catchUp(place);
    }
  }

  /** A place that fails is asked again in the next round, from where it was. */
  async #catchUpOrLog(place: EventPlace): Promise<void> {
    try {
      await this.#catchUp(place);
    } catch (error) {
      const { tenantId, merchantAccountId } = place;
      const facts = { err: error, tenantId, merchantAccountId };
      this.#options.logger.warn(facts, 'events of a gateway could not be caught up with');
    }
  }

  async #catchUp(place: EventPlace): Promise<void> {
    const { events, taken } = this.#options;
    const { name, gatewayId } = place;
    const beganMs = Date.parse(this.#options.clock.now());
    if (!this.#behind.has(name)) this.#behind.set(name, { gatewayId, sinceMs: beganMs });
    const before = await taken.caughtUpTo(place.name);
    const listed = await listedSince(place, before);
    let failure: unknown;
    for (const event of listed) {
      try {
        await events.take(place, event, SYSTEM);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    const newest = listed.at(-1)?.at ?? '';
    if (newest > (before ?? '')) await taken.setCaughtUpTo(place.name, newest);
    this.#behind.set(name, { gatewayId, sinceMs: beganMs });
  }

  /** In seconds, by gateway: since when the account that is furthest behind was not caught up with. */
  lags(): ReadonlyMap<number, number> {
    const nowMs = Date.parse(this.#options.clock.now());
    const lags = new Map<number, number>();
    for (const { gatewayId, sinceMs } of this.#behind.values()) {
      const lag = Math.max(0, nowMs - sinceMs) / SECOND_MS;
      lags.set(gatewayId, Math.max(lag, lags.get(gatewayId) ?? 0));
    }
    return lags;
  }
}

/** The oldest first. */
async function listedSince(
  { source, context }: EventPlace,
  caughtUpTo: string | undefined,
): Promise<readonly GatewayEvent[]> {
  const since = caughtUpTo && new Date(Date.parse(caughtUpTo) - OVERLAP_MS).toISOString();
  const listed: GatewayEvent[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { events, next } = await source.list(
      { ...(since !== undefined && { since }), ...(after !== undefined && { after }) },
      context,
    );
    listed.push(...events);
    after = next;
    if (after === undefined) return listed.sort((one, two) => (one.at < two.at ? -1 : 1));
  }
  throw new Error(`more than ${MAX_PAGES} pages of events`);
}
