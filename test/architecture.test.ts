/** Checks the sources against the architecture rules, and each rule against a sample that it must reject. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as everyRule from './architecture/rules.ts';
import { makeTree, readTree, type SourceTree } from './architecture/source-tree.ts';

const CORE = 'packages/core/src';
const HOST = 'packages/http-host/src';

/** The smallest tree that satisfies all rules; a sample adds or replaces files. */
function sample(sources: Readonly<Record<string, string>>): SourceTree {
  const manifest = (name: string, more: object = {}): string =>
    JSON.stringify({ name: `@counterfoil/${name}`, exports: { '.': './src/index.ts' }, ...more });
  return makeTree(
    {
      [`${CORE}/index.ts`]: 'export const one = 1;',
      [`${CORE}/testing/index.ts`]: '',
      'packages/engine/src/charges/charges.ts': 'export class Charges {}',
      'packages/engine/src/charges/slice.ts': '',
      'packages/engine/src/slices.ts': "import './charges/slice.ts';",
      'packages/engine/src/index.ts':
        "import './slices.ts'; export { Charges } from './charges/charges.ts';",
      'packages/event-stores/src/index.ts': '',
      'packages/projections/src/index.ts': '',
      [`${HOST}/index.ts`]: '',
      'examples/demo/index.ts': '',
      ...sources,
    },
    {
      'packages/core/package.json': manifest('core', {
        exports: { '.': './src/index.ts', './testing': './src/testing/index.ts' },
        dependencies: { zod: '*', 'fp-ts': '*' },
        peerDependencies: { vitest: '*' },
      }),
      'packages/engine/package.json': manifest('engine'),
      'packages/event-stores/package.json': manifest('event-stores'),
      'packages/projections/package.json': manifest('projections'),
      'packages/http-host/package.json': manifest('http-host', {
        dependencies: { '@counterfoil/core': '*' },
      }),
      'packages/newcomer/package.json': manifest('newcomer', { exports: {} }),
      'test/package.json': JSON.stringify({ name: '@counterfoil/test' }),
      'examples/package.json': JSON.stringify({ name: '@counterfoil/examples' }),
      'examples/demo/package.json': manifest('demo', { exports: { '.': './index.ts' } }),
    },
  );
}

const rules = { ...everyRule };
const ruleNames = Object.keys(rules) as (keyof typeof rules)[];
const house = readTree(fileURLToPath(new URL('..', import.meta.url)));

describe.each(ruleNames)('%s', (name) => {
  it('holds in this repository', () => {
    expect(rules[name](house)).toEqual([]);
  });

  it('accepts the smallest tree', () => {
    expect(rules[name](sample({}))).toEqual([]);
  });

  it('has a sample below that it rejects', () => {
    expect(rejected.some((each) => each.rule === name)).toBe(true);
  });
});

interface Sample {
  readonly rule: keyof typeof rules;
  readonly path: string;
  readonly source: string;
}

const rejected: readonly Sample[] = [
  ...[
    [`${CORE}/a.ts`, "import '@counterfoil/projections';"],
    ['packages/projections/src/a.ts', "import '@counterfoil/event-stores';"],
    ['packages/engine/src/a.ts', "import '@counterfoil/http-host';"],
    ['packages/projections/src/a.ts', "import '@counterfoil/engine';"],
    ['packages/event-stores/src/a.ts', "export * from '@counterfoil/http-host';"],
    ['packages/projections/src/a.ts', "import '@counterfoil/core/src/index.ts';"],
    ['packages/projections/src/a.ts', "import '../../core/src/index.ts';"],
    ['packages/newcomer/src/a.ts', "import '@counterfoil/core';"],
    ['packages/projections/src/a.ts', "type A = import('@counterfoil/http-host').A;"],
    [`${HOST}/a.ts`, "await import('@counterfoil/core/undeclared');"],
    ['test/a.test.ts', "import '@counterfoil/core/undeclared';"],
    ['test/a.test.ts', "import '../packages/core/src/index.ts';"],
    ['examples/embed/main.ts', "import '../demo/index.ts';"],
    ['examples/demo/main.ts', "import '../import/main.ts';"],
    [`${HOST}/a.ts`, "import '@counterfoil/demo';"],
  ].map(row('importFloors')),
  ...[
    [`${HOST}/a.ts`, "import 'left-pad';"],
    [`${HOST}/a.ts`, "import type { A } from '@counterfoil/event-stores';"],
    ['examples/demo/main.ts', "import '@counterfoil/core';"],
  ].map(row('declaredDependencies')),
  ...[
    [`${CORE}/a.ts`, "import './testing/index.ts';"],
    [`${HOST}/a.ts`, "import '@counterfoil/core/testing';"],
  ].map(row('testingStaysApart')),
  ...[['packages/engine/src/leads/leads.ts', '']].map(row('slicesAreListed')),
  ...[['packages/engine/src/leads/leads.ts', "import '../payments/cards.ts';"]].map(
    row('slicesMeetAtTheirFaces'),
  ),
  ...[
    [`${CORE}/index.ts`, "import './index.ts';"],
    ['test/a.ts', "import type { A } from './a.ts';"],
  ].map(row('noCircles')),
  ...[[`${HOST}/forgotten.ts`, '']].map(row('noDeadFiles')),
  ...[
    [
      'packages/event-stores/src/sqlite/writer-worker.ts',
      "import { type A, b } from '@counterfoil/core';",
    ],
    [
      'packages/engine/src/activity/activity-worker.ts',
      "import { type A, b } from '@counterfoil/event-stores/sqlite';",
    ],
  ].map(row('writersLoadLittle')),
  ...[
    [`${CORE}/index.ts`, "import './gone.ts';"],
    [`${CORE}/index.ts`, "import './testing/index';"],
    [`${CORE}/index.ts`, "import './testing/index.js';"],
  ].map(row('noMissingFiles')),
  ...[
    'Date.now();',
    "Date['now']();",
    'const { now } = { now: Date.now };',
    'new Date();',
    'Date();',
    'Math.random();',
    'performance.now();',
    'process.env;',
    'crypto.randomUUID();',
    'console.log(1);',
    'globalThis.Date;',
    'const print = console;',
    'const io = { console };',
    'setTimeout(() => {}, 1);',
    'setInterval(() => {}, 1);',
    'setImmediate(() => {});',
    'queueMicrotask(() => {});',
    "fetch('x');",
    "import 'node:fs';",
    "import 'fs';",
    "import 'lru-cache';",
    "import { either } from 'fp-ts';",
    "import * as E from 'fp-ts/Either';",
    "import * as E from 'fp-ts/lib/Either';",
  ].map((source) => ({ rule: 'corePurity' as const, path: `${CORE}/a.ts`, source })),
  ...[
    [`${CORE}/utils.ts`, ''],
    [`${CORE}/helpers/money.ts`, ''],
    [`${HOST}/common.ts`, ''],
    [`${HOST}/session-manager.ts`, ''],
    ['test/helper.ts', ''],
  ].map(row('noVagueNames')),
  ...[['packages/engine/src/a.ts', "import 'node:http';"]].map(row('engineServesNothing')),
  ...[
    [`${HOST}/api/a.ts`, "import type { Engine } from '@counterfoil/engine';"],
    [`${HOST}/api/a.ts`, "import { Charges as Beneath } from '@counterfoil/engine';"],
    [`${HOST}/api/a.ts`, "import * as engine from '@counterfoil/engine';"],
    [`${HOST}/api/a.ts`, "import { openOutbox } from '@counterfoil/engine/mail';"],
  ].map(row('endpointsStandOnTheFace')),
  ...[
    [`${HOST}/routes.ts`, "import { container } from 'tsyringe';"],
    ['packages/projections/src/composition-root.ts', "import 'reflect-metadata';"],
  ].map(row('oneCompositionRoot')),
  ...[
    [`${HOST}/routes.ts`, 'process.env;'],
    [`${HOST}/api/config.ts`, 'const { env } = process;'],
    ['packages/event-stores/src/a.ts', "import { env } from 'node:process';"],
    ['packages/event-stores/src/a.ts', "import { env } from 'process';"],
  ].map(row('processAtTheEdge')),
  ...[
    ['packages/projections/src/a.ts', "new Function('return 1');"],
    ['packages/projections/src/a.ts', "eval('1');"],
  ].map(row('noCodeFromText')),
];

function row(rule: keyof typeof rules) {
  return ([path = '', source = '']: readonly string[]): Sample => ({ rule, path, source });
}

describe('the rules reject', () => {
  it.each(rejected)('$rule: $path: $source', ({ rule, path, source }) => {
    expect(rules[rule](sample({ [path]: source }))).toHaveLength(1);
  });

  it('a circle over several files, named in full', () => {
    const tree = sample({
      [`${CORE}/a.ts`]: "import './b.ts';",
      [`${CORE}/b.ts`]: "export { c } from './c.ts';",
      [`${CORE}/c.ts`]: "import './a.ts';",
    });
    expect(rules.noCircles(tree)).toEqual([
      `${CORE}/a.ts -> ${CORE}/b.ts -> ${CORE}/c.ts -> ${CORE}/a.ts`,
    ]);
  });

  it('an export whose file is gone', () => {
    const { files, manifests } = sample({});
    const fewer = new Map(files);
    fewer.delete(`${CORE}/testing/index.ts`);
    expect(rules.noMissingFiles({ files: fewer, manifests })).toEqual([
      `packages/core/package.json: ${CORE}/testing/index.ts does not exist`,
    ]);
  });
});

describe('the rules allow', () => {
  it.each([
    ['noDeadFiles', 'a worker', `${HOST}/index.ts`, "new URL('./worker.ts', import.meta.url);"],
    ['noDeadFiles', 'a dynamic import', `${HOST}/index.ts`, "await import('./worker.ts');"],
    ['noCircles', 'a worker of itself', `${HOST}/a.ts`, "new URL('./a.ts', import.meta.url);"],
    ['corePurity', 'a date of a given time', `${CORE}/a.ts`, 'new Date(0).getTime();'],
    ['corePurity', 'a property of that name', `${CORE}/a.ts`, 'a.process; ({ crypto: 1 });'],
    ['corePurity', 'zod and fp-ts', `${CORE}/a.ts`, "import 'zod'; import 'fp-ts/lib/Either.js';"],
    ['corePurity', 'chance in its testing', `${CORE}/testing/a.ts`, 'Math.random();'],
    [
      'testingStaysApart',
      'testing in a test',
      `${HOST}/a.test.ts`,
      "import '@counterfoil/core/testing';",
    ],
    ['importFloors', 'a declared subpath', `${HOST}/a.ts`, "import '@counterfoil/core/testing';"],
    ['oneCompositionRoot', 'its root', `${HOST}/composition-root.ts`, "import 'tsyringe';"],
    ['processAtTheEdge', 'the command line', `${HOST}/cli/main.ts`, 'process.argv;'],
  ] as const)('%s: %s', (rule, _what, path, source) => {
    expect(rules[rule](sample({ [`${HOST}/worker.ts`]: '', [path]: source }))).toEqual([]);
  });
});
