/** The refusals of the slices: each declares its own. */
import type { BlackListRefusal } from './black-list/refusals.ts';
import type { BookRefusal } from './books/refusals.ts';
import type { CustomerRefusal } from './customers/refusals.ts';
import type { DisputeRefusal } from './disputes/refusals.ts';
import type { GatewayRefusal } from './gateways/refusals.ts';
import type { MailRefusal } from './mail/refusals.ts';
import type { MerchantAccountRefusal } from './merchant-accounts/refusals.ts';
import type { PaymentRefusal, TransientPaymentRefusal } from './payments/refusals.ts';
import type { ClockRefusal, TransientClockRefusal } from './runtime/refusals.ts';
import type { SavedSearchRefusal } from './saved-searches/refusals.ts';
import type { SenderDomainRefusal } from './sender-domains/refusals.ts';
import type { TenantRefusal } from './tenants/refusals.ts';
import type { TransientUserRefusal, UserRefusal } from './users/refusals.ts';
import type { WebhookRefusal } from './webhooks/refusals.ts';

export type SliceRefusal =
  | TenantRefusal
  | MailRefusal
  | MerchantAccountRefusal
  | PaymentRefusal
  | CustomerRefusal
  | DisputeRefusal
  | BlackListRefusal
  | BookRefusal
  | SavedSearchRefusal
  | SenderDomainRefusal
  | WebhookRefusal
  | UserRefusal
  | ClockRefusal;

export type TransientSliceRefusal =
  | GatewayRefusal
  | TransientPaymentRefusal
  | TransientUserRefusal
  | TransientClockRefusal;

/** Every transient code of the slices: the compiler refuses this table while one is missing. */
export const TRANSIENT_IN_SLICES = {
  PaymentBusy: true,
  SignInDelayed: true,
  GatewayFailed: true,
  CredentialsRefused: true,
  GatewayBusy: true,
  GatewayUnknown: true,
  ClockHeldUp: true,
} as const satisfies Record<TransientSliceRefusal['type'], true>;
