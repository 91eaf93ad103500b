/** The port of payment gateways. An adapter is called only after the intent is durable. */
import type { Transaction } from '@counterfoil/core';
import type { CardScript } from './card-script.ts';
import type { AccountContext } from './gateway-account.ts';
import type { GatewayDisputes } from './gateway-disputes.ts';
import type { GatewayEvents } from './gateway-events.ts';
import type { GatewaySettlements } from './gateway-settlements.ts';

export type { CardScript } from './card-script.ts';
export type { AccountContext, GatewayAccount } from './gateway-account.ts';

/** A typed card. Held in memory on its way to the gateway, and never stored. */
export interface CardDetails {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvv: string;
  readonly holder: string;
  /** Where the caller gave one: for AVS at gateways that compare when they are given the card. */
  readonly billing?: BillingAddress;
}

/** Members that are not known are empty; not all are. */
export interface BillingAddress {
  readonly address: string;
  readonly city: string;
  readonly postalCode: string;
  readonly state: string;
  readonly countryCode: string;
}

/** The gateway's token of a stored card. */
export interface CardToken {
  readonly token: string;
  /** First six digits; empty where the gateway does not give them. */
  readonly bin: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** As given with the card; the gateway's own for a card that the ledger never saw. */
  readonly fingerprint: string;
  /** `cardBrandId` 1 to 6, where the gateway says so. Default: by `bin`. */
  readonly brandId?: number | undefined;
  /** Country of the issuer (ISO 3166, two letters), where the gateway says so. */
  readonly country?: string | undefined;
}

/** Requests are idempotent under their key. */
interface Request extends AccountContext {
  readonly idempotencyKey: string;
  /**
   * How long ago the request may first have been sent, in milliseconds; 0 for the first time. Gateways that
   * forget keys must not take an older request for a new one.
   */
  readonly firstSentAgoMs: number;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The ledger's id of the payment. */
  readonly paymentId: string;
  /** The ledger's id of the transaction: the payment itself, or its capture, void or refund. */
  readonly transactionId: string;
}

/** A captured amount of 0 verifies the card. No money moves. */
export interface ChargeRequest extends Request {
  readonly token: string;
  /** The ledger's customer: one text for each customer of a tenant and an environment. */
  readonly customer: string;
  /** Later charges of this card come without the customer. */
  readonly subscribes: boolean;
  /** Where the customer's browser goes after `nextAction`, where the ledger was given an address. */
  readonly returnUrl?: string;
  /** The gateway's id of the charge, where the ledger knows it: a look-up goes by it. */
  readonly gatewayTransactionId?: string;
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

export type FollowUpOperation = 'capture' | 'void' | 'refund';

/** A charge that is planned: what an account is asked about before anything is recorded. */
export interface PlannedCharge extends AccountContext {
  readonly currency: string;
  /** The charge, and the later charges of its plans. */
  readonly amountsMinor: readonly bigint[];
  /** The number of a card is handed in, and not a token. */
  readonly hasCardNumber: boolean;
}

/** Why an account takes no such charge, as its gateway says without being called. */
export const ACCOUNT_REFUSALS = [
  /** Its credentials are incomplete, or of the other environment. */
  'credentials-unusable',
  /** It takes tokens of the gateway's own script only. */
  'card-number-not-taken',
  /** The gateway does not have the currency, or has fewer decimals of it. */
  'amount-not-taken',
] as const;
export type AccountRefusal = (typeof ACCOUNT_REFUSALS)[number];

/**
 * The same idempotency key always gives the same answer. A call without an answer throws
 * `GatewayTimeout`; its outcome is then queried with `find…`. The engine also applies its own timeout to
 * every call, and then aborts `signal`.
 */
export interface PaymentGateway {
  readonly gatewayId: number;
  readonly name: string;
  /**
   * Why the account takes no such charge, capture or refund; undefined when it does. Pure: asked before
   * anything is recorded. Default: each account takes everything.
   */
  refusalOf?(planned: PlannedCharge): AccountRefusal | undefined;
  /**
   * Accounts with the same text know each other's tokens. Pure. Default: all accounts of the gateway do.
   */
  tokenScope?(context: AccountContext): string;
  /** Exchanges a card for a token. Stores the host's fingerprint of the number with it. */
  tokenize(
    card: CardDetails,
    fingerprint: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken>;
  /** The card of an existing token; undefined when the account does not know the token. */
  findToken(
    token: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken | undefined>;
  /**
   * The token of what the gateway's own script made in the browser; undefined for what the account does
   * not know, and for what belongs to a customer already. Default: the gateway has no such script.
   */
  adopt?(
    gatewayToken: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken | undefined>;
  /**
   * The script that makes what `adopt` takes; undefined for an account that has none. Pure. Default: the
   * gateway has no such script.
   */
  cardScriptOf?(context: AccountContext): CardScript | undefined;
  charge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeResult>;
  /** Continues a charge after the customer completed `nextAction`. */
  confirm(request: FollowUpRequest, signal?: AbortSignal): Promise<ChargeResult>;
  capture(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  void(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  refund(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  /**
   * The outcome of the charge with this request's key; undefined when the gateway never received it. The
   * token is empty when the card was erased meanwhile.
   */
  findCharge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeResult | undefined>;
  /**
   * The outcome of the capture, void or refund with this request's key; undefined when the gateway never
   * received it. A refusal, which moved nothing, may be undefined as well.
   */
  findFollowUp(
    operation: FollowUpOperation,
    request: FollowUpRequest,
    signal?: AbortSignal,
  ): Promise<FollowUpResult | undefined>;
  /**
   * A cheap call that throws `CredentialsRefused` where payments of the account would fail so, and moves
   * nothing. Default: an account that was refused is tried by its next payment.
   */
  checkCredentials?(context: AccountContext, signal?: AbortSignal): Promise<void>;
  /**
   * The notices about a charge, asked for once it is captured. References are stable across calls. Default:
   * the gateway has none by then.
   */
  noticesOf?(
    gatewayTransactionId: string,
    context: AccountContext & { readonly currency: string },
    signal?: AbortSignal,
  ): Promise<readonly GatewayNotice[]>;
  /** What happens later, and without the ledger's doing. Default: the gateway reports nothing. */
  readonly events?: GatewayEvents;
  /** Takes answers to the disputes that `events` report. Default: they are answered at the gateway. */
  readonly disputes?: GatewayDisputes;
  /** What it has paid out. Default: settlement files are imported by hand. */
  readonly settlements?: GatewaySettlements;
  close(): Promise<void>;
}

/** The gateway gave no answer in time, or none that can be used. The request may or may not have taken effect. */
export class GatewayTimeout extends Error {
  override readonly name = 'GatewayTimeout';
}

/**
 * The gateway refused the credentials of the account: they are wrong, revoked, or lack a permission. This
 * request did nothing. The message may not quote a credential.
 */
export class CredentialsRefused extends Error {
  override readonly name = 'CredentialsRefused';
}
