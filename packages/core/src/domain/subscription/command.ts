/** What can be asked of a subscription, and every reason why it may be refused. */
import type { TenantId, TransactionId } from '../../kernel/ids.ts';
import type { Dunning } from '../tenant.ts';
import type { Card } from '../transaction/order.ts';
import type { UnsubscribeReason } from './events.ts';
import type { Plan } from './plan.ts';

/** A try of a cycle, by the payment that it is. */
interface Try {
  readonly cycle: number;
  readonly attempt: number;
  readonly transactionId: TransactionId;
}

interface Commands {
  /** The payment that carries the plan was captured. */
  StartSubscription: {
    readonly sandbox: boolean;
    readonly customerId: number;
    readonly email: string;
    readonly orderId: number;
    readonly transactionId: TransactionId;
    readonly companyId: number;
    readonly merchantAccountId: number;
    readonly currency: string;
    readonly plan: Plan;
    readonly card: Card | null;
  };
  /**
   * Asks for the next try of the cycle that is due; a try made already asks for nothing. With the customer
   * present also of one whose bank asks for the customer.
   */
  BeginRebill: Try & { readonly isCustomerPresent?: boolean };
  RecordRenewal: Try & { readonly amountMinor: bigint };
  RecordRebillFailure: Try & {
    readonly declineCode: string;
    /** Must not be tried again with this card. */
    readonly hard: boolean;
    readonly dunning: Dunning;
    /** The merchant account's `allowInsufficientFundsRetries`. */
    readonly retryInsufficientFunds: boolean;
  };
  Freeze: { readonly note: string };
  Unfreeze: unknown;
  Unsubscribe: {
    readonly reason: UnsubscribeReason;
    readonly requestedBy: string;
    readonly notifyCustomer: boolean;
  };
  /** What is absent stays as it is. The cycle that is next keeps its date. */
  ChangePlan: { readonly plan: Partial<Omit<Plan, 'trialDays'>> };
  ChangeCard: { readonly card: Card };
}

/** Every command names its subscription and the business time at which it holds. */
interface Addressed {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
  readonly at: string;
}

export type CommandOf<Type extends keyof Commands> = Addressed & {
  readonly type: Type;
} & Commands[Type];
export type Command = { [Type in keyof Commands]: CommandOf<Type> }[keyof Commands];

export type Rejection =
  | { readonly type: 'SubscriptionUnknown' }
  | { readonly type: 'SubscriptionExists' }
  | { readonly type: 'RebillAmountNotPositive'; readonly amountMinor: bigint }
  | { readonly type: 'SubscriptionInactive'; readonly unsubscribedAt: string }
  | { readonly type: 'SubscriptionIsFrozen'; readonly frozenAt: string }
  | { readonly type: 'RebillNotDue'; readonly rebillAt: string | null }
  /** Another cycle or try is next, or one is under way. */
  | {
      readonly type: 'RebillOutOfOrder';
      readonly cycle: number;
      readonly attempt: number;
      readonly nextCycle: number;
      readonly nextAttempt: number;
    }
  /** An outcome of a try that was never begun. */
  | { readonly type: 'RebillUnknown'; readonly transactionId: TransactionId };
