/** The settlements read model: imports of settlement files, and what is unmatched, by age. */
import { Settlement, type Transaction, toMajor } from '@counterfoil/core';
import type { DerivedDocument, Projection, Recorded, States } from '../projection.ts';
import type { Document, ReadModelStore } from '../read-model-store.ts';
import {
  liveModel,
  SETTLEMENT_IMPORTS,
  SETTLEMENT_STATES,
  SETTLEMENTS,
  UNMATCHED,
} from './live-model.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '1';
/** Documents read at a time while they are narrowed by account. */
const LIST_PAGE = 1_000;
/** Later than every instant in milliseconds: the newest import is listed first. */
const END_OF_TIME_MS = 9_999_999_999_999;
const MS_DIGITS = 13;

/** One import of a settlement file. Money is in its differences alone. */
export interface SettlementRecord {
  readonly id: string;
  readonly name: string;
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  /** `importing` until its file was imported to its end; a repetition completes it. */
  readonly status: 'importing' | 'finished';
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** SHA-256 of the file, hex; empty until it is finished. */
  readonly digest: string;
  readonly lines: number;
  /** Lines that the books hold: booked by this import or before. */
  readonly agreed: number;
  /** How many of each type. */
  readonly differences: Readonly<Partial<Record<Settlement.DifferenceType, number>>>;
  /** The first and the last settled date. */
  readonly from: string;
  readonly to: string;
}

interface OpenDifference {
  readonly difference: Settlement.Difference;
  readonly settlementId: string;
  readonly foundAt: string;
  readonly isOpen: boolean;
}

type State = { readonly record: SettlementRecord } | OpenDifference;

type Happened =
  | Settlement.Event
  | Transaction.EventOf<'PaymentSettled'>
  | Transaction.EventOf<'MovementSettled'>;

const TYPES = [
  'SettlementStarted',
  'SettlementDifferencesFound',
  'SettlementFinished',
  'PaymentSettled',
  'MovementSettled',
] as const satisfies readonly Happened['type'][];

export const settlements: Projection<State> = {
  name: SETTLEMENTS,
  version: VERSION,
  categories: new Set(['settlement', 'transaction']),
  types: new Set(TYPES),
  stateCollection: SETTLEMENT_STATES,
  collections: [
    { name: SETTLEMENT_STATES, kind: 'keyed' },
    { name: SETTLEMENT_IMPORTS, kind: 'keyed' },
    { name: UNMATCHED, kind: 'keyed' },
  ],

  needs(record) {
    const event = record.event as Happened;
    switch (event.type) {
      case 'SettlementStarted':
        return [];
      case 'SettlementDifferencesFound':
        return event.differences.flatMap((each) => [
          differenceKeyOf(record, each),
          ...namedBy(record, each),
        ]);
      case 'SettlementFinished':
        return [importKeyOf(record, event)];
      default:
        return resolvedBy(record, event);
    }
  },

  apply(record, states: States<State>) {
    const event = record.event as Happened;
    switch (event.type) {
      case 'SettlementStarted':
        return { states: [[importKeyOf(record, event), { record: begun(event) }]] };
      case 'SettlementDifferencesFound': {
        const { settlementId, at: foundAt } = event;
        const found = event.differences.map((difference) => {
          const open: State = { difference, settlementId, foundAt, isOpen: true };
          return [differenceKeyOf(record, difference), open] as const;
        });
        const named = event.differences.flatMap((each) => namedBy(record, each));
        return { states: [...closed(named, states), ...found] };
      }
      case 'SettlementFinished': {
        const key = importKeyOf(record, event);
        const before = states.get(key);
        if (before === undefined || !('record' in before)) throw new Error(`no import ${key}`);
        const { digest, lines, agreed, from, to, at: finishedAt } = event;
        const counts = event.differences.map(({ type, count }) => [type, count] as const);
        const differences = Object.fromEntries(counts);
        const done = { digest, lines, agreed, differences, from, to, finishedAt };
        return { states: [[key, { record: { ...before.record, ...done, status: 'finished' } }]] };
      }
      default:
        return { states: closed(resolvedBy(record, event), states) };
    }
  },

  encode(state) {
    return JSON.stringify(
      'record' in state
        ? state
        : { ...state, difference: Settlement.Difference.encode(state.difference) },
    );
  },

  decode(body) {
    const stored = JSON.parse(body);
    return 'record' in stored
      ? stored
      : { ...stored, difference: Settlement.Difference.decode(stored.difference) };
  },

  derive(key, state): readonly DerivedDocument[] {
    const [partition = '', rest = ''] = split(key);
    if ('record' in state) {
      const place = String(END_OF_TIME_MS - Date.parse(state.record.startedAt));
      return [
        {
          collection: SETTLEMENT_IMPORTS,
          key: `${partition}/${place.padStart(MS_DIGITS, '0')}/${state.record.id}`,
          body: JSON.stringify(state.record),
        },
      ];
    }
    if (!state.isOpen) return [];
    const unmatched = `${partition}/${state.difference.since}/${rest}`;
    return [{ collection: UNMATCHED, key: unmatched, body: settlements.encode(state) }];
  },
};

function begun(event: Settlement.Event & { type: 'SettlementStarted' }): SettlementRecord {
  return {
    id: event.settlementId,
    name: event.name,
    merchantAccountId: event.merchantAccountId,
    sandbox: event.sandbox,
    status: 'importing',
    startedAt: event.at,
    finishedAt: null,
    digest: '',
    lines: 0,
    agreed: 0,
    differences: {},
    from: '',
    to: '',
  };
}

/** The partition has one slash. */
function split(key: string): readonly [partition: string, rest: string] {
  const end = key.indexOf('/', key.indexOf('/') + 1);
  return [key.slice(0, end), key.slice(end + 1)];
}

function importKeyOf(
  { tenantId }: { readonly tenantId: number },
  { sandbox, settlementId }: { readonly sandbox: boolean; readonly settlementId: string },
): string {
  return `${partitionOf(tenantId, sandbox)}/import/${settlementId}`;
}

interface OfAccount {
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
}

function differenceKeyOf(record: Recorded, difference: Settlement.Difference): string {
  return keyIn(record, Settlement.differenceKey(difference));
}

function keyIn({ tenantId, event }: Recorded, key: string): string {
  const { sandbox, merchantAccountId } = event as unknown as OfAccount;
  return `${partitionOf(tenantId, sandbox)}/${merchantAccountId}/${key}`;
}

/** Those of the differences that there are, which nothing is to be done about any more. */
function closed(keys: readonly string[], states: States<State>): (readonly [string, State])[] {
  return keys.flatMap((key) => {
    const found = states.get(key);
    return found === undefined || 'record' in found ? [] : [[key, { ...found, isOpen: false }]];
  });
}

/** A movement is not missing there where a line is about it, though it differs. */
function namedBy(record: Recorded, difference: Settlement.Difference): readonly string[] {
  const { type, kind, transactionId, childId } = difference;
  if (type === 'missing-there' || kind === null || transactionId === null) return [];
  return [keyIn(record, Settlement.movementKey({ kind, transactionId, childId }))];
}

/** The differences that a booking ends: of its line, and of the movement that was missing there. */
function resolvedBy(
  record: Recorded,
  event: Transaction.EventOf<'PaymentSettled' | 'MovementSettled'>,
): readonly string[] {
  const transactionId = record.stream.slice(`transaction-${record.tenantId}-`.length);
  const movement =
    event.type === 'PaymentSettled'
      ? { kind: 'capture', childId: null }
      : { kind: event.kind, childId: event.id };
  return [
    keyIn(record, Settlement.lineKey(event.reference)),
    keyIn(record, Settlement.movementKey({ transactionId, ...movement })),
  ];
}

/** A difference between a file and the books that nothing has resolved. Amounts in major units. */
export interface UnmatchedRecord {
  readonly type: Settlement.DifferenceType;
  /** Days from `since` to now. */
  readonly ageDays: number;
  readonly since: string;
  readonly merchantAccountId: number;
  readonly settlementId: string;
  readonly line: number | null;
  readonly reference: string;
  readonly kind: Settlement.Difference['kind'];
  readonly gatewayTransactionId: string;
  readonly arn: string;
  readonly transactionId: string | null;
  readonly childId: string | null;
  readonly amount: number | null;
  readonly currency: string;
  readonly fee: number | null;
  /** What the books say instead, of the types `amount`, `fee`, `currency` and `settled`. */
  readonly expected: number | string | null;
  readonly detail: string;
}

export interface SettlementsQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  /** All when absent. */
  readonly merchantAccountId?: number;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface UnmatchedQuery extends SettlementsQuery {
  /** The present (ISO 8601, GMT). */
  readonly now: string;
  /** Found by this import; by any when absent. */
  readonly settlementId?: string;
}

export interface SettlementsPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; undefined after the last. */
  readonly next: string | undefined;
}

/** Queries over the settlements read model. */
export class SettlementView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** The imports of a tenant, the newest first. */
  async imports(query: SettlementsQuery): Promise<SettlementsPage<SettlementRecord>> {
    return this.#page(SETTLEMENT_IMPORTS, query, ({ body }) => {
      const record = JSON.parse(body) as SettlementRecord;
      const { merchantAccountId = record.merchantAccountId } = query;
      return record.merchantAccountId === merchantAccountId ? record : undefined;
    });
  }

  /** Undefined when the tenant has none of that id in this environment. */
  async find(
    owner: Pick<SettlementsQuery, 'tenantId' | 'sandbox'>,
    settlementId: string,
  ): Promise<SettlementRecord | undefined> {
    const model = await liveModel(this.#store, SETTLEMENTS);
    const key = importKeyOf(owner, { sandbox: owner.sandbox, settlementId });
    const [body] = await model.get(SETTLEMENT_STATES, [key]);
    if (body === undefined) return undefined;
    return (settlements.decode(body) as { record: SettlementRecord }).record;
  }

  /** Every difference that nothing has resolved, the oldest first. */
  async unmatched(query: UnmatchedQuery): Promise<SettlementsPage<UnmatchedRecord>> {
    return this.#page(UNMATCHED, query, ({ key, body }) => {
      const found = settlements.decode(body) as OpenDifference;
      // `<tenant>/<environment>/<since>/<account>/...`
      const merchantAccountId = Number(key.split('/')[3]);
      if (merchantAccountId !== (query.merchantAccountId ?? merchantAccountId)) return undefined;
      if (found.settlementId !== (query.settlementId ?? found.settlementId)) return undefined;
      return shownOf(found, merchantAccountId, query.now);
    });
  }

  async #page<Item>(
    collection: string,
    { tenantId, sandbox, limit, after: start }: SettlementsQuery,
    itemOf: (document: Document) => Item | undefined,
  ): Promise<SettlementsPage<Item>> {
    const model = await liveModel(this.#store, SETTLEMENTS);
    const prefix = `${partitionOf(tenantId, sandbox)}/`;
    const items: Item[] = [];
    let after = start;
    let last: string | undefined;
    do {
      const options = { prefix, limit: LIST_PAGE, ...(after === undefined ? {} : { after }) };
      const page = await model.list(collection, options);
      for (const document of page) {
        const item = itemOf(document);
        if (item === undefined) continue;
        if (items.length === limit) return { items, next: last };
        items.push(item);
        last = document.key;
      }
      after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
    } while (after !== undefined);
    return { items, next: undefined };
  }
}

const DAY_MS = 86_400_000;

function shownOf(
  { difference, settlementId }: OpenDifference,
  merchantAccountId: number,
  now: string,
): UnmatchedRecord {
  const { amountMinor, feeMinor, expected, ...facts } = difference;
  const { type, currency, since } = facts;
  const shown = (minor: bigint | null) => (minor === null ? null : toMajor(minor, currency));
  const isAmount = type === 'amount' || type === 'fee';
  const age = Date.parse(now.slice(0, 'yyyy-mm-dd'.length)) - Date.parse(since);
  return {
    ...facts,
    ageDays: Number.isNaN(age) ? 0 : Math.max(0, Math.round(age / DAY_MS)),
    merchantAccountId,
    settlementId,
    amount: shown(amountMinor),
    fee: shown(feeMinor),
    expected: isAmount ? shown(BigInt(expected)) : expected || null,
  };
}
