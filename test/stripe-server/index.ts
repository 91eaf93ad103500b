/** A server that behaves as Stripe's API does, in process: state machines, faults, a clock to move. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Stripe from 'stripe';
import { newAccount } from './account.ts';
import type { Decline } from './cards.ts';
import { passChallenge } from './challenge.ts';
import type { FaultPlan, Planned } from './faults.ts';
import { finishProcessing } from './intent-machine.ts';
import type { KeyRequest } from './keys.ts';
import { failRefund } from './refunds.ts';
import { API_VERSION, Api, type SeenRequest } from './server.ts';
import { AccountState, Plans } from './state.ts';

export type { Decline } from './cards.ts';
export { DECLINES, TEST_CARDS, type TestCard } from './cards.ts';
export type { FaultPlan, Planned } from './faults.ts';
export type { KeyRequest } from './keys.ts';
export { API_VERSION, type SeenRequest } from './server.ts';

export interface StripeServerOptions {
  /** The machine's clock if not given; `advance` adds to either. */
  readonly now?: () => Date;
  readonly country?: string;
  readonly defaultCurrency?: string;
  readonly descriptorPrefix?: string;
}

export interface StripeServer {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  readonly account: string;
  /** Of the first account: `sk_test_…`, `rk_test_…`, `pk_test_…`. */
  readonly secretKey: string;
  readonly restrictedKey: string;
  readonly publishableKey: string;

  /** Ends the server. Throws where a request or an answer did not hold to the published document. */
  close(): Promise<void>;

  /** The server's time. */
  now(): Date;
  /** Moves the server's clock, and does what becomes due. */
  advance(milliseconds: number): void;

  issueKey(request?: KeyRequest): string;
  revokeKey(key: string): void;
  /** Another account; with `platform` keys of that one reach it by `Stripe-Account`. */
  createAccount(options?: { readonly platform?: string }): string;
  /** Whether card numbers may be sent; otherwise only tokens and publishable keys. */
  acceptCardNumbers(accepted: boolean): void;

  /** Plans a fault for the next matching calls. */
  fail(plan: FaultPlan): Planned;
  /** The next charges are declined so. */
  decline(decline: Decline, options?: { readonly times?: number }): void;
  /** The next confirmations end as `processing`, until `finishProcessing`. */
  holdProcessing(times?: number): void;
  finishProcessing(intent: string): void;
  /** The customer completes or fails the challenge; answers with the address to return to. */
  completeChallenge(intent: string): string;
  failChallenge(intent: string): string;
  /** The bank sends a refund back. */
  failRefund(refund: string, reason?: string): void;
  /** The next refunds begin as `requires_action`: only those can be canceled. */
  holdRefunds(times?: number): void;
  /** Forgets what is kept under idempotency keys, as after 24 hours. */
  forgetIdempotencyKeys(): void;

  /** Captured, in Stripe's units of the currency (`usd`), over all accounts. */
  takenMinor(currency: string): bigint;
  /** Given back by refunds that did not fail, in the same units. */
  refundedMinor(currency: string): bigint;
  /** Copies, newest first, over all accounts. */
  paymentIntents(): readonly Stripe.PaymentIntent[];
  charges(): readonly Stripe.Charge[];
  refunds(): readonly Stripe.Refund[];
  events(): readonly Stripe.EventBase[];
  /** What was asked, oldest first. */
  requests(): readonly SeenRequest[];
  /** What did not hold to the published document; empty without `STRIPE_OPENAPI`. */
  mismatches(): readonly string[];
  /** For a test that sends what the document forbids. */
  forgetMismatches(): void;
}

const LOOPBACK = '127.0.0.1';
const SECOND_MS = 1_000;

export async function startStripeServer(options: StripeServerOptions = {}): Promise<StripeServer> {
  let offsetMs = 0;
  let counter = 0;
  let url = '';
  const nonce = crypto.randomUUID().replaceAll('-', '').slice(0, 12);
  const clock = options.now ?? (() => new Date());
  const now = () => new Date(clock().getTime() + offsetMs);
  const seconds = () => Math.floor(now().getTime() / SECOND_MS);
  const id = (prefix: string) => {
    counter += 1;
    return `${prefix}_${nonce}${counter.toString(36).padStart(12, '0')}`;
  };
  const plans = new Plans();
  const states = new Map<string, AccountState>();
  const platforms = new Map<string, string>();

  const addAccount = (): string => {
    const account = newAccount(id('acct'), seconds(), {
      country: options.country ?? 'US',
      defaultCurrency: options.defaultCurrency ?? 'usd',
      descriptorPrefix: options.descriptorPrefix ?? 'TESTSHOP',
    });
    for (const livemode of [false, true]) {
      states.set(
        `${account.id} ${livemode}`,
        new AccountState({
          account,
          livemode,
          now: seconds,
          id,
          url: () => url,
          onEvent: () => undefined,
          apiVersion: API_VERSION,
          plans,
        }),
      );
    }
    return account.id;
  };

  const account = addAccount();
  const api = new Api({
    now: seconds,
    id,
    stateOf: (name, livemode) => states.get(`${name} ${livemode}`),
    connected: (platform, name) => platforms.get(name) === platform,
    states: () => states.values(),
  });
  const issueKey = (request: KeyRequest = {}): string =>
    api.keys.issue(
      {
        kind: request.kind ?? 'secret',
        mode: request.mode ?? 'test',
        account: request.account ?? account,
        permissions: request.permissions ?? {},
      },
      id('key').slice(4),
    ).value;

  const server = createServer((message, response) => {
    api.serve(message, response).catch((error: unknown) => {
      api.mismatches.push(`The server failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;

  const all = <T>(read: (state: AccountState) => readonly T[]): readonly T[] =>
    structuredClone([...states.values()].flatMap(read));
  const owning = <T>(find: (state: AccountState) => T | undefined): [AccountState, T] => {
    for (const state of states.values()) {
      const found = find(state);
      if (found !== undefined) return [state, found];
    }
    throw new Error('The server has no such object');
  };
  const intentOf = (name: string) => owning((state) => state.paymentIntents.find(name));
  const sum = (amounts: readonly number[]) =>
    amounts.reduce((total, each) => total + BigInt(each), 0n);

  return {
    url,
    account,
    secretKey: issueKey(),
    restrictedKey: issueKey({ kind: 'restricted' }),
    publishableKey: issueKey({ kind: 'publishable' }),
    async close() {
      api.faults.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      if (api.mismatches.length > 0) {
        throw new Error(`Not as Stripe's document says:\n${api.mismatches.join('\n')}`);
      }
    },
    now,
    advance(milliseconds) {
      offsetMs += milliseconds;
      api.runDue();
    },
    issueKey,
    revokeKey: (key) => api.keys.revoke(key),
    createAccount({ platform } = {}) {
      const added = addAccount();
      if (platform !== undefined) platforms.set(added, platform);
      return added;
    },
    acceptCardNumbers(accepted) {
      plans.acceptsCardNumbers = accepted;
    },
    fail: (plan) => api.faults.plan(plan, seconds()),
    decline(decline, { times = 1 } = {}) {
      plans.declines.push({ ...decline, times });
    },
    holdProcessing(times = 1) {
      plans.heldConfirmations = times;
    },
    finishProcessing(name) {
      finishProcessing(...intentOf(name));
    },
    completeChallenge: (name) => passChallenge(...intentOf(name), true),
    failChallenge: (name) => passChallenge(...intentOf(name), false),
    failRefund(name, reason) {
      const [state, refund] = owning((each) => each.refunds.find(name));
      failRefund(state, refund, reason);
    },
    holdRefunds(times = 1) {
      plans.heldRefunds = times;
    },
    forgetIdempotencyKeys: () => api.kept.forgetAll(),
    takenMinor: (currency) =>
      sum(
        all((state) => state.charges.newestFirst())
          .filter((charge) => charge.currency === currency && charge.captured)
          .map((charge) => charge.amount_captured),
      ),
    refundedMinor: (currency) =>
      sum(
        all((state) => state.refunds.newestFirst())
          .filter((refund) => refund.currency === currency && isGivenBack(refund))
          .map((refund) => refund.amount),
      ),
    paymentIntents: () => all((state) => state.paymentIntents.newestFirst()),
    charges: () => all((state) => state.charges.newestFirst()),
    refunds: () => all((state) => state.refunds.newestFirst()),
    events: () => all((state) => state.events.newestFirst()),
    requests: () => [...api.requests],
    mismatches: () => [...api.mismatches],
    forgetMismatches() {
      api.mismatches.length = 0;
    },
  };
}

/** Released authorizations moved nothing. */
function isGivenBack(refund: Stripe.Refund): boolean {
  return (
    refund.balance_transaction !== null &&
    (refund.status === 'succeeded' || refund.status === 'pending')
  );
}
