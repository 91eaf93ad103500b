/** The subscriptions of one tenant, for one caller. */
import type { Subscription } from '@counterfoil/core';
import type { ReferenceNames } from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import { idOfKey } from '../idempotency-key.ts';
import { minorOf } from '../input/amounts.ts';
import { cadenceOf } from '../input/cadence.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { Id, text } from '../input/texts.ts';
import { instrumentOf, Keyed } from '../payments/index.ts';
import { named, nothing, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { References } from '../tenants/index.ts';
import {
  CardChange,
  MAX_LIMIT,
  OfCustomer,
  PlanChange,
  SubscriptionList,
  Unsubscription,
} from './subscription-input.ts';
import type { SubscriptionRequest, Subscriptions } from './subscriptions.ts';

const MAX_CHARGES = 36;
/** A year of a monthly plan. */
const DEFAULT_CHARGES = 12;

type Found = Subscription.Subscription;

interface FoundPage {
  readonly subscriptions: readonly Found[];
  readonly moreResults: boolean;
}

interface SubscriptionParts {
  readonly subscriptions: Subscriptions;
  readonly references: References;
  readonly clock: Clock;
}

export class TenantSubscriptions {
  readonly #subscriptions: Subscriptions;
  readonly #references: References;
  readonly #clock: Clock;
  readonly #acting: Acting;

  constructor({ subscriptions, references, clock }: SubscriptionParts, acting: Acting) {
    this.#subscriptions = subscriptions;
    this.#references = references;
    this.#clock = clock;
    this.#acting = acting;
  }

  /** Refuses with `SubscriptionUnknown`. */
  async get(subscriptionId: number): Promise<Found> {
    const { tenantId, environment } = this.#acting;
    const found = await this.#subscriptions.get(tenantId, subscriptionId);
    if (environment === 'live' || found.sandbox) return found;
    throw refused({ type: 'SubscriptionUnknown' });
  }

  /** A page of all subscriptions, newest first. Shows one's own writes. */
  async list(list: SubscriptionList = {}): Promise<FoundPage> {
    const { limit = MAX_LIMIT, sandbox, ...more } = list;
    const found = await this.#subscriptions.list({
      tenantId: this.#acting.tenantId,
      sandbox: sandboxOf(this.#acting, sandbox),
      ...definedOf(more),
      // One extra row tells whether there are more.
      limit: limit + 1,
    });
    return pageOf(found, limit);
  }

  /** A page of a customer's subscriptions, newest first. */
  async ofCustomer(customerId: number, { limit, after, sandbox }: OfCustomer): Promise<FoundPage> {
    const found = await this.#subscriptions.ofCustomer({
      tenantId: this.#acting.tenantId,
      customerId,
      sandbox: sandboxOf(this.#acting, sandbox),
      // One extra row tells whether there are more.
      limit: limit + 1,
      ...(after !== undefined && { after }),
    });
    return pageOf(found, limit);
  }

  /** The names of the tenant's companies and merchant accounts as they are now. */
  async names(): Promise<ReferenceNames> {
    return this.#references.names(this.#acting.tenantId);
  }

  /** The next charges by the current plan, and the retries if the first is declined. */
  async schedule(
    id: number,
    { count = DEFAULT_CHARGES }: { readonly count?: number | undefined } = {},
  ): Promise<Subscription.Schedule & Pick<Found, 'currency'>> {
    const found = await this.get(id);
    const schedule = await this.#subscriptions.scheduleOf(this.#acting.tenantId, found, count);
    return { ...schedule, currency: found.currency };
  }

  /** Suspends billing until `unfreeze`. */
  async freeze(
    id: number,
    { note = '', ...keyed }: Keyed & { readonly note?: string | undefined } = {},
  ) {
    const request = await this.#request('freezeSubscription', id, keyed, note);
    return this.#subscriptions.freeze(request, note, this.#acting.caller);
  }

  async unfreeze(id: number, keyed: Keyed = {}): Promise<Found> {
    const request = await this.#request('unfreezeSubscription', id, keyed);
    return this.#subscriptions.unfreeze(request, this.#acting.caller);
  }

  /** Bills another card from now on. */
  async changeCard(id: number, { card, token, ...keyed }: CardChange): Promise<Found> {
    const content = [token, card?.number.slice(-4), card?.expMonth, card?.expYear];
    const request = await this.#request('changeSubscriptionCard', id, keyed, content);
    return this.#subscriptions.changeCard(
      request,
      () => instrumentOf({ card, token }, this.#clock.now()),
      this.#acting.caller,
    );
  }

  /** Changes the plan from the next cycle on. Absent fields keep their value. */
  async changePlan(id: number, { idempotencyKey, ...plan }: PlanChange): Promise<Found> {
    const { name, description, rebillAmount } = plan;
    const { currency } = await this.get(id);
    const request = await this.#request('changeSubscriptionPlan', id, { idempotencyKey }, plan);
    const changed = {
      ...definedOf({ name, description }),
      ...cadenceOf(plan.frequencyDays, plan),
      ...(rebillAmount !== undefined && {
        rebillAmountMinor: minorOf(rebillAmount, currency, 'rebillAmount'),
      }),
    };
    return this.#subscriptions.changePlan(request, changed, this.#acting.caller);
  }

  async unsubscribe(
    id: number,
    {
      notifyCustomer = false,
      ...keyed
    }: Keyed & { readonly notifyCustomer?: boolean | undefined } = {},
  ): Promise<Found> {
    const request = await this.#request('endSubscription', id, keyed, notifyCustomer);
    return this.#subscriptions.unsubscribe(request, notifyCustomer, this.#acting.caller);
  }

  /** Ends subscriptions by the email of their customer or their order; returns how many were ended. */
  async unsubscribeByEmail(asked: Unsubscription): Promise<number> {
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, email, orderIds = [], notifyCustomer = false } = asked;
    const { subscriptionIds: subscriberIds = [] } = asked;
    const content = { email, orderIds, subscriberIds, notifyCustomer };
    return this.#subscriptions.unsubscribeByEmail(
      {
        ...content,
        tenantId,
        sandbox: sandboxOf(this.#acting, asked.sandbox),
        requestIdOf: (id) =>
          idOfKey(this.#acting, 'unsubscribeCustomer', { key, actsOn: [String(id)] }),
        content,
      },
      caller,
    );
  }

  async #request(
    operation: string,
    subscriptionId: number,
    { idempotencyKey: key }: Keyed,
    content: unknown = null,
  ): Promise<SubscriptionRequest> {
    await this.get(subscriptionId);
    const actsOn = [String(subscriptionId)];
    const requestId = idOfKey(this.#acting, operation, { key, actsOn });
    return { tenantId: this.#acting.tenantId, subscriptionId, requestId, content: [content] };
  }
}

function pageOf(found: readonly Found[], limit: number): FoundPage {
  return { subscriptions: found.slice(0, limit), moreResults: found.length > limit };
}

export const SUBSCRIPTION_INPUTS: CallInputs<TenantSubscriptions> = {
  get: [Id],
  list: [SubscriptionList.optional()],
  ofCustomer: [Id, OfCustomer],
  names: [],
  schedule: [Id, z.strictObject({ count: z.int().min(1).max(MAX_CHARGES).optional() }).optional()],
  freeze: [Id, Keyed.extend({ note: text(1_000).optional() }).optional()],
  unfreeze: [Id, Keyed.optional()],
  changeCard: [Id, CardChange],
  changePlan: [Id, PlanChange],
  unsubscribe: [Id, Keyed.extend({ notifyCustomer: z.boolean().optional() }).optional()],
  unsubscribeByEmail: [Unsubscription],
};

export const SUBSCRIPTION_CALLS: RecordedCalls<TenantSubscriptions> = {
  ofCustomer: named,
  freeze: named,
  unfreeze: named,
  changeCard: named,
  changePlan: named,
  unsubscribe: named,
  unsubscribeByEmail: nothing,
};
