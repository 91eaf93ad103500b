/** Projections of an application's own: rows by key, kept apart by tenant and environment. */
import { catalog, type Event } from '@counterfoil/core';
import { z } from 'zod';
import { listedByCustomer } from './erasing.ts';
import { decodeRow, encodeRow, storable } from './own-row.ts';
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
/** Of a key in an error. */
const MAX_SHOWN_CHARACTERS = 60;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** With the tenant and the environment. Every store has room for it in its indices. */
const MAX_KEY_BYTES = 500;

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
  /** Not empty. Another version is built from the whole log again: raise it with every change of the rows. */
  readonly version: string;
  /** The events that it reads. */
  readonly types: readonly Type[];
  /** A row before its first event. Rows are JSON, and may hold bigints: another one parks the stream. */
  readonly initial: Row;
  /**
   * The rows that an event changes, of the tenant and environment of the event. A key has at most 500
   * bytes in UTF-8, with about 20 for the tenant, and is the same once the person of the event is
   * erased. Another one parks the stream.
   */
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

/** The types of `Projectable`. */
const PROJECTABLE = [...catalog].filter(([, { schema }]) => 'sandbox' in schema.shape);

const functionOf = z.custom((value) => typeof value === 'function', 'must be a function');

const Definition = z.strictObject({
  name: z
    .string()
    .max(MAX_NAME_LENGTH)
    .regex(NAME, `must be small letters with hyphens between them, at most ${MAX_NAME_LENGTH}`),
  version: z.string().min(1, 'must not be empty'),
  types: z
    .array(
      z.enum(
        PROJECTABLE.map(([type]) => type),
        'must be the type of an event that says to which environment it belongs',
      ),
    )
    .min(1, 'must not be empty'),
  initial: z.unknown(),
  keysOf: functionOf,
  apply: functionOf,
  personal: z.strictObject({ customerIdOf: functionOf, erase: functionOf }).optional(),
});

/** Throws a TypeError that names the members that cannot be so. */
export function defineProjection<Row, const Type extends ProjectableType>(
  definition: ProjectionDefinition<Row, Type>,
): OwnProjection<Row> {
  const checked = Definition.safeParse(definition);
  if (!checked.success) {
    throw new TypeError(`no projection can be defined so: ${z.prettifyError(checked.error)}`);
  }
  const { version, types, initial, personal } = definition;
  const name = NAME_PREFIX + definition.name;
  const recordOf = (record: Recorded) => record as unknown as ProjectableRecord<Type>;
  const partition = (record: Recorded) =>
    `${partitionOf(record.tenantId, recordOf(record).event.sandbox)}/`;
  function keysOf(record: Recorded): readonly string[] {
    const keys = definition.keysOf(recordOf(record));
    // First, so that no error that is logged has personal data.
    if (personal !== undefined) {
      const erased = definition.keysOf(recordOf(withoutPersonalData(record)));
      if (JSON.stringify(erased) !== JSON.stringify(keys)) {
        throw new TypeError(`${name}: a key must be the same once the person is erased`);
      }
    }
    return [...new Set(checkedKeys(name, keys, partition(record)))];
  }
  return {
    name,
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
      const rows = keysOf(record).map((key) => {
        const row = definition.apply(rowOf(key), recordOf(record), { key, rowOf });
        // Here and not only when it is written: later events of the batch may change the same row.
        storable(row);
        return [partition(record) + key, row] as const;
      });
      return { states: rows };
    },
    encode: encodeRow,
    decode: decodeRow<Row>,
    ...(personal === undefined ? withoutPersonalRows<Row>() : erasingOf(personal)),
  };
}

/** Its rows have no personal data. Rows of an earlier version may, and an erasure drops them. */
function withoutPersonalRows<Row>(): Pick<Projection<Row>, 'derive' | 'erasing'> {
  return { erasing: { async *find() {}, erase: (row) => row } };
}

function withoutPersonalData(record: Recorded): Recorded {
  const erased = catalog.get(record.event.type)?.erased;
  return { ...record, event: { ...record.event, ...erased } as Event };
}

/** What `keysOf` gave, where every store can keep it. */
function checkedKeys(name: string, keys: unknown, partition: string): readonly string[] {
  if (!Array.isArray(keys)) throw new TypeError(`${name}: keysOf must return an array of texts`);
  for (const key of keys) {
    const fault = typeof key === 'string' ? faultOf(partition + key) : 'must be a text';
    if (fault === undefined) continue;
    const shown = JSON.stringify(String(key).slice(0, MAX_SHOWN_CHARACTERS));
    throw new TypeError(`${name}: the key ${shown} ${fault}`);
  }
  return keys;
}

/** Why not every store can keep a key as it is. */
function faultOf(key: string): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    return `must have at most ${MAX_KEY_BYTES} bytes in UTF-8, with the tenant`;
  }
  if (key.includes('\0')) return 'must not have the character NUL';
  return key.isWellFormed() ? undefined : 'must not have half a surrogate pair';
}

/** Each row about a customer has a second document, by which it is found again. */
function erasingOf<Row>({
  customerIdOf,
  erase,
}: PersonalRows<Row>): Pick<Projection<Row>, 'derive' | 'erasing'> {
  return {
    derive(key, row) {
      const customerId: unknown = customerIdOf(row);
      if (customerId === undefined) return [];
      // By anything else the person's rows would not be found.
      if (!Number.isInteger(customerId)) throw new TypeError('customerIdOf must return an integer');
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
      if (faultOf(partition + key) !== undefined) return undefined;
      const [body] = await (await liveModel(store, name)).get(ROWS, [partition + key]);
      return body === undefined ? undefined : decode(body);
    },
    async list({ prefix = '', after, limit = DEFAULT_LIMIT } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw new RangeError(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
      }
      for (const text of [prefix, after ?? '']) {
        const fault = faultOf(partition + text);
        if (fault !== undefined) throw new RangeError(`prefix and after: a key ${fault}`);
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
