/** The tables of the PostgreSQL read models: a catalog that migrations make, and those of each build. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type CollectionSpec, ReadModelError } from '../read-model-store.ts';
import { MOST_SHARDS } from '../shards.ts';
import { type Database, reasonOf } from './postgres-database.ts';

/** Raised when the tables of builds change: builds of another layout are rebuilt. */
export const LAYOUT = 1;

/** So much of a page is left free for the next versions of its rows: they then need no index entries. */
const FILL_FACTOR = 80;
/** Sorting memory while the indices of a load are made. */
const INDEXING_MEMORY = '256MB';
/** Dead rows, as a share of a table, that call for a vacuum: the default would let millions gather. */
const VACUUM_SHARE = 0.05;

/** In milliseconds of the Unix epoch. */
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER;

const COLLECTION_NAME = /^[a-z][a-z_]{0,39}$/;
const FIELD_NAME = /^[a-z][A-Za-z0-9]{0,39}$/;

function catalogOf(schema: string, shards: number): Readonly<Record<string, Migration>> {
  const table = (name: string) => sql.id(schema, name);
  return {
    '2026-11-21-catalog': {
      async up(database: Kysely<unknown>) {
        await sql`CREATE TABLE ${table('leases')} (
          name text PRIMARY KEY, holder text NOT NULL, epoch bigint NOT NULL, expires_ms bigint NOT NULL
        )`.execute(database);
        await sql`CREATE TABLE ${table('builds')} (
          id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          projection text NOT NULL, build integer NOT NULL, version text NOT NULL, state text NOT NULL,
          layout integer NOT NULL, collections text NOT NULL, trigrams boolean NOT NULL,
          position text COLLATE "C", epoch bigint NOT NULL DEFAULT 0, revision bigint NOT NULL DEFAULT 0,
          last_commit text, behind_ms bigint NOT NULL DEFAULT 0, damage text,
          UNIQUE (projection, build)
        ) WITH (fillfactor = 20)`.execute(database);
        await sql`CREATE TABLE ${table('counters')} (
          projection text PRIMARY KEY, made integer NOT NULL
        )`.execute(database);
        await sql`CREATE TABLE ${table('live')} (
          projection text PRIMARY KEY, build integer NOT NULL
        )`.execute(database);
      },
    },
    '2026-11-25-shards': {
      async up(database: Kysely<unknown>) {
        await sql`CREATE TABLE ${table('sharding')} (
          only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), shards integer NOT NULL
        )`.execute(database);
        await sql`INSERT INTO ${table('sharding')} (shards) VALUES (${shards})`.execute(database);
        await sql`CREATE TABLE ${table('shards')} (
          build_id integer NOT NULL REFERENCES ${table('builds')} (id) ON DELETE CASCADE,
          shard integer NOT NULL, position text COLLATE "C", epoch bigint NOT NULL DEFAULT 0,
          revision bigint NOT NULL DEFAULT 0, last_commit text, behind_ms bigint NOT NULL DEFAULT 0,
          PRIMARY KEY (build_id, shard)
        ) WITH (fillfactor = 20)`.execute(database);
        await sql`INSERT INTO ${table('shards')} (build_id, shard, position, revision, behind_ms)
          SELECT id, shard, position, revision, behind_ms
          FROM ${table('builds')}, generate_series(0, ${shards} - 1) shard`.execute(database);
        // A worker of an earlier version that still runs loses its lease and its epochs for good.
        await sql`UPDATE ${table('leases')}
          SET holder = 'a later version', epoch = epoch + 1, expires_ms = ${FOR_EVER_MS}
          WHERE name = 'projections' OR name LIKE 'own-%'`.execute(database);
        await sql`UPDATE ${table('builds')} SET epoch = ${FOR_EVER_MS}`.execute(database);
      },
    },
  };
}

/** Migrates the catalog, under a lock. Resolves to its number of shards: `wanted` when they are made. */
export async function migrate(database: Database, wanted: number): Promise<number> {
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST_SHARDS) {
    throw new RangeError(`shards must be a whole number from 1 to ${MOST_SHARDS}`);
  }
  await migrateTo(database, catalogOf(database.schema, wanted));
  return (await shardsOf(database)) ?? wanted;
}

/** The number of shards; undefined before a catalog is made, or where an earlier version made it. */
export async function shardsOf(database: Database): Promise<number | undefined> {
  const text = `SELECT shards FROM ${database.schema}.sharding`;
  const [row] = await database.read({ text });
  return row === undefined ? undefined : Number(row[0]);
}

async function migrateTo(
  database: Database,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const { schema, place } = database;
  const pool = database.migrating();
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({
      db: kysely,
      provider: { getMigrations: async () => migrations },
      migrationTableSchema: schema,
    });
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    await refuseNewer(database);
    throw new ReadModelError(
      'unavailable',
      `the read models at ${place} cannot be used: ${reasonOf(error)}`,
    );
  } finally {
    await kysely.destroy();
  }
}

/** Throws `outdated` when a later program has changed the catalog. */
export async function refuseNewer(database: Database): Promise<void> {
  const { schema, place } = database;
  const known = catalogOf(schema, 1);
  const rows = await database.read({ text: `SELECT name FROM ${schema}.kysely_migration` });
  const unknown = rows.map(([name]) => String(name)).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  throw new ReadModelError(
    'outdated',
    `the read models at ${place} are those of a later version of this program: they have ${unknown.join(', ')}. Run that version`,
  );
}

/**
 * The operator class of trigram indices with its schema, making the extension where that is allowed;
 * undefined where there is none: a dictionary, being small, is then read through.
 */
export async function trigramClass(database: Database): Promise<string | undefined> {
  const find = async () => {
    const rows = await database.read({
      text: `SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
             WHERE extname = 'pg_trgm'`,
    });
    return rows[0]?.[0] as string | undefined;
  };
  let schema = await find();
  if (schema === undefined) {
    try {
      await database.read({ text: 'CREATE EXTENSION IF NOT EXISTS pg_trgm' });
    } catch {
      // Not installed, or not for us to make; or another process makes it at this moment.
    }
    schema = await find();
  }
  return schema === undefined ? undefined : `${schema}.gin_trgm_ops`;
}

/** The tables of one build, by collection. */
export class Tables {
  readonly prefix: string;

  constructor(schema: string, id: number) {
    this.prefix = `${schema}.b${id}_`;
  }

  /** Collections begin with a letter and never with `_`, so these names are none of theirs. */
  get partitions(): string {
    return `${this.prefix}_partitions`;
  }

  get parkedStreams(): string {
    return `${this.prefix}_parked_streams`;
  }

  get parkedEvents(): string {
    return `${this.prefix}_parked_events`;
  }

  of(collection: string): string {
    return `${this.prefix}${collection}`;
  }

  all(collections: readonly CollectionSpec[]): readonly string[] {
    const own = [this.partitions, this.parkedStreams, this.parkedEvents];
    return [...own, ...collections.map(({ name }) => this.of(name))];
  }
}

/** Statements that make the tables of a build, without the indices of its fields. */
export function tablesOf(tables: Tables, collections: readonly CollectionSpec[]): string[] {
  return [
    `CREATE TABLE ${tables.partitions} (
       id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       name text COLLATE "C" NOT NULL UNIQUE, revision bigint NOT NULL DEFAULT 0
     ) WITH (fillfactor = 50)`,
    `CREATE TABLE ${tables.parkedStreams} (stream text COLLATE "C" PRIMARY KEY, error text NOT NULL)`,
    `CREATE TABLE ${tables.parkedEvents} (
       stream text COLLATE "C" NOT NULL, revision bigint NOT NULL, event text NOT NULL,
       PRIMARY KEY (stream, revision)
     )`,
    ...collections.map((spec) => tableOf(tables, spec)),
  ];
}

function tableOf(tables: Tables, spec: CollectionSpec): string {
  if (!COLLECTION_NAME.test(spec.name)) {
    throw new RangeError(`not a collection name: ${spec.name}`);
  }
  const columns = ['key text COLLATE "C" PRIMARY KEY'];
  if (spec.kind !== 'keyed') columns.push('part integer NOT NULL');
  if (spec.kind === 'walked') {
    columns.push(
      'sort bigint NOT NULL',
      ...fieldsOf(spec).map((field) => `${columnOf(field)} bigint`),
    );
  }
  columns.push('body text COLLATE "C" NOT NULL');
  return `CREATE TABLE ${tables.of(spec.name)} (${columns.join(', ')})
    WITH (fillfactor = ${FILL_FACTOR}, autovacuum_vacuum_scale_factor = ${VACUUM_SHARE})`;
}

/**
 * Statements that make the indices of a build. That of the plain order has its partition as an
 * expression, so that a walk which follows a field can never be led along it: the planner would try
 * that, hoping to meet the few that match soon.
 */
export function indicesOf(
  tables: Tables,
  collections: readonly CollectionSpec[],
  trigrams: string | undefined,
): string[] {
  const made: string[] = [`SET LOCAL maintenance_work_mem = '${INDEXING_MEMORY}'`];
  for (const spec of collections) {
    const table = tables.of(spec.name);
    if (spec.kind === 'dictionary') {
      made.push(`CREATE INDEX ON ${table} (part)`);
      if (trigrams !== undefined)
        made.push(`CREATE INDEX ON ${table} USING gin (body ${trigrams})`);
    }
    if (spec.kind === 'walked') {
      made.push(`CREATE INDEX ON ${table} ((part + 0), sort) INCLUDE (part)`);
      for (const field of fieldsOf(spec)) {
        if (spec.fields?.[field] === 'stored') continue;
        const column = columnOf(field);
        // Behind the order: what they rule out is seen in the index, and its row is not looked up.
        const companions = spec.companions?.[field]?.map(columnOf) ?? [];
        const columns = ['part', column, 'sort', ...companions].join(', ');
        made.push(`CREATE INDEX ON ${table} (${columns}) WHERE ${column} IS NOT NULL`);
      }
    }
  }
  return made;
}

export function fieldsOf(spec: CollectionSpec): readonly string[] {
  const fields = Object.keys(spec.fields ?? {});
  for (const field of fields) {
    if (!FIELD_NAME.test(field)) throw new RangeError(`not a field name: ${field}`);
  }
  return fields;
}

export function columnOf(field: string): string {
  return `"f_${field}"`;
}
