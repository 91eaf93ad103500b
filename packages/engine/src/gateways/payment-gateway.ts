/** The port of payment gateways. An adapter is called only after the intent is durable. */
import type { Transaction } from '@counterfoil/core';

/** A typed card. Held in memory on its way to the gateway, and never stored. */
export interface CardDetails {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvv: string;
  readonly holder: string;
}

/** The gateway's token of a stored card. */
export interface CardToken {
  readonly token: string;
  /** First six digits. */
  readonly bin: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** As given with the card. */
  readonly fingerprint: string;
}

/** Credentials of the merchant account at the gateway. */
export interface GatewayAccount {
  readonly merchantAccountId: number;
  readonly mid: string;
  readonly credentials: {
    readonly apiKey: string;
    readonly username: string;
    readonly password: string;
    readonly emailAddress: string;
  };
}

/** Requests are idempotent under their key. */
interface Request {
  readonly idempotencyKey: string;
  /** Test data: a gateway must use its own test mode, or refuse. No real money moves. */
  readonly sandbox: boolean;
  readonly account: GatewayAccount;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** A captured amount of 0 verifies the card. No money moves. */
export interface ChargeRequest extends Request {
  readonly token: string;
  /** Absent for a stored token. */
  readonly cvv?: string;
  /** Authorize only when false. */
  readonly capture: boolean;
  /** A merchant-initiated charge of a subscription: the customer is not present. */
  readonly recurring: boolean;
  readonly descriptor: string;
  readonly avs?: { readonly postalCode: string; readonly address: string };
}

/** Acts on an earlier charge. */
export interface FollowUpRequest extends Request {
  readonly gatewayTransactionId: string;
}

type WithoutContext<Each> = Each extends unknown
  ? Omit<Each, 'at' | 'retryElsewhere' | 'skipped'>
  : never;

/** The outcome of a charge. An unknown outcome is a `GatewayTimeout` instead. */
export type ChargeResult =
  | WithoutContext<Exclude<Transaction.Outcome, { result: 'failed' | 'unknown' }>>
  | { readonly result: 'failed'; readonly note: string };

/** The outcome of a capture, void or refund. */
export type FollowUpResult =
  | {
      readonly result: 'done';
      readonly gatewayTransactionId: string;
      readonly arn: string;
      readonly note: string;
    }
  | { readonly result: 'refused'; readonly note: string };

/** A notice that the gateway issues after a capture: a chargeback or an alert. */
export type GatewayNotice =
  | {
      readonly kind: 'chargeback';
      readonly reference: string;
      readonly amountMinor: bigint;
      readonly reasonCode: string;
      readonly arn: string;
    }
  | {
      readonly kind: 'alert';
      readonly reference: string;
      readonly amountMinor: bigint;
      readonly source: Transaction.AlertSource;
      readonly alertType: Transaction.AlertType;
      readonly arn: string;
    };

/**
 * The same idempotency key always gives the same answer. A call without an answer throws
 * `GatewayTimeout`; its outcome is then queried with `find…`. The engine also applies its own timeout to
 * every call, and then aborts `signal`.
 */
export interface PaymentGateway {
  readonly gatewayId: number;
  readonly name: string;
  /** Exchanges a card for a token. Stores the host's fingerprint of the number with it. */
  tokenize(card: CardDetails, fingerprint: string, signal?: AbortSignal): Promise<CardToken>;
  /** The card of an existing token; undefined when the token is unknown. */
  findToken(token: string, signal?: AbortSignal): Promise<CardToken | undefined>;
  charge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeResult>;
  /** Continues a charge after the customer completed `nextAction`. */
  confirm(request: FollowUpRequest, signal?: AbortSignal): Promise<ChargeResult>;
  capture(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  void(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  refund(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  /** The outcome of the charge under this key; undefined when the gateway never received it. */
  findCharge(idempotencyKey: string, signal?: AbortSignal): Promise<ChargeResult | undefined>;
  /** The outcome of the capture, void or refund under this key. */
  findFollowUp(idempotencyKey: string, signal?: AbortSignal): Promise<FollowUpResult | undefined>;
  /** The notices about a captured charge. References are stable across calls. */
  noticesOf(gatewayTransactionId: string, signal?: AbortSignal): Promise<readonly GatewayNotice[]>;
  close(): Promise<void>;
}

/** The gateway gave no answer in time, or none that can be used. The request may or may not have taken effect. */
export class GatewayTimeout extends Error {
  override readonly name = 'GatewayTimeout';
}
