/** Holds the sandbox gateway's own books against the log. */

import {
  type EventStore,
  type Executor,
  load,
  type PersonalDataVault,
  type StreamName,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import { counted } from '../counted.ts';
import type { SandboxRecord } from '../gateways/sandbox/book-rows.ts';
import { type BooksReader, openBooksReader } from '../gateways/sandbox/books.ts';
import {
  type RequestId,
  requestIdOf,
  requestIdOfTransaction,
} from '../gateways/sandbox/references.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { isFile } from '../storage/stores.ts';
import type { Examined, Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import type { LogStreams } from './log-streams.ts';

/** What the quick examination looks at: loss is at the end. */
const NEWEST = 1_000;
const PROGRESS_EVERY = 500;
/** How often accounts that were opened meanwhile are looked for. */
const MAX_LOOKS = 10;
/** Payments whose charges are looked for together. */
const PAGE_PAYMENTS = 500;

/** Money is compared, not persons: missing keys of customers are in nobody's way here. */
const NOBODY: PersonalDataVault = { seal: () => undefined, open: () => undefined };

const LOST_ADVICE =
  'Events are lost. Restore a newer events.db if there is one; else enter these payments by hand with the gateway (refund or record them): the ledger does not know this money.';
const UNLIKE_ADVICE =
  'Ask the gateway about this payment and correct the ledger by a refund or by hand: the two differ about money.';
const FORGOTTEN_ADVICE =
  'Stop the hosts and restore the books that belong to this log: sandbox-gateway.db and the -wal that belonged to it, or the database of the hosts. Without them these charges can no longer be captured, voided or refunded.';

/** A log, and the books that a gateway has of the same payments. */
export interface BothBooks {
  readonly events: EventStore;
  readonly streams: LogStreams;
  /** Undefined where the gateway has none. */
  readonly books: BooksReader | undefined;
  /** What they are called when something is missing in them. */
  readonly place: string;
}

/** The books that stand in a file of the data folder. */
export async function checkGatewayFile(
  examined: Examined,
  log: Pick<BothBooks, 'events' | 'streams'>,
): Promise<Checked> {
  const place = examined.files.gateway;
  let books: BooksReader | undefined;
  try {
    books = isFile(place) && hasBooks(place) ? openBooksReader(place) : undefined;
  } catch (error) {
    return new Findings('gateway').leftOut(`broke off after 0 records: ${reasonOf(error)}`);
  }
  try {
    return await checkGateway(examined, { ...log, books, place });
  } finally {
    await books?.close();
  }
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

/**
 * Every charge, capture, void and refund in the books has its intent in the log, which is written
 * first; every charge that the log was told of is in the books, which were written before.
 */
export async function checkGateway(
  { quick, onProgress }: Pick<Examining, 'quick' | 'onProgress'>,
  both: BothBooks,
): Promise<Checked> {
  const findings = new Findings('gateway');
  const { books, events } = both;
  let records = 0;
  try {
    // Many records may be of one payment, and a long one.
    const executor = { store: events, cache: createStateCache(), vault: NOBODY };
    let looks = 0;
    let tenants = await tenantsByAccount(both.streams);
    for await (const record of books?.records(quick ? { newest: NEWEST } : {}) ?? []) {
      const { merchantAccountId: account } = record;
      let payment = await paymentOf(executor, tenants.get(account), record);
      if (payment === null && looks < MAX_LOOKS) {
        // Beside a running host its account may be newer than the look.
        looks += 1;
        tenants = await tenantsByAccount(both.streams);
        payment = await paymentOf(executor, tenants.get(account), record);
      }
      compare(findings, record, payment);
      records += 1;
      if (records % PROGRESS_EVERY === 0) onProgress('Gateway books', records, records);
    }
    if (books === undefined || records === 0) await findForgottenAll(findings, { ...both, quick });
    else if (!quick) await findForgotten(findings, { ...both, books });
    if (books === undefined) return findings.leftOut('there are no books of a sandbox gateway');
  } catch (error) {
    return findings.leftOut(`broke off after ${counted(records, 'record')}: ${reasonOf(error)}`);
  }
  return findings.made(`${counted(records, 'record')}${quick ? ', the newest' : ''}`);
}

/** Books without an entry, or none at all, where the log has charges of the sandbox: one is told of. */
async function findForgottenAll(
  findings: Findings,
  { place, quick, events, streams, books }: BothBooks & { readonly quick: boolean },
): Promise<void> {
  let looked = 0;
  for await (const stream of streams.streamNames('transaction-')) {
    if (quick && looked === NEWEST) return;
    looked += 1;
    const { state } = await load({ store: events, vault: NOBODY }, Transaction, stream);
    const charge = state?.gatewayTransactionId ?? '';
    const requestId = requestIdOfTransaction(charge);
    if (state === null || requestId === undefined) continue;
    // Beside a running host it may be the first one, and newer than the look into the books.
    if ((await books?.known([requestId]))?.has(requestId)) continue;
    findings.damage(
      `${place} has no charge at all, and the log has some of the sandbox: payment ${state.transactionId} is ${state.status} as ${charge}`,
      FORGOTTEN_ADVICE,
    );
    return;
  }
}

interface FullBooks extends Pick<BothBooks, 'events' | 'streams'> {
  readonly books: BooksReader;
}

/** Charges that the log has from the sandbox, and its books have not: they are older, or lost their end. */
async function findForgotten(findings: Findings, both: FullBooks): Promise<void> {
  let page: StreamName[] = [];
  for await (const stream of both.streams.streamNames('transaction-')) {
    page.push(stream);
    if (page.length < PAGE_PAYMENTS) continue;
    await findForgottenOf(findings, page, both);
    page = [];
  }
  await findForgottenOf(findings, page, both);
}

async function findForgottenOf(
  findings: Findings,
  streams: readonly StreamName[],
  { events, books }: FullBooks,
): Promise<void> {
  // The first attempt is nearly always there, and spares reading the payment.
  const firsts = new Map(streams.map((stream) => [stream, firstChargeOf(stream)]));
  const knownFirsts = await books.known([...firsts.values()]);
  const charged = new Map<RequestId, Transaction.Payment>();
  for (const [stream, first] of firsts) {
    if (knownFirsts.has(first)) continue;
    const { state } = await load({ store: events, vault: NOBODY }, Transaction, stream);
    const requestId = requestIdOfTransaction(state?.gatewayTransactionId ?? '');
    if (state !== null && requestId !== undefined) charged.set(requestId, state);
  }
  const known = await books.known([...charged.keys()]);
  for (const [requestId, { transactionId, status, gatewayTransactionId }] of charged) {
    if (known.has(requestId)) continue;
    findings.damage(
      `the log has payment ${transactionId} as ${status}, and the gateway has no charge ${gatewayTransactionId}`,
      FORGOTTEN_ADVICE,
    );
  }
}

function firstChargeOf(stream: StreamName): RequestId {
  const transactionId = stream.split('-').slice(2).join('-');
  return requestIdOf(`${transactionId}/charge/1`);
}

/** Merchant account ids are the tenant's own, so one id may be that of several tenants. */
async function tenantsByAccount(
  streams: LogStreams,
): Promise<ReadonlyMap<number, readonly TenantId[]>> {
  const tenants = new Map<number, TenantId[]>();
  for await (const name of streams.streamNames('merchant_account-')) {
    const [, tenantId, accountId] = name.split('-');
    const known = tenants.get(Number(accountId)) ?? [];
    known.push(Number(tenantId) as TenantId);
    tenants.set(Number(accountId), known);
  }
  return tenants;
}

function compare(findings: Findings, record: SandboxRecord, payment: Transaction.State): void {
  const [transactionId, operation, part] = partsOf(record);
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
  tenants: readonly TenantId[] = [],
  record: SandboxRecord,
): Promise<Transaction.State> {
  const [transactionId] = partsOf(record);
  for (const tenantId of tenants) {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const { state } = await load(executor, Transaction, stream);
    if (state !== null) return state;
  }
  return null;
}

/** The ledger's keys: payment, operation, then the attempt or the id of what was asked. */
function partsOf({ idempotencyKey }: SandboxRecord): [TransactionId, string, string] {
  const [transactionId = '', operation = '', part = ''] = idempotencyKey.split('/');
  return [transactionId as TransactionId, operation, part];
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
      return [
        payment.voided?.voidId,
        payment.pendingVoid?.voidId,
        ...payment.failedRequestIds,
      ].includes(part as TransactionId);
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
