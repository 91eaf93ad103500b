/**
 * The events that the ledger sends, by type; docs/webhooks.md of the repository explains them. Amounts
 * are numbers in major units, times are ISO 8601. Later versions may add types, and members.
 */

interface WebhookOf<Type, Data> {
  /** One for an event, in every delivery of it. */
  readonly id: string;
  readonly type: Type;
  /** When it happened. */
  readonly timestamp: string;
  readonly data: Data;
}

/** By its `type`. */
export type WebhookEvent = {
  [Type in keyof WebhookData]: WebhookOf<Type, WebhookData[Type]>;
}[keyof WebhookData];

/** What each type of event says. */
export interface WebhookData {
  readonly 'customer_lead.paid': {
    readonly lead: WebhookLead;
    readonly transaction: WebhookLeadTransaction;
  };
  readonly 'payment.captured': { readonly payment: WebhookPayment };
  readonly 'payment.declined': {
    readonly payment: WebhookPayment;
    readonly declineCode: string;
    readonly hard: boolean;
  };
  readonly 'refund.succeeded': {
    readonly refund: WebhookRefund;
    readonly payment: WebhookPayment;
  };
  readonly 'refund.failed': { readonly refund: WebhookRefund; readonly payment: WebhookPayment };
  readonly 'subscription.started': {
    readonly subscription: WebhookSubscription;
    readonly paymentId: string;
  };
  readonly 'subscription.renewed': {
    readonly subscription: WebhookSubscription;
    readonly paymentId: string;
    readonly amount: number;
    readonly paymentNumber: number;
    readonly attempt: number;
  };
  readonly 'subscription.frozen': {
    readonly subscription: WebhookSubscription;
    readonly reason: string;
  };
  readonly 'subscription.unsubscribed': {
    readonly subscription: WebhookSubscription;
    readonly reason: string;
  };
  readonly 'chargeback.opened': {
    readonly chargeback: WebhookChargeback;
    readonly payment: WebhookPayment;
  };
  readonly 'chargeback.closed': {
    readonly chargeback: WebhookChargeback;
    readonly payment: WebhookPayment;
  };
  readonly 'alert.received': { readonly alert: WebhookAlert; readonly payment: WebhookPayment };
  readonly 'email.failed': {
    readonly email: {
      readonly id: string;
      readonly kind: string;
      readonly reason: string;
      readonly sandbox: boolean;
      readonly failedAt: string;
    };
  };
  readonly 'webhook.test': { readonly endpointId: string };
}

/** A payment as of the event. */
export interface WebhookPayment {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly currency: string;
  readonly sandbox: boolean;
  readonly orderId: number;
  readonly customerId: number;
  readonly companyId: number;
  readonly applicationId: number;
  readonly merchantAccountId: number | null;
  readonly partnerSession: string | null;
  readonly subscriptionId: number | null;
  readonly paymentNumber: number;
  readonly createdAt: string;
  readonly capturedAt: string | null;
}

export interface WebhookRefund {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly source: string;
  readonly reason: string | null;
  readonly requestedAt: string;
  readonly completedAt: string | null;
}

/** A subscription as of the event. */
export interface WebhookSubscription {
  readonly id: number;
  readonly orderId: number;
  readonly customerId: number;
  readonly companyId: number;
  readonly name: string;
  readonly rebillAmount: number;
  readonly currency: string;
  readonly sandbox: boolean;
  readonly rebillDate: string | null;
  readonly frozenDate: string | null;
  readonly unsubDate: string | null;
}

export interface WebhookChargeback {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly reasonCode: string;
  readonly exceedsCaptured: boolean;
  readonly openedAt: string;
  readonly respondBy: string | null;
  readonly completedAt: string | null;
}

export interface WebhookAlert {
  readonly id: string;
  readonly source: string;
  readonly alertType: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly deadline: string | null;
  readonly receivedAt: string;
}

/** The only personal data in an event. */
export interface WebhookLead {
  readonly id: string;
  readonly session_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly cfa_device: string;
  readonly scans: readonly { readonly page: string }[];
  readonly status: string;
  readonly application_id: number;
  readonly sandbox: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly paid_at: string;
}

export interface WebhookLeadTransaction {
  readonly id: string;
  readonly orderId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly applicationId: number;
  readonly sandbox: boolean;
  /** Empty for a payment of the ledger. */
  readonly source: string;
  readonly capturedAt: string;
}
