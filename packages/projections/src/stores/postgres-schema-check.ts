/** Whether the tables of a build are those that its program would make. */
import type { CollectionSpec } from '../read-model-store.ts';
import type { Database } from './postgres-database.ts';
import { indicesOf, Tables, tablesOf } from './postgres-schema.ts';

/** Columns and indices of the tables whose names begin so, without those names. */
const describing = (namespace: string) => `
  WITH ours AS (
    SELECT c.oid, substr(c.relname, length($1) + 1) AS name FROM pg_class c
    WHERE c.relnamespace = ${namespace} AND c.relkind = 'r' AND starts_with(c.relname, $1)
  )
  SELECT ours.name || ': ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS said
  FROM ours JOIN pg_attribute a ON a.attrelid = ours.oid
  WHERE a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT ours.name || ': ' || regexp_replace(
      pg_get_indexdef(i.indexrelid), '^CREATE( UNIQUE)? INDEX \\S+ ON \\S+ ', 'INDEX\\1 '
    ) || CASE WHEN i.indisvalid THEN '' ELSE ' (not valid)' END
  FROM ours JOIN pg_index i ON i.indrelid = ours.oid`;

const ROLLED_BACK = 'BEGIN; SET LOCAL client_min_messages = error';

export interface Described {
  readonly tables: Tables;
  readonly collections: readonly CollectionSpec[];
  readonly trigrams: string | undefined;
}

/**
 * What differs; undefined when nothing does. What should be there is made as temporary tables, which
 * are gone with their transaction: a missing index would else only make reads slow.
 */
export async function schemaFault(
  database: Database,
  { tables, collections, trigrams }: Described,
): Promise<string | undefined> {
  const model = new Tables('pg_temp', 0);
  const make = [...tablesOf(model, collections), ...indicesOf(model, collections, trigrams)];
  const [expected, found] = await database.withRetries(() =>
    database.alone(async (client) => {
      const describe = async (namespace: string, { prefix }: Tables) => {
        const name = prefix.slice(prefix.indexOf('.') + 1);
        const { rows } = await client.query<{ said: string }>(describing(namespace), [name]);
        return rows.map(({ said }) => said);
      };
      await client.query(ROLLED_BACK);
      for (const text of make) await client.query(text);
      return [
        await describe('pg_my_temp_schema()', model),
        await describe(`'${database.schema}'::regnamespace`, tables),
      ] as const;
    }),
  );
  const missing = expected.filter((each) => !found.includes(each));
  const strange = found.filter((each) => !expected.includes(each));
  if (missing[0] !== undefined) return `it lacks ${missing[0]}`;
  return strange[0] === undefined ? undefined : `it has ${strange[0]}`;
}
