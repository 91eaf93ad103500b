/** The fields of a merchant account as forms send them. */
import { type Texts, withUnixLines } from '../compared.ts';
import { FIELDS, type Field } from './fields.ts';

export function enteredOf(fields: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(
    FIELDS.map(({ name }) => [name, withUnixLines(String(fields[name] ?? ''))]),
  );
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** As the interface takes it; what is no number is left to it to refuse. */
export function settingOf(
  { kind, isRequired = false }: Pick<Field, 'kind' | 'isRequired'>,
  text: string,
): unknown {
  switch (kind) {
    case 'switch':
      return text === 'yes';
    case 'number':
    case 'optional-number':
      if (text === '') return kind === 'number' && !isRequired ? 0 : null;
      return NUMBER.test(text) ? Number(text) : text;
    case 'currencies':
      return currenciesIn(text).map((currency) => ({ currency }));
    default:
      return text;
  }
}

export function currenciesIn(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((currency) => currency.toUpperCase());
}
