/** The reactors by themselves: what a crash leaves open is settled, in time and once; notices come in. */

import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  Customer,
  createMemoryEventStore,
  decodeRecord,
  type EventStore,
  Reference,
  type Tenant,
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
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BlackLists } from '../black-list/black-list.ts';
import { listedIds } from '../black-list/values.ts';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { cardBrands } from '../gateways/card-brands.ts';
import { cardFingerprints } from '../gateways/card-fingerprint.ts';
import { GatewayTimeout, type PaymentGateway } from '../gateways/payment-gateway.ts';
import { gatewayRegistry } from '../gateways/registry.ts';
import { openSandboxGateway, type SandboxGateway } from '../gateways/sandbox/sandbox-gateway.ts';
import { Identities } from '../identities/identities.ts';
import { SessionKeys } from '../identities/session-keys.ts';
import { uuidV7 } from '../ids.ts';
import { silentLogger } from '../logger.ts';
import { CredentialVault } from '../merchant-accounts/credential-vault.ts';
import { MerchantAccounts } from '../merchant-accounts/merchant-accounts.ts';
import { Refused } from '../refusal.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { type Checkpoints, openCheckpoints } from '../storage/checkpoints.ts';
import { References } from '../tenants/references.ts';
import { Tenants } from '../tenants/tenants.ts';
import { CardTokens } from './card-tokens.ts';
import { Cards } from './cards.ts';
import { deadlineWorks } from './deadlines.ts';
import { GatewayAccounts } from './gateway-accounts.ts';
import { GatewayReactor } from './gateway-reactor.ts';
import { MonthlyCaps } from './monthly-caps.ts';
import { followNotices } from './notices.ts';
import { Payments } from './payments.ts';
import { PolicyReactor } from './policies.ts';
import { Sweeper } from './sweeper.ts';

const TENANT = 1 as TenantId;
const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GRACE_MS = 30 * SECOND;
const POLLING = { timeout: 10_000, interval: 5 };

type Operation = 'charge' | 'confirm' | 'capture' | 'void' | 'refund';

/** The process dies while it talks to the gateway. */
class Died extends Error {}

/** The sandbox behind a wire that can be cut: `before` the request arrives, or `after` it was done. */
class Wire {
  readonly gateway: SandboxGateway = openSandboxGateway({ path: ':memory:', answerDelayMs: 1 });
  cut: { readonly operation: Operation; readonly when: 'before' | 'after' } | undefined;
  /** What a request waits for on its way. */
  delay: Promise<void> | undefined;
  /** Whether questions get no answer. */
  silent = false;
  /** Instants at which the gateway was asked what became of something. */
  readonly askedAt: number[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get port(): PaymentGateway {
    const { gateway } = this;
    const sent = async <Answer>(operation: Operation, call: () => Promise<Answer>) => {
      await this.delay;
      if (this.cut?.operation !== operation) return call();
      if (this.cut.when === 'after') await call().catch(() => undefined);
      throw new Died();
    };
    const asked = async <Answer>(call: () => Promise<Answer>) => {
      this.askedAt.push(this.#now());
      if (this.silent) throw new GatewayTimeout('silence');
      return call();
    };
    return {
      gatewayId: 1,
      name: 'Sandbox',
      tokenize: (card, fingerprint) => gateway.tokenize(card, fingerprint),
      findToken: (token) => gateway.findToken(token),
      charge: (request) => sent('charge', () => gateway.charge(request)),
      confirm: (request) => sent('confirm', () => gateway.confirm(request)),
      capture: (request) => sent('capture', () => gateway.capture(request)),
      void: (request) => sent('void', () => gateway.void(request)),
      refund: (request) => sent('refund', () => gateway.refund(request)),
      findCharge: (request) => asked(() => gateway.findCharge(request)),
      findFollowUp: (operation, request) => asked(() => gateway.findFollowUp(operation, request)),
      noticesOf: (id) => gateway.noticesOf(id),
      close: () => gateway.close(),
    };
  }
}

type Unaddressed<Command> = Omit<Command, 'tenantId' | 'transactionId' | 'at'>;
type ChargebackNews =
  | Unaddressed<Transaction.CommandOf<'OpenChargeback'>>
  | Unaddressed<Transaction.CommandOf<'MoveChargeback'>>;

/** A ledger with its reactors; `restart` is what a new process would have. */
class Bench {
  readonly events: EventStore = createMemoryEventStore();
  readonly store: ReadModelStore = createMemoryReadModelStore();
  readonly checkpoints: Checkpoints = openCheckpoints(':memory:');
  readonly wire: Wire = new Wire(() => this.nowMs);
  readonly errors: unknown[] = [];
  readonly warnings: unknown[] = [];
  readonly #vault = new CredentialVault(randomBytes(32));
  nowMs = BEGIN_MS;
  /** The accounts of the company; a test may take one away. */
  accountIds: () => readonly number[] = () => [11, 12];
  commands!: CommandRunner;
  reactor!: GatewayReactor;
  payments!: Payments;
  references!: References;
  gatewayAccounts!: GatewayAccounts;
  merchantAccounts!: MerchantAccounts;
  sweeper!: Sweeper;
  /** All that waits for its time, the sweeper among it. */
  works!: readonly TimedWork[];
  readonly running: AbortSignal = new AbortController().signal;

  static async open({ retries = false }: { retries?: boolean } = {}): Promise<Bench> {
    const bench = new Bench();
    bench.restart();
    await bench.#onboard(retries);
    onTestFinished(async () => {
      await bench.wire.gateway.close();
      bench.checkpoints.close();
    });
    return bench;
  }

  get logger() {
    return {
      ...silentLogger,
      warn: (...line: unknown[]) => void this.warnings.push(line),
      error: (...line: unknown[]) => void this.errors.push(line),
    };
  }

  get gateways() {
    const bounds = { timeoutMs: 1_000, maxInFlight: 100, logger: this.logger };
    return gatewayRegistry([this.wire.port], bounds);
  }

  restart(): void {
    this.errors.length = 0;
    const clock = { now: () => new Date(this.nowMs).toISOString() };
    this.commands = new CommandRunner({ store: this.events }, clock, () => {});
    this.references = new References(this.commands, {
      merchantAccountIdsOf: async () => this.accountIds(),
      companyIdsOf: async () => [1],
      namesOf: () => Promise.reject(new Error('not asked for')),
    });
    const { references } = this;
    const caps = new MonthlyCaps(this.commands);
    const { gateways } = this;
    this.gatewayAccounts = new GatewayAccounts({ gateways, vault: this.#vault });
    const { gatewayAccounts } = this;
    const shared = { commands: this.commands, references, caps, gateways, gatewayAccounts };
    const { logger } = this;
    const sessionKeys = new SessionKeys(randomBytes(32));
    const policies = new PolicyReactor({ ...shared, sessionKeys, logger });
    const options = { ...shared, policies, logger, vault: this.#vault };
    this.merchantAccounts = new MerchantAccounts(options);
    this.reactor = new GatewayReactor(options);
    this.payments = new Payments({
      ...shared,
      blackLists: new BlackLists(this.commands, listedIds(randomBytes(32))),
      policies,
      identities: new Identities(this.commands, randomBytes(32)),
      reactor: this.reactor,
      cards: new Cards({
        gateways,
        gatewayAccounts,
        brandOf: cardBrands(),
        tokens: new CardTokens(randomBytes(32)),
        customerOf: (named) => this.commands.stateOf(Customer, Customer.streamOf(named)),
        fingerprintsOf: () => cardFingerprints(randomBytes(32)),
      }),
    });
    this.sweeper = new Sweeper({
      commands: this.commands,
      reactor: this.reactor,
      store: this.store,
      logger: this.logger,
      graceMs: GRACE_MS,
    });
    const { commands, store } = this;
    this.works = [this.sweeper, ...deadlineWorks({ commands, store, logger })];
  }

  async #onboard(retries: boolean): Promise<void> {
    const tenants = new Tenants(this.commands);
    await tenants.onboard(TENANT, { name: 'Tenant' }, SYSTEM);
    const at = this.commands.clock.now();
    const company = { tenantId: TENANT, companyId: 1, name: 'Company', at };
    await this.commands.execute(
      Reference,
      { type: 'DefineCompany', ...company },
      { commandId: uuidV7() },
      SYSTEM,
    );
    const gatewayCredentials = { apiKey: 'k', username: '', password: '', emailAddress: '' };
    for (const id of [11, 12]) {
      await this.merchantAccounts.openOnce(
        TENANT,
        id,
        {
          mid: `70${id}`,
          title: `Account ${id}`,
          companyId: 1,
          gatewayId: 1,
          descriptor: 'SHOP',
          defaultCurrency: 'GBP',
          currencies: [{ currency: 'GBP', gatewayCredentials }],
          allowRetriesFromOtherMids: retries,
        },
        SYSTEM,
      );
    }
  }

  async pay(
    number: string,
    { capture = true, ...named }: { capture?: boolean; merchantAccountId?: number } = {},
  ): Promise<TransactionId> {
    const transactionId = uuidV7() as TransactionId;
    const order = {
      ...Transaction.orderOf({
        orderId: 1,
        customerId: 1,
        email: 'ada@example.com',
        amountMinor: 10_000n,
        currency: 'GBP',
        companyId: 1,
      }),
      captureMode: capture ? ('automatic' as const) : ('manual' as const),
    };
    const card = { number, expMonth: 12, expYear: 2040, cvv: '123', holder: 'Ada' };
    await this.survive(
      this.payments.submit(
        { tenantId: TENANT, transactionId, content: number, order, instrument: { card }, ...named },
        SYSTEM,
      ),
    );
    return transactionId;
  }

  /** What the bank says of a payment, now. */
  async chargeback(transactionId: TransactionId, news: ChargebackNews): Promise<void> {
    const at = this.commands.clock.now();
    const command = { ...news, tenantId: TENANT, transactionId, at };
    await this.commands.execute(Transaction, command, { commandId: uuidV7() }, SYSTEM);
  }

  /** Lets a process die, and nothing else go wrong. */
  async survive(call: Promise<unknown>): Promise<void> {
    await call.catch((error: unknown) => {
      const died = error instanceof Died;
      if (!died && !(error instanceof Refused && error.code === 'GatewayFailed')) throw error;
    });
  }

  async payment(transactionId: TransactionId): Promise<Transaction.Payment> {
    return this.payments.get(TENANT, transactionId);
  }

  /** The types of a payment's events, in order. */
  async storyOf(transactionId: TransactionId): Promise<string[]> {
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId });
    return (await this.events.read(stream)).map((stored) => decodeRecord(stored).event.type);
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

  async sweepAt(ms: number): Promise<void> {
    this.nowMs = ms;
    await this.project();
    for (const work of this.works) await work.runDue(this.running);
    await this.project();
  }

  /** What the gateway has done, by operation. */
  async done(): Promise<string[]> {
    return (await Array.fromAsync(this.wire.gateway.records()))
      .filter(({ result }) => ['captured', 'authorized', 'done'].includes(result.result))
      .map(({ operation }) => operation);
  }
}

const APPROVE = '4242424242424242';
const SOFT = '4000000000009995';
const STOLEN = '4000000000009979';
const ACTION = '4000000000003220';
const ACTION_DECLINE = '4000008400001629';
const TIMEOUT_APPROVE = '4000000000040818';
const CHARGEBACK = '4000000000000259';
const ALERT = '4000000000005423';

/** A payment at the intent of an operation, and the caller who asks for the same again. */
interface Cut {
  readonly id: TransactionId;
  readonly again: () => Promise<unknown>;
}

/** Brings a payment to the intent of an operation, at which the wire is cut. */
async function untilCut(bench: Bench, operation: Operation): Promise<Cut> {
  const { wire } = bench;
  const cut = wire.cut;
  wire.cut = operation === 'charge' ? cut : undefined;
  const number = operation === 'confirm' ? ACTION : APPROVE;
  const id = await bench.pay(number, { capture: operation !== 'capture' });
  const requestId = uuidV7() as TransactionId;
  const again = () => followUp(bench, operation, { id, requestId });
  wire.cut = cut;
  if (operation !== 'charge') await bench.survive(again());
  wire.cut = undefined;
  return { id, again };
}

async function followUp(
  { payments }: Bench,
  operation: Operation,
  { id: transactionId, requestId }: { id: TransactionId; requestId: TransactionId },
): Promise<unknown> {
  const request = { tenantId: TENANT, transactionId, requestId, content: '' };
  switch (operation) {
    case 'confirm':
      return payments.confirm(request, SYSTEM);
    case 'capture':
      return payments.capture(request, 6_000n, SYSTEM);
    case 'void':
      return payments.void(request, SYSTEM);
    case 'refund': {
      const rest = { items: [], source: 'CardApi', notifyCustomer: false } as const;
      const amount = { refundId: requestId, amountMinor: 4_000n };
      return payments.refund({ ...request, ...rest, ...amount }, SYSTEM);
    }
    default:
      throw new Error(`${operation} follows nothing`);
  }
}

const SETTLED = {
  charge: { after: ['PaymentCaptured'], before: ['PaymentFailed'] },
  confirm: { after: ['PaymentCaptured'], before: ['PaymentCaptured'] },
  capture: { after: ['PaymentCaptured'], before: ['PaymentCaptured'] },
  void: { after: ['PaymentVoided'], before: ['PaymentVoided'] },
  refund: { after: ['Refunded'], before: ['Refunded'] },
} as const;

describe('a crash between intent and outcome', () => {
  const cases = (Object.keys(SETTLED) as Operation[]).flatMap((operation) => [
    { operation, when: 'after' as const },
    { operation, when: 'before' as const },
  ]);

  it.each(cases)(
    'of a $operation, $when the gateway did it, is settled at the next start',
    async ({ operation, when }) => {
      const bench = await Bench.open();
      bench.wire.cut = { operation, when };
      const { id } = await untilCut(bench, operation);
      const intent = await bench.storyOf(id);
      bench.nowMs += SECOND;
      bench.restart();
      const restartedMs = bench.nowMs;
      const settled = SETTLED[operation][when];
      // A request may still be on its way to a gateway that does not know the charge yet.
      const isWaiting = operation === 'charge' && when === 'before';
      await bench.sweepAt(restartedMs);
      const soon = (await bench.storyOf(id)).slice(intent.length);
      expect(soon).toEqual(isWaiting ? [] : settled);
      await bench.sweepAt(restartedMs + 5 * MINUTE);
      expect((await bench.storyOf(id)).slice(intent.length)).toEqual(settled);
      // Once here, once there, and with nothing left to do.
      const done = await bench.done();
      expect(done).toEqual([...new Set(done)]);
      await bench.sweepAt(bench.nowMs + DAY);
      expect(await bench.storyOf(id)).toHaveLength(intent.length + settled.length);
      expect(await bench.done()).toEqual(done);
      expect(bench.errors).toEqual([]);
    },
  );

  it.each(['confirm', 'capture', 'void', 'refund'] as const)(
    'of a %s is settled by the caller who asks again',
    async (operation) => {
      const bench = await Bench.open();
      bench.wire.cut = { operation, when: 'after' };
      const { id, again } = await untilCut(bench, operation);
      await again();
      expect(await bench.storyOf(id)).toContain(SETTLED[operation].after[0]);
      const story = await bench.storyOf(id);
      await again();
      expect(await bench.storyOf(id)).toEqual(story);
      expect((await bench.done()).filter((each) => each === operation)).toHaveLength(1);
    },
  );
});

describe('a payment that is found captured late', () => {
  const LATE = ['PaymentSubmitted', 'AttemptStarted', 'OutcomeUnknown', 'PaymentCaptured'];
  const REFUNDED = [...LATE, 'RefundRequested', 'Refunded'];

  /** Of an unknown outcome for an hour: until then the gateway answers no question. */
  async function unknownPayment(lateCapture: Partial<Tenant.LateCapture> = {}) {
    const bench = await Bench.open();
    const settings = { lateCapture };
    await new Tenants(bench.commands).changeSettings(TENANT, settings, SYSTEM);
    bench.wire.silent = true;
    const id = await bench.pay(TIMEOUT_APPROVE);
    expect((await bench.payment(id)).status).toBe('Unknown');
    for (const ms of [5 * SECOND, MINUTE, 5 * MINUTE]) await bench.sweepAt(BEGIN_MS + ms);
    bench.wire.silent = false;
    return { bench, id };
  }

  it('is kept by default', async () => {
    const { bench, id } = await unknownPayment();
    await bench.sweepAt(BEGIN_MS + HOUR);
    await bench.sweepAt(BEGIN_MS + DAY);
    expect(await bench.storyOf(id)).toEqual(LATE);
  });

  it('is refunded once, for a reason that is on record', async () => {
    const { bench, id } = await unknownPayment({ action: 'refund', afterMinutes: 59 });
    await bench.sweepAt(BEGIN_MS + HOUR);
    expect(await bench.storyOf(id)).toEqual(REFUNDED);
    const { refunds, ...payment } = await bench.payment(id);
    expect(refunds).toMatchObject([
      { reason: 'late-capture', source: 'System', amountMinor: 10_000n, notifyCustomer: true },
    ]);
    expect(Transaction.isRefunded({ refunds, ...payment })).toBe(true);
    await bench.sweepAt(BEGIN_MS + DAY);
    expect(await bench.storyOf(id)).toEqual(REFUNDED);
    expect((await bench.done()).filter((each) => each === 'refund')).toHaveLength(1);
  });

  it('is kept while it is not late', async () => {
    const { bench, id } = await unknownPayment({ action: 'refund', afterMinutes: 60 });
    await bench.sweepAt(BEGIN_MS + HOUR);
    expect(await bench.storyOf(id)).toEqual(LATE);
  });

  it.each(['before', 'after'] as const)(
    'is refunded once by the next process when one dies %s the refund',
    async (when) => {
      const { bench, id } = await unknownPayment({ action: 'refund', afterMinutes: 0 });
      bench.wire.cut = { operation: 'refund', when };
      await bench.sweepAt(BEGIN_MS + HOUR);
      expect(await bench.storyOf(id)).toEqual(REFUNDED.slice(0, -1));
      bench.wire.cut = undefined;
      bench.restart();
      await bench.sweepAt(BEGIN_MS + HOUR + 5 * MINUTE);
      await bench.sweepAt(BEGIN_MS + DAY);
      expect(await bench.storyOf(id)).toEqual(REFUNDED);
      expect((await bench.done()).filter((each) => each === 'refund')).toHaveLength(1);
    },
  );

  it('is refunded too when the setting came only after its outcome was unknown', async () => {
    const { bench, id } = await unknownPayment();
    const settings = { lateCapture: { action: 'refund', afterMinutes: 30 } } as const;
    await new Tenants(bench.commands).changeSettings(TENANT, settings, SYSTEM);
    await bench.sweepAt(BEGIN_MS + HOUR);
    expect(await bench.storyOf(id)).toEqual(REFUNDED);
  });
});

describe('a sweeper and a caller at the same payment', () => {
  it('do not contradict each other, though the gateway hears of the charge late', async () => {
    const bench = await Bench.open();
    bench.wire.cut = { operation: 'charge', when: 'before' };
    const id = await bench.pay(APPROVE);
    bench.wire.cut = undefined;
    bench.nowMs += SECOND;
    bench.restart();
    await bench.sweepAt(bench.nowMs);
    // By now the sweeper would believe a gateway that does not know the charge.
    bench.nowMs += 5 * MINUTE;
    const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
    bench.wire.delay = arrives;
    const asked = bench.reactor.charge(TENANT, id, { caller: SYSTEM, sentBefore: true });
    const swept = bench.sweeper.runDue(bench.running);
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    arrive();
    await Promise.all([asked, swept]);
    expect(await bench.done()).toEqual(['charge']);
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
  });

  it('sends a charge again that the gateway does not know, when its caller asks again', async () => {
    const bench = await Bench.open();
    bench.wire.cut = { operation: 'charge', when: 'before' };
    const id = await bench.pay(APPROVE);
    bench.wire.cut = undefined;
    bench.nowMs += SECOND;
    bench.restart();
    await bench.sweepAt(bench.nowMs);
    expect(await bench.payment(id)).toMatchObject({ status: 'Processing' });
    await bench.reactor.charge(TENANT, id, { caller: SYSTEM, sentBefore: true });
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
    expect(await bench.done()).toEqual(['charge']);
  });
});

describe.each([
  { operation: 'refund', failed: 'RefundFailed', made: 'Refunded' },
  { operation: 'void', failed: 'VoidFailed', made: 'PaymentVoided' },
] as const)('a $operation without an answer when a chargeback opens', (each) => {
  const { operation, failed, made } = each;

  /** Its money is held by a chargeback from now on, opened a second after the wire was cut. */
  async function disputed(when: 'before' | 'after') {
    const bench = await Bench.open();
    bench.wire.cut = { operation, when };
    const { id, again } = await untilCut(bench, operation);
    bench.errors.length = 0;
    bench.nowMs += SECOND;
    const chargebackId = uuidV7() as TransactionId;
    await bench.chargeback(id, {
      type: 'OpenChargeback',
      chargebackId,
      reference: 'cb-1',
      amountMinor: 10_000n,
      reasonCode: '10.4',
      arn: '',
      note: '',
    });
    const openedMs = bench.nowMs;
    return { bench, id, again, chargebackId, openedMs };
  }

  it('is not sent again, and fails once it cannot be on its way any more', async () => {
    const { bench, id, again, openedMs } = await disputed('before');
    await again();
    for (const ms of [0, 5 * SECOND, MINUTE]) await bench.sweepAt(openedMs + ms);
    bench.wire.silent = true;
    await bench.sweepAt(openedMs + 5 * MINUTE);
    expect(await bench.storyOf(id)).not.toContain(failed);
    bench.wire.silent = false;
    await bench.sweepAt(openedMs + HOUR);
    await again().catch(() => undefined);
    expect((await bench.storyOf(id)).at(-1)).toBe(failed);
    expect(await bench.done()).toEqual(['charge']);
    const payment = await bench.payment(id);
    expect(payment.pendingVoid).toBeNull();
    expect(Transaction.pendingRefundMinor(payment)).toBe(0n);
    for (const { note } of payment.refunds) expect(note).toContain('a chargeback');
    expect(bench.errors).toEqual([]);
  });

  it('is on record as made when the gateway made it', async () => {
    const { bench, id, openedMs } = await disputed('after');
    await bench.sweepAt(openedMs + 5 * SECOND);
    expect((await bench.storyOf(id)).at(-1)).toBe(made);
    expect(await bench.done()).toEqual(['charge', operation]);
  });

  it('is sent again once the chargeback has given the money back', async () => {
    const { bench, id, chargebackId, openedMs } = await disputed('before');
    const to = 'ChargebackWithdrawn';
    await bench.chargeback(id, { type: 'MoveChargeback', chargebackId, to, note: '' });
    await bench.sweepAt(openedMs + 5 * SECOND);
    expect((await bench.storyOf(id)).at(-1)).toBe(made);
    expect(await bench.done()).toEqual(['charge', operation]);
  });
});

describe('the schedule', () => {
  it('leaves an intent alone while the request that made it may still finish it', async () => {
    const bench = await Bench.open();
    bench.nowMs += SECOND;
    bench.wire.cut = { operation: 'charge', when: 'after' };
    const id = await bench.pay(APPROVE);
    const madeMs = bench.nowMs;
    await bench.sweepAt(madeMs + GRACE_MS - 1);
    expect(bench.wire.askedAt).toEqual([]);
    await bench.sweepAt(madeMs + GRACE_MS);
    expect(bench.wire.askedAt).toHaveLength(1);
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
  });

  it('asks at once about what was open before the process began', async () => {
    const bench = await Bench.open();
    bench.wire.cut = { operation: 'charge', when: 'after' };
    const id = await bench.pay(APPROVE);
    bench.nowMs += 1;
    bench.restart();
    await bench.sweepAt(bench.nowMs);
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
  });

  it.each([
    ['charge', 'before', 'Failed'],
    ['unknown', 'after', 'Captured'],
  ] as const)(
    'asks at once, and soon again, about a %s that it first sees hours later',
    async (kind, when, status) => {
      const bench = await Bench.open();
      bench.nowMs += SECOND;
      if (kind === 'charge') bench.wire.cut = { operation: 'charge', when };
      const id = await bench.pay(kind === 'charge' ? APPROVE : TIMEOUT_APPROVE);
      const seenMs = bench.nowMs + 3 * HOUR;
      bench.wire.silent = kind === 'unknown';
      await bench.sweepAt(seenMs);
      bench.wire.silent = false;
      expect(bench.wire.askedAt).toEqual([seenMs]);
      await bench.sweepAt(seenMs + 5 * MINUTE);
      expect(await bench.payment(id)).toMatchObject({ status });
    },
  );

  it('asks about an unknown outcome after 5 s, 1 min, 5 min, 1 h, daily five times, no more', async () => {
    const bench = await Bench.open();
    const id = await bench.pay(TIMEOUT_APPROVE);
    expect(await bench.payment(id)).toMatchObject({ status: 'Unknown' });
    bench.wire.silent = true;
    const due = [5 * SECOND, MINUTE, 5 * MINUTE, HOUR, DAY, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY];
    const looks = due.flatMap((ms) => [ms - 1, ms, ms + 1, ms + SECOND]);
    for (const ms of [...looks, 6 * DAY, 7 * DAY, 30 * DAY]) await bench.sweepAt(BEGIN_MS + ms);
    expect(bench.wire.askedAt.map((ms) => ms - BEGIN_MS)).toEqual(due);
    expect(await bench.payment(id)).toMatchObject({ status: 'Unknown' });
  });

  it.each(['capture', 'void', 'refund'] as const)(
    'asks about a %s without an answer after 5 s, like a charge',
    async (operation) => {
      const bench = await Bench.open();
      const id = await bench.pay(APPROVE, { capture: operation === 'refund' });
      bench.nowMs += SECOND;
      bench.wire.cut = { operation, when: 'after' };
      await bench.survive(followUp(bench, operation, { id, requestId: uuidV7() as TransactionId }));
      const madeMs = bench.nowMs;
      for (const ms of [0, 5 * SECOND - 1, 5 * SECOND]) await bench.sweepAt(madeMs + ms);
      expect(bench.wire.askedAt.map((ms) => ms - madeMs)).toEqual([5 * SECOND]);
    },
  );

  it('gives an intent that comes right after another one a schedule of its own', async () => {
    const bench = await Bench.open();
    const id = await bench.pay(TIMEOUT_APPROVE);
    await bench.sweepAt(BEGIN_MS + 5 * SECOND);
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
    const madeMs = bench.nowMs;
    bench.wire.cut = { operation: 'refund', when: 'before' };
    await bench.survive(followUp(bench, 'refund', { id, requestId: uuidV7() as TransactionId }));
    bench.wire.silent = true;
    bench.wire.askedAt.length = 0;
    const due = [5 * SECOND, MINUTE, 5 * MINUTE];
    for (const ms of [0, ...due.flatMap((at) => [at - 1, at])]) await bench.sweepAt(madeMs + ms);
    expect(bench.wire.askedAt.map((ms) => ms - madeMs)).toEqual(due);
  });

  it('does not put off an intent because its payment goes on changing', async () => {
    const bench = await Bench.open();
    const id = await bench.pay(APPROVE);
    const refund = () => followUp(bench, 'refund', { id, requestId: uuidV7() as TransactionId });
    bench.nowMs += SECOND;
    const madeMs = bench.nowMs;
    bench.wire.cut = { operation: 'refund', when: 'after' };
    await bench.survive(refund());
    await bench.sweepAt(madeMs + SECOND);
    await bench.survive(refund());
    await bench.sweepAt(madeMs + 2 * SECOND);
    expect(bench.wire.askedAt).toEqual([]);
    await bench.sweepAt(madeMs + 5 * SECOND);
    const statuses = (await bench.payment(id)).refunds.map(({ status }) => status);
    expect(statuses).toEqual(['Refunded', 'Refunded']);
  });

  it('takes the answer whenever it comes', async () => {
    const bench = await Bench.open();
    const id = await bench.pay(TIMEOUT_APPROVE);
    bench.wire.silent = true;
    await bench.sweepAt(BEGIN_MS + 5 * SECOND);
    bench.wire.silent = false;
    await bench.sweepAt(BEGIN_MS + MINUTE);
    expect(await bench.payment(id)).toMatchObject({ status: 'Captured' });
    await bench.sweepAt(BEGIN_MS + DAY);
    expect(bench.wire.askedAt).toHaveLength(2);
  });

  it('does not let one payment that cannot be settled keep the others waiting', async () => {
    const bench = await Bench.open();
    bench.wire.cut = { operation: 'charge', when: 'after' };
    const [poor, good] = [await bench.pay(APPROVE), await bench.pay(APPROVE)];
    bench.nowMs += 1;
    bench.restart();
    const find = bench.wire.gateway.findCharge.bind(bench.wire.gateway);
    bench.wire.gateway.findCharge = async (request) => {
      if (request.idempotencyKey.startsWith(poor)) throw new Error('unintelligible');
      return find(request);
    };
    await bench.sweepAt(bench.nowMs);
    expect(await bench.payment(poor)).toMatchObject({ status: 'Processing' });
    expect(await bench.payment(good)).toMatchObject({ status: 'Captured' });
    expect(bench.errors.length).toBeGreaterThan(0);
  });
});

describe('a decline', () => {
  it('goes to the next account when it is soft and the account allows it', async () => {
    const bench = await Bench.open({ retries: true });
    const { attempts, status, declineCode } = await bench.payment(await bench.pay(SOFT));
    expect(attempts.map(({ route }) => route.merchantAccountId)).toEqual([11, 12]);
    expect(attempts[1]?.route.skipped).toEqual([
      { merchantAccountId: 11, reason: 'already-tried' },
    ]);
    expect({ status, declineCode }).toEqual({
      status: 'Declined',
      declineCode: 'insufficient_funds',
    });
  });

  it.each([
    { what: 'a soft one where the account does not allow it', retries: false, number: SOFT },
    { what: 'a soft one of the account that was named', number: SOFT, merchantAccountId: 11 },
    { what: 'a hard one', number: STOLEN },
  ])('$what ends the payment', async ({ retries = true, number, ...named }) => {
    const bench = await Bench.open({ retries });
    const { attempts, status } = await bench.payment(await bench.pay(number, named));
    expect(attempts).toHaveLength(1);
    expect(status).toBe('Declined');
  });

  it('lets the customer act again where the next account asks for it', async () => {
    const bench = await Bench.open({ retries: true });
    const id = await bench.pay(ACTION_DECLINE);
    const confirm = async (requestId: string) => {
      const address = { tenantId: TENANT, transactionId: id, content: '' };
      await bench.payments.confirm({ ...address, requestId: requestId as TransactionId }, SYSTEM);
      return bench.payment(id);
    };
    const [first, second] = [uuidV7(), uuidV7()];
    expect(await confirm(first)).toMatchObject({ status: 'RequiresAction', attempts: [{}, {}] });
    // The same request again is about the first action, whose end is known.
    expect(await confirm(first)).toMatchObject({ status: 'RequiresAction' });
    expect(await confirm(second)).toMatchObject({ status: 'Declined', attempts: [{}, {}] });
  });

  it('becomes final when the account to be tried next disappears', async () => {
    const bench = await Bench.open({ retries: true });
    let looks = 0;
    bench.accountIds = () => {
      looks += 1;
      // Routed, then found to be worth another try; gone when it is to be made.
      return looks <= 2 ? [11, 12] : [11];
    };
    const id = await bench.pay(SOFT);
    expect(await bench.storyOf(id)).toEqual([
      'PaymentSubmitted',
      'AttemptStarted',
      'AttemptDeclined',
      'PaymentDeclined',
    ]);
    expect(await bench.payment(id)).toMatchObject({ declineCode: 'insufficient_funds' });
  });

  it('goes on to the next account after a crash in between', async () => {
    const bench = await Bench.open({ retries: true });
    let looks = 0;
    bench.accountIds = () => {
      looks += 1;
      if (looks === 3) throw new Died();
      return [11, 12];
    };
    const id = await bench.pay(SOFT);
    expect((await bench.storyOf(id)).at(-1)).toBe('AttemptDeclined');
    bench.nowMs += 1;
    bench.restart();
    await bench.sweepAt(bench.nowMs);
    expect((await bench.payment(id)).attempts).toHaveLength(2);
    expect(await bench.payment(id)).toMatchObject({ status: 'Declined' });
  });
});

describe('the notices of the gateway', () => {
  /** Follows until the condition holds. */
  async function follow(bench: Bench, until: () => Promise<boolean>): Promise<void> {
    const stopping = new AbortController();
    const { events, checkpoints, logger } = bench;
    const { commands, gateways, references, gatewayAccounts } = bench;
    const { signal } = stopping;
    const progress = new FollowerProgress();
    const shared = { gatewayAccounts, events, checkpoints, logger, signal, progress };
    const following = followNotices({ commands, gateways, references, ...shared });
    try {
      await vi.waitUntil(until, POLLING);
    } finally {
      stopping.abort();
      await following;
    }
  }

  it('come in once, however often the log is read', async () => {
    const bench = await Bench.open();
    const [disputed, alerted] = [await bench.pay(CHARGEBACK), await bench.pay(ALERT)];
    const arrived = async () =>
      (await bench.storyOf(disputed)).includes('ChargebackOpened') &&
      (await bench.storyOf(alerted)).includes('AlertReceived');
    await follow(bench, arrived);
    // A host that lost its checkpoint, or crashed before it was written, reads everything again.
    const again = Object.assign(bench, { checkpoints: openCheckpoints(':memory:') });
    bench.restart();
    const last = await bench.pay(CHARGEBACK);
    await follow(again, async () => (await bench.storyOf(last)).includes('ChargebackOpened'));
    const { chargebacks } = await bench.payment(disputed);
    expect(chargebacks).toMatchObject([{ amountMinor: 10_000n, reasonCode: '10.4' }]);
    expect((await bench.payment(alerted)).alerts).toMatchObject([{ source: 'AlertProvider' }]);
  });

  it('go on after one that the ledger refuses', async () => {
    const bench = await Bench.open();
    const { id: voided } = await untilCut(bench, 'void');
    const { gatewayTransactionId } = await bench.payment(voided);
    const notices = bench.wire.gateway.noticesOf.bind(bench.wire.gateway);
    bench.wire.gateway.noticesOf = async (id) =>
      id === gatewayTransactionId
        ? [{ kind: 'chargeback', reference: 'late', amountMinor: 1n, reasonCode: '', arn: '' }]
        : notices(id);
    const disputed = await bench.pay(CHARGEBACK);
    await follow(bench, async () => (await bench.storyOf(disputed)).includes('ChargebackOpened'));
    expect((await bench.payment(voided)).chargebacks).toEqual([]);
    expect(bench.warnings).toHaveLength(1);
  });

  it('go on past a payment that cannot be read', async () => {
    const bench = await Bench.open();
    const broken = await bench.pay(CHARGEBACK);
    const nonsense = { type: 'PaymentCaptured', schemaVersion: 1, data: '{', metadata: '{}' };
    await bench.events.append({
      stream: Transaction.streamOf({ tenantId: TENANT, transactionId: broken }),
      events: [{ ...nonsense, id: uuidV7(), tenantId: TENANT, time: new Date(0).toISOString() }],
      expected: { kind: 'any' },
      command: { id: uuidV7() as never, fingerprint: '' },
    });
    const disputed = await bench.pay(CHARGEBACK);
    await follow(bench, async () => (await bench.storyOf(disputed)).includes('ChargebackOpened'));
    expect(bench.errors).toEqual([]);
    expect(bench.warnings).toHaveLength(2);
  });

  it('wait for a gateway that is absent, and hold up no other', async () => {
    const bench = await Bench.open();
    const disputed = await bench.pay(CHARGEBACK);
    const { commands, events, checkpoints, logger, references, gatewayAccounts } = bench;
    const other = openSandboxGateway({ path: ':memory:', gatewayId: 2 });
    const gateways = gatewayRegistry([other], { timeoutMs: 1_000, maxInFlight: 1, logger });
    const stopping = new AbortController();
    const progress = new FollowerProgress();
    const { signal } = stopping;
    const shared = { gatewayAccounts, events, checkpoints, logger, signal, progress };
    const following = followNotices({ commands, gateways, references, ...shared });
    const head = await events.head();
    if (head === undefined) throw new Error('the log is empty');
    expect(await progress.reached(head, { timeoutMs: 10_000 })).toBe(true);
    stopping.abort();
    await following;
    await gateways.close();
    expect(bench.errors).toEqual([]);
    await follow(bench, async () => (await bench.storyOf(disputed)).includes('ChargebackOpened'));
  });

  it('wait for a gateway that cannot be reached', async () => {
    const bench = await Bench.open();
    const disputed = await bench.pay(CHARGEBACK);
    const notices = bench.wire.gateway.noticesOf.bind(bench.wire.gateway);
    let calls = 0;
    bench.wire.gateway.noticesOf = async (id) => {
      calls += 1;
      if (calls === 1) throw new Error('connection refused');
      return notices(id);
    };
    await follow(bench, async () => (await bench.storyOf(disputed)).includes('ChargebackOpened'));
    expect(bench.errors).toMatchObject([
      [{ gatewayId: 1 }, 'the gateway failed'],
      [{ reactor: 'gateway-notices/1' }, 'a reactor is held up'],
    ]);
  });
});
