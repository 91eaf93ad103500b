/** One import: books the lines that agree with the books, and records every difference. */
import { Settlement, type TenantId, type Transaction, type TransactionId } from '@counterfoil/core';
import { type SettlementBooks, type SettlementView, unsettledIn } from '@counterfoil/projections';
import type { Caller } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { Refused } from '../refusal.ts';
import { ahead } from '../runtime/ahead.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import { type BookingServices, LineBooking, type MatchedLine } from './line-booking.ts';
import type { FileLine, ReadLine, UnreadableLine } from './settlement-file.ts';

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

export interface ImportServices extends BookingServices {
  readonly readSide: ReadSide;
}

export interface ImportRequest {
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  readonly name?: string;
  readonly graceDays?: number;
}

export interface OwnedImport extends ImportRequest {
  readonly tenantId: TenantId;
  readonly caller: Caller;
}

/** Where the lines of an import come from. */
export interface LineSource {
  readonly lines: AsyncIterable<readonly FileLine[]>;
  /** SHA-256 of the content, hex; once all lines were read. */
  digest(): string;
}

/** Lines that are booked together; those of the next batch are matched meanwhile. */
interface Batch {
  readonly matched: readonly MatchedLine[];
  readonly unread: readonly UnreadableLine[];
}

/** An import with a name has the same id each time. */
export function settlementIdOf(
  request: Pick<OwnedImport, 'tenantId' | 'sandbox' | 'merchantAccountId' | 'name'>,
): TransactionId {
  const { tenantId, sandbox, merchantAccountId, name } = request;
  const named = ['settlement', String(tenantId), String(sandbox), String(merchantAccountId)];
  const id = name === undefined ? uuidV7() : deterministicUuid([...named, name]);
  return id as TransactionId;
}

export class ImportRun {
  readonly settlementId: TransactionId;
  readonly #services: ImportServices;
  readonly #view: SettlementView;
  readonly #request: OwnedImport;
  readonly #books: SettlementBooks;
  readonly #booking: LineBooking;
  readonly #counts = new Map<Settlement.DifferenceType, number>();
  #pending: Settlement.Difference[] = [];
  #lines = 0;
  #agreed = 0;
  #booked = 0;
  #from = '';
  #to = '';

  constructor(services: ImportServices, view: SettlementView, request: OwnedImport) {
    const { tenantId, sandbox, merchantAccountId } = request;
    this.#services = services;
    this.#view = view;
    this.#request = request;
    this.#books = { tenantId, sandbox, merchantAccountId };
    this.#booking = new LineBooking(services, { ...this.#books, tenantId, caller: request.caller });
    this.settlementId = settlementIdOf(request);
  }

  /** Answers with how many lines were booked now. */
  async take(source: LineSource, onProgress: (lines: number) => void): Promise<number> {
    await this.#caughtUp();
    let batches = 0;
    for await (const batch of ahead(this.#matched(source.lines))) {
      if (batches === 0) await this.#start();
      await this.#takeBatch(batch);
      batches += 1;
      if (batches % BATCHES_AHEAD === 0) await this.#caughtUp();
      onProgress(this.#lines);
    }
    if (batches === 0) await this.#start();
    await this.#record();
    await this.#caughtUp();
    await this.#findMissingThere();
    await this.#finish(source.digest());
    return this.#booked;
  }

  async *#matched(pages: LineSource['lines']): AsyncGenerator<Batch> {
    for await (const lines of inBatches(pages)) {
      const readable: ReadLine[] = [];
      const unread: UnreadableLine[] = [];
      for (const line of lines) {
        if ('kind' in line) readable.push(line);
        else unread.push(line);
      }
      yield { matched: await this.#booking.match(readable), unread };
    }
  }

  async #takeBatch({ matched, unread }: Batch): Promise<void> {
    this.#lines += matched.length + unread.length;
    for (const line of unread) await this.#differs(unreadable(line));
    for (const { line } of matched) {
      const { settledDate } = line;
      if (this.#from === '' || settledDate < this.#from) this.#from = settledDate;
      if (settledDate > this.#to) this.#to = settledDate;
    }
    for (const result of await this.#booking.book(matched)) {
      if (result.outcome === 'elsewhere') this.#lines -= 1;
      else if (result.outcome === 'differs') await this.#differs(result.difference);
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

function unreadable(line: UnreadableLine): Settlement.Difference {
  return { ...UNKNOWN, ...line };
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
