/** Imports settlement files: books each line that agrees with the books, and lists every difference. */
import { createHash } from 'node:crypto';
import { Settlement, type TenantId, type Transaction, type TransactionId } from '@counterfoil/core';
import {
  type SettlementBooks,
  type SettlementRecord,
  type SettlementsPage,
  type SettlementsQuery,
  SettlementView,
  type UnmatchedQuery,
  type UnmatchedRecord,
  unsettledIn,
} from '@counterfoil/projections';
import type { Caller } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { Refused, refused } from '../refusal.ts';
import { KeyedMutex } from '../runtime/keyed-mutex.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { References } from '../tenants/index.ts';
import { type BookingServices, LineBooking } from './line-booking.ts';
import { type FileLine, linesOf, type ReadLine } from './settlement-file.ts';

/** Lines that are looked up together. */
const BATCH = 512;
/** The read models are waited for after so many batches, so that they do not fall far behind. */
const BATCHES_AHEAD = 16;
/** Each wait ends after some seconds by itself. */
const MAX_WAITS = 60;
/** Differences of one event. */
const MAX_DIFFERENCES = 200;
/** Open differences read at a time. */
const OPEN_PAGE = 1_000;
const DEFAULT_GRACE_DAYS = 3;
/** What is older than this before the first line was to be in a file of before. */
const LOOK_BACK_DAYS = 35;
const DAY_MS = 86_400_000;
const LONGEST_WAIT_MS = 30_000;

export interface SettlementServices extends BookingServices {
  readonly references: References;
  readonly readSide: ReadSide;
}

export interface ImportRequest {
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  readonly name?: string;
  readonly graceDays?: number;
}

export interface Imported extends SettlementRecord {
  /** Lines that were booked now; the others of `agreed` had been before. */
  readonly booked: number;
}

/** Lines and bytes so far. */
export type OnProgress = (done: { readonly lines: number; readonly bytes: number }) => void;

export class Settlements {
  readonly #services: SettlementServices;
  readonly #view: SettlementView;
  /** One import at a time of an account: it sees what the one before has booked. */
  readonly #mutex = new KeyedMutex({ longestWaitMs: LONGEST_WAIT_MS });

  constructor(services: SettlementServices) {
    this.#services = services;
    this.#view = new SettlementView(services.readModels);
  }

  /**
   * Books what agrees and records what does not, as the content comes. A line is booked once, however
   * often it is imported: a repetition completes an import that ended in the middle. Refuses unknown
   * accounts with `ReferenceUnknown`, and a wrong header with `InputInvalid` before anything is booked.
   */
  async import(
    request: ImportRequest & { readonly tenantId: TenantId; readonly caller: Caller },
    content: AsyncIterable<Uint8Array>,
    onProgress: OnProgress = () => undefined,
  ): Promise<Imported> {
    const { tenantId, merchantAccountId } = request;
    const account = await this.#services.references.merchantAccount(tenantId, merchantAccountId);
    if (account === null) {
      const references = [{ field: 'merchantAccountId', id: merchantAccountId }];
      throw refused({ type: 'ReferenceUnknown', references });
    }
    const books = [tenantId, request.sandbox, merchantAccountId].join('/');
    return this.#mutex.runExclusive(books, async () => {
      const run = new ImportRun(this.#services, this.#view, request);
      const { booked } = await run.take(content, onProgress);
      const record = await this.find(request, run.settlementId);
      if (record === undefined) throw new Error(`the import ${run.settlementId} is not there`);
      return { ...record, booked };
    });
  }

  async find(
    owner: { readonly tenantId: number; readonly sandbox: boolean },
    settlementId: string,
  ): Promise<SettlementRecord | undefined> {
    await this.#services.readSide.caughtUp(owner.tenantId);
    return this.#view.find(owner, settlementId);
  }

  /** The newest first. */
  async list(query: SettlementsQuery): Promise<SettlementsPage<SettlementRecord>> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#view.imports(query);
  }

  /** Differences that nothing has resolved since, the oldest first. */
  async unmatched(query: Omit<UnmatchedQuery, 'now'>): Promise<SettlementsPage<UnmatchedRecord>> {
    const { readSide, commands } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return this.#view.unmatched({ ...query, now: commands.clock.now() });
  }
}

class ImportRun {
  readonly settlementId: TransactionId;
  readonly #services: SettlementServices;
  readonly #view: SettlementView;
  readonly #request: Parameters<Settlements['import']>[0];
  readonly #books: SettlementBooks;
  readonly #booking: LineBooking;
  readonly #counts = new Map<Settlement.DifferenceType, number>();
  #pending: Settlement.Difference[] = [];
  #lines = 0;
  #agreed = 0;
  #booked = 0;
  #from = '';
  #to = '';

  constructor(
    services: SettlementServices,
    view: SettlementView,
    request: Parameters<Settlements['import']>[0],
  ) {
    const { tenantId, sandbox, merchantAccountId, name } = request;
    this.#services = services;
    this.#view = view;
    this.#request = request;
    this.#books = { tenantId, sandbox, merchantAccountId };
    this.#booking = new LineBooking(services, { ...this.#books, tenantId, caller: request.caller });
    const named = ['settlement', String(tenantId), String(sandbox), String(merchantAccountId)];
    const id = name === undefined ? uuidV7() : deterministicUuid([...named, name]);
    this.settlementId = id as TransactionId;
  }

  async take(
    content: AsyncIterable<Uint8Array>,
    onProgress: OnProgress,
  ): Promise<{ booked: number }> {
    const digest = createHash('sha256');
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of content) {
        digest.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    await this.#caughtUp();
    let batches = 0;
    for await (const lines of inBatches(linesOf(counted()))) {
      if (batches === 0) await this.#start();
      await this.#takeBatch(lines);
      batches += 1;
      if (batches % BATCHES_AHEAD === 0) await this.#caughtUp();
      onProgress({ lines: this.#lines, bytes });
    }
    if (batches === 0) await this.#start();
    await this.#record();
    await this.#caughtUp();
    await this.#findMissingThere();
    await this.#finish(digest.digest('hex'));
    return { booked: this.#booked };
  }

  async #takeBatch(lines: readonly FileLine[]): Promise<void> {
    this.#lines += lines.length;
    const readable: ReadLine[] = [];
    for (const line of lines) {
      if ('kind' in line) readable.push(line);
      else await this.#differs(unreadable(line));
    }
    for (const { settledDate } of readable) {
      if (this.#from === '' || settledDate < this.#from) this.#from = settledDate;
      if (settledDate > this.#to) this.#to = settledDate;
    }
    for (const result of await this.#booking.book(readable)) {
      if (result.outcome === 'differs') await this.#differs(result.difference);
      else this.#agreed += 1;
      if (result.outcome === 'booked') this.#booked += 1;
    }
  }

  /** Movements that are older than the grace days when the file ends, and in no file yet. */
  async #findMissingThere(): Promise<void> {
    if (this.#to === '') return;
    const { graceDays = DEFAULT_GRACE_DAYS } = this.#request;
    const period = {
      from: Date.parse(this.#from) - (LOOK_BACK_DAYS + graceDays) * DAY_MS,
      // To the end of that day.
      to: Date.parse(this.#to) - (graceDays - 1) * DAY_MS - 1,
    };
    const named = await this.#namedByLines();
    for await (const page of unsettledIn(this.#services.readModels, this.#books, period)) {
      for (const { id: childId, ...movement } of page) {
        if (named.has(Settlement.movementKey({ ...movement, childId }))) continue;
        await this.#differs(missingThere({ ...movement, id: childId }));
      }
    }
  }

  /** Movements that a line of this or an earlier file is about, though it differs. */
  async #namedByLines(): Promise<ReadonlySet<string>> {
    const named = new Set<string>();
    const query = { ...this.#books, limit: OPEN_PAGE, now: this.#services.commands.clock.now() };
    let after: string | undefined;
    do {
      const page = await this.#view.unmatched({ ...query, ...(after !== undefined && { after }) });
      for (const { type, kind, transactionId, childId } of page.items) {
        if (type === 'missing-there' || kind === null || transactionId === null) continue;
        named.add(Settlement.movementKey({ kind, transactionId, childId }));
      }
      after = page.next;
    } while (after !== undefined);
    return named;
  }

  async #differs(difference: Settlement.Difference): Promise<void> {
    this.#counts.set(difference.type, (this.#counts.get(difference.type) ?? 0) + 1);
    this.#pending.push(difference);
    if (this.#pending.length >= MAX_DIFFERENCES) await this.#record();
  }

  async #record(): Promise<void> {
    const differences = this.#pending;
    this.#pending = [];
    if (differences.length > 0) await this.#execute({ type: 'RecordDifferences', differences });
  }

  #start(): Promise<void> {
    const { sandbox, merchantAccountId, name = '' } = this.#request;
    return this.#execute({ type: 'StartSettlement', sandbox, merchantAccountId, name });
  }

  async #finish(digest: string): Promise<void> {
    await this.#record();
    const differences = [...this.#counts].sort().map(([type, count]) => ({ type, count }));
    const [lines, agreed, from, to] = [this.#lines, this.#agreed, this.#from, this.#to];
    const summary = { digest, lines, agreed, differences, from, to };
    await this.#execute({ type: 'FinishSettlement', ...summary });
  }

  async #execute(command: WithoutAddress<Settlement.Command>): Promise<void> {
    const { tenantId, caller } = this.#request;
    const { commands } = this.#services;
    const addressed = { tenantId, settlementId: this.settlementId, at: commands.clock.now() };
    const name = { commandId: uuidV7() };
    await commands.execute(
      Settlement,
      { ...command, ...addressed } as Settlement.Command,
      name,
      caller,
    );
  }

  /** A large import outruns the read models, which are waited for again. */
  async #caughtUp(): Promise<void> {
    for (let wait = 1; ; wait += 1) {
      try {
        return await this.#services.readSide.caughtUp(this.#request.tenantId);
      } catch (error) {
        const isBehind = error instanceof Refused && error.code === 'ReadModelsBehind';
        if (!isBehind || wait === MAX_WAITS) throw error;
      }
    }
  }
}

type WithoutAddress<Command> = Command extends unknown
  ? Omit<Command, 'tenantId' | 'settlementId' | 'at'>
  : never;

async function* inBatches(
  pages: AsyncIterable<readonly FileLine[]>,
): AsyncGenerator<readonly FileLine[]> {
  let batch: FileLine[] = [];
  for await (const page of pages) {
    for (const line of page) {
      batch.push(line);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const UNKNOWN: Settlement.Difference = {
  type: 'unreadable',
  line: null,
  reference: '',
  kind: null,
  gatewayTransactionId: '',
  arn: '',
  transactionId: null,
  childId: null,
  amountMinor: null,
  currency: '',
  feeMinor: null,
  expected: '',
  since: '',
  detail: '',
};

function unreadable({ line, detail }: Extract<FileLine, { detail: string }>) {
  return { ...UNKNOWN, line, detail };
}

type Missing = Transaction.Movement & { readonly transactionId: string };

function missingThere(movement: Missing): Settlement.Difference {
  const { kind, gatewayTransactionId, arn, amountMinor, currency, feeMinor } = movement;
  return {
    ...UNKNOWN,
    type: 'missing-there',
    kind,
    gatewayTransactionId,
    arn,
    transactionId: movement.transactionId as TransactionId,
    childId: movement.id,
    amountMinor,
    currency,
    feeMinor,
    since: movement.at.slice(0, 'yyyy-mm-dd'.length),
  };
}
