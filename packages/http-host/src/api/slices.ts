/** The slices of the interface, in the order of the OpenAPI document. */
import { ACTIVITY } from './activity.ts';
import { BLACK_LIST } from './black-list.ts';
import { CARD } from './card.ts';
import { CHECKOUT_SESSIONS } from './checkout-sessions.ts';
import { CUSTOMER_LEADS } from './customer-leads.ts';
import { CUSTOMER_SERVICE } from './customer-service.ts';
import { CUSTOMERS } from './customers.ts';
import { DISPUTE_RATES } from './dispute-rates.ts';
import { DISPUTE_REPORTS } from './dispute-reports.ts';
import { DISPUTES } from './disputes.ts';
import { EMAIL } from './email.ts';
import { GATEWAY_EVENTS } from './gateway-events.ts';
import { KEYS } from './keys.ts';
import { LEAD_KEYS } from './lead-keys.ts';
import { LEDGER } from './ledger.ts';
import { MAIL_SETTINGS } from './mail-settings.ts';
import { MERCHANT_ACCOUNT_BATCH } from './merchant-account-batch.ts';
import { MERCHANT_ACCOUNTS } from './merchant-accounts.ts';
import { MITIGATION } from './mitigation.ts';
import { PAYMENT_HISTORY } from './payment-history.ts';
import { PAYMENT_LIST } from './payment-list.ts';
import { PAYMENT_MESSAGES } from './payment-messages.ts';
import { RECURRING } from './recurring.ts';
import { REFERENCES } from './references.ts';
import { SALES } from './sales.ts';
import { SAVED_SEARCHES } from './saved-searches.ts';
import { SENDER_DOMAINS } from './sender-domains.ts';
import { SETTINGS } from './settings.ts';
import { SETTLEMENTS } from './settlements.ts';
import type { ApiSlice } from './slice.ts';
import { STATEMENTS } from './statements.ts';
import { SUBSCRIPTION_CHANGES } from './subscription-changes.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';
import { SUPPRESSIONS } from './suppressions.ts';
import { TEST_CLOCK } from './test-clock.ts';
import { SEARCH } from './transaction-search.ts';
import { TRANSACTION_WEBHOOKS } from './transaction-webhooks.ts';
import { UNANSWERED } from './unanswered.ts';
import { UNSUBSCRIBE } from './unsubscribe.ts';
import { USERS } from './users.ts';
import { WEBHOOK_DELIVERIES } from './webhook-deliveries.ts';
import { WEBHOOK_ENDPOINTS } from './webhook-endpoints.ts';
import { WIDGET } from './widget.ts';

export const API = [
  CUSTOMER_SERVICE,
  UNSUBSCRIBE,
  CUSTOMERS,
  SEARCH,
  UNANSWERED,
  PAYMENT_HISTORY,
  PAYMENT_MESSAGES,
  SAVED_SEARCHES,
  MERCHANT_ACCOUNTS,
  MERCHANT_ACCOUNT_BATCH,
  CARD,
  PAYMENT_LIST,
  CHECKOUT_SESSIONS,
  SUBSCRIPTIONS,
  SUBSCRIPTION_CHANGES,
  MITIGATION,
  DISPUTE_REPORTS,
  DISPUTES,
  GATEWAY_EVENTS,
  BLACK_LIST,
  LEDGER,
  STATEMENTS,
  DISPUTE_RATES,
  SETTLEMENTS,
  RECURRING,
  SALES,
  WIDGET,
  CUSTOMER_LEADS,
  TRANSACTION_WEBHOOKS,
  EMAIL,
  KEYS,
  LEAD_KEYS,
  SENDER_DOMAINS,
  SUPPRESSIONS,
  MAIL_SETTINGS,
  WEBHOOK_ENDPOINTS,
  WEBHOOK_DELIVERIES,
  SETTINGS,
  USERS,
  ACTIVITY,
  REFERENCES,
  TEST_CLOCK,
] as const;

type ServicesOf<List> = List extends readonly [ApiSlice<infer Services, infer _>, ...infer Others]
  ? Services & ServicesOf<Others>
  : unknown;
type CodesOf<Each> = Each extends ApiSlice<never, infer Code> ? Code : never;

/** Everything that the endpoints are made from. */
export type ApiServices = ServicesOf<typeof API>;
export type ApiRefusalCode = CodesOf<(typeof API)[number]>;
