/** A merchant account: where a company's payments are sent, within which limits and on which terms. */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { currencyOf } from '../kernel/currency.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { toMinor } from '../kernel/money.ts';
import type { Terms } from './transaction/events.ts';

const text = z.string().max(500);
const id = z.int().nonnegative();
/** In major units of `defaultCurrency`, with no more decimals than it has. */
const fee = z.number().min(0).max(1_000_000);
const percentage = z.number().min(0).max(100);

/** Encrypted; of a secret of at most `MAX_SECRET_LENGTH` characters. */
const sealed = z.string().max(20_000);
const Credentials = z.strictObject({
  apiKey: sealed,
  username: sealed,
  password: sealed,
  emailAddress: sealed,
});

export const MAX_SECRET_LENGTH = 4_096;

/** Empty unless given. */
const texts = {
  mcc: z.string().regex(/^(\d{4})?$/),
  dynamicDescriptorPrefix: text,
  dynamicDescriptorPrefix_NetworkB: text,
  agent: text,
  acquiringBank: text,
  acquirerBINNetworkA: text,
  acquirerBINNetworkB: text,
  psp: text,
  routingNumber: text,
  accountNumber: text,
  shorthandSuffix: text,
  notes: z.string().max(10_000),
  caid: text,
  chargebackMitigationNotes: z.string().max(10_000),
  merchantDefinedField1: text,
  merchantDefinedField2: text,
  merchantDefinedField3: text,
  customField1: text,
  customField2: text,
  customField3: text,
};

/** False unless given. */
const switches = {
  allowPremiumProgram: z.boolean(),
  fullyLive: z.boolean(),
  allowRetriesFromOtherMids: z.boolean(),
  allowInsufficientFundsRetries: z.boolean(),
  forceAllowRefunds: z.boolean(),
  dynamicDescriptorEnabled: z.boolean(),
};

/** None unless given. */
const fees = {
  gatewayTransactionFee: fee,
  chargebackFee: fee,
  rdrFee: fee,
  alertProviderFee: fee,
  cdrnFee: fee,
  bankAuthFee: fee,
  bankDeclineFee: fee,
  bankAVSFee: fee,
  customFee: fee,
  customFeeApprovedOnly: fee,
};

/** 0 unless given. */
const numbers = {
  dynamicDescriptorFormat: z.int(),
  verticalId: id,
  brandId: id,
  chargebackMitigationProviderId: id,
  processorPortalAccessId: id,
  midOwnerId: id,
  /** Captured per calendar month (GMT), in major units of `defaultCurrency`; 0 for no cap. */
  monthlyCap: z.number().min(0),
  reservePercentage: percentage,
  discountRatePercentage: percentage,
  ...fees,
};

/** What an administrator sets; the field names are the contract's. Secrets are sealed by the caller. */
export const Settings = z.strictObject({
  mid: z.string().min(1).max(64),
  title: z.string().min(1).max(200),
  companyId: z.int().positive(),
  gatewayId: z.int().positive(),
  descriptor: z.string().min(1).max(25),
  defaultCurrency: z.string().length(3),
  currencies: z
    .array(z.strictObject({ currency: z.string().length(3), gatewayCredentials: Credentials }))
    .min(1)
    .max(200),
  enabledNetworkA: z.boolean(),
  enabledNetworkB: z.boolean(),
  /** The largest single payment, in major units of `defaultCurrency`; null for no limit. */
  maxPrice: z.number().positive().nullable(),
  ...texts,
  ...switches,
  ...numbers,
});
export type Settings = z.output<typeof Settings>;

/** The settings that must be given; everything else has a neutral default. */
export type RequiredSettings = Pick<
  Settings,
  'mid' | 'title' | 'companyId' | 'gatewayId' | 'descriptor' | 'defaultCurrency' | 'currencies'
>;

/** Fills what is not given with its neutral value: empty, zero, false; both networks enabled. */
export function withDefaults(given: RequiredSettings & Partial<Settings>): Settings {
  return {
    ...each(texts, ''),
    ...each(switches, false),
    ...each(numbers, 0),
    enabledNetworkA: true,
    enabledNetworkB: true,
    maxPrice: null,
    ...given,
  };
}

function each<Fields extends object, Value>(
  fields: Fields,
  value: Value,
): Record<keyof Fields, Value> {
  const entries = Object.keys(fields).map((name) => [name, value] as const);
  return Object.fromEntries(entries) as Record<keyof Fields, Value>;
}

type FeeName = keyof typeof fees;
const FEE_NAMES = Object.keys(fees) as FeeName[];

export const events = {
  MerchantAccountOpened: event({
    merchantAccountId: z.int().positive(),
    settings: Settings,
    at: Instant,
  }),
  MerchantAccountChanged: event({ settings: Settings, at: Instant }),
};
export type Event = EventsOf<typeof events>;

export type Command = {
  readonly tenantId: TenantId;
  readonly merchantAccountId: number;
  readonly settings: Settings;
  readonly at: string;
} & (
  | { readonly type: 'OpenMerchantAccount' }
  /** `rowVersion` is the version that the caller saw. */
  | { readonly type: 'ReplaceMerchantAccount'; readonly rowVersion: number }
);

export type Rejection =
  | { readonly type: 'MerchantAccountUnknown' }
  | { readonly type: 'MerchantAccountExists' }
  | { readonly type: 'StaleRowVersion'; readonly rowVersion: number; readonly current: number }
  | { readonly type: 'UnknownCurrency'; readonly currency: string }
  | { readonly type: 'CurrencyRepeated'; readonly currency: string }
  | { readonly type: 'DefaultCurrencyNotHeld'; readonly currency: string }
  | { readonly type: 'FeeTooFine'; readonly field: string; readonly currency: string };

export interface MerchantAccount {
  readonly merchantAccountId: number;
  readonly settings: Settings;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
}
export type State = MerchantAccount | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'MerchantAccountOpened') {
    const { merchantAccountId, settings } = event;
    return { merchantAccountId, settings, rowVersion: 1 };
  }
  if (state === null) throw new Error(`${event.type} without a merchant account`);
  return { ...state, settings: event.settings, rowVersion: state.rowVersion + 1 };
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  const { merchantAccountId, settings, at } = command;
  const same = state !== null && canonicalJson(state.settings) === canonicalJson(settings);
  switch (command.type) {
    case 'OpenMerchantAccount': {
      if (state !== null) return same ? right([]) : left({ type: 'MerchantAccountExists' });
      const fault = faultOf(settings);
      if (fault !== undefined) return left(fault);
      return right([{ type: 'MerchantAccountOpened', merchantAccountId, settings, at }]);
    }
    case 'ReplaceMerchantAccount': {
      if (state === null) return left({ type: 'MerchantAccountUnknown' });
      const { rowVersion } = command;
      if (rowVersion !== state.rowVersion) {
        return left({ type: 'StaleRowVersion', rowVersion, current: state.rowVersion });
      }
      const fault = faultOf(settings);
      if (fault !== undefined) return left(fault);
      return right(same ? [] : [{ type: 'MerchantAccountChanged', settings, at }]);
    }
    default:
      return never(command);
  }
}

/** Checked in this order: UnknownCurrency, CurrencyRepeated, DefaultCurrencyNotHeld, FeeTooFine. */
export function faultOf(settings: Settings): Rejection | undefined {
  const held = settings.currencies.map(({ currency }) => currency);
  const unknown = [settings.defaultCurrency, ...held].find(
    (code) => currencyOf(code) === undefined,
  );
  if (unknown !== undefined) return { type: 'UnknownCurrency', currency: unknown };
  const repeated = held.find((code, index) => held.indexOf(code) < index);
  if (repeated !== undefined) return { type: 'CurrencyRepeated', currency: repeated };
  const currency = settings.defaultCurrency;
  if (!held.includes(currency)) return { type: 'DefaultCurrencyNotHeld', currency };
  const amounts = { ...settings, maxPrice: settings.maxPrice ?? 0 };
  const field = [...FEE_NAMES, 'maxPrice' as const, 'monthlyCap' as const].find((name) =>
    isLeft(toMinor(amounts[name], currency)),
  );
  return field === undefined ? undefined : { type: 'FeeTooFine', field, currency };
}

/** The account's terms as an attempt keeps them. */
export function termsOf(settings: Settings, reserveHoldDays: number): Terms {
  const minor = (field: FeeName): bigint => {
    const amount = toMinor(settings[field], settings.defaultCurrency);
    if (isLeft(amount)) throw new Error(`${field} was accepted with too many decimals`);
    return amount.right;
  };
  return {
    feeCurrency: settings.defaultCurrency,
    discountRatePercentage: percentText(settings.discountRatePercentage),
    gatewayTransactionFeeMinor: minor('gatewayTransactionFee'),
    bankAuthFeeMinor: minor('bankAuthFee'),
    bankDeclineFeeMinor: minor('bankDeclineFee'),
    bankAvsFeeMinor: minor('bankAVSFee'),
    customFeeMinor: minor('customFee'),
    customFeeApprovedOnlyMinor: minor('customFeeApprovedOnly'),
    chargebackFeeMinor: minor('chargebackFee'),
    alertProviderFeeMinor: minor('alertProviderFee'),
    rdrFeeMinor: minor('rdrFee'),
    cdrnFeeMinor: minor('cdrnFee'),
    reservePercentage: percentText(settings.reservePercentage),
    reserveHoldDays,
  };
}

/** At most six decimals, as `percentOf` takes them. */
function percentText(percentage: number): string {
  return String(Number(percentage.toFixed(6)));
}

export function streamOf(command: { tenantId: TenantId; merchantAccountId: number }): StreamName {
  return streamName('merchant_account', command.tenantId, command.merchantAccountId);
}
