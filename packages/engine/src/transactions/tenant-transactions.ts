/** The transactions of one tenant, for one caller. */
import { TransactionId } from '@counterfoil/core';
import type {
  SearchPage,
  SearchRecord,
  TransactionDetail,
  UnansweredPage,
} from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { named, nothing, type RecordedCalls } from '../recorded-calls.ts';
import {
  type Export,
  ExportInput,
  type Search,
  SearchInput,
  type Unanswered,
  UnansweredInput,
} from './search-input.ts';
import type { HistoryEntry, TransactionStory, Transactions } from './transactions.ts';

export class TenantTransactions {
  readonly #transactions: Transactions;
  readonly #acting: Acting;

  constructor(transactions: Transactions, acting: Acting) {
    this.#transactions = transactions;
    this.#acting = acting;
  }

  /** A page of payments and their children, newest first. Reads the caller's own writes. */
  async search(search: Search = {}): Promise<SearchPage> {
    return this.#transactions.search(queryOf(this.#acting, search));
  }

  /** All that a search finds in pages, newest first: the next one is read when it is asked for. */
  async export(search: Export = {}): Promise<AsyncIterable<readonly SearchRecord[]>> {
    return this.#transactions.pages(queryOf(this.#acting, search));
  }

  /** Payments of unknown outcome, those that have waited longest first. */
  async unanswered({ sandbox, ...page }: Unanswered): Promise<UnansweredPage> {
    return this.#transactions.unanswered({
      ...definedOf(page),
      tenantId: this.#acting.tenantId,
      sandbox: sandboxOf(this.#acting, sandbox),
    });
  }

  /** Undefined when the tenant has no transaction of that id. */
  async detail(id: string): Promise<TransactionDetail | undefined> {
    const { tenantId, environment } = this.#acting;
    const { success, data } = TransactionId.safeParse(id);
    if (!success) return undefined;
    const found = await this.#transactions.detail(tenantId, data);
    return environment === 'live' || found?.sandbox === true ? found : undefined;
  }

  /**
   * What happened to a payment and its children, oldest first: who caused it, and when. Empty when the tenant
   * has no payment of that id.
   */
  async history(id: string): Promise<readonly HistoryEntry[]> {
    const { tenantId, environment } = this.#acting;
    const { success, data } = TransactionId.safeParse(id);
    const entries = success ? await this.#transactions.history(tenantId, data) : [];
    const first = entries[0]?.event;
    const isSandbox = first?.type === 'PaymentSubmitted' && first.sandbox;
    return environment === 'live' || isSandbox ? entries : [];
  }

  /**
   * A payment, by its own id or a child's, its history and its journal entries. Undefined when the tenant has
   * none of that id.
   */
  async story(id: string): Promise<TransactionStory | undefined> {
    const { tenantId, environment } = this.#acting;
    const { success, data } = TransactionId.safeParse(id);
    const found = success ? await this.#transactions.story(tenantId, data) : undefined;
    return environment === 'live' || found?.detail.sandbox === true ? found : undefined;
  }
}

/** The query, limited to what this caller may see. */
export function queryOf(
  acting: Acting,
  { limit, pageNumber, after, sandbox, ...given }: Search,
): Parameters<Transactions['search']>[0] {
  return {
    tenantId: acting.tenantId,
    filter: { ...definedOf(given), sandbox: sandboxOf(acting, sandbox) },
    ...definedOf({ limit, pageNumber, after }),
  };
}

export const TRANSACTION_INPUTS: CallInputs<TenantTransactions> = {
  search: [SearchInput.optional()],
  export: [ExportInput.optional()],
  unanswered: [UnansweredInput],
  detail: [z.string()],
  history: [z.string()],
  story: [z.string()],
};

export const TRANSACTION_CALLS: RecordedCalls<TenantTransactions> = {
  export: nothing,
  detail: named,
  history: named,
  story: named,
};
