/** What tests do to a running server, and read of it. */
import type Stripe from 'stripe';
import { type BankControls, bankControls } from './bank-controls.ts';
import type { Decline } from './cards.ts';
import { passChallenge } from './challenge.ts';
import type { FaultPlan, Planned } from './faults.ts';
import { finishProcessing } from './intent-machine.ts';
import type { KeyRequest } from './keys.ts';
import { type Readings, readingsOf } from './readings.ts';
import type { Api } from './server.ts';
import type { AccountState, Plans } from './state.ts';
import type { Delivered, DeliveryPlan, WebhookEndpoint, Webhooks } from './webhooks.ts';

export interface StripeServer extends BankControls, Readings {
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
  /** The next refunds begin as `requires_action`: only those can be canceled. */
  holdRefunds(times?: number): void;
  /** Forgets what is kept under idempotency keys, as after 24 hours. */
  forgetIdempotencyKeys(): void;

  addWebhookEndpoint(endpoint: WebhookEndpoint): { readonly id: string; readonly secret: string };
  removeWebhookEndpoint(id: string): void;
  /** A new secret; the old one signs beside it for a day, or as long as given. */
  rollWebhookSecret(id: string, options?: { readonly keepSeconds?: number }): string;
  /** Events that no endpoint has accepted yet, oldest first. */
  pendingWebhooks(): readonly Stripe.EventBase[];
  /** Sends what waits: in order, reversed, doubled, some of it. What is refused waits on. */
  deliverWebhooks(plan?: DeliveryPlan): Promise<readonly Delivered[]>;
  /** Loses what waits, or what matches. */
  dropWebhooks(only?: readonly string[]): number;
  /** Until endpoints with `automatic` have answered. */
  webhooksSettled(): Promise<void>;
}

export interface ServerParts {
  readonly url: string;
  readonly account: string;
  readonly api: Api;
  readonly id: (prefix: string) => string;
  readonly plans: Plans;
  readonly webhooks: Webhooks;
  readonly states: () => readonly AccountState[];
  readonly now: () => Date;
  readonly seconds: () => number;
  readonly addAccount: (platform?: string) => string;
  readonly advance: (milliseconds: number) => void;
  readonly stop: () => Promise<void>;
}

const DAY_SECONDS = 86_400;

export function controlsOf(parts: ServerParts): StripeServer {
  const { api, account, plans, webhooks, id } = parts;
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
  const challenge = (intent: string, passed: boolean): string => {
    const back = passChallenge(parts.states(), intent, passed);
    if (back === undefined) throw new Error('The server has no such object');
    return back;
  };

  return {
    ...readingsOf(api, parts.states),
    ...bankControls({ states: parts.states, account, runDue: () => api.runDue() }),
    url: parts.url,
    account,
    secretKey: issueKey(),
    restrictedKey: issueKey({ kind: 'restricted' }),
    publishableKey: issueKey({ kind: 'publishable' }),
    async close() {
      await parts.stop();
      if (api.mismatches.length > 0) {
        throw new Error(`Not as Stripe's document says:\n${api.mismatches.join('\n')}`);
      }
    },
    now: parts.now,
    advance: parts.advance,
    issueKey,
    revokeKey: (key) => api.keys.revoke(key),
    createAccount: ({ platform } = {}) => parts.addAccount(platform),
    acceptCardNumbers(accepted) {
      plans.acceptsCardNumbers = accepted;
    },
    fail: (plan) => api.faults.plan(plan, parts.seconds()),
    decline(decline, { times = 1 } = {}) {
      plans.declines.push({ ...decline, times });
    },
    holdProcessing(times = 1) {
      plans.heldConfirmations = times;
    },
    finishProcessing(name) {
      for (const state of parts.states()) {
        const intent = state.paymentIntents.find(name);
        if (intent !== undefined) finishProcessing(state, intent);
      }
    },
    completeChallenge: (intent) => challenge(intent, true),
    failChallenge: (intent) => challenge(intent, false),
    holdRefunds(times = 1) {
      plans.heldRefunds = times;
    },
    forgetIdempotencyKeys: () => api.kept.forgetAll(),
    addWebhookEndpoint(endpoint) {
      const added = { id: id('we'), secret: id('whsec') };
      webhooks.add(added.id, added.secret, { account, ...endpoint });
      return added;
    },
    removeWebhookEndpoint: (name) => webhooks.remove(name),
    rollWebhookSecret(name, { keepSeconds = DAY_SECONDS } = {}) {
      const secret = id('whsec');
      webhooks.roll(name, secret, keepSeconds);
      return secret;
    },
    pendingWebhooks: () => webhooks.pending(),
    deliverWebhooks: (plan = {}) => webhooks.deliver(plan),
    dropWebhooks: (only) => webhooks.drop(only),
    webhooksSettled: () => webhooks.settled(),
  };
}
