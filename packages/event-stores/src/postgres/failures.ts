/** Maps errors of PostgreSQL and the network to codes of the event store port. */
import type { EventStoreErrorCode } from '@counterfoil/core';
import { EventStoreError } from '@counterfoil/core';
import { FOREIGN_TRANSACTIONS } from './functions.ts';

/**
 * `passing`: transient. `foreign`: the log came from another server and needs a new era. `request`:
 * the request is at fault, alone or with others of its batch. All others are codes of the port, and
 * permanent.
 */
export type FailureKind = 'passing' | 'foreign' | 'request' | EventStoreErrorCode;

/** Among others on a standby. */
const READ_ONLY_TRANSACTION = '25006';
/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const BY_STATE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  [FOREIGN_TRANSACTIONS, 'foreign'],
  [READ_ONLY_TRANSACTION, 'read-only'],
  ['42501', 'read-only'], // insufficient_privilege
  ['53100', 'full'], // disk_full
  ['54000', 'too-large'], // program_limit_exceeded
  ['23505', 'corrupt'], // unique_violation: impossible under the streams' locks
  ['XX001', 'corrupt'], // data_corrupted
  ['XX002', 'corrupt'], // index_corrupted
  ['42P01', 'corrupt'], // undefined_table
  ['42703', 'corrupt'], // undefined_column
  ['42883', 'corrupt'], // undefined_function
  ['3F000', 'corrupt'], // invalid_schema_name
  ['55P03', 'passing'], // lock_not_available: after the limit of a wait for a stream
  ['57P04', 'unavailable'], // database_dropped
  ['3D000', 'unavailable'], // invalid_catalog_name: there is no such database
]);
const BY_CLASS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['08', 'passing'], // connection exception
  ['40', 'passing'], // transaction rollback, deadlocks among them
  ['53', 'passing'], // insufficient resources: connections, memory
  ['57', 'passing'], // operator intervention: shutdown, crash of another backend, cancelled
  ['28', 'unavailable'], // invalid authorization
  ['22', 'request'], // data exception
  ['21', 'request'], // cardinality violation
  ['23', 'request'], // integrity constraint violation
  ['42', 'corrupt'], // the statements are fixed, so the log is not what it was
]);
const SQL_STATE = /^[0-9A-Z]{5}$/;

export function kindOf(error: unknown): FailureKind {
  if (error instanceof EventStoreError) return error.code;
  if (error instanceof TypeError || error instanceof RangeError) return 'request';
  const state = stateOf(error);
  // Without a state it is an error of the network: refused, reset, timed out, ended.
  if (state === undefined) return 'passing';
  return BY_STATE.get(state) ?? BY_CLASS.get(state.slice(0, 2)) ?? 'unavailable';
}

/** Subscriptions wait for these to end: also a password that is being changed, or a full disk. */
const PASSING: ReadonlySet<FailureKind> = new Set(['passing', 'foreign', 'unavailable', 'full']);

/** Whether a subscription retries: also while the server is a standby. */
export function mayPass(error: unknown): boolean {
  return PASSING.has(kindOf(error)) || stateOf(error) === READ_ONLY_TRANSACTION;
}

/** Whether the connection itself was lost, or may have been. */
export function endsConnection(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/** What to do about failures to connect, by code: of PostgreSQL, of the system, of TLS. */
const ADVICE: readonly (readonly [code: RegExp, advice: string])[] = [
  [/^28/, 'correct the user or the password in the URL, or let the user in (pg_hba.conf)'],
  [/^3D000$/, 'create the database, or correct its name in the URL'],
  [/^42501$/, 'let the user create a schema in the database, or make the schema for it'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'correct the host in the URL'],
  [/^(ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'start the server, or correct the URL'],
  [
    /SELF_SIGNED|^UNABLE_TO_|^CERT_/,
    'name the file of its authority in the URL: sslrootcert=ca.pem',
  ],
  [/ALTNAME/, 'name the server in the URL as its certificate does'],
];
/** It has no code. */
const NO_TLS = /does not support SSL/;

/** Appends what to do to the message of an error, where that is known. */
export function withConnectAdvice(error: unknown): unknown {
  // When several addresses failed, the error itself has no message.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const advice = NO_TLS.test(cause.message)
    ? 'take sslmode out of the URL, or let the server use TLS'
    : ADVICE.find(([codes]) => codes.test(code))?.[1];
  if (advice !== undefined) cause.message = `${cause.message}: ${advice}`;
  return cause;
}

/** The port's error for a failure. `place` names the log in the message. */
export function portError(error: unknown, place: string): Error {
  if (error instanceof EventStoreError) return error;
  const text = `${place}: ${error instanceof Error ? error.message : String(error)}`;
  const kind = kindOf(error);
  if (kind === 'request') return new TypeError(`the events cannot be stored: ${text}`);
  const code = kind === 'passing' || kind === 'foreign' ? 'unavailable' : kind;
  return new EventStoreError(code, text, { cause: error });
}

function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = error.code;
  // Some system errors have codes of five letters too, such as EPIPE; those of PostgreSQL have a severity.
  const isState = typeof code === 'string' && SQL_STATE.test(code) && 'severity' in error;
  return isState ? code : undefined;
}
