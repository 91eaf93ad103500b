/** Projections of an application's own: rows by key, kept apart by tenant and environment. */
import type { Event } from '@counterfoil/core';
import { listedByCustomer } from './erasing.ts';
import type { Projection, Recorded } from './projection.ts';
import type { ReadModelStore } from './read-model-store.ts';
import { liveModel } from './views/live-model.ts';
import { partitionOf } from './views/search-record.ts';

const ROWS = 'rows';
const PEOPLE = 'people';
/** Keeps the names of an application apart from those of the ledger, now and later. */
const NAME_PREFIX = 'own-';
const NAME = /^[a-z]+(-[a-z]+)*$/;
const MAX_NAME_LENGTH = 40;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** The only member of an object that stands for a bigint in the stored JSON of a row. */
const BIGINT = '$bigint';

/** Events that say to which environment they belong: what is made of them can be kept apart by it. */
type Projectable = Extract<Event, { readonly sandbox: boolean }>;

export type ProjectableType = Projectable['type'];

export interface ProjectableRecord<Type extends ProjectableType> extends Omit<Recorded, 'event'> {
  readonly event: Extract<Projectable, { readonly type: Type }>;
}

/** How rows with data of customers are erased with them. */
export interface PersonalRows<Row> {
  /** The customer that a row is about; undefined for a row without personal data. */
  customerIdOf(row: Row): number | undefined;
  /** What is left of it: what `apply` would have made, had the events never had personal data. */
  erase(row: Row): Row;
}

/** What an application says of its projection. All functions are pure. */
export interface ProjectionDefinition<Row, Type extends ProjectableType> {
  /** Small letters, with hyphens between them; at most 40 characters. */
  readonly name: string;
  /** Another version is built from the whole log again. Raise it with every change of the rows. */
  readonly version: string;
  /** The events that it reads. */
  readonly types: readonly Type[];
  /** A row before its first event. Rows are JSON, and may hold bigints. */
  readonly initial: Row;
  /** The rows that an event changes, of the tenant and environment of the event. */
  keysOf(record: ProjectableRecord<Type>): readonly string[];
  /** The row after the event. `rowOf` has the others that `keysOf` named, as the event found them. */
  apply(
    row: Row,
    record: ProjectableRecord<Type>,
    place: { readonly key: string; readonly rowOf: (key: string) => Row },
  ): Row;
  /** Without it, events come without their personal data, as they are once the person is erased. */
  readonly personal?: PersonalRows<Row>;
}

/** A projection of an application's own, as `defineProjection` makes it. */
export interface OwnProjection<Row = unknown> extends Projection<Row> {
  /** Whether it is given the personal data of events. */
  readonly isPersonal: boolean;
}

/** Throws a RangeError for a name that cannot be one. */
export function defineProjection<Row, const Type extends ProjectableType>(
  definition: ProjectionDefinition<Row, Type>,
): OwnProjection<Row> {
  const { version, types, initial, personal } = definition;
  const recordOf = (record: Recorded) => record as unknown as ProjectableRecord<Type>;
  const partition = (record: Recorded) =>
    `${partitionOf(record.tenantId, recordOf(record).event.sandbox)}/`;
  const keysOf = (record: Recorded) => [...new Set(definition.keysOf(recordOf(record)))];
  return {
    name: nameOf(definition.name),
    version,
    types: new Set<string>(types),
    stateCollection: ROWS,
    collections: [
      { name: ROWS, kind: 'keyed' },
      { name: PEOPLE, kind: 'keyed' },
    ],
    isPersonal: personal !== undefined,
    needs: (record) => keysOf(record).map((key) => partition(record) + key),
    apply(record, states) {
      const rowOf = (key: string) => states.get(partition(record) + key) ?? initial;
      const rows = keysOf(record).map(
        (key) =>
          [
            partition(record) + key,
            definition.apply(rowOf(key), recordOf(record), { key, rowOf }),
          ] as const,
      );
      return { states: rows };
    },
    encode: encodeRow,
    decode: decodeRow<Row>,
    ...(personal === undefined ? erasingNobody<Row>() : erasingOf(personal)),
  };
}

/** For rows that tell of nobody. Those of an earlier version may, and an erasure drops them. */
function erasingNobody<Row>(): Pick<Projection<Row>, 'derive' | 'erasing'> {
  return { erasing: { async *find() {}, erase: (row) => row } };
}

function nameOf(name: string): string {
  if (NAME.test(name) && name.length <= MAX_NAME_LENGTH) return NAME_PREFIX + name;
  throw new RangeError(
    `a projection's name has small letters and hyphens, at most ${MAX_NAME_LENGTH}: not ${name}`,
  );
}

/** Each row about a customer has a second document, by which it is found again. */
function erasingOf<Row>({
  customerIdOf,
  erase,
}: PersonalRows<Row>): Pick<Projection<Row>, 'derive' | 'erasing'> {
  return {
    derive(key, row) {
      const customerId = customerIdOf(row);
      if (customerId === undefined) return [];
      const [tenantId, environment, ...rest] = key.split('/');
      const person = `${tenantId}/${environment}/${customerId}/${rest.join('/')}`;
      return [{ collection: PEOPLE, key: person, body: '' }];
    },
    erasing: {
      find: listedByCustomer({
        collection: PEOPLE,
        prefixOf: ({ tenantId, sandbox, customerId }) =>
          `${partitionOf(tenantId, sandbox)}/${customerId}/`,
        stateKeyOf: ({ key }) => {
          const [tenantId, environment, , ...rest] = key.split('/');
          return [tenantId, environment, ...rest].join('/');
        },
      }),
      erase,
    },
  };
}

function encodeRow(row: unknown): string {
  const body = JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'bigint' ? { [BIGINT]: String(value) } : value,
  );
  // Of what is no JSON at all, such as undefined.
  if (body === undefined) throw new TypeError('a row must be JSON');
  return body;
}

function decodeRow<Row>(body: string): Row {
  return JSON.parse(body, (_, value: unknown) => {
    const text = (value as { readonly [BIGINT]?: unknown } | null)?.[BIGINT];
    return typeof text === 'string' ? BigInt(text) : value;
  }) as Row;
}

export interface ListRows {
  /** Only keys that begin so. */
  readonly prefix?: string;
  /** Only keys greater than this: the last one of the page before. */
  readonly after?: string;
  /** At most 1,000. Default: 100. */
  readonly limit?: number;
}

/** The rows of one tenant and environment. */
export interface View<Row> {
  /** Undefined where no event has made the row. */
  get(key: string): Promise<Row | undefined>;
  /** In ascending order of the keys. */
  list(options?: ListRows): Promise<readonly { readonly key: string; readonly row: Row }[]>;
}

/** Queries of one projection, for one tenant and environment. */
export function viewOf<Row>(
  store: ReadModelStore,
  { name, decode }: OwnProjection<Row>,
  { tenantId, sandbox }: { readonly tenantId: number; readonly sandbox: boolean },
): View<Row> {
  const partition = `${partitionOf(tenantId, sandbox)}/`;
  return {
    async get(key) {
      const [body] = await (await liveModel(store, name)).get(ROWS, [partition + key]);
      return body === undefined ? undefined : decode(body);
    },
    async list({ prefix = '', after, limit = DEFAULT_LIMIT } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw new RangeError(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
      }
      const found = await (await liveModel(store, name)).list(ROWS, {
        prefix: partition + prefix,
        ...(after !== undefined && { after: partition + after }),
        limit,
      });
      return found.map(({ key, body }) => ({
        key: key.slice(partition.length),
        row: decode(body),
      }));
    },
  };
}
