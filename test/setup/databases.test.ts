/** The PostgreSQL of the tests is real, and every database belongs to one test. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { newDatabase } from './databases.ts';

it('gives each test separate databases', async () => {
  const urls = [await newDatabase(), await newDatabase()];
  const found: unknown[] = [];
  for (const connectionString of urls) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query('CREATE TABLE mine (id int)');
    const { rows } = await client.query(
      `SELECT current_database() AS name, current_setting('server_version_num')::int AS version`,
    );
    found.push(rows[0]);
    await client.end();
  }
  const nameOf = (url: string | undefined) => new URL(url ?? '').pathname.slice(1);
  expect(found).toEqual(urls.map((url) => ({ name: nameOf(url), version: expect.any(Number) })));
  expect(new Set(urls).size).toBe(2);
});
