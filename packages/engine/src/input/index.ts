/** What interfaces check input with. */
export {
  cardNumbersIn,
  isShown,
  MAX_NAME_LENGTH,
  mayHoldCardNumber,
  notACardNumber,
} from './card-number-search.ts';
export { definedOf } from './defined.ts';
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
  pattern,
  text,
  Uuid,
} from './texts.ts';
