/** Settles what gateways have paid out: each payout is an import of the lines that it is made of. */
import { type MerchantAccount, Settlement, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import type { CatchUp, TakenEvents } from '../gateway-events/index.ts';
import type { GatewayPayout, GatewaySettlements } from '../gateways/gateway-settlements.ts';
import type { GatewayAccounts, ReadPlace } from '../payments/index.ts';
import { refused } from '../refusal.ts';
import { settlementIdOf } from './import-run.ts';
import { payoutSource } from './payout-lines.ts';
import type { Imported, Settlements } from './settlements.ts';

const DAY_MS = 86_400_000;
/** A payout may show up in the list after one that is younger. */
const OVERLAP_MS = DAY_MS;
/** How far back an account is looked at the first time. */
const FIRST_DAYS = 35;
const MAX_PAGES = 1_000;
/** Gateways pay a charge out some days later, new accounts after two weeks. */
const GRACE_DAYS = 14;

type Account = MerchantAccount.MerchantAccount;

/** The gateways that say their payouts, by their ids. */
export type PayoutSources = ReadonlyMap<number, GatewaySettlements>;

export interface PayoutServices {
  readonly commands: CommandRunner;
  readonly settlements: Settlements;
  readonly gatewayAccounts: GatewayAccounts;
  readonly catchUp: CatchUp;
  readonly taken: TakenEvents;
  readonly payoutSources: PayoutSources;
}

export interface SettleRequest {
  readonly tenantId: TenantId;
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  /** Those that were made on this day (GMT) or later; the ones with differences are read again. */
  readonly since?: string;
}

export interface Settled {
  /** The payouts that were read now, the oldest first; `name` is the gateway's id. */
  readonly items: readonly Imported[];
  /** Payouts that are on their way. */
  readonly waiting: number;
}

interface Place extends ReadPlace {
  readonly source: GatewaySettlements;
}

export class Payouts {
  readonly #services: PayoutServices;

  constructor(services: PayoutServices) {
    this.#services = services;
  }

  /**
   * Refuses with `ReferenceUnknown`, with `InputInvalid` for an account whose gateway cannot be asked for
   * payouts, with `CredentialsRefused`, and with `GatewayFailed`; a repetition goes on where it ended.
   */
  async settle(request: SettleRequest, caller: Caller): Promise<Settled> {
    const { tenantId, merchantAccountId, sandbox } = request;
    const account = await this.#services.settlements.accountOf(tenantId, merchantAccountId);
    const places = this.#placesOf(account).filter(({ context }) => context.sandbox === sandbox);
    if (places.length === 0) {
      const detail = 'must have a gateway that says its payouts, with credentials that can be used';
      throw refused({ type: 'InputInvalid', faults: [{ path: 'merchantAccountId', detail }] });
    }
    return this.#settlePlaces(account, places, { ...request, caller });
  }

  /** What is new in an account, of sandbox data too. For an account without payouts nothing. */
  async settleNew(tenantId: TenantId, account: Account, caller: Caller, stopping: AbortSignal) {
    const { merchantAccountId } = account;
    for (const place of this.#placesOf(account)) {
      const { sandbox } = place.context;
      const request = { tenantId, merchantAccountId, sandbox, caller, stopping };
      await this.#settlePlaces(account, [place], request);
    }
  }

  /** One for each set of credentials. */
  #placesOf(account: Account): readonly Place[] {
    const { payoutSources, gatewayAccounts } = this.#services;
    const source = payoutSources.get(account.settings.gatewayId);
    if (source === undefined) return [];
    return gatewayAccounts.readPlacesOf(account, source).map((place) => ({ ...place, source }));
  }

  async #settlePlaces(account: Account, places: readonly Place[], request: Run): Promise<Settled> {
    const { tenantId, sandbox } = request;
    // Refunds that failed and disputes are to be in the books before the lines about them.
    await this.#services.catchUp.catchUpWith(tenantId, account, { sandbox });
    const items: Imported[] = [];
    let waiting = 0;
    for (const place of places) {
      const settled = await this.#settlePlace(place, request);
      items.push(...settled.items);
      waiting += settled.waiting;
    }
    return { items, waiting };
  }

  async #settlePlace(place: Place, request: Run): Promise<Settled> {
    const { taken } = this.#services;
    const name = `payouts/${request.tenantId}/${place.name}`;
    const since = request.since ?? (await this.#sinceLast(name));
    const payouts = await listedSince(place, since);
    const items: Imported[] = [];
    for (const payout of payouts) {
      if (request.stopping?.aborted === true) return { items, waiting: 0 };
      if (payout.status === 'waiting' || (await this.#isDone(payout, request))) continue;
      items.push(await this.#import(place, payout, request));
    }
    const waiting = payouts.filter(({ status }) => status === 'waiting');
    const upTo = waiting[0]?.madeAt ?? payouts.at(-1)?.madeAt;
    if (upTo !== undefined && request.since === undefined) await taken.setCaughtUpTo(name, upTo);
    return { items, waiting: waiting.length };
  }

  async #sinceLast(name: string): Promise<string> {
    const { commands, taken } = this.#services;
    const before = await taken.caughtUpTo(name);
    const sinceMs =
      before === undefined
        ? Date.parse(commands.clock.now()) - FIRST_DAYS * DAY_MS
        : Date.parse(before) - OVERLAP_MS;
    return new Date(sinceMs).toISOString();
  }

  /** The import itself is on record, so that nothing else has to be remembered. */
  async #isDone({ id }: GatewayPayout, request: Run): Promise<boolean> {
    const settlementId = settlementIdOf({ ...request, name: id });
    const stream = Settlement.streamOf({ tenantId: request.tenantId, settlementId });
    const { summary } = (await this.#services.commands.stateOf(Settlement, stream)) ?? {};
    if (summary === undefined || summary === null) return false;
    return request.since === undefined || summary.differences.length === 0;
  }

  #import({ source, context }: Place, payout: GatewayPayout, request: Run): Promise<Imported> {
    const { tenantId, merchantAccountId, sandbox, caller } = request;
    const owner = { tenantId, merchantAccountId, sandbox, caller };
    const named = { name: payout.id, graceDays: GRACE_DAYS };
    const lines = payoutSource(source, payout, context);
    return this.#services.settlements.importFrom({ ...owner, ...named }, lines);
  }
}

interface Run extends SettleRequest {
  readonly caller: Caller;
  readonly stopping?: AbortSignal;
}

/** The oldest first. */
async function listedSince(
  { source, context }: Place,
  since: string,
): Promise<readonly GatewayPayout[]> {
  const listed: GatewayPayout[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const from = { since, ...(after !== undefined && { after }) };
    const { payouts, next } = await source.payouts(from, context);
    listed.push(...payouts);
    after = next;
    if (after === undefined) return oldestFirst(listed);
  }
  throw new Error(`more than ${MAX_PAGES} pages of payouts`);
}

/** Gateways list the newest first: of one instant, the last one is the oldest. */
function oldestFirst(listed: readonly GatewayPayout[]): readonly GatewayPayout[] {
  const msOf = ({ madeAt }: GatewayPayout) => Date.parse(madeAt);
  return listed.toReversed().sort((one, two) => msOf(one) - msOf(two));
}
