/**
 * The plain way to keep leads: `node:http`, one SQLite file, a commit for each lead before its answer.
 *
 *     node sqlite-leads.ts <database> <lead key> <file with {status, headers, body} of a recorded answer>
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const [, , path = '', leadKey = '', recorded = ''] = process.argv;

const { status, headers, body } = JSON.parse(readFileSync(recorded, 'utf8')) as {
  readonly status: number;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: string;
};
// The fields and the headers of the host's response, so that response sizes are equal.
const shape = JSON.parse(body);
const sent = headers.filter(
  (_, index) => !/^content-length$/i.test(headers[index - (index % 2)] ?? ''),
);

const database = new DatabaseSync(path);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);
  CREATE TABLE leads (
    id TEXT PRIMARY KEY, session TEXT NOT NULL UNIQUE, person INTEGER NOT NULL,
    status TEXT NOT NULL, created_at TEXT NOT NULL, request TEXT NOT NULL
  )`);
const addPerson = database.prepare(
  'INSERT INTO people (email) VALUES (?) ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id',
);
const addLead = database.prepare(`INSERT INTO leads VALUES (?, ?, ?, 'new', ?, ?)`);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.headers.authorization !== `Bearer ${leadKey}`) {
      response.writeHead(403).end();
      return;
    }
    const given = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { email, session_id: session } = given;
    if (typeof email !== 'string' || !email.includes('@') || typeof session !== 'string') {
      response.writeHead(400).end();
      return;
    }
    const id = randomUUID();
    const at = new Date().toISOString();
    database.exec('BEGIN');
    const person = addPerson.get(email)?.['id'] ?? null;
    addLead.run(id, session, person, at, JSON.stringify(given));
    database.exec('COMMIT');
    const answer = Buffer.from(JSON.stringify({ ...shape, ...given, id, created_at: at }));
    response.writeHead(status, [...sent, 'Content-Length', String(answer.byteLength)]);
    response.end(answer);
  });
});

server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
