/** Rows come as objects or as tuples, whatever was asked for before. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { Statements } from './sqlite-statements.ts';

it('gives the rows of one text as objects and as tuples', () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const statements = new Statements(database);
  const sql = "SELECT 1 AS id, 'one' AS key";
  for (let time = 0; time < 2; time += 1) {
    expect({ ...statements.get(sql).get() }).toEqual({ id: 1, key: 'one' });
    expect(statements.tuples(sql).all()).toEqual([[1, 'one']]);
  }
});
