/**
 * Where the SDK's version of the API (2026-10-28) differs from the published document (2023-08-16),
 * by the name of the schema or of the endpoint. Anything else that differs is a mismatch.
 */

/** Properties that later versions added. */
export const ADDED_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  account_bacs_debit_payments_settings: ['service_user_number'],
  account_business_profile: [
    'annual_revenue',
    'estimated_worker_count',
    'minority_owned_business_designation',
    'specified_commercial_transactions_act_url',
  ],
  account_payments_settings: [
    'statement_descriptor_prefix_kana',
    'statement_descriptor_prefix_kanji',
  ],
  account_settings: ['invoices'],
  api_errors: ['advice_code', 'network_advice_code', 'network_decline_code'],
  balance_transaction: ['balance_type'],
  billing_details: ['tax_id'],
  charge: ['source'],
  charge_outcome: ['advice_code', 'network_advice_code', 'network_decline_code'],
  discount: ['subscription_item', 'source', 'customer_account'],
  dispute: ['enhanced_eligibility_types', 'intended_submission_method'],
  dispute_evidence: ['enhanced_evidence'],
  dispute_evidence_details: ['enhanced_eligibility', 'submission_method'],
  dispute_payment_method_details_card: ['case_type', 'network'],
  invoice_setting_rendering_options: ['template'],
  payment_intent: [
    'allowed_payment_method_types',
    'customer_account',
    'excluded_payment_method_types',
    'managed_payments',
    'payment_method_configuration_details',
    'payment_record',
    'source',
  ],
  payment_method: ['allow_redisplay', 'customer_account'],
  payment_method_card: ['display_brand', 'regulated_status'],
  payment_method_details_card: [
    'amount_authorized',
    'authorization_code',
    'capture_before',
    'electronic_commerce_indicator',
    'extended_authorization',
    'incremental_authorization',
    'multicapture',
    'network_transaction_id',
    'overcapture',
    'regulated_status',
    'transaction_link_id',
  ],
  payout: ['application_fee', 'application_fee_amount', 'payout_method', 'trace_id'],
  refund: [
    'customer',
    'customer_account',
    'destination_details',
    'payment_method',
    'pending_reason',
  ],
  setup_intent: [
    'allowed_payment_method_types',
    'customer_account',
    'excluded_payment_method_types',
    'managed_payments',
    'payment_method_configuration_details',
  ],
  three_d_secure_details_charge: [
    'electronic_commerce_indicator',
    'exemption_indicator',
    'transaction_id',
  ],
};

/** Properties that may be missing now. */
export const NO_LONGER_REQUIRED: Readonly<Record<string, readonly string[]>> = {
  // It went into `source`.
  discount: ['coupon'],
};

/** Properties that are more than the document says: null as well, or shown expanded in samples. */
export const CHANGED_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  account_bacs_debit_payments_settings: ['display_name'],
  charge_transfer_data: ['destination'],
  transfer_data: ['destination'],
};

/** Parameters that later versions added, by endpoint. */
export const ADDED_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/radar/early_fraud_warnings': ['created'],
  'POST /v1/disputes/{dispute}': ['intended_submission_method'],
  'POST /v1/payment_intents': ['allowed_payment_method_types'],
  'POST /v1/payment_intents/{intent}': ['allowed_payment_method_types'],
  'POST /v1/payment_intents/{intent}/confirm': ['allowed_payment_method_types'],
  'POST /v1/payment_methods': ['allow_redisplay'],
  'POST /v1/setup_intents': ['allowed_payment_method_types'],
};
