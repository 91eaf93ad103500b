/** The fields of a merchant account, in the groups that pages show them in. */
import type { MerchantAccountView } from '@counterfoil/engine';
import { shownMoney } from '../shown.ts';

export interface Field {
  readonly name: Exclude<keyof MerchantAccountView, 'id' | 'rowVersion' | 'capLimited'>;
  readonly label: string;
  readonly kind: 'text' | 'lines' | 'number' | 'optional-number' | 'switch' | 'currencies';
  readonly isRequired?: boolean;
  readonly hint?: string;
  /** How its text is shown beside others. Default: as it is. */
  readonly shown?: (text: string) => string;
  /** In major units of the default currency. */
  readonly isAmount?: boolean;
}

type More = Pick<Field, 'isRequired' | 'hint' | 'isAmount'>;

const of =
  (kind: Field['kind']) =>
  (name: Field['name'], label: string, more: More = {}): Field => ({
    name,
    label,
    kind,
    ...more,
  });
const text = of('text');
const lines = of('lines');
const number = of('number');
const toggle = (name: Field['name'], label: string): Field => ({
  ...of('switch')(name, label),
  shown: (text) => (text === '' ? 'No' : 'Yes'),
});
const amount = (name: Field['name'], label: string, more: More = {}): Field =>
  number(name, label, { ...more, isAmount: true });
const required = { isRequired: true };

export const GROUPS: readonly { readonly title: string; readonly fields: readonly Field[] }[] = [
  {
    title: 'Account',
    fields: [
      text('title', 'Title', required),
      text('mid', 'MID', required),
      number('companyId', 'Company', required),
      number('gatewayId', 'Gateway', required),
      text('mcc', 'MCC', { hint: 'Four digits' }),
      text('caid', 'CAID'),
      text('shorthandSuffix', 'Shorthand suffix'),
      lines('notes', 'Notes'),
    ],
  },
  {
    title: 'Currencies',
    fields: [
      text('defaultCurrency', 'Default currency', required),
      of('currencies')('currencies', 'Currencies', {
        ...required,
        hint: 'Separated by commas. One that is taken out loses its credentials.',
      }),
    ],
  },
  {
    title: 'Limits and routing',
    fields: [
      amount('monthlyCap', 'Monthly cap', { hint: 'In the default currency; empty for none' }),
      of('optional-number')('maxPrice', 'Largest payment', {
        hint: 'In the default currency; empty for no limit',
        isAmount: true,
      }),
      toggle('fullyLive', 'Fully live'),
      toggle('enabledNetworkA', 'Network A'),
      toggle('enabledNetworkB', 'Network B'),
      toggle('allowPremiumProgram', 'Premium programme'),
      toggle('allowRetriesFromOtherMids', 'Retries from other accounts'),
      toggle('allowInsufficientFundsRetries', 'Retries after insufficient funds'),
      toggle('forceAllowRefunds', 'Refunds always allowed'),
    ],
  },
  {
    title: 'Descriptor',
    fields: [
      text('descriptor', 'Descriptor', required),
      toggle('dynamicDescriptorEnabled', 'Dynamic descriptor'),
      number('dynamicDescriptorFormat', 'Format of the dynamic descriptor'),
      text('dynamicDescriptorPrefix', 'Prefix'),
      text('dynamicDescriptorPrefix_NetworkB', 'Prefix on network B'),
    ],
  },
  {
    title: 'Fees and reserve',
    fields: [
      number('discountRatePercentage', 'Discount rate, percent'),
      number('reservePercentage', 'Reserve, percent'),
      amount('gatewayTransactionFee', 'Gateway, each transaction'),
      amount('bankAuthFee', 'Bank, each authorization'),
      amount('bankDeclineFee', 'Bank, each decline'),
      amount('bankAVSFee', 'Bank, each address check'),
      amount('chargebackFee', 'Chargeback'),
      amount('rdrFee', 'RDR'),
      amount('alertProviderFee', 'Alert'),
      amount('cdrnFee', 'CDRN'),
      amount('customFee', 'Other, each transaction'),
      amount('customFeeApprovedOnly', 'Other, each approval'),
    ],
  },
  {
    title: 'Bank',
    fields: [
      text('acquiringBank', 'Acquiring bank'),
      text('acquirerBINNetworkA', 'Acquirer BIN, network A'),
      text('acquirerBINNetworkB', 'Acquirer BIN, network B'),
      text('psp', 'PSP'),
      text('agent', 'Agent'),
      text('routingNumber', 'Routing number'),
      text('accountNumber', 'Account number'),
    ],
  },
  {
    title: 'Mitigation and references',
    fields: [
      number('chargebackMitigationProviderId', 'Mitigation provider id'),
      lines('chargebackMitigationNotes', 'Notes on mitigation'),
      number('verticalId', 'Vertical id'),
      number('brandId', 'Brand id'),
      number('processorPortalAccessId', 'Processor portal access id'),
      number('midOwnerId', 'MID owner id'),
    ],
  },
  {
    title: 'Fields of your own',
    fields: [
      text('merchantDefinedField1', 'Merchant defined 1'),
      text('merchantDefinedField2', 'Merchant defined 2'),
      text('merchantDefinedField3', 'Merchant defined 3'),
      text('customField1', 'Custom 1'),
      text('customField2', 'Custom 2'),
      text('customField3', 'Custom 3'),
    ],
  },
];

export const FIELDS = GROUPS.flatMap(({ fields }) => fields);

/** As a form has it: empty where there is none. */
export function fieldText(account: MerchantAccountView, { name, kind }: Field): string {
  const value = account[name];
  if (kind === 'currencies') {
    return account.currencies.map(({ currency }) => currency).join(', ');
  }
  if (typeof value === 'boolean') return value ? 'yes' : '';
  // Nothing is set.
  if (kind === 'number' && value === 0) return '';
  return value === null ? '' : String(value);
}

/** As a page shows it. */
export function shownText(account: MerchantAccountView, field: Field): string {
  const text = fieldText(account, field);
  if (field.kind === 'switch') return text === '' ? 'No' : 'Yes';
  if (field.name === 'monthlyCap' && text === '') return 'None';
  // A fee of nothing is a fact too.
  const value = field.kind === 'number' ? String(account[field.name]) : text;
  return field.isAmount && value !== '' ? shownMoney(value, account.defaultCurrency) : value;
}
