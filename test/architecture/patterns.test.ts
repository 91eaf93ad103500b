/** Every regular expression of the sources runs in linear time. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faultOf, patternsIn } from './patterns.ts';
import { makeTree, readTree } from './source-tree.ts';

/** Takes seconds on an idle CPU. */
const LIMIT_MS = 300_000;

it(
  'every pattern of the packages is linear',
  () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const { found, unreadable } = patternsIn(readTree(root));
    expect(unreadable, 'patterns that are made of more than text').toEqual([]);
    expect(found.length).toBeGreaterThan(50);
    const places = new Map(found.map((each) => [`/${each.source}/${each.flags}`, each]));
    const faults = [...places]
      .map(([shown, each]) => [each.where, shown, faultOf(each)])
      .filter(([, , fault]) => fault !== undefined);
    expect(faults).toEqual([]);
  },
  LIMIT_MS,
);

const IDS = 'new RegExp(`^ *\\\\[ *([1-9]\\\\d{0,15}( *, *[1-9]\\\\d{0,15}){0,999})? *\\\\] *$`)';

it.each([
  ['/^(a+)+$/', 'exponential'],
  ["RegExp('^ *( *a)?$')", 'polynomial'],
  [IDS, 'polynomial'],
  ['/^(\\w{1,200}){1,200}$/u', 'exponential'],
])('%s is refused: %s', (source, fault) => {
  const { found } = patternsIn(makeTree({ 'packages/core/src/a.ts': source }, {}));
  expect(found.map(faultOf)).toEqual([expect.stringContaining(fault)]);
});

it.each(['/^[a-z]{1,200}$/', 'z.email()', 'z.ipv4()'])('%s is allowed', (source) => {
  const { found } = patternsIn(makeTree({ 'packages/core/src/a.ts': source }, {}));
  expect(found.map(faultOf)).toEqual([undefined]);
});

it('lists patterns that cannot be read from the source', () => {
  const tree = makeTree({ 'packages/core/src/a.ts': 'new RegExp(given);' }, {});
  expect(patternsIn(tree).unreadable).toEqual(['packages/core/src/a.ts:1']);
});
