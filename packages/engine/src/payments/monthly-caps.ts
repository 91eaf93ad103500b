/** Enforces monthly caps of merchant accounts: a reservation per attempt, settled by its outcome. */
import {
  EventStoreError,
  type MerchantAccount,
  MonthlyCap,
  Routing,
  type StreamName,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { Refused } from '../refusal.ts';

/** Longer than a request takes to record its payment. */
const LEASE_MS = 15 * 60_000;
/** Per append. */
const MAX_AT_ONCE = 500;
/** Reservations whose payment is open; its outcome will settle them. */
const REMEMBERED_OPEN = 100_000;

/** The attempt to reserve for, and the instant that determines its month. */
export interface PlannedAttempt {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly transactionId: TransactionId;
  readonly attempt: number;
  readonly at: string;
}

/** A new reservation. */
export interface Room {
  readonly book: MonthlyCap.Book;
  readonly reservationId: string;
}

export interface Choice extends Routing.Routing {
  /** Undefined when the account has no cap, or this attempt is already reserved. */
  readonly room: Room | undefined;
}

interface Cap {
  readonly capMinor: bigint;
  readonly currency: string;
}

interface Want extends MonthlyCap.Wanted, Cap {
  readonly done: (result: Reserved) => void;
  readonly failed: (error: unknown) => void;
}

type Reserved = 'reserved' | 'held' | 'full';

interface Ended extends MonthlyCap.Settlement {
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Requests queued for the next append to a book. */
interface Queue {
  readonly book: MonthlyCap.Book;
  readonly ended: Ended[];
  readonly wants: Want[];
}

/**
 * Every payment of a capped account writes into one stream. Within a process these writes are batched
 * and serialized, so they do not conflict with each other.
 */
export class MonthlyCaps {
  readonly #commands: CommandRunner;
  readonly #queues = new Map<StreamName, Queue>();
  readonly #knownOpen = new LRUCache<string, true>({
    // `max` would allocate for all of them at once.
    maxSize: REMEMBERED_OPEN,
    sizeCalculation: () => 1,
  });

  constructor(commands: CommandRunner) {
    this.#commands = commands;
  }

  /** The first account that takes the payment, with a reservation if it has a cap. */
  async choose(
    accounts: readonly MerchantAccount.MerchantAccount[],
    payment: Routing.Routable,
    attempt: PlannedAttempt,
  ): Promise<Choice> {
    const full: number[] = [];
    for (;;) {
      const { account, skipped } = Routing.route(accounts, { ...payment, full });
      const cap = account === undefined ? undefined : capOf(account, payment);
      if (account === undefined || cap === undefined) return { account, skipped, room: undefined };
      const book = bookOf(attempt, account.merchantAccountId);
      const reservationId = MonthlyCap.reservationOf(attempt.transactionId, attempt.attempt);
      const wanted = { reservationId, amountMinor: payment.amountMinor };
      const reserved = await this.#reserve(book, wanted, cap);
      if (reserved !== 'full') {
        const room = reserved === 'reserved' ? { book, reservationId } : undefined;
        return { account, skipped, room };
      }
      full.push(account.merchantAccountId);
    }
  }

  /** The first account that would take the payment now. Reserves nothing. */
  async wouldTake(
    accounts: readonly MerchantAccount.MerchantAccount[],
    payment: Routing.Routable,
    attempt: PlannedAttempt,
  ): Promise<Routing.Routing> {
    const full: number[] = [];
    for (;;) {
      const { account, skipped } = Routing.route(accounts, { ...payment, full });
      if (account === undefined) return { account, skipped };
      const cap = capOf(account, payment);
      if (cap === undefined) return { account, skipped };
      const book = bookOf(attempt, account.merchantAccountId);
      const { usedMinor, reservedMinor } = await this.#stateOf(book);
      if (payment.amountMinor <= cap.capMinor - usedMinor - reservedMinor) {
        return { account, skipped };
      }
      full.push(account.merchantAccountId);
    }
  }

  /**
   * Runs the work of a reservation, and releases it on failure. After a failure of the log the attempt may
   * be recorded anyway: the reservation is then kept until its lease expires.
   */
  async holding<Result>(room: Room | undefined, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const isInDoubt = error instanceof EventStoreError;
      // If the release fails, the lease expires; the caller receives the first error.
      if (room !== undefined && !isInDoubt) await this.release(room).catch(() => undefined);
      throw error;
    }
  }

  /** Releases an unused reservation. If its attempt exists, the outcome settles it. */
  async release({ book, reservationId }: Room): Promise<void> {
    const fate = await this.#fateOf(book, reservationId);
    if (fate === 'open') return;
    await this.#settle(book, { reservationId, usedMinor: usedOf(fate) });
  }

  /** Settles the reservations of a payment's attempts that have an outcome. Idempotent. */
  async settle(tenantId: TenantId, payment: Transaction.Payment): Promise<void> {
    const { sandbox, transactionId } = payment;
    await Promise.all(
      payment.attempts.map(async ({ attempt, route, startedAt }) => {
        const planned = { tenantId, sandbox, transactionId, attempt, at: startedAt };
        const book = bookOf(planned, route.merchantAccountId);
        const fate = MonthlyCap.fateOf(payment, attempt, book);
        if (typeof fate === 'string') return;
        // Without a cap there is no such stream, which costs the log no read.
        const { reservations } = await this.#stateOf(book);
        const reservationId = MonthlyCap.reservationOf(transactionId, attempt);
        if (!reservations.has(reservationId)) return;
        await this.#settle(book, { reservationId, ...fate });
      }),
    );
  }

  #stateOf(book: MonthlyCap.Book): Promise<MonthlyCap.State> {
    return this.#commands.stateOf(MonthlyCap, MonthlyCap.streamOf(book));
  }

  async #fateOf(book: MonthlyCap.Book, reservationId: string): Promise<Fate> {
    const { tenantId } = book;
    const { transactionId, attempt } = MonthlyCap.attemptOf(reservationId);
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await this.#commands.stateOf(Transaction, stream);
    return MonthlyCap.fateOf(payment, attempt, book);
  }

  async #reserve(book: MonthlyCap.Book, wanted: MonthlyCap.Wanted, cap: Cap): Promise<Reserved> {
    // It would not fit into an empty month either.
    if (wanted.amountMinor > cap.capMinor) return 'full';
    return new Promise((done, failed) => {
      this.#enqueue(book, ({ wants }) => wants.push({ ...wanted, ...cap, done, failed }));
    });
  }

  async #settle(book: MonthlyCap.Book, settlement: MonthlyCap.Settlement): Promise<void> {
    return new Promise((done, failed) => {
      this.#enqueue(book, ({ ended }) => ended.push({ ...settlement, done, failed }));
    });
  }

  #enqueue(book: MonthlyCap.Book, add: (queue: Queue) => void): void {
    const stream = MonthlyCap.streamOf(book);
    const running = this.#queues.get(stream);
    const queue = running ?? { book, ended: [], wants: [] };
    add(queue);
    if (running !== undefined) return;
    this.#queues.set(stream, queue);
    void this.#drain(stream, queue);
  }

  /** Appends until the queue is empty. Requests that arrive during an append share the next one. */
  async #drain(stream: StreamName, queue: Queue): Promise<void> {
    // Requests of this turn of the event loop are part of the first append.
    await Promise.resolve();
    while (queue.ended.length > 0 || queue.wants.length > 0) {
      const ended = queue.ended.splice(0, MAX_AT_ONCE);
      if (ended.length > 0) await this.#settleAll(queue.book, ended);
      const wants = queue.wants.splice(0, MAX_AT_ONCE);
      if (wants.length > 0) await this.#reserveAll(queue.book, wants);
    }
    // In the turn that found the queue empty: the next request starts a new one.
    this.#queues.delete(stream);
  }

  async #settleAll(book: MonthlyCap.Book, ended: readonly Ended[]): Promise<void> {
    try {
      await this.#execute({ type: 'SettleRoom', ...book, settlements: ended.map(settlementOf) });
      for (const { done } of ended) done();
    } catch (error) {
      for (const { failed } of ended) failed(error);
    }
  }

  async #reserveAll(book: MonthlyCap.Book, wants: readonly Want[]): Promise<void> {
    try {
      const results = await this.#results(book, wants);
      for (const want of wants) want.done(results.get(want.reservationId) ?? 'full');
    } catch (error) {
      for (const { failed } of wants) failed(error);
    }
  }

  async #results(
    book: MonthlyCap.Book,
    wants: readonly Want[],
  ): Promise<ReadonlyMap<string, Reserved>> {
    const results = new Map<string, Reserved>();
    await this.#ask(book, wants, results);
    const left = () => wants.filter(({ reservationId }) => !results.has(reservationId));
    if (left().length === 0) return results;
    if (await this.#reclaim(book)) await this.#ask(book, left(), results);
    const [least] = left().toSorted((a, b) => (a.amountMinor < b.amountMinor ? -1 : 1));
    if (least !== undefined) await this.#noteLimit(book, least);
    return results;
  }

  async #noteLimit(
    book: MonthlyCap.Book,
    { capMinor, currency, amountMinor: wantedMinor }: Want,
  ): Promise<void> {
    if (MonthlyCap.limitedSince(await this.#stateOf(book), capMinor) !== null) return;
    await this.#execute({ type: 'NoteLimit', ...book, capMinor, currency, wantedMinor });
  }

  /** Reserves as much as fits, under the cap that was read last. */
  async #ask(
    book: MonthlyCap.Book,
    wants: readonly Want[],
    results: Map<string, Reserved>,
  ): Promise<void> {
    const capMinor = wants.at(-1)?.capMinor;
    if (capMinor === undefined) return;
    const wanted = wants.map(({ reservationId, amountMinor }) => ({ reservationId, amountMinor }));
    const leaseUntil = new Date(Date.parse(this.#now()) + LEASE_MS).toISOString();
    const command = { type: 'ReserveRoom', ...book, wanted, capMinor, leaseUntil } as const;
    const done = await this.#execute(command).catch(overCap);
    if (done === undefined) return;
    const made = done.events.flatMap((event) =>
      event.type === 'RoomReserved' ? event.reservations : [],
    );
    const isNew = new Set(made.map(({ reservationId }) => reservationId));
    for (const { reservationId } of wanted) {
      if (!MonthlyCap.holdsRoom(done.state, reservationId)) continue;
      results.set(reservationId, isNew.has(reservationId) ? 'reserved' : 'held');
    }
  }

  /**
   * Resolves reservations whose lease has expired: after a crash of the request there may be no payment.
   * Each is looked up once; one with an open payment waits for its outcome. Returns whether room was
   * freed.
   */
  async #reclaim(book: MonthlyCap.Book): Promise<boolean> {
    const now = this.#now();
    const stream = MonthlyCap.streamOf(book);
    const settlements: MonthlyCap.Settlement[] = [];
    const reservationIds: string[] = [];
    const { reservations } = await this.#stateOf(book);
    const overdue = [...reservations]
      .filter(
        ([id, { leaseUntil, lapsed }]) =>
          !lapsed && leaseUntil <= now && !this.#knownOpen.has(`${stream}/${id}`),
      )
      .slice(0, MAX_AT_ONCE);
    for (const [reservationId] of overdue) {
      const fate = await this.#fateOf(book, reservationId);
      if (fate === 'open') this.#knownOpen.set(`${stream}/${reservationId}`, true);
      else if (fate === 'missing') reservationIds.push(reservationId);
      else settlements.push({ reservationId, usedMinor: fate.usedMinor });
    }
    if (settlements.length > 0) {
      await this.#execute({ type: 'SettleRoom', ...book, settlements });
    }
    if (reservationIds.length > 0) {
      await this.#execute({ type: 'LapseRoom', ...book, reservationIds });
    }
    return settlements.length + reservationIds.length > 0;
  }

  #now(): string {
    return this.#commands.clock.now();
  }

  /** The decider of the book is idempotent, so its commands have random ids. */
  #execute(command: WithoutTime<MonthlyCap.Command>) {
    const at = this.#now();
    return this.#commands.execute(MonthlyCap, { ...command, at }, { commandId: uuidV7() }, SYSTEM);
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;
type Fate = ReturnType<typeof MonthlyCap.fateOf>;

/** Maps the rejection for an exceeded cap to undefined; rethrows others. */
function overCap(error: unknown): undefined {
  if (error instanceof Refused && error.code === 'OverMonthlyCap') return undefined;
  throw error;
}

function usedOf(fate: Exclude<Fate, 'open'>): bigint {
  return fate === 'missing' ? 0n : fate.usedMinor;
}

function settlementOf({ reservationId, usedMinor }: Ended): MonthlyCap.Settlement {
  return { reservationId, usedMinor };
}

/** Invalid amounts are refused elsewhere and reserve nothing. */
function capOf(
  account: MerchantAccount.MerchantAccount,
  { currency, amountMinor }: Routing.Routable,
): Cap | undefined {
  const capMinor = MonthlyCap.capOf(account, currency);
  return capMinor === undefined || amountMinor <= 0n ? undefined : { capMinor, currency };
}

function bookOf(
  { tenantId, sandbox, at }: PlannedAttempt,
  merchantAccountId: number,
): MonthlyCap.Book {
  return { tenantId, sandbox, merchantAccountId, month: MonthlyCap.monthOf(at) };
}
