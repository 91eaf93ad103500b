/** The tables of kept answers, and the functions of PostgreSQL that claim and keep them. */
import type { Migration } from 'kysely/migration';
import { migration } from './sql-tables.ts';

/**
 * Marks the entry of a request that was answered while its work went on: the key is that request's,
 * and there is no answer to replay yet. To hosts of earlier versions it is an answer like any other.
 */
export const OPEN_TYPE = 'application/json; charset=utf-8; answer=open';

/** Of a file that has overwritten from its beginning on what was removed from it. */
export const FILE_LAYOUT = 1;

export const FILE_SCHEMA = `
  CREATE TABLE IF NOT EXISTS answer (
    key TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    body ANY NOT NULL,
    headers TEXT,
    recorded_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS answer_by_expiry ON answer (expires_at_ms);
`;

/** The checksum: SQLite detects broken pages, but not a flipped bit in a text. */
export const ADDED_TO_FILE = { checksum: 'INTEGER', stream: 'TEXT', subject: 'TEXT' };

/** An erasure finds answers by their subject; those without one are searched. */
export const FILE_INDICES = `
  CREATE INDEX IF NOT EXISTS answer_by_subject ON answer (subject) WHERE subject IS NOT NULL;
  CREATE INDEX IF NOT EXISTS answer_without_subject ON answer (key) WHERE subject IS NULL;
`;

const TABLES = [
  `CREATE TABLE counterfoil_host.answers (
    key text COLLATE "C" PRIMARY KEY,
    fingerprint text NOT NULL,
    status integer NOT NULL,
    content_type text NOT NULL,
    body bytea NOT NULL,
    is_text boolean NOT NULL,
    headers text,
    recorded_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL
  )`,
  'CREATE INDEX answers_by_expiry ON counterfoil_host.answers (expires_at_ms)',
  `CREATE TABLE counterfoil_host.forgotten (
    prefix text NOT NULL,
    named text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
];

/**
 * Releases the claims `released`, and tries to take `wanted`. A claim is a session-level advisory lock
 * on the key: it ends with its connection, and so with its process. A second, shared lock names the
 * request: a holder of the key whose locks name only other requests is known to be at another one; one
 * that has just begun or ended is not.
 *
 * A function, because each of its statements sees what was committed before it: an answer that was
 * kept just before the claim succeeded is found.
 */
const CLAIM = `
  CREATE FUNCTION counterfoil_host.claim_answers(
    released text[], released_fingerprints text[],
    wanted text[], wanted_fingerprints text[], now_ms bigint
  ) RETURNS TABLE (
    is_mine boolean, is_another_request boolean, fingerprint text, status integer,
    content_type text, body bytea, is_text boolean, headers text,
    recorded_at_ms bigint, expires_at_ms bigint
  ) LANGUAGE plpgsql AS $$
  DECLARE
    mine boolean[];
    others boolean[];
  BEGIN
    PERFORM pg_advisory_unlock(hashtextextended(given.key, 0)),
      pg_advisory_unlock_shared(hashtext(given.key), hashtext(given.request))
    FROM unnest(released, released_fingerprints) AS given (key, request);

    SELECT array_agg(pg_try_advisory_lock(hashtextextended(want.key, 0)) ORDER BY want.place)
    INTO mine FROM unnest(wanted) WITH ORDINALITY AS want (key, place);

    PERFORM pg_try_advisory_lock_shared(hashtext(want.key), hashtext(want.request))
    FROM unnest(wanted, wanted_fingerprints, mine) AS want (key, request, is_held)
    WHERE want.is_held;

    IF false = ANY (mine) THEN
      WITH held AS MATERIALIZED (
        SELECT pid, objsubid = 1 AS is_key, (classid::bigint << 32) | objid::bigint AS hash
        FROM pg_locks
        WHERE locktype = 'advisory' AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      ), told AS (
        SELECT pid, hash >> 32 AS key_hash, (hash << 32) >> 32 AS request_hash
        FROM held WHERE NOT is_key
      )
      SELECT array_agg(coalesce((
          SELECT bool_and(told.request_hash <> hashtext(want.request))
          FROM held JOIN told USING (pid)
          WHERE held.is_key AND held.hash = hashtextextended(want.key, 0)
            AND told.key_hash = hashtext(want.key)
        ), false) AND NOT want.is_held ORDER BY want.place)
      INTO others
      FROM unnest(wanted, wanted_fingerprints, mine)
        WITH ORDINALITY AS want (key, request, is_held, place);
    END IF;

    RETURN QUERY
    SELECT want.is_held, coalesce(others[want.place::integer], false), kept.fingerprint,
      kept.status, kept.content_type, kept.body, kept.is_text, kept.headers,
      kept.recorded_at_ms, kept.expires_at_ms
    FROM unnest(wanted, mine) WITH ORDINALITY AS want (key, is_held, place)
    -- One by one, by the index: a plan from when the table was small must not read all of it later.
    LEFT JOIN LATERAL (
      SELECT * FROM counterfoil_host.answers AS answer
      WHERE answer.key = want.key AND answer.expires_at_ms > now_ms LIMIT 1
    ) AS kept ON true
    ORDER BY want.place;
  END $$`;

/** Columns of `put_answers`, in the order of its parameters, with their types. */
export const PUT_COLUMNS = {
  key: 'text',
  fingerprint: 'text',
  status: 'integer',
  content_type: 'text',
  body: 'bytea',
  is_text: 'boolean',
  headers: 'text',
  recorded_at_ms: 'bigint',
  expires_at_ms: 'bigint',
  age_ms: 'float8',
  stream: 'text',
  subject: 'text',
} as const;

/** PostgreSQL replaces no function whose parameters have other names. */
const PARAMETERS = [
  ...['keys', 'fingerprints', 'statuses', 'content_types', 'bodies', 'are_text', 'headers'],
  ...['recorded_at_ms', 'expires_at_ms', 'ages_ms', 'streams', 'subjects'],
];

const MATCHES_BODY = `encode(put.body, 'escape') ~ person.named`;

interface PutFunction {
  /** How many of the columns it has. */
  readonly columns: number;
  /** Beside an answer that has expired. */
  readonly replaces?: string;
  readonly isAbout?: string;
}

/**
 * Keeps answers: the first one of a key stays, only one that has expired or is open is replaced. None
 * is kept about a person who was forgotten since its request began: it may tell what was read before.
 * The lock is shared by all who put, and taken alone for a moment by `wait_for_puts`: a put after that
 * sees who is forgotten, again because each statement of a function sees what was committed before it.
 * Hosts of earlier versions go on calling the function with fewer parameters.
 */
function putFunction({ columns, replaces = '', isAbout = MATCHES_BODY }: PutFunction): string {
  const types = Object.values(PUT_COLUMNS).slice(0, columns);
  const names = Object.keys(PUT_COLUMNS).slice(0, columns);
  const parameters = PARAMETERS.slice(0, columns);
  const kept = names.filter((name) => name !== 'age_ms');
  const changed = kept.filter((name) => name !== 'key');
  return `
    CREATE OR REPLACE FUNCTION counterfoil_host.put_answers(
      ${parameters.map((name, index) => `${name} ${types[index]}[]`).join()}
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      -- Does not wait for the disk: an answer that a crash loses is made again, not paid again.
      PERFORM set_config('synchronous_commit', 'off', true);
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('counterfoil_host.put_answers', 0));
      INSERT INTO counterfoil_host.answers AS kept (${kept.join()})
      SELECT ${kept.map((name) => `put.${name}`).join()}
      FROM unnest(${parameters.join()}) AS put (${names.join()})
      WHERE NOT EXISTS (
        SELECT FROM counterfoil_host.forgotten AS person
        WHERE starts_with(put.key, person.prefix)
          AND person.at > clock_timestamp() - put.age_ms * interval '1 millisecond'
          AND ${isAbout}
      )
      -- In one order on all hosts, so that they never deadlock.
      ORDER BY put.key
      ON CONFLICT (key) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join()}
      WHERE kept.expires_at_ms <= excluded.recorded_at_ms ${replaces};
    END $$`;
}

const WAIT_FOR_PUTS = `
  CREATE FUNCTION counterfoil_host.wait_for_puts() RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('counterfoil_host.put_answers', 0))
  $$`;

const OR_IS_OPEN = `OR kept.content_type = '${OPEN_TYPE}'`;

export const answerMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-answers': migration(...TABLES, CLAIM, putFunction({ columns: 10 }), WAIT_FOR_PUTS),
  '2026-11-22-answers-stream': migration(
    'ALTER TABLE counterfoil_host.answers ADD COLUMN stream text',
    putFunction({ columns: 11 }),
  ),
  '2026-11-22-answers-that-are-open': migration(putFunction({ columns: 11, replaces: OR_IS_OPEN })),
  '2026-11-23-answers-subject': migration(
    'ALTER TABLE counterfoil_host.answers ADD COLUMN subject text',
    'ALTER TABLE counterfoil_host.forgotten ADD COLUMN subject text',
    `CREATE INDEX answers_by_subject ON counterfoil_host.answers (subject)
     WHERE subject IS NOT NULL`,
    `CREATE INDEX answers_without_subject ON counterfoil_host.answers (key)
     WHERE subject IS NULL`,
    putFunction({
      columns: 12,
      replaces: OR_IS_OPEN,
      // Hosts of earlier versions write down no subject.
      isAbout: `coalesce(put.subject = person.subject, ${MATCHES_BODY})`,
    }),
  ),
};
