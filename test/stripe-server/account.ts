/** The account that a key belongs to. */
import type Stripe from 'stripe';
import { type Route, route } from './route.ts';

export interface AccountParts {
  readonly country: string;
  readonly defaultCurrency: string;
  readonly descriptorPrefix: string;
}

export const accountRoutes: readonly Route[] = [
  route('GET', '/v1/account', {}, ({ state }) => state.account),
];

export function newAccount(id: string, created: number, parts: AccountParts): Stripe.Account {
  return {
    id,
    object: 'account',
    business_profile: {
      mcc: '5734',
      minority_owned_business_designation: null,
      name: 'Test shop',
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    controller: { type: 'account' },
    country: parts.country,
    created,
    default_currency: parts.defaultCurrency,
    details_submitted: true,
    email: 'shop@example.com',
    metadata: {},
    payouts_enabled: true,
    settings: {
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_payments: {
        statement_descriptor_prefix: parts.descriptorPrefix,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: 'Test shop', timezone: 'Etc/UTC' },
      payments: {
        statement_descriptor: parts.descriptorPrefix,
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
    },
    type: 'standard',
  };
}
