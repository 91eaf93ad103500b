/** Search, detail and history of transactions. Queries read the tenant's own writes. */
import {
  type EventMetadata,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import {
  type DetailView,
  type LedgerEntry,
  ledgerEntryOf,
  type SearchPage,
  type SearchQuery,
  type SearchRecord,
  type SearchView,
  type TransactionDetail,
  type UnansweredPage,
  type UnansweredQuery,
  type UnansweredView,
} from '@counterfoil/projections';
import type { CommandRunner } from '../command-runner.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ReadSide } from '../runtime/read-side.ts';

/** Records of a page of an export. */
const EXPORT_PAGE = 100;

/** Kinds of application that start a payment: children are shown within their payment. */
const PAYMENT_KINDS = [1, 2, 3, 4, 5];

/** An event of a payment: what happened, when it was recorded, and who caused it by which request. */
export interface HistoryEntry extends Pick<EventMetadata, 'actor' | 'keyId' | 'requestId'> {
  /** Of the event. */
  readonly id: string;
  /** Place among the events of the payment, from 0. */
  readonly revision: number;
  readonly recordedAt: string;
  readonly event: Transaction.Event;
}

/** A payment, what happened to it, and what that posted. */
export interface TransactionStory {
  readonly detail: TransactionDetail;
  /** The whole folded state. */
  readonly payment: Transaction.Payment;
  readonly history: readonly HistoryEntry[];
  /** The journal entries of the same events. */
  readonly entries: readonly LedgerEntry[];
}

interface TransactionServices {
  readonly commands: CommandRunner;
  readonly details: DetailView;
  readonly searches: SearchView;
  readonly unanswered: UnansweredView;
  readonly readSide: ReadSide;
  readonly clock: Clock;
}

export class Transactions {
  readonly #services: TransactionServices;

  constructor(services: TransactionServices) {
    this.#services = services;
  }

  /** A payment, refund, void, chargeback or alert; undefined when the tenant has none of that id. */
  async detail(tenantId: number, id: string): Promise<TransactionDetail | undefined> {
    const { details, readSide, clock } = this.#services;
    await readSide.caughtUp(tenantId);
    return details.detail({ tenantId, id, now: clock.now() });
  }

  /** The payment of this id, or the parent of the child of this id. */
  async paymentOf(tenantId: number, id: string): ReturnType<DetailView['payment']> {
    await this.#services.readSide.caughtUp(tenantId);
    return this.#services.details.payment(tenantId, id);
  }

  /** The events of a payment, oldest first. */
  async history(
    tenantId: TenantId,
    transactionId: TransactionId,
  ): Promise<readonly HistoryEntry[]> {
    return (await this.#recorded(tenantId, transactionId)).history;
  }

  /**
   * A payment, by its own id or a child's, with its events. All of it is from the log; only the payment of a
   * child, names and subscriptions are from the read models.
   */
  async story(tenantId: TenantId, id: TransactionId): Promise<TransactionStory | undefined> {
    const { details, readSide, clock } = this.#services;
    await readSide.caughtUp(tenantId);
    let recorded = await this.#recorded(tenantId, id);
    if (recorded.payment === null) {
      const found = await details.payment(tenantId, id);
      if (found === undefined) return undefined;
      recorded = await this.#recorded(tenantId, found.payment.transactionId as TransactionId);
    }
    const { history, payment, stream } = recorded;
    if (payment === null) return undefined;
    const found = { payment, childId: undefined };
    const detail = await details.detailOf(found, { tenantId, now: clock.now() });
    const entries = history.flatMap(
      ({ revision, event }) => ledgerEntryOf({ stream, revision }, event) ?? [],
    );
    return { detail, payment, history, entries };
  }

  async #recorded(tenantId: TenantId, transactionId: TransactionId) {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const { records, state } = await this.#services.commands.recordedIn(Transaction, stream);
    const history = records.map(
      ({ id, revision, time, event, metadata: { actor, keyId, requestId } }): HistoryEntry => ({
        id,
        revision,
        recordedAt: time,
        event: event as Transaction.Event,
        actor,
        ...(keyId !== undefined && { keyId }),
        ...(requestId !== undefined && { requestId }),
      }),
    );
    return { stream, history, payment: state };
  }

  /** A page, newest first. Refuses with `PageOutOfReach` beyond the last reachable page. */
  async search(query: Omit<SearchQuery, 'now'>): Promise<SearchPage> {
    const { searches, readSide, clock } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return searches.search({ ...query, now: clock.now() });
  }

  /** All that is found in pages, newest first: the next one is read when it is asked for. */
  async *pages(
    query: Pick<SearchQuery, 'tenantId' | 'filter'>,
  ): AsyncGenerator<readonly SearchRecord[]> {
    let after: SearchPage['end'];
    do {
      const page = await this.search({
        ...query,
        limit: EXPORT_PAGE,
        ...(after !== undefined && { after }),
      });
      if (page.count > 0) yield page.transactions;
      after = page.moreResults ? page.end : undefined;
    } while (after !== undefined);
  }

  /** The same for payments only, without children. */
  payments({ filter, ...query }: Omit<SearchQuery, 'now'>): Promise<SearchPage> {
    return this.search({ ...query, filter: { ...filter, kinds: PAYMENT_KINDS } });
  }

  /** Payments of unknown outcome, those that have waited longest first. */
  async unanswered(query: UnansweredQuery): Promise<UnansweredPage> {
    const { unanswered, readSide } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return unanswered.list(query);
  }
}
