/** The language of callers' templates: total, escaped, own properties only, with faults that say where. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeHtml,
  MAX_TEMPLATE_BYTES,
  parseTemplate,
  renderTemplate,
  type Template,
} from './template-language.ts';

function parsed(source: string): Template {
  const read = parseTemplate(source);
  if ('fault' in read) throw new Error(JSON.stringify(read.fault));
  return read.template;
}

function rendered(source: string, data: unknown): string | undefined {
  return renderTemplate(parsed(source), data, escapeHtml);
}

function faultIn(source: string) {
  const read = parseTemplate(source);
  return 'fault' in read ? read.fault : undefined;
}

const fragment = fc.constantFrom(
  ...['{{', '}}', '{{a}}', '{{ a.b }}', '{{#if a}}', '{{#if a.b }}', '{{/if}}', '{{#', '{', '}'],
  ...['{{else}}', '{{#each a}}', '{{{a}}}', '<b>', '"', "'", '\n', ' ', 'text', 'é', '\u{1f600}'],
);
const source = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
);

describe('any text', () => {
  it('is a template or has a fault with a place in it', () => {
    fc.assert(
      fc.property(source, fc.jsonValue(), (text, data) => {
        const read = parseTemplate(text);
        if ('template' in read) {
          expect(typeof renderTemplate(read.template, data, escapeHtml)).toBe('string');
          return;
        }
        const { line, column } = read.fault;
        const lines = text.split('\n');
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
      }),
    );
  });

  it('without an opening is itself', () => {
    const plain = fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{'));
    fc.assert(
      fc.property(plain, (text) => {
        expect(rendered(text, {})).toBe(text);
      }),
    );
  });

  it('as a value is escaped, in one and in many places', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const html = rendered('{{#if v}}{{v}}{{/if}}{{o.v}}', { v: value, o: { v: value } });
        expect(html).not.toMatch(/[<>"'`=]|&(?!(amp|lt|gt|quot|#39|#96|#61);)/);
      }),
    );
  });
});

it('is read however deep its blocks are nested, and however often they are begun', () => {
  const depth = 16_000;
  const deep = `${'{{#if a}}'.repeat(depth)}x${'{{/if}}'.repeat(depth)}`;
  expect(rendered(deep, { a: 1 })).toBe('x');
  expect(rendered(deep, {})).toBe('');
  for (const text of ['{{'.repeat(100_000), '{{#if '.repeat(40_000), '{{#if a}}'.repeat(28_000)]) {
    expect(faultIn(text)).toMatchObject({ line: 1 });
  }
});

describe('a variable', () => {
  const data = { a: 'x', order: { id: 7, paid: true, note: null }, items: ['first'] };
  it.each([
    ['{{a}}', 'x'],
    ['{{  order.id\t}}', '7'],
    ['{{order.paid}}', 'true'],
    ['{{items.0}}', 'first'],
    ['[{{missing}}{{order.missing.deeper}}{{a.length}}]', '[]'],
    ['[{{order.note}}{{order}}{{items}}]', '[]'],
    ['[{{constructor}}{{__proto__.x}}{{order.toString}}{{order.constructor.name}}]', '[]'],
    ['{ {a} }', '{ {a} }'],
    ['}}{{a}}', '}}x'],
  ])('%s', (template, text) => {
    expect(rendered(template, data)).toBe(text);
  });
});

describe('a block', () => {
  it.each([
    ['{{#if a}}yes{{/if}}', { a: 1 }, 'yes'],
    ['{{#if a}}yes{{/if}}no', { a: 0 }, 'no'],
    ['{{#if a}}1{{#if b}}2{{/if}}3{{/if}}4', { a: true, b: true }, '1234'],
    ['{{#if a}}1{{#if b}}2{{/if}}3{{/if}}4', { a: true }, '134'],
    ['{{#if a}}1{{#if b}}2{{/if}}3{{/if}}4', { b: true }, '4'],
    ['{{#if list}}some{{/if}}', { list: [] }, ''],
    ['{{ #if a }}yes{{ /if }}', { a: 'x' }, 'yes'],
    ['{{#if hasOwnProperty}}yes{{/if}}', {}, ''],
  ])('%s of %j', (template, data, text) => {
    expect(rendered(template, data)).toBe(text);
  });
});

describe('a fault', () => {
  it.each([
    ['a {{', 1, 3, /has no }}/],
    ['a\n\n  {{#if a}}\nb', 3, 3, /no {{\/if}}/],
    ['{{#if a}}{{#if b}}{{/if}}', 1, 1, /no {{\/if}}/],
    ['a\n{{/if}}', 2, 1, /no {{#if}}/],
    ['{{#if}}x{{/if}}', 1, 1, /takes one variable/],
    ['{{#each a}}', 1, 1, /not known/],
    ['{{/each}}', 1, 1, /not known/],
    ['{{else}}', 1, 1, /else/],
    ['{{{a}}}', 1, 1, /escaped/],
    ['{{}}', 1, 1, /no name/],
    ['{{a b}}', 1, 1, /letters/],
    ['{{a..b}}', 1, 1, /letters/],
    ['{{#if a b}}x{{/if}}', 1, 1, /takes one variable/],
  ])('%j', (template, line, column, detail) => {
    expect(faultIn(template)).toMatchObject({ line, column });
    expect(faultIn(template)?.detail).toMatch(detail);
  });

  it('is a template of more than 256 KiB', () => {
    expect(faultIn('é'.repeat(MAX_TEMPLATE_BYTES / 2))).toBeUndefined();
    expect(faultIn('é'.repeat(MAX_TEMPLATE_BYTES / 2 + 1))?.detail).toMatch(/at most 262144/);
  });
});

it('does not grow without end', () => {
  const template = parsed('{{a}}'.repeat(1_000));
  expect(renderTemplate(template, { a: 'x'.repeat(1_000) }, escapeHtml)).toHaveLength(1_000_000);
  expect(renderTemplate(template, { a: 'x'.repeat(2_000) }, escapeHtml)).toBeUndefined();
});
