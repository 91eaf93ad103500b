/** Pages as they are sent: every text arrives, and none is taken for HTML. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { refuse } from '../http/errors.ts';
import { refusalPage } from './answers.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function shown(message: string): string {
  const { raw } = refusalPage(refuse('not_found', message), 'of-a-test');
  const [, html = ''] = /<p>([^<>"]*)<\/p>\n<p class="quiet">Request/.exec(String(raw)) ?? [];
  return html.replaceAll(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity);
}

it('shows every text as it is', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab &<>"\'é•中😀') });
  fc.assert(
    fc.property(text, (message) => {
      expect(shown(message)).toBe(message);
    }),
  );
});

it('shows what templates say beside it', () => {
  const sections = { list: [] };
  const frame = { environment: 'live', sections, switches: {}, user: {}, tenantName: '中' };
  const data = { frame: { ...frame, isSandbox: true } };
  const { raw } = refusalPage(refuse('not_found'), 'of-a-test', data);
  expect(String(raw)).toContain(
    '<title>There is no such page · Sandbox · 中 · Counterfoil</title>',
  );
});
