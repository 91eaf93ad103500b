/** Holds the sandbox gateway's own books, and the answers kept for repetitions, against the log. */
import {
  type EventStore,
  type Executor,
  load,
  type PersonalDataVault,
  type StreamName,
  streamName,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { type LogInspection, openForReading } from '@counterfoil/event-stores/sqlite';
import { recordsIn, type SandboxRecord } from '../gateways/sandbox/books.ts';
import { requestIdOf, requestIdOfTransaction } from '../gateways/sandbox/references.ts';
import { createStateCache } from '../operations/state-cache.ts';
import { isFile } from '../stores.ts';
import type { Examined } from './examined.ts';
import { type Checked, counted, Findings, reasonOf } from './finding.ts';

/** What the quick examination looks at: loss is at the end. */
const NEWEST = 1_000;
const PROGRESS_EVERY = 500;
const PAGE_ANSWERS = 500;

/** Money is compared, not persons: missing keys of customers are in nobody's way here. */
const NOBODY: PersonalDataVault = { seal: () => undefined, open: () => undefined };

const LOST_ADVICE =
  'Events are lost. Restore a newer events.db if there is one; else enter these payments by hand with the gateway (refund or record them): the ledger does not know this money.';
const UNLIKE_ADVICE =
  'Ask the gateway about this payment and correct the ledger by a refund or by hand: the two differ about money.';
const FORGOTTEN_ADVICE =
  'Stop the host and put the sandbox-gateway.db back that belongs to this log, or the -wal that belonged to it. Without them these charges can no longer be captured, voided or refunded.';

/**
 * Every charge, capture, void and refund in the books has its intent in the log, which is written
 * first; every charge that the log was told of is in the books, which were written before.
 */
export async function checkGateway(
  { files, quick, onProgress }: Examined,
  { events, inspection }: { events: EventStore; inspection: LogInspection },
): Promise<Checked> {
  const findings = new Findings('gateway');
  const path = files.gateway;
  const tenants = tenantsByAccount(inspection);
  let records = 0;
  try {
    const isThere = isFile(path) && hasBooks(path);
    // Many records may be of one payment, and a long one.
    const executor = { store: events, cache: createStateCache(), vault: NOBODY };
    for (const record of isThere ? recordsIn(path, quick ? { newest: NEWEST } : {}) : []) {
      await compare(findings, record, {
        executor,
        tenants: tenants.get(record.merchantAccountId) ?? [],
      });
      records += 1;
      if (records % PROGRESS_EVERY === 0) onProgress('Gateway books', records, records);
    }
    if (records === 0) await findForgottenAll(findings, { path, quick, events, inspection });
    else if (!quick) await findForgotten(findings, path, { events, inspection });
    if (!isThere) return findings.leftOut('there are no books of a sandbox gateway');
  } catch (error) {
    return findings.leftOut(`broke off after ${records} records: ${reasonOf(error)}`);
  }
  return findings.made(`${counted(records, 'record')}${quick ? ', the newest' : ''}`);
}

/** False for an empty database, or another's. */
function hasBooks(path: string): boolean {
  const books = openForReading(path);
  try {
    const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'request'";
    return books.prepare(table).get() !== undefined;
  } finally {
    books.close();
  }
}

/** Books without an entry, or none at all, where the log has charges of the sandbox: one is told of. */
async function findForgottenAll(
  findings: Findings,
  {
    path,
    quick,
    events,
    inspection,
  }: { path: string; quick: boolean; events: EventStore; inspection: LogInspection },
): Promise<void> {
  let looked = 0;
  for (const stream of inspection.streamNames('transaction-')) {
    if (quick && looked === NEWEST) return;
    looked += 1;
    const { state } = await load({ store: events, vault: NOBODY }, Transaction, stream);
    const charge = state?.gatewayTransactionId ?? '';
    if (state === null || requestIdOfTransaction(charge) === undefined) continue;
    findings.damage(
      `${path} has no charge at all, and the log has some of the sandbox: payment ${state.transactionId} is ${state.status} as ${charge}`,
      FORGOTTEN_ADVICE,
    );
    return;
  }
}

/** Charges that the log has from the sandbox, and its books have not: they are older, or lost their end. */
async function findForgotten(
  findings: Findings,
  path: string,
  { events, inspection }: { events: EventStore; inspection: LogInspection },
): Promise<void> {
  const books = openForReading(path);
  try {
    const row = books.prepare('SELECT 1 FROM request WHERE request_id = ?');
    for (const stream of inspection.streamNames('transaction-')) {
      // The first attempt is nearly always there, and spares reading the payment.
      const transactionId = stream.split('-').slice(2).join('-');
      if (row.get(requestIdOf(`${transactionId}/charge/1`)) !== undefined) continue;
      const { state } = await load({ store: events, vault: NOBODY }, Transaction, stream);
      const requestId = requestIdOfTransaction(state?.gatewayTransactionId ?? '');
      if (state === null || requestId === undefined || row.get(requestId) !== undefined) continue;
      findings.damage(
        `the log has payment ${transactionId} as ${state.status}, and the gateway has no charge ${state.gatewayTransactionId}`,
        FORGOTTEN_ADVICE,
      );
    }
  } finally {
    books.close();
  }
}

/** Merchant account ids are the tenant's own, so one id may be that of several tenants. */
function tenantsByAccount(inspection: LogInspection): ReadonlyMap<number, readonly TenantId[]> {
  const tenants = new Map<number, TenantId[]>();
  for (const name of inspection.streamNames('merchant_account-')) {
    const [, tenantId, accountId] = name.split('-');
    const known = tenants.get(Number(accountId)) ?? [];
    known.push(Number(tenantId) as TenantId);
    tenants.set(Number(accountId), known);
  }
  return tenants;
}

interface Ledgers {
  readonly executor: Executor;
  readonly tenants: readonly TenantId[];
}

async function compare(
  findings: Findings,
  record: SandboxRecord,
  { executor, tenants }: Ledgers,
): Promise<void> {
  // The ledger's keys: payment, operation, then the attempt or the id of what was asked.
  const [transactionId = '', operation = '', part = ''] = record.idempotencyKey.split('/');
  const payment = await paymentOf(executor, tenants, transactionId as TransactionId);
  const told = `the gateway has a ${operation} of payment ${transactionId} (${record.amountMinor} minor units of ${record.currency}, ${outcomeOf(record)})`;
  if (payment === null) {
    findings.damage(`${told}, and the log has no such payment`, LOST_ADVICE);
    return;
  }
  if (!isIntended(payment, operation, part)) {
    findings.damage(`${told}, and the log never asked for it`, LOST_ADVICE);
    return;
  }
  const difference = differenceOf(payment, record, part);
  if (difference !== undefined) findings.damage(`${told}, and ${difference}`, UNLIKE_ADVICE);
}

async function paymentOf(
  executor: Executor,
  tenants: readonly TenantId[],
  transactionId: TransactionId,
): Promise<Transaction.State> {
  for (const tenantId of tenants) {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const { state } = await load(executor, Transaction, stream);
    if (state !== null) return state;
  }
  return null;
}

function outcomeOf(record: SandboxRecord): string {
  return record.operation === 'charge' ? record.status : record.result.result;
}

function isIntended(payment: Transaction.Payment, operation: string, part: string): boolean {
  switch (operation) {
    case 'charge':
    case 'confirm':
      return Number(part) <= payment.attempts.length;
    case 'capture':
      return [
        payment.captureId,
        payment.pendingCapture?.captureId,
        ...payment.failedRequestIds,
      ].includes(part as TransactionId);
    case 'void':
      return [payment.voidId, payment.pendingVoidId, ...payment.failedRequestIds].includes(
        part as TransactionId,
      );
    case 'refund':
      return payment.refunds.some(({ refundId }) => refundId === part);
    default:
      return false;
  }
}

const TAKEN: ReadonlySet<string> = new Set(['captured', 'authorized']);
const NOT_TAKEN: ReadonlySet<Transaction.Payment['status']> = new Set([
  'Declined',
  'Failed',
  'Blocked',
]);

/** Only what is final on both sides: what is open is for the sweeper to ask about. */
function differenceOf(
  payment: Transaction.Payment,
  record: SandboxRecord,
  part: string,
): string | undefined {
  const { status, refunds, attempts } = payment;
  if (record.operation === 'charge') {
    const isLast = Number(part) === attempts.length;
    return isLast && TAKEN.has(record.status) && NOT_TAKEN.has(status)
      ? `the log has the payment as ${status}`
      : undefined;
  }
  if (record.operation !== 'refund') return undefined;
  const refund = refunds.find(({ refundId }) => refundId === part);
  const isDone = record.result.result === 'done';
  if (refund?.status === 'Refunded' && !isDone) return 'the log has the refund as paid';
  if (refund?.status === 'RefundFailed' && isDone) return 'the log has the refund as failed';
  return undefined;
}

const LOST_ANSWER_ADVICE =
  'Events are lost: a customer was told of this payment. Restore a newer events.db if there is one; else compare the payment with the gateway.';

/** Every payment that an answer told of is in the log. */
export async function checkAnswers(
  { files, quick }: Examined,
  { events }: { events: EventStore },
): Promise<Checked> {
  const findings = new Findings('answers');
  if (!isFile(files.answers)) return findings.leftOut('no answers are kept');
  let answers = 0;
  try {
    for (const { stream, key } of acknowledgedIn(files.answers, quick ? NEWEST : undefined)) {
      answers += 1;
      const [first] = await events.read(stream, { limit: 1 });
      if (first !== undefined) continue;
      findings.damage(
        `the request of key ${key} was answered with success, and the log has no ${stream}`,
        LOST_ANSWER_ADVICE,
      );
    }
  } catch (error) {
    return findings.leftOut(`broke off after ${answers} answers: ${reasonOf(error)}`);
  }
  return findings.made(
    `${counted(answers, 'answer')} about payments${quick ? ', the newest' : ''}`,
  );
}

interface Acknowledged {
  readonly key: string;
  readonly stream: StreamName;
}

function* acknowledgedIn(path: string, newest: number | undefined): Generator<Acknowledged> {
  const database = openForReading(path);
  try {
    const page = database.prepare(
      `SELECT rowid, key, body FROM answer WHERE status < 300 AND rowid < ? ORDER BY rowid DESC LIMIT ${PAGE_ANSWERS}`,
    );
    let before = Number.MAX_SAFE_INTEGER;
    for (let read = 0; newest === undefined || read < newest; read += PAGE_ANSWERS) {
      const rows = page.all(before);
      for (const row of rows) {
        const told = acknowledged(String(row['key']), row['body']);
        if (told !== undefined) yield told;
      }
      const end = rows.at(-1);
      if (end === undefined) return;
      before = Number(end['rowid']);
    }
  } finally {
    database.close();
  }
}

/** Undefined for an answer that is not about a payment of the Card API. */
function acknowledged(key: string, body: unknown): Acknowledged | undefined {
  const [tenant, , operation, name] = JSON.parse(key) as readonly string[];
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : String(body);
  const told = JSON.parse(text) as { readonly id?: unknown; readonly paymentId?: unknown };
  const id = operation === 'refundPayment' ? told.paymentId : told.id;
  if (typeof id !== 'string' || tenant === undefined || name === undefined) return undefined;
  return { key: name, stream: streamName('transaction', Number(tenant) as TenantId, id) };
}
