/** The objects of one account in one mode, with its clock, ids and timed work. */
import type Stripe from 'stripe';
import type { Decline, TestCard } from './cards.ts';
import { missing } from './refusal.ts';

/** Objects in the order of their creation; lists read them backwards. */
export class Table<T extends { id: string }> {
  readonly #rows = new Map<string, T>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(row: T): T {
    this.#rows.set(row.id, row);
    return row;
  }

  find(id: string): T | undefined {
    return this.#rows.get(id);
  }

  /** @param param - The parameter or part of the path that names the object. */
  get(id: string, param: string, status?: 400 | 404): T {
    const row = this.#rows.get(id);
    if (row === undefined) throw missing(this.#kind, id, param, status);
    return row;
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  newestFirst(): readonly T[] {
    return [...this.#rows.values()].reverse();
  }
}

/** What the server knows of a payment method and does not show. */
export interface CardFacts {
  readonly card: TestCard;
  readonly cvcGiven: boolean;
  /** Set up for off-session charges by an authenticated payment or SetupIntent. */
  setUp: boolean;
  /** Used without a customer, or detached: it cannot be used again. */
  spent: boolean;
}

export interface IntentFacts {
  offSession: boolean;
  returnUrl: string | null;
  requestsAuthentication: boolean;
  authenticated: boolean;
}

export interface PlannedDecline extends Decline {
  times: number;
}

/** What tests planned, for all accounts of a server. */
export class Plans {
  readonly declines: PlannedDecline[] = [];
  /** How many of the next confirmations end as `processing`. */
  heldConfirmations = 0;
  /** How many of the next refunds begin as `requires_action`. */
  heldRefunds = 0;
  acceptsCardNumbers = true;
}

export interface RequestFacts {
  readonly id: string;
  readonly publishable: boolean;
  readonly idempotencyKey: string | null;
}

interface Task {
  readonly at: number;
  readonly run: () => void;
}

export interface StateParts {
  readonly account: Stripe.Account;
  readonly livemode: boolean;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly id: (prefix: string) => string;
  readonly url: () => string;
  /** Called with each event once it is stored. */
  readonly onEvent: (event: Stripe.EventBase, state: AccountState) => void;
  readonly apiVersion: string;
  readonly plans: Plans;
}

export class AccountState {
  readonly account: Stripe.Account;
  readonly livemode: boolean;
  readonly now: () => number;
  readonly id: (prefix: string) => string;
  readonly url: () => string;
  readonly apiVersion: string;
  readonly plans: Plans;

  readonly customers = new Table<Stripe.Customer>('customer');
  readonly deletedCustomers = new Set<string>();
  readonly paymentMethods = new Table<Stripe.PaymentMethod>('PaymentMethod');
  readonly paymentIntents = new Table<Stripe.PaymentIntent>('payment_intent');
  readonly setupIntents = new Table<Stripe.SetupIntent>('setupintent');
  readonly charges = new Table<Stripe.Charge>('charge');
  readonly refunds = new Table<Stripe.Refund>('refund');
  readonly disputes = new Table<Stripe.Dispute>('dispute');
  readonly files = new Table<Stripe.File>('file');
  readonly warnings = new Table<Stripe.Radar.EarlyFraudWarning>('issuer fraud record');
  readonly balanceTransactions = new Table<Stripe.BalanceTransaction>('balance transaction');
  readonly payouts = new Table<Stripe.Payout>('payout');
  readonly events = new Table<Stripe.EventBase>('event');

  readonly cards = new Map<string, CardFacts>();
  readonly intentFacts = new Map<string, IntentFacts>();
  /** Where the challenge of a SetupIntent sends back to. */
  readonly setupReturns = new Map<string, string | null>();
  readonly fileContents = new Map<string, Uint8Array>();
  /** Payout of each balance transaction that was paid out. */
  readonly payoutOf = new Map<string, string>();
  /** The request under way; events name it. */
  request: RequestFacts | null = null;

  readonly #onEvent: StateParts['onEvent'];
  /** Sorted by their time. */
  readonly #tasks: Task[] = [];

  constructor(parts: StateParts) {
    this.account = parts.account;
    this.livemode = parts.livemode;
    this.now = parts.now;
    this.id = parts.id;
    this.url = parts.url;
    this.apiVersion = parts.apiVersion;
    this.plans = parts.plans;
    this.#onEvent = parts.onEvent;
  }

  /** @param seconds - From now, by the server's clock. */
  later(seconds: number, run: () => void): void {
    const at = this.now() + seconds;
    // After those of the same time: they run in the order in which they were asked for.
    const next = this.#tasks.findLastIndex((each) => each.at <= at) + 1;
    this.#tasks.splice(next, 0, { at, run });
  }

  /** Runs what is due, in the order of its time. */
  runDue(): void {
    while (this.#tasks[0] !== undefined && this.#tasks[0].at <= this.now()) {
      this.#tasks.shift()?.run();
    }
  }

  /** Keeps the object as it is now. As text: most events are never read. */
  emit(type: string, object: { id?: string }, previous?: Record<string, unknown>): void {
    const kept = JSON.stringify(object);
    const event = {
      id: this.id('evt'),
      object: 'event',
      api_version: this.apiVersion,
      created: this.now(),
      data: {
        get object() {
          return JSON.parse(kept);
        },
        ...(previous === undefined ? {} : { previous_attributes: previous }),
      },
      livemode: this.livemode,
      pending_webhooks: 0,
      request:
        this.request === null
          ? { id: null, idempotency_key: null }
          : { id: this.request.id, idempotency_key: this.request.idempotencyKey },
      type,
    } as Stripe.EventBase;
    this.events.add(event);
    this.#onEvent(event, this);
  }

  cardOf(paymentMethod: string): CardFacts {
    const facts = this.cards.get(paymentMethod);
    if (facts === undefined) throw new Error(`No card behind ${paymentMethod}`);
    return facts;
  }

  factsOf(intent: string): IntentFacts {
    const facts = this.intentFacts.get(intent);
    if (facts === undefined) throw new Error(`No facts of ${intent}`);
    return facts;
  }

  /** Any object by its id, for `expand`. */
  objectOf(id: string): object | undefined {
    const tables: readonly Table<{ id: string }>[] = [
      this.customers,
      this.paymentMethods,
      this.paymentIntents,
      this.setupIntents,
      this.charges,
      this.refunds,
      this.disputes,
      this.files,
      this.balanceTransactions,
      this.payouts,
    ];
    for (const table of tables) {
      const found = table.find(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
