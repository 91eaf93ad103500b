/** What a merchant account's terms charge for each thing that happens. */
import { percentOf } from '../../kernel/money.ts';
import type { Fee, FeeAccount, Terms } from './events.ts';
import type { Payment } from './state.ts';

/** The fees of an approved authorization. */
export function approvalFees(terms: Terms, { avsChecked }: { avsChecked: boolean }): Fee[] {
  return charged(terms, [
    ['fees:gateway', terms.gatewayTransactionFeeMinor],
    ['fees:bank-auth', terms.bankAuthFeeMinor],
    ['fees:bank-avs', avsChecked ? terms.bankAvsFeeMinor : 0n],
    ['fees:custom', terms.customFeeMinor + terms.customFeeApprovedOnlyMinor],
  ]);
}

export function declineFees(terms: Terms): Fee[] {
  return charged(terms, [
    ['fees:gateway', terms.gatewayTransactionFeeMinor],
    ['fees:bank-decline', terms.bankDeclineFeeMinor],
    ['fees:custom', terms.customFeeMinor],
  ]);
}

/** The discount is a part of the captured amount, in its currency. */
export function captureFees(terms: Terms, amountMinor: bigint, currency: string): Fee[] {
  const discount = percentOf(amountMinor, terms.discountRatePercentage);
  return discount === 0n ? [] : [{ account: 'fees:discount', amountMinor: discount, currency }];
}

export function chargebackFees(terms: Terms): Fee[] {
  return charged(terms, [['fees:chargeback', terms.chargebackFeeMinor]]);
}

/** Alerts cost by the provider they come from; the other sources are free. */
export function alertFees(terms: Terms, source: string, payment: Payment): Fee[] {
  switch (source) {
    case 'AlertProvider':
      return charged(terms, [['fees:alert', terms.alertProviderFeeMinor]]);
    case 'CDRN':
      return charged(terms, [['fees:cdrn', terms.cdrnFeeMinor]]);
    case 'RDR': {
      const { alerts, credits } = rdrOf(payment);
      return alerts < credits ? [] : rdrFees(terms);
    }
    default:
      return [];
  }
}

/** A case of RDR is charged once, whether its credit is reported, its alert, or both in any order. */
export function networkRefundFees(terms: Terms, payment: Payment): Fee[] {
  const { alerts, credits } = rdrOf(payment);
  return credits < alerts ? [] : rdrFees(terms);
}

function rdrFees(terms: Terms): Fee[] {
  return charged(terms, [['fees:rdr', terms.rdrFeeMinor]]);
}

function rdrOf({ alerts, refunds }: Payment): { alerts: number; credits: number } {
  return {
    alerts: alerts.filter(({ source }) => source === 'RDR').length,
    credits: refunds.filter(({ source }) => source === 'RDR').length,
  };
}

function charged(terms: Terms, rows: readonly (readonly [FeeAccount, bigint])[]): Fee[] {
  return rows
    .filter(([, amountMinor]) => amountMinor > 0n)
    .map(([account, amountMinor]) => ({ account, amountMinor, currency: terms.feeCurrency }));
}
