/** What operators are shown of errors that may quote events of all companies. */
import { expect, it } from 'vitest';
import { shownReason } from './words.ts';

it.each([
  ['event X at dispute-7-a@3 cannot be read: unknown event type', undefined],
  ['leads has ada@shop.example already', 'leads has … already'],
  [
    'not JSON: Unexpected token, "{name: Ada" is not valid',
    'not JSON: Unexpected token, … is not valid',
  ],
  ['no phone `0123`\nAda Lovelace', 'no phone …'],
  ['card 4242424242424242', 'What went wrong is not shown here: it quotes a number'],
  ['x'.repeat(300), `${'x'.repeat(200)}…`],
])('%s', (error, shown = error) => {
  expect(shownReason(error)).toBe(shown);
});
