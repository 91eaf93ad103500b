/** What callers may pass to the subscriptions of a tenant. */
import { SUBSCRIPTION_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { checkCadence } from '../input/cadence.ts';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import { EmailText, Id, keyed } from '../input/texts.ts';
import { instrument, Keyed, planMembers } from '../payments/index.ts';

export const MAX_LIMIT = 100;

// Only searched for; consecutive ids look like a card number.
const ids = z.array(mayHoldCardNumber(z.int().positive())).max(1_000).readonly().optional();

export const Unsubscription = z.strictObject({
  ...keyed,
  email: EmailText,
  /** Ends the union of both lists; without both, all subscriptions of the email. */
  orderIds: ids,
  subscriptionIds: ids,
  notifyCustomer: z.boolean().optional(),
  sandbox: z.boolean().optional(),
});
export type Unsubscription = z.input<typeof Unsubscription>;

export const OfCustomer = z.strictObject({
  limit: z.int().min(1).max(MAX_LIMIT),
  after: Id.optional(),
  sandbox: z.boolean().optional(),
});
export type OfCustomer = z.input<typeof OfCustomer>;

/** All that is given must hold. */
export const SubscriptionList = z.strictObject({
  status: z.enum(SUBSCRIPTION_STATUS).optional(),
  merchantAccountId: Id.optional(),
  /** Default of `sandbox`: that of the caller's environment. */
  sandbox: z.boolean().optional(),
  /** 1 to 100; 100 when absent. */
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  /** The id of the last subscription of the page before. */
  after: Id.optional(),
});
export type SubscriptionList = z.input<typeof SubscriptionList>;

export const CardChange = Keyed.extend(instrument);
export type CardChange = z.input<typeof CardChange>;

/** What is absent stays as it is. */
export const PlanChange = z
  .strictObject(planMembers)
  .partial()
  .extend(keyed)
  .superRefine(checkCadence({ daysName: 'frequencyDays', optional: true }));
export type PlanChange = z.input<typeof PlanChange>;
