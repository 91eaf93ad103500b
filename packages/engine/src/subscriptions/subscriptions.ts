/** Use cases of subscriptions: freeze, unfreeze, end, change plan, change card. */

import {
  emailIdentity,
  type Subject,
  Subscription,
  type TenantId,
  type Transaction,
} from '@counterfoil/core';
import type {
  CustomerSubscriptionsQuery,
  EmailSubscriptionsQuery,
  SubscriptionListQuery,
} from '@counterfoil/projections';
import type { Caller, CommandName, CommandRunner } from '../command-runner.ts';
import type { Identities } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import type { Cards, Instrument } from '../payments/index.ts';
import { refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { References } from '../tenants/index.ts';
import { isCardRemoved } from './subscribed-card.ts';

const PAGE = 100;
/** Subscriptions ended concurrently: their appends share a commit. */
const CONCURRENCY = 16;

/** Lists across streams, from a read model. */
export interface SubscriptionIndex {
  /** A page of all subscriptions, newest first. A page that is not full is the last. */
  list(query: SubscriptionListQuery): Promise<readonly Subscription.Subscription[]>;
  /** The same of a customer. */
  ofCustomer(query: CustomerSubscriptionsQuery): Promise<readonly Subscription.Subscription[]>;
  /** The same by the email of the order. May contain false positives. */
  ofEmail(query: EmailSubscriptionsQuery): Promise<readonly Subscription.Subscription[]>;
}

type Paging = Pick<CustomerSubscriptionsQuery, 'limit' | 'after'>;
type ListPage = (paging: Paging) => Promise<readonly Subscription.Subscription[]>;

export interface SubscriptionServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly references: References;
  readonly cards: Cards;
  readonly readSide: ReadSide;
  readonly index: SubscriptionIndex;
}

/** The subscription, and the idempotency id and content of the request. */
export interface SubscriptionRequest {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
  readonly requestId: string;
  readonly content: unknown;
}

export interface UnsubscribeRequest {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly email: string;
  /** Ids of starting orders and of subscriptions. All subscriptions of the email when both are empty. */
  readonly orderIds: readonly number[];
  readonly subscriberIds: readonly number[];
  readonly notifyCustomer: boolean;
  /** The idempotency id for one subscription. */
  readonly requestIdOf: (subscriptionId: number) => string;
  readonly content: unknown;
}

type ChangedPlan = Subscription.CommandOf<'ChangePlan'>['plan'];
type Act = WithoutFrame<Subscription.Command>;
type WithoutFrame<Each> = Each extends unknown
  ? Omit<Each, 'tenantId' | 'subscriptionId' | 'at'>
  : never;

export class Subscriptions {
  readonly #services: SubscriptionServices;

  constructor(services: SubscriptionServices) {
    this.#services = services;
  }

  /** Refuses with `SubscriptionUnknown`. */
  async get(tenantId: TenantId, subscriptionId: number): Promise<Subscription.Subscription> {
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const subscription = await this.#services.commands.stateOf(Subscription, stream);
    if (subscription === null) throw refused({ type: 'SubscriptionUnknown' });
    return subscription;
  }

  /** A page of all subscriptions of a tenant, newest first. */
  async list(query: SubscriptionListQuery): Promise<readonly Subscription.Subscription[]> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.index.list(query);
  }

  /** A page of a customer's subscriptions, newest first. */
  async ofCustomer(
    query: CustomerSubscriptionsQuery,
  ): Promise<readonly Subscription.Subscription[]> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.index.ofCustomer(query);
  }

  /** The next `count` charges by the current plan, and the retries if the first is declined. */
  async scheduleOf(
    tenantId: TenantId,
    subscription: Subscription.Subscription,
    count: number,
  ): Promise<Subscription.Schedule> {
    const { commands, references } = this.#services;
    const { dunning } = await references.settingsOf(tenantId);
    const cardRemoved = await isCardRemoved(commands, tenantId, subscription);
    const now = commands.clock.now();
    return Subscription.scheduleOf(subscription, dunning, count, { now, cardRemoved });
  }

  freeze(request: SubscriptionRequest, note: string, caller: Caller) {
    return this.#act(request, { type: 'Freeze', note }, caller);
  }

  unfreeze(request: SubscriptionRequest, caller: Caller) {
    return this.#act(request, { type: 'Unfreeze' }, caller);
  }

  unsubscribe(request: SubscriptionRequest, notifyCustomer: boolean, caller: Caller) {
    const act = { type: 'Unsubscribe', reason: 'customer-service', notifyCustomer } as const;
    return this.#act(request, { ...act, requestedBy: caller.actor }, caller);
  }

  changePlan(request: SubscriptionRequest, plan: ChangedPlan, caller: Caller) {
    return this.#act(request, { type: 'ChangePlan', plan }, caller);
  }

  /**
   * Stores the card at the gateway of the subscription's account and bills it from now on. A repeated
   * request is recognised before `instrument` validates the card.
   */
  async changeCard(
    request: SubscriptionRequest,
    instrument: () => Instrument,
    caller: Caller,
  ): Promise<Subscription.Subscription> {
    const { tenantId, subscriptionId } = request;
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const card = await this.#services.commands.prepared(Subscription, stream, nameOf(request), () =>
      this.#keep(request, instrument()),
    );
    if (card === undefined) return this.get(tenantId, subscriptionId);
    return this.#act(request, { type: 'ChangeCard', card }, caller);
  }

  /** Does not store a card for an ended subscription. */
  async #keep(
    { tenantId, subscriptionId }: SubscriptionRequest,
    instrument: Instrument,
  ): Promise<Transaction.Card> {
    const { references, cards } = this.#services;
    const subscription = await this.get(tenantId, subscriptionId);
    const { sandbox, merchantAccountId, customerId, unsubscribedAt } = subscription;
    if (unsubscribedAt !== null) throw refused({ type: 'SubscriptionInactive', unsubscribedAt });
    const account = await references.merchantAccount(tenantId, merchantAccountId);
    return cards.keep(
      { tenantId, sandbox, customerId },
      instrument,
      account === null ? [] : [account],
    );
  }

  /**
   * Ends the subscriptions of the email's current customer and those ordered with the email. Returns the
   * number ended by this request; a repeated request returns the same number.
   */
  async unsubscribeByEmail(request: UnsubscribeRequest, caller: Caller): Promise<number> {
    const { identities, readSide, index } = this.#services;
    const { tenantId, sandbox, email, notifyCustomer, requestIdOf, content } = request;
    const named = { tenantId, sandbox, email };
    const holder = await identities.holderOf(named);
    await readSide.caughtUp(tenantId);
    const lists: ListPage[] = [(paging) => index.ofEmail({ ...named, ...paging })];
    if (holder !== undefined) {
      const customer = { tenantId, sandbox, customerId: holder.customerId };
      lists.push((paging) => index.ofCustomer({ ...customer, ...paging }));
    }
    const isNamed = meantBy(request);
    const isTheirs = (subscription: Subscription.Subscription) =>
      subscription.customerId === holder?.customerId ||
      emailIdentity(subscription.email) === emailIdentity(email);
    return this.#endEach(tenantId, lists, caller, {
      isMeant: (subscription) => isTheirs(subscription) && isNamed(subscription),
      act: {
        type: 'Unsubscribe',
        reason: 'customer-service',
        requestedBy: caller.actor,
        notifyCustomer,
      },
      nameOf: (id) => ({ commandId: requestIdOf(id), content }),
    });
  }

  /** Ends all subscriptions of a customer, idempotent per reason; returns how many were ended. */
  async unsubscribeAllOf(
    customer: Subject,
    reason: Subscription.UnsubscribeReason,
    caller: Caller,
  ): Promise<number> {
    await this.#services.readSide.caughtUp(customer.tenantId);
    const { index } = this.#services;
    const list: ListPage = (paging) => index.ofCustomer({ ...customer, ...paging });
    return this.#endEach(customer.tenantId, [list], caller, {
      isMeant: () => true,
      act: { type: 'Unsubscribe', reason, requestedBy: caller.actor, notifyCustomer: false },
      nameOf: (id) => ({
        commandId: deterministicUuid(['unsubscribe-all', reason, String(id)]),
        content: reason,
      }),
    });
  }

  async #endEach(
    tenantId: TenantId,
    lists: readonly ListPage[],
    caller: Caller,
    how: {
      readonly isMeant: (subscription: Subscription.Subscription) => boolean;
      readonly act: Act;
      readonly nameOf: (subscriptionId: number) => CommandName;
    },
  ): Promise<number> {
    const { commands } = this.#services;
    let ended = 0;
    /** A subscription can be in both lists. */
    const seen = new Set<number>();
    const end = async ({ subscriptionId }: Subscription.Subscription) => {
      const at = commands.clock.now();
      const command = { ...how.act, tenantId, subscriptionId, at } as Subscription.Command;
      const name = how.nameOf(subscriptionId);
      const { events } = await commands.execute(Subscription, command, name, caller);
      if (events.length > 0) ended += 1;
    };
    for (const list of lists) {
      for await (const page of pagesOf(list)) {
        const items = page.filter((each) => how.isMeant(each) && !seen.has(each.subscriptionId));
        for (const { subscriptionId } of items) seen.add(subscriptionId);
        await inParallel({ items, atOnce: CONCURRENCY, act: end });
      }
    }
    return ended;
  }

  async #act(
    request: SubscriptionRequest,
    act: Act,
    caller: Caller,
  ): Promise<Subscription.Subscription> {
    const { commands } = this.#services;
    const { tenantId, subscriptionId } = request;
    const at = commands.clock.now();
    const command = { ...act, tenantId, subscriptionId, at } as Subscription.Command;
    const { state } = await commands.execute(Subscription, command, nameOf(request), caller);
    if (state === null) throw refused({ type: 'SubscriptionUnknown' });
    return state;
  }
}

async function* pagesOf(list: ListPage): AsyncGenerator<readonly Subscription.Subscription[]> {
  let after: number | undefined;
  for (;;) {
    const page = await list({ limit: PAGE, ...(after !== undefined && { after }) });
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.subscriptionId;
  }
}

function nameOf({ requestId, content }: SubscriptionRequest): Required<CommandName> {
  return { commandId: requestId, content };
}

/** The union of both lists; all when both are empty. */
function meantBy({
  orderIds,
  subscriberIds,
}: UnsubscribeRequest): (subscription: Subscription.Subscription) => boolean {
  if (orderIds.length === 0 && subscriberIds.length === 0) return () => true;
  const orders = new Set(orderIds);
  const subscribers = new Set(subscriberIds);
  return ({ orderId, subscriptionId }) => orders.has(orderId) || subscribers.has(subscriptionId);
}
