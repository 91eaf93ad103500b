/** The transactions search: filters, pages, and the memory that keeps deep pages near. */
import { emailIdentity } from '@counterfoil/core';
import type {
  Anchor,
  Build,
  Condition,
  ReadModelStore,
  Walk,
  Walked,
} from '../read-model-store.ts';
import {
  DESCRIPTORS,
  keyOf,
  liveModel,
  liveModels,
  RECORDS,
  REFERENCE,
  TRANSACTIONS,
} from './live-model.ts';
import { PageMemory, searchName } from './page-memory.ts';
import type { ReferenceView } from './reference.ts';
import {
  folded,
  isAskedFor,
  partitionOf,
  type RecordField,
  renderRecord,
  type SearchRecord,
  type StoredRecord,
  storedRecord,
} from './search-record.ts';

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 100;
/** Without any filter, the search looks so far back. */
export const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Records that a jump to a page may pass over. */
export const MAX_JUMP = 100_000;

/**
 * What to look for: all that is given must hold, and of a list one element. An empty list and an
 * empty text are no filter; an empty text in a list finds nothing. Emails, names and descriptors are compared without regard to case.
 */
export interface SearchFilter {
  readonly emails?: readonly string[];
  readonly orderIds?: readonly number[];
  readonly transactionIds?: readonly string[];
  readonly gatewayTransactionIds?: readonly string[];
  /** 6 digits match the first six of a bin, 8 digits all of one that was kept with eight. */
  readonly bin?: string;
  readonly last4?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly authCodes?: readonly string[];
  readonly currency?: string;
  /** Days in GMT (`yyyy-MM-dd`) of `sent`, both included. */
  readonly dateFrom?: string;
  readonly dateTo?: string;
  readonly descriptorContains?: string;
  readonly descriptor?: string;
  /** Live when absent. */
  readonly sandbox?: boolean;
  readonly applicationIds?: readonly number[];
  readonly productIds?: readonly number[];
  readonly campaignIds?: readonly number[];
  readonly merchantAccountIds?: readonly number[];
  /** The merchant id, as the payment was routed. */
  readonly mid?: string;
  readonly companyIds?: readonly number[];
  readonly subscriptionIds?: readonly number[];
  readonly affiliateIds?: readonly number[];
  /** `amount` of the search record, in major units, matched exactly. */
  readonly amounts?: readonly number[];
  /** What was asked of the card, in major units, matched exactly: finds payments alone. */
  readonly askedAmounts?: readonly number[];
  readonly arns?: readonly string[];
  /** Application kinds: 1 to 5 for payments alone. */
  readonly kinds?: readonly number[];
  /** The days also match the last refund, chargeback or alert, and what became of it. */
  readonly includeUpdated?: boolean;
}

export interface SearchQuery {
  readonly tenantId: number;
  readonly filter: SearchFilter;
  /** From 1; 1 when absent. */
  readonly pageNumber?: number;
  /** 1 to 100; 10 when absent. */
  readonly limit?: number;
  /** Goes on after this place instead of counting pages. */
  readonly after?: Anchor;
  /** The present (ISO 8601, GMT). */
  readonly now: string;
}

export interface SearchPage {
  /** Records in this page. */
  readonly count: number;
  readonly pageNumber: number;
  readonly moreResults: boolean;
  readonly transactions: readonly SearchRecord[];
  /** Where this page ends: `after` of the next one. */
  readonly end: Anchor | undefined;
}

/** The same as records are stored. */
export interface FoundPage extends Omit<SearchPage, 'transactions'> {
  readonly records: readonly StoredRecord[];
}

/** Queries over the search records. */
export class SearchView {
  readonly #store: ReadModelStore;
  readonly #reference: ReferenceView;
  readonly #maxJump: number;
  readonly #memory = new PageMemory();

  /** `maxJump`: records that a jump to a page may pass over; 100,000 when absent. */
  constructor(store: ReadModelStore, reference: ReferenceView, maxJump: number = MAX_JUMP) {
    this.#store = store;
    this.#reference = reference;
    this.#maxJump = maxJump;
  }

  /** One page: `sent` descending, then `transactionId`. Throws `RangeError` on a page out of range. */
  async search(query: SearchQuery): Promise<SearchPage> {
    checkPage(query);
    const [model, reference] = await liveModels(this.#store, [TRANSACTIONS, REFERENCE]);
    const { records, ...page } = await this.#foundIn(model, query);
    const names = await this.#reference.namesIn(reference, query.tenantId);
    const nowMs = Date.parse(query.now);
    return {
      ...page,
      transactions: records.map((record) => renderRecord(record, names, nowMs)),
    };
  }

  /** The same without names. */
  async found(query: SearchQuery): Promise<FoundPage> {
    checkPage(query);
    return this.#foundIn(await liveModel(this.#store, TRANSACTIONS), query);
  }

  async #foundIn(model: Build, query: SearchQuery): Promise<FoundPage> {
    const { tenantId, filter, pageNumber = 1, limit = DEFAULT_LIMIT, now } = query;
    const walk = await walkOf(model, tenantId, filter, now);
    const rows =
      walk === undefined ? [] : await this.#page(model, walk, { ...query, pageNumber, limit });
    // Including the one beyond the page, which shows that there is more.
    const records = rows.map(({ key, body }) => {
      const record = storedRecord.decode(body);
      if (walk !== undefined && isAskedFor(record, walk)) return record;
      throw model.markDamaged(`a search found the record ${key}, which does not match it`);
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      count: page.length,
      pageNumber,
      moreResults: rows.length > limit,
      records: records.slice(0, limit),
      end: last === undefined ? undefined : { sort: last.sort, key: last.key },
    };
  }

  /** The search record of one transaction or child; undefined when the tenant has none of that id. */
  async record(tenantId: number, id: string, now: string): Promise<SearchRecord | undefined> {
    const model = await liveModel(this.#store, TRANSACTIONS);
    const [body] = await model.get(RECORDS, [keyOf(tenantId, id)]);
    if (body === undefined) return undefined;
    const names = await this.#reference.names(tenantId);
    return renderRecord(storedRecord.decode(body), names, Date.parse(now));
  }

  async #page(
    model: Build,
    walk: Omit<Walk, 'limit'>,
    { pageNumber, limit, after, filter }: SearchQuery & { pageNumber: number; limit: number },
  ): Promise<readonly Walked[]> {
    if (after !== undefined) return model.walk({ ...walk, after, limit: limit + 1 });
    // Most searches end with it: what the memory takes to keep its end is worth more than a faster second page.
    if (pageNumber === 1) return model.walk({ ...walk, limit: limit + 1 });
    const search = searchName(walk.partition, limit, filter);
    const revision = `${model.info.build} ${await model.revision(walk.partition)}`;
    const near = this.#memory.nearest(search, revision, pageNumber);
    const skip = (pageNumber - (near?.page ?? 1)) * limit;
    if (skip > this.#maxJump) {
      const start = near === undefined ? {} : { after: near.anchor };
      const beyond = await model.walk({ ...walk, ...start, skip: this.#maxJump, limit: 1 });
      if (beyond.length === 0) return [];
      throw new PageOutOfReach(this.#maxJump);
    }
    // One record more at the front: the place to start from when this page is asked for again.
    const lead = skip > 0 ? 1 : 0;
    const rows = await model.walk({
      ...walk,
      ...(near === undefined ? {} : { after: near.anchor }),
      skip: skip - lead,
      limit: lead + limit + 1,
    });
    const page = rows.slice(lead);
    const [first] = rows;
    if (lead > 0 && first !== undefined) {
      this.#memory.remember(search, revision, pageNumber, { sort: first.sort, key: first.key });
    }
    const last = page[limit - 1];
    if (last !== undefined && page.length > limit) {
      this.#memory.remember(search, revision, pageNumber + 1, { sort: last.sort, key: last.key });
    }
    return page;
  }
}

function checkPage({ pageNumber = 1, limit = DEFAULT_LIMIT }: SearchQuery): void {
  if (!Number.isSafeInteger(pageNumber) || pageNumber < 1) throw new RangeError('pageNumber');
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw new RangeError('limit');
}

/** A page so far behind all known ones that counting up to it would hold up everybody else. */
export class PageOutOfReach extends Error {
  override readonly name = 'PageOutOfReach';

  constructor(maxJump: number) {
    super(
      `a page can be jumped to within ${maxJump} records: narrow the search, or go on by cursor`,
    );
  }
}

/** The walk of a filter; undefined when nothing can match it. */
async function walkOf(
  model: Build,
  tenantId: number,
  filter: SearchFilter,
  now: string,
): Promise<Omit<Walk, 'limit'> | undefined> {
  const partition = partitionOf(tenantId, filter.sandbox ?? false);
  const where = conditionsOf(tenantId, filter);
  if (where === undefined) return undefined;
  const { descriptorContains = '' } = filter;
  if (descriptorContains !== '') {
    const anyOf = await model.grep(DESCRIPTORS, partition, folded(descriptorContains));
    if (anyOf.length === 0) return undefined;
    where.push({ field: 'descriptor', anyOf });
  }
  return { collection: RECORDS, partition, where, ...daysOf(filter, where.length > 0, now) };
}

/** Undefined when a filter cannot match anything. */
function conditionsOf(tenantId: number, filter: SearchFilter): Condition[] | undefined {
  const where: Condition[] = [];
  const anyOf = (field: RecordField | 'key', values: readonly (string | number)[] = []) => {
    if (values.length > 0) where.push({ field, anyOf: [...new Set(values)] });
  };
  const text = (field: RecordField, value = '') => anyOf(field, value === '' ? [] : [value]);
  anyOf(
    'key',
    filter.transactionIds?.map((id) => keyOf(tenantId, folded(id))),
  );
  anyOf('email', filter.emails?.map(emailIdentity));
  anyOf('orderId', filter.orderIds);
  anyOf('gatewayTransactionId', filter.gatewayTransactionIds);
  text('firstName', folded(filter.firstName ?? ''));
  text('lastName', folded(filter.lastName ?? ''));
  anyOf('authCode', filter.authCodes);
  text('currency', (filter.currency ?? '').toUpperCase());
  text('descriptor', folded(filter.descriptor ?? ''));
  anyOf('applicationId', filter.applicationIds);
  anyOf('productId', filter.productIds);
  anyOf('campaignId', filter.campaignIds);
  anyOf('merchantAccountId', filter.merchantAccountIds);
  text('mid', filter.mid);
  anyOf('companyId', filter.companyIds);
  anyOf('subscriptionId', filter.subscriptionIds);
  anyOf('affiliateId', filter.affiliateIds);
  anyOf('amount', filter.amounts?.map(String));
  anyOf('askedAmount', filter.askedAmounts?.map(String));
  anyOf('arn', filter.arns);
  anyOf('kind', filter.kinds);
  const { bin = '', last4 = '' } = filter;
  if (!/^(\d{6}|\d{8})?$/.test(bin) || !/^(\d{4})?$/.test(last4)) return undefined;
  if (bin !== '') anyOf(bin.length === 6 ? 'bin6' : 'bin8', [Number(bin)]);
  if (last4 !== '') anyOf('last4', [Number(last4)]);
  return where;
}

function daysOf(
  { dateFrom = '', dateTo = '', includeUpdated = false }: SearchFilter,
  isFiltered: boolean,
  now: string,
): Pick<Walk, 'from' | 'to' | 'orRange'> {
  const isWithoutDays = dateFrom === '' && dateTo === '';
  if (isWithoutDays && isFiltered) return {};
  const since = isWithoutDays ? Date.parse(now) - DEFAULT_DAYS * DAY_MS : undefined;
  const from = dateFrom === '' ? since : startOf(dateFrom);
  const to = dateTo === '' ? undefined : startOf(dateTo) + DAY_MS - 1;
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(includeUpdated
      ? {
          orRange: {
            field: 'changedMs',
            from: from ?? Number.MIN_SAFE_INTEGER,
            to: to ?? Number.MAX_SAFE_INTEGER,
          },
        }
      : {}),
  };
}

function startOf(day: string): number {
  const ms = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(ms)) throw new RangeError(`not a day: ${day}`);
  return ms;
}
