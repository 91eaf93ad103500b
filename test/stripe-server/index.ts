/** A server that behaves as Stripe's API does, in process: state machines, faults, a clock to move. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newAccount } from './account.ts';
import { controlsOf, type StripeServer } from './controls.ts';
import { API_VERSION, Api } from './server.ts';
import { AccountState, Plans } from './state.ts';
import { Webhooks } from './webhooks.ts';

export { DECLINES, type Decline, TEST_CARDS, type TestCard } from './cards.ts';
export type { StripeServer } from './controls.ts';
export type { FaultPlan, Planned } from './faults.ts';
export type { KeyRequest } from './keys.ts';
export { API_VERSION, type SeenRequest } from './server.ts';
export type { Delivered, DeliveryPlan, WebhookEndpoint } from './webhooks.ts';

export interface StripeServerOptions {
  /** The machine's clock if not given; `advance` adds to either. */
  readonly now?: () => Date;
  /** A free one if not given. */
  readonly port?: number;
  readonly country?: string;
  readonly defaultCurrency?: string;
  /** Of the statement descriptor. */
  readonly descriptorPrefix?: string;
}

const LOOPBACK = '127.0.0.1';
const SECOND_MS = 1_000;
/** Longer than between two calls of a client that is in use; servers on the internet do as well. */
const KEEP_ALIVE_MS = 75_000;

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
    // Letters between the digits: an id must not look like the number of a card. The padding is no digit.
    return `${prefix}_${nonce}${counter.toString(32).padStart(12, 'x')}`;
  };
  const states = new Map<string, AccountState>();
  const platforms = new Map<string, string>();
  const connected = (platform: string, account: string) => platforms.get(account) === platform;
  const plans = new Plans();
  const webhooks = new Webhooks(seconds, connected);

  const addAccount = (platform?: string): string => {
    const account = newAccount(id('acct'), seconds(), {
      country: options.country ?? 'US',
      defaultCurrency: options.defaultCurrency ?? 'usd',
      descriptorPrefix: options.descriptorPrefix ?? 'TESTSHOP',
    });
    for (const livemode of [false, true]) {
      const state = new AccountState({
        account,
        livemode,
        now: seconds,
        id,
        url: () => url,
        onEvent: (event) => webhooks.take(event, state),
        apiVersion: API_VERSION,
        plans,
      });
      states.set(`${account.id} ${livemode}`, state);
    }
    if (platform !== undefined) platforms.set(account.id, platform);
    return account.id;
  };

  const account = addAccount();
  const api = new Api({
    now: seconds,
    id,
    stateOf: (name, livemode) => states.get(`${name} ${livemode}`),
    connected,
    states: () => states.values(),
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (message, response) => {
    api.serve(message, response).catch((error: unknown) => {
      api.mismatches.push(`The server failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, LOOPBACK, resolve));
  url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;

  return controlsOf({
    url,
    account,
    api,
    id,
    plans,
    webhooks,
    states: () => [...states.values()],
    now,
    seconds,
    addAccount,
    advance(milliseconds) {
      offsetMs += milliseconds;
      api.runDue();
    },
    async stop() {
      api.faults.close();
      await webhooks.settled();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}
