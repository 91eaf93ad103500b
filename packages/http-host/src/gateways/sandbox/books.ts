/** The sandbox's durable record of every request it received, in a SQLite file of its own. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import type { ChargeResult, FollowUpResult } from '../payment-gateway.ts';
import type { Charge, ChargeState, ChargeStatus, FollowUpOperation } from './charge-state.ts';
import { type Behaviour, isBehaviour } from './outcomes.ts';
import { referencesOf, requestIdOf, requestIdOfTransaction } from './references.ts';

const SCHEMA_VERSION = 1;
const PAGE_SIZE = 500;

/**
 * `request_id` is a hash of the key, which makes both the key and the transaction id made from it
 * unique by one small index. Amounts are text: SQLite's integers end at 64 bits, ours do not.
 * Of a card only its behaviour is here: no number, no cvv, no token.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS request (
    sequence INTEGER PRIMARY KEY,
    request_id INTEGER NOT NULL UNIQUE,
    key TEXT NOT NULL,
    operation TEXT NOT NULL,
    content TEXT NOT NULL,
    answer TEXT NOT NULL,
    merchant_account_id INTEGER NOT NULL,
    amount_minor TEXT NOT NULL,
    currency TEXT NOT NULL,
    acts_on TEXT,
    behaviour TEXT,
    status TEXT,
    captured_minor TEXT,
    refunded_minor TEXT,
    standing TEXT,
    once_confirmed TEXT
  ) STRICT;
`;

const ADD_CHARGE = `
  INSERT INTO request
    (request_id, key, operation, content, answer, merchant_account_id, amount_minor, currency,
     behaviour, status, captured_minor, refunded_minor, once_confirmed)
  VALUES (?, ?, 'charge', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO NOTHING`;

const ADD_FOLLOW_UP = `
  INSERT INTO request
    (request_id, key, operation, content, answer, merchant_account_id, amount_minor, currency,
     acts_on)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const CHANGE_CHARGE = `
  UPDATE request
  SET status = ?, captured_minor = ?, refunded_minor = ?, standing = coalesce(?, standing)
  WHERE request_id = ? AND operation = 'charge'`;

/** Not `request_id`: its 63 bits do not fit a number, and the key tells it. */
const COLUMNS = `sequence, key, operation, content, answer, merchant_account_id, amount_minor, currency,
  acts_on, behaviour, status, captured_minor, refunded_minor, standing, once_confirmed`;

const FIND = `SELECT ${COLUMNS} FROM request WHERE request_id = ?`;
const PAGE = `
  SELECT ${COLUMNS} FROM request WHERE sequence > ? ORDER BY sequence LIMIT ${PAGE_SIZE}`;

/** A charge leaves `acts_on` empty, any other request what stands after it. */
interface Row {
  readonly sequence: number;
  readonly key: string;
  readonly operation: 'charge' | 'confirm' | FollowUpOperation;
  readonly content: string;
  readonly answer: string;
  readonly merchant_account_id: number;
  readonly amount_minor: string;
  readonly currency: string;
  readonly acts_on: string | null;
  readonly behaviour: string | null;
  readonly status: ChargeStatus | null;
  readonly captured_minor: string | null;
  readonly refunded_minor: string | null;
  readonly standing: string | null;
  readonly once_confirmed: string | null;
}

/** What every request is kept under. */
interface Asked {
  readonly idempotencyKey: string;
  /** A digest of all that was asked, to tell a repeat from another request under the same key. */
  readonly content: string;
  readonly merchantAccountId: number;
  readonly amountMinor: bigint;
  readonly currency: string;
}

export interface NewCharge extends Asked {
  readonly requestId: bigint;
  readonly answer: ChargeResult;
  readonly behaviour: Behaviour | undefined;
  readonly state: ChargeState;
  readonly onceConfirmed: ChargeResult | undefined;
}

export type NewFollowUp = Asked & { readonly gatewayTransactionId: string } & (
    | { readonly operation: 'confirm'; readonly answer: ChargeResult }
    | { readonly operation: FollowUpOperation; readonly answer: FollowUpResult }
  );

/** A request that was received before; which kind of answer it has follows from the operation. */
export interface Received {
  readonly operation: Row['operation'];
  readonly content: string;
  /** What the call was answered with, or would have been. */
  readonly answer: unknown;
  /** Where its charge stands now: the same until a confirmation changes it. */
  readonly standing: unknown;
}

interface WaitingCharge {
  readonly charge: NewCharge;
  resolve(before: Received | undefined): void;
  reject(error: unknown): void;
}

interface RecordOf<Operation, Result> {
  readonly operation: Operation;
  readonly idempotencyKey: string;
  /** The charge's id, whichever operation on it this is. */
  readonly gatewayTransactionId: string;
  readonly merchantAccountId: number;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly result: Result;
}

/** An entry of the books as those see it who compare them with their own. */
export type SandboxRecord =
  | (RecordOf<'charge', ChargeResult> & ChargeState)
  | RecordOf<'confirm', ChargeResult>
  | RecordOf<FollowUpOperation, FollowUpResult>;

export class Books {
  readonly #database: DatabaseSync;
  readonly #addCharge: StatementSync;
  readonly #addFollowUp: StatementSync;
  readonly #changeCharge: StatementSync;
  readonly #find: StatementSync;
  readonly #page: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #waiting: WaitingCharge[] = [];

  /** Opens or creates the file at `path`. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    // OFF: a simulator has to remember what it did when its process is killed, and what a commit
    // has written is then in the page cache, and stays. Against a power cut, which could damage the
    // file, it would have to stop the event loop for the disk: real money is not in here.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
    this.#database.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA busy_timeout = 5000;');
    this.#checkVersion(path);
    this.#database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`);
    this.#addCharge = this.#database.prepare(ADD_CHARGE);
    this.#addFollowUp = this.#database.prepare(ADD_FOLLOW_UP);
    this.#changeCharge = this.#database.prepare(CHANGE_CHARGE);
    this.#find = this.#database.prepare(FIND);
    this.#page = this.#database.prepare(PAGE);
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#database.prepare('COMMIT');
  }

  #checkVersion(path: string): void {
    const row = this.#database.prepare('PRAGMA user_version').get();
    if (Number(row?.['user_version']) > SCHEMA_VERSION) {
      this.#database.close();
      throw new Error(`${path} was written by a later version of the sandbox gateway`);
    }
  }

  /**
   * Writes a charge; answers what its key was used for before instead, if it was. Charges of one turn
   * of the event loop share a transaction: most of their cost is the commit.
   */
  addCharge(charge: NewCharge): Promise<Received | undefined> {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    const { promise, resolve, reject } = Promise.withResolvers<Received | undefined>();
    this.#waiting.push({ charge, resolve, reject });
    return promise;
  }

  #flush(): void {
    const charges = this.#waiting;
    if (charges.length === 0) return;
    this.#waiting = [];
    try {
      this.#begin.run();
      const before = charges.map(({ charge }) => this.#insertCharge(charge));
      this.#commit.run();
      charges.forEach(({ resolve }, index) => {
        resolve(before[index]);
      });
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const { reject } of charges) reject(error);
    }
  }

  #insertCharge(charge: NewCharge): Received | undefined {
    const { state } = charge;
    const { changes } = this.#addCharge.run(
      charge.requestId,
      charge.idempotencyKey,
      charge.content,
      JSON.stringify(charge.answer),
      charge.merchantAccountId,
      charge.amountMinor.toString(),
      charge.currency,
      charge.behaviour ?? null,
      state.status,
      state.capturedMinor.toString(),
      state.refundedMinor.toString(),
      charge.onceConfirmed === undefined ? null : JSON.stringify(charge.onceConfirmed),
    );
    return changes === 1 ? undefined : this.#receivedUnder(charge.idempotencyKey);
  }

  /** Writes a follow-up together with what it does to its charge. */
  addFollowUp(followUp: NewFollowUp, becomes: ChargeState | undefined): void {
    this.#flush();
    const { answer, gatewayTransactionId } = followUp;
    this.#begin.run();
    try {
      this.#addFollowUp.run(
        requestIdOf(followUp.idempotencyKey),
        followUp.idempotencyKey,
        followUp.operation,
        followUp.content,
        JSON.stringify(answer),
        followUp.merchantAccountId,
        followUp.amountMinor.toString(),
        followUp.currency,
        gatewayTransactionId,
      );
      if (becomes !== undefined) {
        this.#changeCharge.run(
          becomes.status,
          becomes.capturedMinor.toString(),
          becomes.refundedMinor.toString(),
          followUp.operation === 'confirm' ? JSON.stringify(answer) : null,
          requestIdOfTransaction(gatewayTransactionId) ?? null,
        );
      }
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  received(idempotencyKey: string): Received | undefined {
    this.#flush();
    return this.#receivedUnder(idempotencyKey);
  }

  #receivedUnder(idempotencyKey: string): Received | undefined {
    const row = this.#row(requestIdOf(idempotencyKey));
    if (row === undefined) return undefined;
    if (row.key !== idempotencyKey) throw new Error('two idempotency keys have the same hash');
    const { operation, content, answer, standing } = row;
    const parsed: unknown = JSON.parse(answer);
    return {
      operation,
      content,
      answer: parsed,
      standing: standing === null ? parsed : JSON.parse(standing),
    };
  }

  charge(gatewayTransactionId: string): Charge | undefined {
    this.#flush();
    const requestId = requestIdOfTransaction(gatewayTransactionId);
    const row = requestId === undefined ? undefined : this.#row(requestId);
    return row?.operation === 'charge' ? chargeIn(row) : undefined;
  }

  #row(requestId: bigint): Row | undefined {
    return this.#find.get(requestId) as unknown as Row | undefined;
  }

  /** Every request in the order of arrival, read in pages so that writers may go on meanwhile. */
  *records(): Generator<SandboxRecord> {
    this.#flush();
    yield* recordsAfter(this.#page, 0);
  }

  /** Writes what still waits, and closes the file. */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#flush();
    this.#database.close();
  }
}

export interface RecordsReading {
  /** Only so many of the latest; all when absent. */
  readonly newest?: number;
}

/** The records of a file that another process may be writing, read without a hand on it. */
export function* recordsIn(path: string, { newest }: RecordsReading): Generator<SandboxRecord> {
  const database = openForReading(path);
  try {
    const last = database.prepare('SELECT max(sequence) AS last FROM request').get()?.['last'];
    const after = newest === undefined ? 0 : Math.max(0, Number(last ?? 0) - newest);
    yield* recordsAfter(database.prepare(PAGE), after);
  } finally {
    database.close();
  }
}

/** Throws for a damaged file, which may hand out the same rows for ever. */
function* recordsAfter(page: StatementSync, sequence: number): Generator<SandboxRecord> {
  let last = sequence;
  for (;;) {
    const rows = page.all(last) as unknown as Row[];
    for (const row of rows) {
      if (row.sequence <= last) throw new Error('its records are out of order');
      last = row.sequence;
      yield recordIn(row);
    }
    if (rows.length < PAGE_SIZE) return;
  }
}

function chargeIn(row: Row): Charge {
  return {
    ...referencesOf(row.key),
    merchantAccountId: row.merchant_account_id,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    behaviour: row.behaviour !== null && isBehaviour(row.behaviour) ? row.behaviour : undefined,
    standing: JSON.parse(row.standing ?? row.answer) as ChargeResult,
    onceConfirmed:
      row.once_confirmed === null ? undefined : (JSON.parse(row.once_confirmed) as ChargeResult),
    ...stateIn(row),
  };
}

function stateIn(row: Row): ChargeState {
  if (row.status === null || row.captured_minor === null || row.refunded_minor === null) {
    throw new Error(`the charge of key ${row.key} has no state`);
  }
  return {
    status: row.status,
    capturedMinor: BigInt(row.captured_minor),
    refundedMinor: BigInt(row.refunded_minor),
  };
}

function recordIn(row: Row): SandboxRecord {
  const common = {
    idempotencyKey: row.key,
    gatewayTransactionId: row.acts_on ?? referencesOf(row.key).gatewayTransactionId,
    merchantAccountId: row.merchant_account_id,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
  };
  const { operation } = row;
  const result: unknown = JSON.parse(row.standing ?? row.answer);
  switch (operation) {
    case 'charge':
      return { operation, ...common, result: result as ChargeResult, ...stateIn(row) };
    case 'confirm':
      return { operation, ...common, result: result as ChargeResult };
    default:
      return { operation, ...common, result: result as FollowUpResult };
  }
}
