/** Whether the tables and indices of a file are those that its program would make, and where it made them. */
import { DatabaseSync } from 'node:sqlite';
import { checksumOf } from './checksums.ts';

const OBJECTS = 'SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema ORDER BY type, name';
/** Objects that begin on the same page. */
const SHARED_PAGE = `SELECT group_concat(name, ', ') AS names FROM sqlite_schema
  WHERE rootpage > 0 GROUP BY rootpage HAVING count(*) > 1`;

/**
 * What differs; undefined when nothing does. `make` creates in an empty database what the file should
 * have: a flipped bit in a schema is otherwise found late, or never.
 */
export function schemaFault(
  database: DatabaseSync,
  make: (empty: DatabaseSync) => void,
): string | undefined {
  const model = new DatabaseSync(':memory:');
  try {
    make(model);
    const expected = objectsOf(model);
    const found = objectsOf(database);
    const missing = expected.filter((each) => !found.includes(each));
    const strange = found.filter((each) => !expected.includes(each));
    const [first] = [...missing, ...strange];
    if (first !== undefined) return `its schema has changed at ${first.slice(0, 200)}`;
    const shared = database.prepare(SHARED_PAGE).get();
    return shared && `${shared['names']} begin on the same page`;
  } finally {
    model.close();
  }
}

/**
 * The checksum of the pages on which the tables and indices of a file begin. It is kept in the file: a
 * flipped bit in the number of a page leads into another table, which may look like an empty one.
 */
export function checksumOfPages(database: DatabaseSync): number {
  const pages = rowsOf(database).map(({ name, rootpage }) => `${name} ${rootpage}`);
  return checksumOf('pages', pages.join());
}

function objectsOf(database: DatabaseSync): readonly string[] {
  return rowsOf(database).map(
    ({ type, name, tbl_name: table, sql }) => `${type} ${name} ${table} ${sql}`,
  );
}

/** SQLite may add tables of statistics. */
function rowsOf(database: DatabaseSync) {
  return database
    .prepare(OBJECTS)
    .all()
    .filter(({ name }) => !String(name).startsWith('sqlite_stat'));
}
