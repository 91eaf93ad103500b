/** The functions of the log inside PostgreSQL: appending a batch, how far the log is settled, a new era. */
import { APPENDED, COMMAND_ID_REUSED, CONFLICT, HELD_BACK, REPEATED } from '../append-request.ts';

/** Names the advisory lock that every append shares, together with the oid of the log's table: `CFOL`. */
const LOG_LOCK = 0x43464f4c;
/** Bits of a transaction's place in the log that hold its id; the bits above them hold the era. */
export const TRANSACTION_BITS = 48;
/** Raised when the log holds transactions that this server has not reached: it came from another one. */
export const FOREIGN_TRANSACTIONS = 'CF001';

/**
 * Appends a batch in one transaction and one round trip. The order of its steps is what makes the
 * log's order right:
 *
 * 1. The log's lock is taken in shared mode, which never waits: by it `settled_head` knows which of
 *    the running transactions may write to the log.
 * 2. The streams are locked, in one order for all appends, so that there are no deadlocks.
 * 3. Only then PostgreSQL gives the transaction its id, with the first row that is written. So of two
 *    transactions that append to one stream the one that had to wait has the higher id, and a
 *    stream's revisions stand in the log in their order. That is why a transaction that has an id
 *    already is refused.
 *
 * Each statement sees what was committed before it began, hence the isolation that is asked for: what
 * the former holder of a stream's lock wrote is seen by the look at the stream.
 *
 * \`command_together\` says how many commands are appended as one from a command on, 1 where it is by
 * itself, and where it is not the first of them. A log has the function without it as well, for hosts of
 * the build before that are still running.
 */
export function appendFunction(schema: string, { asOne }: { readonly asOne: boolean }): string {
  return `
CREATE FUNCTION ${schema}.append(
  streams text[],
  command_streams int[], command_expectations int[], command_ids text[],
  command_fingerprints text[], command_events int[],
  event_commands int[], event_ids text[], event_types text[], event_schema_versions int[],
  event_tenants bigint[], event_times text[], event_data text[], event_metadata text[],${
    asOne ? '\n  command_together int[],' : ''
  }
  OUT written bigint, OUT outcomes int[], OUT revisions int[], OUT ordinals int[], OUT earlier bigint[]
) LANGUAGE plpgsql VOLATILE AS $function$
DECLARE
  era_start bigint;
  newest bigint;
  lasts int[];
  firsts int[];
  starts int[];
  start int := 1;
  known record;
  actual int;
  expected int;${asOne ? '\n  held_until int := 0;' : ''}
  any_accepted boolean := false;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL
     OR current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'an append is a transaction of its own, with the isolation read committed'
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
  PERFORM pg_advisory_xact_lock_shared(${LOG_LOCK}, '${schema}.events'::regclass::oid::int);
  PERFORM pg_advisory_xact_lock(sorted.key) FROM (
    SELECT DISTINCT hashtextextended(name, '${schema}.events'::regclass::oid::bigint) AS key
    FROM unnest(streams) AS name ORDER BY key
  ) AS sorted;

  SELECT log.era::bigint << ${TRANSACTION_BITS} INTO era_start FROM ${schema}.log;
  SELECT e.transaction INTO newest FROM ${schema}.events AS e
    ORDER BY e.transaction DESC, e.ordinal DESC LIMIT 1;
  IF newest >= era_start + pg_snapshot_xmax(pg_current_snapshot())::text::bigint THEN
    RAISE EXCEPTION 'the log has transactions that this server has not reached'
      USING ERRCODE = '${FOREIGN_TRANSACTIONS}';
  END IF;

  SELECT array_agg(coalesce(last.revision, -1) ORDER BY s.at) INTO lasts
  FROM unnest(streams) WITH ORDINALITY AS s(name, at)
  LEFT JOIN LATERAL (
    SELECT e.revision FROM ${schema}.events AS e WHERE e.stream = s.name
    ORDER BY e.revision DESC LIMIT 1
  ) AS last ON true;

  outcomes := array_fill(-1, ARRAY[cardinality(command_ids)]);
  revisions := array_fill(-1, ARRAY[cardinality(command_ids)]);
  ordinals := revisions;
  firsts := revisions;
  starts := revisions;
  earlier := array_fill(0::bigint, ARRAY[cardinality(command_ids)]);
  FOR known IN
    SELECT c.at, first.*, first.command_fingerprint = c.fingerprint AS is_repeat
    FROM unnest(command_ids, command_streams, command_fingerprints)
      WITH ORDINALITY AS c(id, stream, fingerprint, at)
    CROSS JOIN LATERAL (
      SELECT e.transaction, e.ordinal, e.revision, e.command_fingerprint
      FROM ${schema}.events AS e
      WHERE e.command_id = c.id AND e.stream = streams[c.stream] AND e.ends_command LIMIT 1
    ) AS first
  LOOP
    outcomes[known.at] := CASE WHEN known.is_repeat THEN ${REPEATED} ELSE ${COMMAND_ID_REUSED} END;
    revisions[known.at] := known.revision;
    ordinals[known.at] := known.ordinal;
    earlier[known.at] := known.transaction;
  END LOOP;

  FOR i IN 1 .. cardinality(command_ids) LOOP
    starts[i] := start;
    start := start + command_events[i];${asOne ? LOOK_AHEAD : ''}
    CONTINUE WHEN outcomes[i] >= 0;
    actual := lasts[command_streams[i]];
    expected := command_expectations[i];${asOne ? HOLD_BACK : ''}
    IF expected = actual OR expected = -2 OR (expected = -3 AND actual >= 0) THEN
      firsts[i] := actual + 1;
      actual := actual + command_events[i];
      lasts[command_streams[i]] := actual;
      outcomes[i] := ${APPENDED};
      ordinals[i] := start - 1;
      any_accepted := true;
    ELSE
      outcomes[i] := ${CONFLICT};
    END IF;
    revisions[i] := actual;
  END LOOP;
  IF NOT any_accepted THEN
    RETURN;
  END IF;

  written := era_start + pg_current_xact_id()::text::bigint;
  INSERT INTO ${schema}.events (
    transaction, tenant_id, ordinal, revision, schema_version, ends_command,
    stream, id, type, time, command_id, command_fingerprint, data, metadata
  )
  SELECT
    written, event_tenants[e.at], e.at, firsts[e.command] + e.at - starts[e.command],
    event_schema_versions[e.at], e.at = starts[e.command] + command_events[e.command] - 1,
    streams[command_streams[e.command]], event_ids[e.at], event_types[e.at], event_times[e.at],
    command_ids[e.command], command_fingerprints[e.command], event_data[e.at], event_metadata[e.at]
  FROM unnest(event_commands) WITH ORDINALITY AS e(command, at)
  WHERE firsts[e.command] >= 0;
END $function$`;
}

/** Where a command begins some that are appended as one, and something is in the way of one of them. */
const LOOK_AHEAD = `
    IF command_together[i] > 1 AND EXISTS (
      SELECT FROM generate_series(i, i + command_together[i] - 1) AS each(at)
      CROSS JOIN LATERAL (
        SELECT lasts[command_streams[each.at]] AS actual, command_expectations[each.at] AS expected
      ) AS its
      WHERE outcomes[each.at] >= 0 OR NOT (
        its.expected = its.actual OR its.expected = -2 OR (its.expected = -3 AND its.actual >= 0)
      )
    ) THEN
      held_until := i + command_together[i] - 1;
    END IF;`;
const HOLD_BACK = `
    IF i <= held_until AND (
      expected = actual OR expected = -2 OR (expected = -3 AND actual >= 0)
    ) THEN
      outcomes[i] := ${HELD_BACK};
      CONTINUE;
    END IF;`;

/**
 * The last event before which no other can still appear. Where nothing is under way that is the
 * newest event. Otherwise it is the last one before the oldest running transaction that may write to
 * the log. A running transaction is known not to when it is seen to have its id and not to hold the
 * log's lock, which `append` takes before it has an id. The locks are looked at after the list of
 * running transactions was read, and the events after both; so a writer of an event below that is
 * missing in either has committed. On a standby, where the locks of others are not to be
 * seen, every running transaction counts.
 */
export function settledHeadFunction(schema: string): string {
  return `
CREATE FUNCTION ${schema}.settled_head(
  OUT transaction bigint, OUT ordinal int, OUT is_newest boolean
) LANGUAGE plpgsql VOLATILE AS $function$
DECLARE
  era_start bigint;
  running pg_snapshot;
  horizon bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the head is told with the isolation read committed'
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
  is_newest := true;
  SELECT e.transaction, e.ordinal INTO transaction, ordinal FROM ${schema}.events AS e
    ORDER BY e.transaction DESC, e.ordinal DESC LIMIT 1;
  IF transaction IS NULL THEN
    RETURN;
  END IF;
  SELECT log.era::bigint << ${TRANSACTION_BITS} INTO era_start FROM ${schema}.log;
  running := pg_current_snapshot();
  IF transaction < era_start + pg_snapshot_xmin(running)::text::bigint THEN
    RETURN;
  END IF;
  IF transaction >= era_start + pg_snapshot_xmax(running)::text::bigint THEN
    RAISE EXCEPTION 'the log has transactions that this server has not reached'
      USING ERRCODE = '${FOREIGN_TRANSACTIONS}';
  END IF;

  WITH locks AS MATERIALIZED (
    SELECT l.locktype, l.virtualtransaction, l.transactionid, l.mode, l.granted,
      l.classid, l.objid, l.objsubid
    FROM pg_locks AS l WHERE l.locktype IN ('transactionid', 'advisory')
  )
  SELECT min(x.id::text::bigint) INTO horizon FROM pg_snapshot_xip(running) AS x(id)
  WHERE NOT EXISTS (
    SELECT FROM locks AS own
    WHERE own.locktype = 'transactionid' AND own.transactionid = x.id::xid
      AND own.mode = 'ExclusiveLock' AND own.granted
      AND NOT EXISTS (
        SELECT FROM locks AS log
        WHERE log.locktype = 'advisory' AND log.virtualtransaction = own.virtualtransaction
          AND log.classid = ${LOG_LOCK}::oid AND log.objsubid = 2
          AND log.objid = '${schema}.events'::regclass::oid
      )
  );
  horizon := era_start + coalesce(horizon, pg_snapshot_xmax(running)::text::bigint);
  is_newest := transaction < horizon;
  SELECT e.transaction, e.ordinal INTO transaction, ordinal FROM ${schema}.events AS e
    WHERE e.transaction < horizon ORDER BY e.transaction DESC, e.ordinal DESC LIMIT 1;
END $function$`;
}

/**
 * Begins a new era where the log has come to a server whose transaction ids have not reached its own:
 * what is appended from now on stands behind all that is there. Does nothing otherwise.
 */
export function beginEraFunction(schema: string): string {
  return `
CREATE FUNCTION ${schema}.begin_era_where_needed() RETURNS void LANGUAGE plpgsql VOLATILE AS $function$
DECLARE
  newest bigint;
BEGIN
  LOCK TABLE ${schema}.log IN EXCLUSIVE MODE;
  SELECT e.transaction INTO newest FROM ${schema}.events AS e
    ORDER BY e.transaction DESC, e.ordinal DESC LIMIT 1;
  UPDATE ${schema}.log SET era = greatest(era, newest >> ${TRANSACTION_BITS}) + 1
  WHERE newest >= (era::bigint << ${TRANSACTION_BITS})
    + pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
END $function$`;
}
