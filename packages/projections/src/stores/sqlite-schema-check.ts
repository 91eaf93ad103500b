/** Whether the tables and indices of a file are those that its program would make. */
import { DatabaseSync } from 'node:sqlite';

const OBJECTS = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
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

/** SQLite may add tables of statistics. */
function objectsOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare(OBJECTS)
    .all()
    .filter(({ name }) => !String(name).startsWith('sqlite_stat'))
    .map(({ type, name, tbl_name: table, sql }) => `${type} ${name} ${table} ${sql}`);
}
