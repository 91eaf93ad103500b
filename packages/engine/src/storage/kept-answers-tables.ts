/** The tables and functions of kept answers in the host database. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { OPEN_TYPE } from './kept-answers.ts';

const TABLES = [
  sql`
    CREATE TABLE counterfoil_host.answers (
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
  sql`CREATE INDEX answers_by_expiry ON counterfoil_host.answers (expires_at_ms)`,
  sql`
    CREATE TABLE counterfoil_host.forgotten (
      prefix text NOT NULL,
      named text NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
];

/**
 * Gives back the claims on `released`, and tries to take those on `wanted`. A claim is an advisory
 * lock on the key, which ends with its connection, and so with its process. Beside it stands a lock
 * that tells of the request: only who holds the key and tells of nothing but others is known to be at
 * another request; who has just begun or just ended is not.
 *
 * A function, for each of its statements sees what was committed before it: an answer that was kept
 * until just before the claim succeeded is found.
 */
const CLAIM = sql`
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

/**
 * Keeps answers: the first one of a key stays, only an expired one gives way. None is kept of somebody
 * who was forgotten since its request began: it may tell what was read before. The lock is shared by
 * all who put, and taken alone for a moment by `wait_for_puts`: whoever comes after that sees who is
 * forgotten, again because each statement of a function sees what was committed before it.
 */
const PUT = [
  sql`
    CREATE FUNCTION counterfoil_host.put_answers(
      keys text[], fingerprints text[], statuses integer[], content_types text[], bodies bytea[],
      are_text boolean[], headers text[], recorded_at_ms bigint[], expires_at_ms bigint[],
      ages_ms float8[]
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      -- Does not wait for the disk: an answer that a crash loses is made again, not paid again.
      PERFORM set_config('synchronous_commit', 'off', true);
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('counterfoil_host.put_answers', 0));
      INSERT INTO counterfoil_host.answers AS kept
      SELECT put.key, put.fingerprint, put.status, put.content_type, put.body, put.is_text,
        put.headers, put.recorded, put.expires
      FROM unnest(keys, fingerprints, statuses, content_types, bodies, are_text, headers,
          recorded_at_ms, expires_at_ms, ages_ms)
        AS put (key, fingerprint, status, content_type, body, is_text, headers, recorded, expires,
          age)
      WHERE NOT EXISTS (
        SELECT FROM counterfoil_host.forgotten AS person
        WHERE starts_with(put.key, person.prefix)
          AND person.at > clock_timestamp() - put.age * interval '1 millisecond'
          AND encode(put.body, 'escape') ~ person.named
      )
      -- In one order on all hosts, so that they never wait for each other in a circle.
      ORDER BY put.key
      ON CONFLICT (key) DO UPDATE SET
        fingerprint = excluded.fingerprint, status = excluded.status,
        content_type = excluded.content_type, body = excluded.body, is_text = excluded.is_text,
        headers = excluded.headers, recorded_at_ms = excluded.recorded_at_ms,
        expires_at_ms = excluded.expires_at_ms
      WHERE kept.expires_at_ms <= excluded.recorded_at_ms;
    END $$`,
  sql`
    CREATE FUNCTION counterfoil_host.wait_for_puts() RETURNS void LANGUAGE sql AS $$
      SELECT pg_advisory_xact_lock(hashtextextended('counterfoil_host.put_answers', 0))
    $$`,
];

/** Beside the one before, which hosts of the version before go on calling. */
const PUT_WITH_STREAM = putWithStream(sql`kept.expires_at_ms <= excluded.recorded_at_ms`);

/** An answer that is open gives way as well. */
const PUT_OVER_OPEN = putWithStream(
  sql`kept.expires_at_ms <= excluded.recorded_at_ms OR kept.content_type = ${sql.lit(OPEN_TYPE)}`,
);

function putWithStream(givesWay: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
  CREATE OR REPLACE FUNCTION counterfoil_host.put_answers(
    keys text[], fingerprints text[], statuses integer[], content_types text[], bodies bytea[],
    are_text boolean[], headers text[], recorded_at_ms bigint[], expires_at_ms bigint[],
    ages_ms float8[], streams text[]
  ) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('counterfoil_host.put_answers', 0));
    INSERT INTO counterfoil_host.answers AS kept
    SELECT put.key, put.fingerprint, put.status, put.content_type, put.body, put.is_text,
      put.headers, put.recorded, put.expires, put.stream
    FROM unnest(keys, fingerprints, statuses, content_types, bodies, are_text, headers,
        recorded_at_ms, expires_at_ms, ages_ms, streams)
      AS put (key, fingerprint, status, content_type, body, is_text, headers, recorded, expires,
        age, stream)
    WHERE NOT EXISTS (
      SELECT FROM counterfoil_host.forgotten AS person
      WHERE starts_with(put.key, person.prefix)
        AND person.at > clock_timestamp() - put.age * interval '1 millisecond'
        AND encode(put.body, 'escape') ~ person.named
    )
    ORDER BY put.key
    ON CONFLICT (key) DO UPDATE SET
      fingerprint = excluded.fingerprint, status = excluded.status,
      content_type = excluded.content_type, body = excluded.body, is_text = excluded.is_text,
      headers = excluded.headers, recorded_at_ms = excluded.recorded_at_ms,
      expires_at_ms = excluded.expires_at_ms, stream = excluded.stream
    WHERE ${givesWay};
  END $$`;
}

/** What an answer is about; null for those of the version before. */
const ADD_STREAM = sql`ALTER TABLE counterfoil_host.answers ADD COLUMN stream text`;

export const answerMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-answers': {
    async up(database: Kysely<unknown>) {
      for (const statement of [...TABLES, CLAIM, ...PUT]) await statement.execute(database);
    },
  },
  '2026-11-22-answers-stream': {
    async up(database: Kysely<unknown>) {
      for (const statement of [ADD_STREAM, PUT_WITH_STREAM]) await statement.execute(database);
    },
  },
  '2026-11-22-answers-that-are-open': {
    async up(database: Kysely<unknown>) {
      await PUT_OVER_OPEN.execute(database);
    },
  },
};
