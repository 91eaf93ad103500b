/** The evidence of a dispute: texts, and files that were uploaded for it. */
import type Stripe from 'stripe';
import { emptyable, object, type ParamsOf, textOf } from './params.ts';
import { invalidRequest } from './refusal.ts';
import type { AccountState } from './state.ts';

const MAX_TEXT = 20_000;
const MAX_TEXTS = 150_000;

const field = emptyable(textOf(MAX_TEXT));

const TEXTS = {
  access_activity_log: field,
  billing_address: field,
  cancellation_policy_disclosure: field,
  cancellation_rebuttal: field,
  customer_email_address: field,
  customer_name: field,
  customer_purchase_ip: field,
  duplicate_charge_explanation: field,
  duplicate_charge_id: field,
  product_description: field,
  refund_policy_disclosure: field,
  refund_refusal_explanation: field,
  service_date: field,
  shipping_address: field,
  shipping_carrier: field,
  shipping_date: field,
  shipping_tracking_number: field,
  uncategorized_text: field,
};

const FILES = {
  cancellation_policy: field,
  customer_communication: field,
  customer_signature: field,
  duplicate_charge_documentation: field,
  receipt: field,
  refund_policy: field,
  service_documentation: field,
  shipping_documentation: field,
  uncategorized_file: field,
};

export const evidenceField = object({ ...TEXTS, ...FILES });
export type GivenEvidence = ParamsOf<typeof TEXTS> & ParamsOf<typeof FILES>;

export const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

export function takeEvidence(
  state: AccountState,
  dispute: Stripe.Dispute,
  given: GivenEvidence,
): void {
  for (const name of Object.keys(FILES)) {
    const id = given[name as keyof typeof FILES];
    if (typeof id !== 'string') continue;
    const param = `evidence[${name}]`;
    const file = state.files.get(id, param, 400);
    if (file.purpose !== 'dispute_evidence') {
      throw invalidRequest(`File ${id} was not uploaded with the purpose dispute_evidence.`, {
        param,
      });
    }
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const evidence = { ...dispute.evidence, ...Object.fromEntries(entries) };
  const length = Object.values(evidence).reduce<number>(
    (total, value) => total + (typeof value === 'string' ? value.length : 0),
    0,
  );
  if (length > MAX_TEXTS) {
    throw invalidRequest(
      `The texts of evidence are longer than ${MAX_TEXTS} characters together.`,
      {
        param: 'evidence',
      },
    );
  }
  dispute.evidence = evidence;
  dispute.evidence_details.has_evidence = true;
}
