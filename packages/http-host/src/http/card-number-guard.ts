/** Keeps card numbers out of stored and logged data, whichever field they were typed into. */

import { cardNumbersIn } from '@counterfoil/engine/input';
import type { Endpoint } from './endpoint.ts';
import { refuse } from './errors.ts';
import { detailAt, MAX_REPORTED_ERRORS } from './invalid-input.ts';

/**
 * Throws `card_invalid` where a text of the validated input, a member name, a long number or one of
 * these headers contains a card number. Names the place, never the number.
 */
export function refuseCardNumbers(
  { params, query, body }: Pick<Endpoint, 'params' | 'query' | 'body'>,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  headers: Readonly<Record<string, string | undefined>>,
): void {
  const errors = cardNumbersIn([
    { part: 'header', value: headers },
    { part: 'path', schema: params, value: input.params },
    { part: 'query', schema: query, value: input.query },
    { part: 'body', schema: body, value: input.body },
  ] as const)
    .slice(0, MAX_REPORTED_ERRORS)
    .map(({ input: { part }, path }) =>
      detailAt(path, { part, words: 'must not hold a card number' }),
    );
  if (errors.length === 0) return;
  throw refuse('card_invalid', 'A card number stands where none may be', { errors });
}
