/** The sandbox's books in a SQLite file of their own, for the one host that has it open. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import {
  COLUMNS,
  chargeIn,
  newlyDecided,
  newlyReceived,
  type Row,
  receivedIn,
  recordIn,
} from './book-rows.ts';
import type {
  AskedFollowUp,
  Books,
  BooksReader,
  Decide,
  Decision,
  NewCharge,
  Received,
  RecordsReading,
  SandboxRecord,
} from './books.ts';
import type { Charge } from './charge-state.ts';
import { type RequestId, requestIdOf, requestIdOfTransaction } from './references.ts';

const SCHEMA_VERSION = 1;
const PAGE_SIZE = 500;

/**
 * `request_id` is a hash of the key, which makes both the key and the transaction id made from it
 * unique by one small index. Of a card only its behaviour is here: no number, no cvv, no token.
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

const FIND = `SELECT ${COLUMNS} FROM request WHERE request_id = ?`;
const IS_KNOWN = 'SELECT 1 FROM request WHERE request_id = ?';
const LAST = 'SELECT max(sequence) AS last FROM request';
const PAGE = `
  SELECT sequence, ${COLUMNS} FROM request WHERE sequence > ? ORDER BY sequence LIMIT ${PAGE_SIZE}`;

interface NumberedRow extends Row {
  readonly sequence: number;
}

interface WaitingCharge {
  readonly charge: NewCharge;
  resolve(received: Received): void;
  reject(error: unknown): void;
}

/** Opens or creates the file at `path`. */
export function openSqliteBooks(path: string): Books {
  return new SqliteBooks(path);
}

/** The books of a file that another process may be writing, without a hand on it. */
export function openSqliteBooksReader(path: string): BooksReader {
  return new FileReader(openForReading(path));
}

/** What both do who have the file open. */
class FileReader implements BooksReader {
  protected readonly database: DatabaseSync;
  readonly #isKnown: StatementSync;
  readonly #page: StatementSync;
  readonly #last: StatementSync;

  constructor(database: DatabaseSync) {
    this.database = database;
    this.#isKnown = database.prepare(IS_KNOWN);
    this.#page = database.prepare(PAGE);
    this.#last = database.prepare(LAST);
  }

  /** Throws for a damaged file, which may hand out the same rows for ever. */
  async *records({ newest }: RecordsReading = {}): AsyncGenerator<SandboxRecord> {
    let last = newest === undefined ? 0 : Math.max(0, this.#lastSequence() - newest);
    for (;;) {
      const rows = this.#page.all(last) as unknown as NumberedRow[];
      for (const row of rows) {
        if (row.sequence <= last) throw new Error('its records are out of order');
        last = row.sequence;
        yield recordIn(row);
      }
      if (rows.length < PAGE_SIZE) return;
    }
  }

  #lastSequence(): number {
    return Number(this.#last.get()?.['last'] ?? 0);
  }

  async known(requestIds: readonly RequestId[]): Promise<ReadonlySet<RequestId>> {
    return new Set(requestIds.filter((each) => this.#isKnown.get(each) !== undefined));
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }
}

class SqliteBooks extends FileReader implements Books {
  readonly #addCharge: StatementSync;
  readonly #addFollowUp: StatementSync;
  readonly #changeCharge: StatementSync;
  readonly #find: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #waiting: WaitingCharge[] = [];

  constructor(path: string) {
    const database = openForWriting(path);
    super(database);
    this.#addCharge = database.prepare(ADD_CHARGE);
    this.#addFollowUp = database.prepare(ADD_FOLLOW_UP);
    this.#changeCharge = database.prepare(CHANGE_CHARGE);
    this.#find = database.prepare(FIND);
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** Charges of one turn of the event loop share a transaction: most of their cost is the commit. */
  addCharge(charge: NewCharge): Promise<Received> {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    this.#waiting.push({ charge, resolve, reject });
    return promise;
  }

  #flush(): void {
    const charges = this.#waiting;
    if (charges.length === 0) return;
    this.#waiting = [];
    try {
      this.#begin.run();
      const received = charges.map(({ charge }) => this.#insertCharge(charge));
      this.#commit.run();
      for (const [index, { resolve }] of charges.entries()) {
        resolve(received[index] as Received);
      }
    } catch (error) {
      this.#rollBack();
      for (const { reject } of charges) reject(error);
    }
  }

  #insertCharge(charge: NewCharge): Received {
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
    const before = changes === 1 ? undefined : this.#receivedUnder(charge.idempotencyKey);
    return before ?? newlyReceived(charge);
  }

  /** In one turn from the look into the books to the entry: no two see the same rest of a charge. */
  async addFollowUp(asked: AskedFollowUp, decide: Decide) {
    this.#flush();
    this.#begin.run();
    try {
      const charge = this.#chargeOf(asked.gatewayTransactionId);
      const before = this.#receivedUnder(asked.idempotencyKey);
      const received = before ?? this.#insertFollowUp(asked, decide(charge));
      this.#commit.run();
      return { received, charge };
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #insertFollowUp(asked: AskedFollowUp, decision: Decision): Received {
    const { gatewayTransactionId, operation } = asked;
    const answer = JSON.stringify(decision.answer);
    this.#addFollowUp.run(
      requestIdOf(asked.idempotencyKey),
      asked.idempotencyKey,
      operation,
      asked.content,
      answer,
      asked.merchantAccountId,
      asked.amountMinor.toString(),
      asked.currency,
      gatewayTransactionId,
    );
    if (decision.becomes !== undefined) {
      const { status, capturedMinor, refundedMinor } = decision.becomes;
      this.#changeCharge.run(
        status,
        capturedMinor.toString(),
        refundedMinor.toString(),
        operation === 'confirm' ? answer : null,
        requestIdOfTransaction(gatewayTransactionId) ?? null,
      );
    }
    return newlyDecided(asked, decision);
  }

  #rollBack(): void {
    if (this.database.isOpen && this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  async received(idempotencyKey: string): Promise<Received | undefined> {
    this.#flush();
    return this.#receivedUnder(idempotencyKey);
  }

  #receivedUnder(idempotencyKey: string): Received | undefined {
    const row = this.#row(requestIdOf(idempotencyKey));
    return row === undefined ? undefined : receivedIn(row, idempotencyKey);
  }

  async charge(gatewayTransactionId: string): Promise<Charge | undefined> {
    this.#flush();
    return this.#chargeOf(gatewayTransactionId);
  }

  #chargeOf(gatewayTransactionId: string): Charge | undefined {
    const requestId = requestIdOfTransaction(gatewayTransactionId);
    return requestId === undefined ? undefined : chargeIn(this.#row(requestId));
  }

  #row(requestId: RequestId): Row | undefined {
    return this.#find.get(requestId) as unknown as Row | undefined;
  }

  override async *records(reading?: RecordsReading): AsyncGenerator<SandboxRecord> {
    this.#flush();
    yield* super.records(reading);
  }

  /** Writes what still waits, and closes the file. */
  override async close(): Promise<void> {
    if (this.database.isOpen) this.#flush();
    await super.close();
  }
}

function openForWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  // OFF: a simulator has to remember what it did when its process is killed, and what a commit
  // has written is then in the page cache, and stays. Against a power cut, which could damage the
  // file, it would have to stop the event loop for the disk: real money is not in here.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
  database.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA busy_timeout = 5000;');
  const row = database.prepare('PRAGMA user_version').get();
  if (Number(row?.['user_version']) > SCHEMA_VERSION) {
    database.close();
    throw new Error(`${path} was written by a later version of the sandbox gateway`);
  }
  database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`);
  return database;
}
