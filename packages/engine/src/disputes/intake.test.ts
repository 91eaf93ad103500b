/** Reports of disputes after a crash: whatever append is the last, the books come to what was reported. */
import {
  createMemoryEventStore,
  type Dispute,
  type EventStore,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  DetailView,
  PROJECTIONS,
  ReferenceView,
  runProjections,
  SearchView,
  UnansweredView,
} from '@counterfoil/projections';
import { describe, expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { silentLogger as logger } from '../logger.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import { placesInMemory } from '../storage/checkpoints.ts';
import { Transactions } from '../transactions/transactions.ts';
import { followReports } from './follow-reports.ts';
import { DisputeIntake, type DisputeReport } from './intake.ts';

const TENANT = 7 as TenantId;
const PAYMENT = '0195a000-0000-7000-8000-000000000001' as TransactionId;
const NOW = '2026-03-01T12:00:00.000Z';
const OPENED = '2026-02-20T00:00:00.000Z';
const clock = { now: () => NOW };

/** The process has crashed: what it appends later is not written. */
class Died extends Error {}

/** A store that ends at an append: before it is written, or after it, without its answer. */
function dying(store: EventStore, at: number, when: 'before' | 'after'): EventStore {
  let appends = 0;
  return {
    async append(request) {
      appends += 1;
      if (appends < at) return store.append(request);
      if (appends === at && when === 'after') await store.append(request);
      throw new Died();
    },
    read: (stream, range) => store.read(stream, range),
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** The log and the read models, which outlive the processes. */
class World {
  readonly events = createMemoryEventStore();
  readonly #store = createMemoryReadModelStore();

  async project(): Promise<void> {
    await runProjections({
      events: this.events,
      store: this.#store,
      projections: PROJECTIONS,
      holder: 'projections',
      now: () => Date.parse(NOW),
      untilHead: true,
    });
  }

  process(store: EventStore = this.events) {
    const commands = new CommandRunner({ store }, clock, () => {});
    const reference = new ReferenceView(this.#store);
    const transactions = new Transactions({
      details: new DetailView(this.#store, reference),
      searches: new SearchView(this.#store, reference),
      unanswered: new UnansweredView(this.#store),
      readSide: { caughtUp: () => this.project() } as unknown as ReadSide,
      clock: { ...clock, sleep: async () => {} } as never,
      commands,
    });
    const references = { answerDaysOf: async () => Object.values(Transaction.ANSWER_DAYS) };
    const intake = new DisputeIntake({ commands, transactions, references, logger });
    return { commands, intake };
  }

  /** What a new process does by itself, to the end of the log. */
  async recover(): Promise<void> {
    const { commands, intake } = this.process();
    const stopping = new AbortController();
    const progress = new FollowerProgress();
    const following = followReports({
      intake,
      commands,
      events: this.events,
      checkpoints: placesInMemory(),
      logger,
      signal: stopping.signal,
      progress,
    });
    // Its own appends are events that it follows too.
    let head = await this.events.head();
    for (let before: typeof head; head !== undefined && head !== before; ) {
      before = head;
      if (!(await progress.reached(head, { timeoutMs: 10_000 }))) throw new Error('held up');
      head = await this.events.head();
    }
    stopping.abort();
    await following;
  }

  /** The payment, and how many events the log has. */
  async books() {
    const { commands } = this.process();
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId: PAYMENT });
    const payment = await commands.stateOf(Transaction, stream);
    let size = 0;
    for await (const batch of this.events.subscribe({ untilHead: true })) size += batch.length;
    const { chargebacks, alerts, refunds } = payment as Transaction.Payment;
    return { chargebacks, alerts, refunds, size };
  }
}

const none = 0n;
const terms: Transaction.Route['terms'] = {
  feeCurrency: 'GBP',
  discountRatePercentage: '0',
  gatewayTransactionFeeMinor: none,
  bankAuthFeeMinor: none,
  bankDeclineFeeMinor: none,
  bankAvsFeeMinor: none,
  customFeeMinor: none,
  customFeeApprovedOnlyMinor: none,
  chargebackFeeMinor: 1_500n,
  alertProviderFeeMinor: none,
  rdrFeeMinor: none,
  cdrnFeeMinor: none,
  reservePercentage: '0',
  reserveHoldDays: 0,
};

/** A world with a captured payment of 20 pounds. */
async function withPayment(): Promise<World> {
  const world = new World();
  const { commands } = world.process();
  const addressed = { tenantId: TENANT, transactionId: PAYMENT, at: NOW };
  const order = Transaction.orderOf({
    orderId: 1,
    customerId: 1,
    email: 'ada@example.com',
    amountMinor: 2_000n,
    currency: 'GBP',
    companyId: 1,
  });
  const route = {
    merchantAccountId: 1,
    companyId: 1,
    gatewayId: 1,
    gateway: 'Sandbox',
    mid: '7001',
    midName: 'Main',
    descriptor: 'ACME',
    terms,
    skipped: [],
  };
  const outcome = {
    result: 'captured',
    authCode: '1',
    gatewayTransactionId: 'g1',
    arn: 'arn-1',
    avsChecked: false,
    note: '',
    at: NOW,
  } as const;
  for (const command of [
    { type: 'SubmitPayment', ...addressed, ...order, route, blackListing: 0 },
    { type: 'RecordOutcome', ...addressed, attempt: 1, outcome },
  ] as Transaction.Command[]) {
    await commands.execute(Transaction, command, { commandId: uuidV7() }, SYSTEM);
  }
  return world;
}

function report(more: Partial<Dispute.Claim>, status: Dispute.ReportedStatus): DisputeReport {
  return {
    claim: {
      kind: 'chargeback',
      provider: 'acme',
      reference: 'case-1',
      sandbox: false,
      currency: 'GBP',
      amountMinor: 2_000n,
      reasonCode: '10.4',
      alertType: null,
      alertSource: null,
      openedAt: OPENED,
      respondBy: null,
      ...more,
    },
    places: { transactionId: null, gatewayTransactionId: '', arn: 'arn-1', orderId: null },
    status,
    note: '',
  };
}

const chargeback = report({}, 'ChargebackWon');
const credit = report(
  { kind: 'alert', alertSource: 'RDR', alertType: 'AutoResolved', reasonCode: '' },
  'AlertResolved',
);
/** Report, match, and what it opens and moves in the books: by the appends that it takes. */
const APPENDS = 5;

const deaths = (['a chargeback', 'an RDR credit'] as const).flatMap((kind) =>
  (['before', 'after'] as const).flatMap((when) =>
    Array.from({ length: APPENDS }, (_, index) => ({ kind, when, append: index + 1 })),
  ),
);

describe('a report', () => {
  it('takes as many appends as there are deaths below', async () => {
    for (const given of [chargeback, credit]) {
      const world = await withPayment();
      const { size: before } = await world.books();
      await world.process().intake.report(TENANT, given, SYSTEM);
      expect((await world.books()).size - before).toBe(APPENDS);
    }
  });

  it.each(deaths)('of $kind is in the books after a death $when append $append', async (death) => {
    const given = death.kind === 'a chargeback' ? chargeback : credit;
    const whole = await withPayment();
    await whole.process().intake.report(TENANT, given, SYSTEM);
    const expected = await whole.books();

    const world = await withPayment();
    const { intake } = world.process(dying(world.events, death.append, death.when));
    await expect(intake.report(TENANT, given, SYSTEM)).rejects.toBeInstanceOf(Died);
    await world.recover();
    const isWritten = death.append > 1 || death.when === 'after';
    // A provider that got no answer delivers again.
    if (isWritten) expect(await world.books()).toEqual(expected);
    await world.process().intake.report(TENANT, given, SYSTEM);
    await world.recover();
    expect(await world.books()).toEqual(expected);
  });
});
