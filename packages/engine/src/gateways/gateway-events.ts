/** The part of the port by which a gateway reports what happened without the ledger's doing. */
import type { Dispute, Transaction } from '@counterfoil/core';
import type { AccountContext } from './gateway-account.ts';

/** A hint that something has changed. It is never believed: what it names is read again. */
export interface GatewayEvent {
  readonly id: string;
  /** What it is about, as `findingOf` takes it; empty for what the ledger has no use for. */
  readonly subject: string;
  /** When it happened (ISO 8601, GMT), by the gateway's clock. */
  readonly at: string;
}

export interface SignedEvent {
  /** The header of the gateway's own that holds the signature. */
  readonly signature: string;
  /** As it was sent. */
  readonly body: Uint8Array;
  /** The time by the ledger's clock (ISO 8601, GMT). */
  readonly receivedAt: string;
}

interface AboutPayment {
  /** The ledger's id of the payment, from what the gateway keeps with it. */
  readonly paymentId: string;
  readonly note: string;
}

interface AboutDispute extends AboutPayment {
  readonly gatewayTransactionId: string;
  /** The gateway's id of the dispute. */
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly openedAt: string;
}

/** How something stands at the gateway now. */
export type GatewayFinding =
  | (AboutPayment & { readonly kind: 'refund-failed'; readonly refundId: string })
  | (AboutDispute & {
      /** The money was withdrawn. */
      readonly kind: 'chargeback';
      readonly status: (typeof Dispute.REPORTED.chargeback)[number];
      readonly reasonCode: string;
      readonly respondBy: string | null;
    })
  | (AboutDispute & {
      /** No money has moved. */
      readonly kind: 'alert';
      readonly status: (typeof Dispute.REPORTED.alert)[number];
      readonly source: Transaction.AlertSource;
      readonly alertType: Transaction.AlertType;
    });

export interface EventPage {
  readonly events: readonly GatewayEvent[];
  /** `after` of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface GatewayEvents {
  /** In addresses, `/v1/gateways/{name}/…`, and as the provider of disputes: small letters, digits, dashes. */
  readonly name: string;
  /** Accounts with the same text get the same events; undefined for one that cannot be asked. Pure. */
  scopeOf(context: AccountContext): string | undefined;
  /** Whether the message is recent and signed with a secret of the account. Pure. */
  isSigned(message: SignedEvent, context: AccountContext): boolean;
  /** Undefined for what is no event. Pure. */
  eventOf(body: unknown): GatewayEvent | undefined;
  /** Reads at the gateway; undefined where there is nothing to record. */
  findingOf(
    subject: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<GatewayFinding | undefined>;
  /** The events with a subject from a time on, in any order; without one, all that the gateway still has. */
  list(
    from: { readonly since?: string; readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<EventPage>;
}
