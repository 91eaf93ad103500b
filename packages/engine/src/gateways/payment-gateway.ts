/** The port to whoever moves the money. An adapter is called only after the intent is durable. */
import type { Transaction } from '@counterfoil/core';

/** A card as it is typed in: lives in memory on its way to the gateway, and nowhere else. */
export interface CardDetails {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvv: string;
  readonly holder: string;
}

/** What the gateway keeps a card under. */
export interface CardToken {
  readonly token: string;
  /** First six digits. */
  readonly bin: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** As it was given with the card. */
  readonly fingerprint: string;
}

/** Secrets and names by which the gateway knows the merchant account. */
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

/** Every request carries a key under which the gateway does it once and remembers how it went. */
interface Request {
  readonly idempotencyKey: string;
  /** Test data: a gateway must take it to its own test side, or refuse. No real money moves. */
  readonly sandbox: boolean;
  readonly account: GatewayAccount;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** An amount of 0, captured, is a question: whether the card can be charged. No money moves. */
export interface ChargeRequest extends Request {
  readonly token: string;
  /** Absent when the charge is made from a kept token. */
  readonly cvv?: string;
  /** Authorize only when false. */
  readonly capture: boolean;
  /** A charge of a subscription by the merchant, under the consent of its first: nobody is there to act. */
  readonly recurring: boolean;
  readonly descriptor: string;
  readonly avs?: { readonly postalCode: string; readonly address: string };
}

/** Acts on an earlier charge. */
export interface FollowUpRequest extends Request {
  readonly gatewayTransactionId: string;
}

type WithoutContext<Each> = Each extends unknown ? Omit<Each, 'at' | 'retryElsewhere'> : never;

/** How a charge came out; `unknown` is not among them: no answer is a `GatewayTimeout`. */
export type ChargeResult =
  | WithoutContext<Exclude<Transaction.Outcome, { result: 'failed' | 'unknown' }>>
  | { readonly result: 'failed'; readonly note: string };

/** How a capture, void or refund came out. */
export type FollowUpResult =
  | {
      readonly result: 'done';
      readonly gatewayTransactionId: string;
      readonly arn: string;
      readonly note: string;
    }
  | { readonly result: 'refused'; readonly note: string };

/** What the gateway tells of its own accord after a capture. */
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
 * The same idempotency key gives the same answer, however often it is sent. A call that gets no
 * answer throws `GatewayTimeout`: what happened is then only known by asking (`find…`). The engine ends
 * every call after its own timeout too, and aborts `signal`: from then on nobody waits for the answer.
 */
export interface PaymentGateway {
  readonly gatewayId: number;
  readonly name: string;
  /** Exchanges a card for a token, keeping the host's own fingerprint of the number beside it. */
  tokenize(card: CardDetails, fingerprint: string, signal?: AbortSignal): Promise<CardToken>;
  /** The card of a token made earlier; undefined when the gateway does not know the token. */
  findToken(token: string, signal?: AbortSignal): Promise<CardToken | undefined>;
  charge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeResult>;
  /** Goes on with a charge after the customer did what `nextAction` asked. */
  confirm(request: FollowUpRequest, signal?: AbortSignal): Promise<ChargeResult>;
  capture(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  void(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  refund(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult>;
  /** What became of the charge of this key; undefined when the gateway never received it. */
  findCharge(idempotencyKey: string, signal?: AbortSignal): Promise<ChargeResult | undefined>;
  /** What became of the capture, void or refund of this key. */
  findFollowUp(idempotencyKey: string, signal?: AbortSignal): Promise<FollowUpResult | undefined>;
  /** The gateway's news about a captured charge; the same references every time it is asked. */
  noticesOf(gatewayTransactionId: string, signal?: AbortSignal): Promise<readonly GatewayNotice[]>;
  close(): Promise<void>;
}

/** The gateway did not answer in time. The request may or may not have been carried out. */
export class GatewayTimeout extends Error {
  override readonly name = 'GatewayTimeout';
}
