/** Deadlines: each thing ends at its instant, not a millisecond before, once, and nothing else with it. */

import {
  createMemoryEventStore,
  decodeRecord,
  type EventStore,
  MerchantAccount,
  Routing,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  PROJECTIONS,
  type ReadModelStore,
  runProjections,
} from '@counterfoil/projections';
import { describe, expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { silentLogger } from '../logger.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { deadlineWorks } from './deadlines.ts';

const TENANT = 1 as TenantId;
const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const HOLD_DAYS = 180;
const RUNNING = new AbortController().signal;

/** Commands without what every one of them has. */
type Bare<Command> = Command extends unknown
  ? Omit<Command, 'tenantId' | 'transactionId' | 'at'>
  : never;

const APPROVED = {
  authCode: '123456',
  gatewayTransactionId: 'gateway-1',
  arn: 'arn-1',
  avsChecked: false,
  note: '',
} as const;

const ROUTE = Routing.routeTo(
  {
    merchantAccountId: 11,
    settings: MerchantAccount.withDefaults({
      mid: '7011',
      title: 'Account 11',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'SHOP',
      defaultCurrency: 'GBP',
      currencies: [],
      reservePercentage: 10,
    }),
  } as unknown as MerchantAccount.MerchantAccount,
  {
    gateway: 'Sandbox',
    reserveHoldDays: HOLD_DAYS,
    skipped: [],
    payment: { orderId: 1, brandId: 0, shop: '', product: '' },
  },
);

class Bench {
  readonly events: EventStore = createMemoryEventStore();
  readonly store: ReadModelStore = createMemoryReadModelStore();
  readonly warnings: unknown[] = [];
  readonly works: readonly TimedWork[];
  nowMs = BEGIN_MS;
  readonly #commands: CommandRunner;

  constructor() {
    const clock = { now: () => new Date(this.nowMs).toISOString() };
    this.#commands = new CommandRunner({ store: this.events }, clock, () => {});
    const warn = (...line: unknown[]) => void this.warnings.push(line);
    const logger = { ...silentLogger, warn };
    this.works = deadlineWorks({ commands: this.#commands, store: this.store, logger });
  }

  async ask(transactionId: TransactionId, command: Bare<Transaction.Command>): Promise<void> {
    const at = this.#commands.clock.now();
    await this.#commands.execute(
      Transaction,
      { ...command, tenantId: TENANT, transactionId, at } as Transaction.Command,
      { commandId: uuidV7() },
      SYSTEM,
    );
  }

  /** A payment whose first answer of the gateway is this one. */
  async pays(outcome: Record<string, unknown>): Promise<TransactionId> {
    const transactionId = uuidV7() as TransactionId;
    const order = Transaction.orderOf({
      orderId: 1,
      customerId: 1,
      email: 'ada@example.com',
      amountMinor: 10_000n,
      currency: 'GBP',
      companyId: 1,
    });
    await this.ask(transactionId, {
      type: 'SubmitPayment',
      ...order,
      route: ROUTE,
      blackListing: 0,
    });
    const at = this.#commands.clock.now();
    await this.ask(transactionId, {
      type: 'RecordOutcome',
      attempt: 1,
      outcome: { ...outcome, at } as Transaction.Outcome,
    });
    return transactionId;
  }

  async receivesAlert(
    id: TransactionId,
    source: 'AlertProvider' | 'CDRN' | 'RDR',
  ): Promise<string> {
    const alertId = uuidV7() as TransactionId;
    await this.ask(id, {
      type: 'ReceiveAlert',
      alertId,
      reference: alertId,
      source,
      alertType: 'CustomerDispute',
      amountMinor: 10_000n,
      arn: '',
      note: '',
    });
    return alertId;
  }

  /** What the works make of a payment at an instant: the types of the events that were added. */
  async endsAt(ms: number, transactionId: TransactionId): Promise<string[]> {
    const before = (await this.storyOf(transactionId)).length;
    this.nowMs = ms;
    await this.run();
    return (await this.storyOf(transactionId)).slice(before);
  }

  /** A round of every work; a second one, as a loop has it, must find nothing that the first has done. */
  async run(): Promise<void> {
    await this.project();
    for (const work of this.works) await work.runDue(RUNNING);
    for (const work of this.works) await work.runDue(RUNNING);
    await this.project();
  }

  async project(): Promise<void> {
    await runProjections({
      events: this.events,
      store: this.store,
      projections: PROJECTIONS,
      holder: 'bench',
      now: () => this.nowMs,
      untilHead: true,
    });
  }

  async storyOf(transactionId: TransactionId): Promise<string[]> {
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId });
    return (await this.events.read(stream)).map((stored) => decodeRecord(stored).event.type);
  }

  /** When the first of what waits is due, by the name of its work. */
  async nextDue(): Promise<Record<string, string>> {
    await this.project();
    const due: Record<string, string> = {};
    for (const work of this.works) {
      const next = await work.nextDueAt();
      if (next !== undefined) due[work.name] = next;
    }
    return due;
  }
}

const CAPTURED = { result: 'captured', ...APPROVED };
const AUTHORIZED = { result: 'authorized', ...APPROVED };
const ACTION = {
  result: 'action-required',
  nextAction: { type: 'redirect', url: 'https://example.com/3ds' },
  gatewayTransactionId: 'gateway-1',
  note: '',
};

function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}

describe('at its instant, and not a millisecond before', () => {
  it.each([
    ['a reserve', 'reserves', CAPTURED, HOLD_DAYS * DAY, 'ReserveReleased'],
    ['an authorization', 'payment-expiries', AUTHORIZED, 7 * DAY, 'AuthorizationExpired'],
    ['an action', 'payment-expiries', ACTION, DAY, 'AuthorizationExpired'],
  ])('%s ends', async (_, work, outcome, afterMs, event) => {
    const bench = new Bench();
    const id = await bench.pays(outcome);
    const dueMs = BEGIN_MS + afterMs;
    expect(await bench.nextDue()).toEqual({ [work]: instantOf(dueMs) });
    expect(await bench.endsAt(dueMs - 1, id)).toEqual([]);
    expect(await bench.endsAt(dueMs, id)).toEqual([event]);
    expect(await bench.nextDue()).toEqual({});
    expect(await bench.endsAt(dueMs + 1, id)).toEqual([]);
    expect(bench.warnings).toEqual([]);
  });

  it.each([
    ['AlertProvider', 24 * HOUR],
    ['CDRN', 72 * HOUR],
  ] as const)('an alert of %s expires', async (source, afterMs) => {
    const bench = new Bench();
    const id = await bench.pays(CAPTURED);
    await bench.receivesAlert(id, source);
    const dueMs = BEGIN_MS + afterMs;
    expect(await bench.nextDue()).toMatchObject({ 'alert-deadlines': instantOf(dueMs) });
    expect(await bench.endsAt(dueMs - 1, id)).toEqual([]);
    expect(await bench.endsAt(dueMs, id)).toEqual(['AlertExpired']);
    expect(await bench.endsAt(dueMs + 1, id)).toEqual([]);
  });

  it('is applied late after downtime', async () => {
    const bench = new Bench();
    const id = await bench.pays(AUTHORIZED);
    expect(await bench.endsAt(BEGIN_MS + 100 * DAY, id)).toEqual(['AuthorizationExpired']);
  });
});

describe('what does not end', () => {
  it('is an alert without a deadline, and one that was answered', async () => {
    const bench = new Bench();
    const id = await bench.pays(CAPTURED);
    await bench.receivesAlert(id, 'RDR');
    const alertId = (await bench.receivesAlert(id, 'CDRN')) as TransactionId;
    await bench.ask(id, { type: 'MoveAlert', alertId, to: 'AlertResolved', note: '' });
    expect(await bench.endsAt(BEGIN_MS + 100 * DAY, id)).toEqual([]);
  });

  it('is an authorization whose capture is under way, until that has failed', async () => {
    const bench = new Bench();
    const id = await bench.pays(AUTHORIZED);
    const captureId = uuidV7() as TransactionId;
    await bench.ask(id, { type: 'RequestCapture', captureId });
    expect(await bench.endsAt(BEGIN_MS + 8 * DAY, id)).toEqual([]);
    await bench.ask(id, { type: 'RecordCaptureFailure', captureId, note: '' });
    expect(await bench.endsAt(BEGIN_MS + 8 * DAY, id)).toEqual(['AuthorizationExpired']);
    expect(bench.warnings).toEqual([]);
  });

  it('is what stale read models report: the ledger refuses it, and it is logged', async () => {
    const bench = new Bench();
    const [gone, waiting] = [await bench.pays(AUTHORIZED), await bench.pays(AUTHORIZED)];
    await bench.project();
    const captureId = uuidV7() as TransactionId;
    await bench.ask(gone, { type: 'RequestCapture', captureId });
    bench.nowMs = BEGIN_MS + 7 * DAY;
    for (const work of bench.works) await work.runDue(RUNNING);
    expect((await bench.storyOf(gone)).at(-1)).toBe('CaptureRequested');
    expect((await bench.storyOf(waiting)).at(-1)).toBe('AuthorizationExpired');
    expect(bench.warnings).toMatchObject([
      [{ work: 'payment-expiries', transactionId: gone }, expect.any(String)],
    ]);
  });

  it('is a second action for the end of the first', async () => {
    const bench = new Bench();
    const id = await bench.pays(ACTION);
    await bench.project();
    bench.nowMs = BEGIN_MS + 23 * HOUR;
    await bench.ask(id, { type: 'CompleteAction' });
    const at = instantOf(bench.nowMs);
    const declined = { ...APPROVED, result: 'declined', declineCode: '51', hard: false, at };
    await bench.ask(id, {
      type: 'RecordOutcome',
      attempt: 1,
      outcome: { ...declined, retryElsewhere: true } as unknown as Transaction.Outcome,
    });
    await bench.ask(id, { type: 'StartAttempt', attempt: 2, route: ROUTE });
    const outcome = { ...ACTION, at } as unknown as Transaction.Outcome;
    await bench.ask(id, { type: 'RecordOutcome', attempt: 2, outcome });
    // The read models still show the first.
    bench.nowMs = BEGIN_MS + DAY;
    for (const work of bench.works) await work.runDue(RUNNING);
    expect((await bench.storyOf(id)).at(-1)).toBe('ActionRequired');
    expect(await bench.endsAt(BEGIN_MS + 47 * HOUR - 1, id)).toEqual([]);
    expect(await bench.endsAt(BEGIN_MS + 47 * HOUR, id)).toEqual(['AuthorizationExpired']);
  });

  it('is anything, once the host stops', async () => {
    const bench = new Bench();
    const id = await bench.pays(AUTHORIZED);
    bench.nowMs = BEGIN_MS + 8 * DAY;
    await bench.project();
    for (const work of bench.works) await work.runDue(AbortSignal.abort());
    expect((await bench.storyOf(id)).at(-1)).toBe('PaymentAuthorized');
  });
});

it('takes as many as there are, in one round', async () => {
  const bench = new Bench();
  const many = 450;
  const ids = await Promise.all(Array.from({ length: many }, () => bench.pays(AUTHORIZED)));
  bench.nowMs = BEGIN_MS + 7 * DAY;
  await bench.project();
  for (const work of bench.works) await work.runDue(RUNNING);
  const last = await Promise.all(ids.map(async (id) => (await bench.storyOf(id)).at(-1)));
  expect(last.filter((type) => type === 'AuthorizationExpired')).toHaveLength(many);
});
