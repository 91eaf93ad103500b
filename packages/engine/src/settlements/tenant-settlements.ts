/** The settlement files and payouts of one tenant, for one caller. */
import type { SettlementRecord } from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { made, type RecordedCalls } from '../recorded-calls.ts';
import type { Payouts, Settled } from './payouts.ts';
import {
  Content,
  PayoutSettlement,
  SandboxOnly,
  SettlementImport,
  SettlementsQuery,
  UnmatchedQuery,
} from './settlement-input.ts';
import type { Imported, OnProgress, Settlements } from './settlements.ts';

export class TenantSettlements {
  readonly #settlements: Settlements;
  readonly #payouts: Payouts;
  readonly #acting: Acting;

  constructor(settlements: Settlements, payouts: Payouts, acting: Acting) {
    this.#settlements = settlements;
    this.#payouts = payouts;
    this.#acting = acting;
  }

  /** Books what agrees, and answers with the counts of what does not: see `unmatched`. */
  async import(
    request: SettlementImport,
    content: AsyncIterable<Uint8Array>,
    onProgress?: OnProgress,
  ): Promise<Imported> {
    const { caller } = this.#acting;
    return this.#settlements.import({ ...this.#scoped(request), caller }, content, onProgress);
  }

  /**
   * Books the lines of what the gateway of an account has paid out, each payout as an import with its id as
   * the name. Done every six hours too. Refuses with `InputInvalid` where the gateway cannot be asked, and
   * with `GatewayFailed`: a repetition goes on where it ended.
   */
  async settle(request: PayoutSettlement): Promise<Settled> {
    return this.#payouts.settle(this.#scoped(request), this.#acting.caller);
  }

  /** Undefined for an id that the tenant does not have in this environment. */
  async get(
    settlementId: string,
    query: { sandbox?: boolean | undefined } = {},
  ): Promise<SettlementRecord | undefined> {
    return this.#settlements.find(this.#scoped(query), settlementId);
  }

  async list(query: SettlementsQuery): ReturnType<Settlements['list']> {
    return this.#settlements.list(this.#scoped(query));
  }

  async unmatched(query: UnmatchedQuery): ReturnType<Settlements['unmatched']> {
    return this.#settlements.unmatched(this.#scoped(query));
  }

  #scoped<Query extends { sandbox?: boolean | undefined }>({ sandbox, ...query }: Query) {
    const { tenantId } = this.#acting;
    return { ...definedOf(query), tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
  }
}

export const SETTLEMENT_INPUTS: CallInputs<TenantSettlements> = {
  import: [
    SettlementImport,
    Content,
    z.custom<OnProgress>((given) => typeof given === 'function').optional(),
  ],
  settle: [PayoutSettlement],
  get: [z.string(), SandboxOnly.optional()],
  list: [SettlementsQuery],
  unmatched: [UnmatchedQuery],
};

export const SETTLEMENT_CALLS: RecordedCalls<TenantSettlements> = {
  import: made,
  settle: ([given]) => String((given as PayoutSettlement).merchantAccountId),
};
