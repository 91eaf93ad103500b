/** What interfaces check input with. */
export { DEFAULT_MONTHS, MAX_MONTHS } from '../books/books-input.ts';
export { MAIL_STATUS, NEEDLESS_REASONS } from '../mail/kept-mails.ts';
export {
  AddressText as MailAddressText,
  HeaderName,
  HeaderValue,
  Language,
  MAX_BATCH,
  MAX_LISTED as MAX_LISTED_MAILS,
  MAX_RECIPIENTS,
  Subject,
  TemplateContent,
  TemplateData,
  TemplateName,
  TemplateType,
} from '../mail/mail-input.ts';
export { MAIL_KINDS } from '../mail/outbox.ts';
export { SUPPRESSION_REASONS } from '../mail/suppressions.ts';
export { AddressInput, CallersId, SessionInput } from '../payments/payment-input.ts';
export { checkSavedFilters } from '../saved-searches/saved-search-input.ts';
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
export { wordsOf } from './issue-words.ts';
export { type Definition, definitionOf, innerTypeOf, partsOf } from './schema-parts.ts';
export {
  bounded,
  CurrencyCode,
  DAYS_IN_ORDER,
  Day,
  daysInOrder,
  EmailText,
  Id,
  IN_ORDER,
  Instant,
  IpAddress,
  inOrder,
  Month,
  name,
  pattern,
  spanOfDays,
  text,
  Uuid,
} from './texts.ts';
