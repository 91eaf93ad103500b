/** What interfaces check input with. */
export { DEFAULT_MONTHS, MAX_MONTHS } from '../books/books-input.ts';
export { AddressInput, CallersId, SessionInput } from '../payments/payment-input.ts';
export { minorOf } from './amounts.ts';
export {
  cadenceOf,
  checkCadence,
  FrequencyDays,
  IntervalCount,
  PlanInterval,
} from './cadence.ts';
export {
  cardNumbersIn,
  isShown,
  MAX_NAME_LENGTH,
  mayHoldCardNumber,
  notACardNumber,
} from './card-number-search.ts';
export { likeliest } from './checked-calls.ts';
export { type Definition, definitionOf, innerTypeOf, partsOf } from './schema-parts.ts';
export {
  bounded,
  CurrencyCode,
  Day,
  EmailText,
  Id,
  IN_ORDER,
  IpAddress,
  inOrder,
  Month,
  name,
  pattern,
  text,
  Uuid,
} from './texts.ts';
