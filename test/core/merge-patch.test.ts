/** JSON merge patch: the test cases of RFC 7396, appendix A, and its algorithm. */
import { mergePatch } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('the test cases of RFC 7396, appendix A', () => {
  it.each<[original: string, patch: string, result: string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('%s patched with %s is %s', (original, patch, result) => {
    expect(mergePatch(JSON.parse(original), JSON.parse(patch))).toEqual(JSON.parse(result));
  });
});

/** The pseudocode of section 2, line by line, on a copy. */
function asPublished(given: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const target: Record<string, unknown> = isObject ? { ...given } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (name in target) delete target[name];
    } else {
      target[name] = asPublished(target[name], value);
    }
  }
  return target;
}

/** Few names, so that target and patch meet. */
const names = fc.constantFrom('a', 'b', 'c', 'currencies');
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1.5, '', 'text'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { noNullPrototype: true }),
  ),
}));

describe('a merge patch', () => {
  it('is what the algorithm of section 2 makes of it', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        expect(mergePatch(target, patch)).toEqual(asPublished(target, patch));
      }),
    );
  });

  it('changes neither the document nor the patch', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = structuredClone([target, patch]);
        mergePatch(target, patch);
        expect([target, patch]).toEqual(before);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('sets a member __proto__, and no prototype', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"a":1}}')) as object;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });
});
