/** The text part of HTML: readable, and there for any text. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textOfHtml } from './text-of-html.ts';

it.each([
  [
    '<p>Hello&nbsp;Ann,</p><p>Thank&#32;you &amp; goodbye</p>',
    'Hello Ann,\n\nThank you & goodbye\n',
  ],
  ['one<br>two\n three', 'one\ntwo three\n'],
  ['<ul><li>a</li><li>b</li></ul>', '- a\n- b\n'],
  ['<table><tr><th>Paid</th><td>5.00</td></tr></table>', 'Paid 5.00\n'],
  ['<a class="x" href="https://a.example/?b&amp;c">Pay</a>.', 'Pay (https://a.example/?b&c).\n'],
  ["<a href='javascript:alert(1)'>Pay</a>", 'Pay\n'],
  ['<style>p { color: red }</style><script>x < 1</script>a', 'a\n'],
  ['<!-- a <b> --><b>c</b>', 'c\n'],
  ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2\n'],
  ['&lt;b&gt;&unknown;&#0;', '<b>&unknown;\n'],
])('%s', (html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

it('is made of any text, and has no line of spaces', () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '<a href=',
    '"',
    '</a>',
    '<p>',
    '<!--',
    '-->',
    '&',
    '&#',
    ' ',
  );
  const html = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part, { maxLength: 50 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(html, (text) => {
      expect(textOfHtml(text)).not.toMatch(/\n[ \t]+\n/);
    }),
  );
});
