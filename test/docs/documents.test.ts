/** Compares the documents with the code: lists are complete, and links resolve. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Transaction } from '@counterfoil/core';
import { OUTCOMES, SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { readConfig } from '@counterfoil/http-host/config';
import { describe, expect, it } from 'vitest';
import {
  anchorsOf,
  codeBlocks,
  codeIn,
  linksOf,
  markdownFiles,
  ROOT,
  readDocument,
  section,
  tableRows,
} from './markdown.ts';

const readme = readDocument('README.md');
const documents = markdownFiles();

describe('links', () => {
  it('finds the documents', () => {
    expect(documents).toEqual(
      expect.arrayContaining(['README.md', 'docs/operations.md', 'examples/README.md']),
    );
  });

  it.each(documents)('%s links to what exists', (document) => {
    const broken = linksOf(readDocument(document)).filter(
      (link) => !leadsSomewhere(document, link),
    );
    expect(broken).toEqual([]);
  });
});

function leadsSomewhere(document: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(readDocument(target)).has(anchor);
}

const WITHOUT_DEFAULT = [
  'EVENT_STORE_PREFIX',
  'NODE_ENV',
  'MASTER_KEY',
  'CONSOLE_OPERATORS',
  'GATEWAYS',
  'GATEWAY_RETURN_URL',
  'METRICS_PORT',
  'METRICS_HOST',
  'SMTP_URL',
  'MAIL_FROM',
  'PUBLIC_URL',
];

describe('configuration', () => {
  const rows = tableRows(section(readme, '## Configuration')).map(([name, value]) => ({
    name: codeIn(name) ?? '',
    value: codeIn(value)?.replace('<DATA_DIR>', 'data'),
  }));

  /** The variables are not exported, so they are extracted from the source. */
  function variablesInSource(): string[] {
    const source = readFileSync(join(ROOT, 'packages/http-host/src/config.ts'), 'utf8');
    const [, environment = ''] =
      /const Environment = z\.object\(\{\n([\s\S]*?)^\}\);/m.exec(source) ?? [];
    return [...environment.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) => name);
  }

  it('lists every variable, in the order of the code', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(({ name }) => name)).toEqual(variablesInSource());
  });

  it.each(rows)('$name has the default $value', ({ name, value }) => {
    if (value === undefined) {
      expect(WITHOUT_DEFAULT).toContain(name);
      return;
    }
    expect(readConfig({ [name]: value })).toEqual(readConfig({}));
    expect(withAnother(name)).not.toEqual(readConfig({}));
  });

  /** Each variable is used: another value is refused or changes the configuration. */
  function withAnother(name: string): unknown {
    try {
      return readConfig({ [name]: '31999' });
    } catch (error) {
      return error;
    }
  }
});

it('lists the cards of the sandbox', () => {
  expect(tableRows(section(readme, '### Sandbox cards'))).toEqual(
    SANDBOX_CARDS.map(({ number, behaviour }) => [`\`${number}\``, OUTCOMES[behaviour].meaning]),
  );
});

it.each([
  ['docs/gateways.md', '## The adapter', 'own-gateway/acme-gateway.ts'],
  ['docs/embedding.md', '## Bundling', 'bundled/build.mjs'],
  ['docs/projections.md', '## One projection', 'embed/sales-per-day.ts'],
  ['docs/projections.md', '## Testing', 'embed/sales-per-day.test.ts'],
])('%s shows under %s the example %s as it runs', (document, heading, file) => {
  const [shown] = codeBlocks(section(readDocument(document), heading));
  expect(shown?.code.trim()).toBe(readFileSync(join(ROOT, 'examples', file), 'utf8').trim());
});

it('lists the statuses', () => {
  const cells = tableRows(section(readme, '### Statuses')).map(([, statuses = '']) => statuses);
  expect(cells.flatMap((statuses) => statuses.split(' · '))).toEqual(
    Object.entries(Transaction.STATUS_ID).map(([name, id]) => `${id} ${name}`),
  );
});

/** That the host exports those of the table is tested against a running host. */
it('names no metric that is not in the table of metrics', () => {
  const rows = tableRows(section(readDocument('docs/operations.md'), '## Metrics'));
  const known = new Set(rows.map(([name]) => codeIn(name)));
  const units = '(?:seconds|total|bytes|events|files|streams|subscriptions)';
  const metric = new RegExp(`\`([a-z]+(?:_[a-z]+)*_${units})(?:_(?:count|sum|bucket))?[\`{]`, 'g');
  const named = documents.flatMap((path) =>
    [...readDocument(path).matchAll(metric)].map(([, name = '']) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ name }) => !known.has(name) && !/^(process|nodejs)_/.test(name))).toEqual(
    [],
  );
});

it('quotes log lines that the host writes', () => {
  const quoted = section(readDocument('docs/operations.md'), '## Logs').matchAll(
    /`([a-z:]+ [^`]+)`/g,
  );
  const lines = [...quoted].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(3);
  const source = sourceOf('packages');
  expect(lines.filter((line) => !source.includes(`'${line}'`))).toEqual([]);
});

function sourceOf(folder: string): string {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => !path.includes('node_modules') && /(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(join(ROOT, folder, path), 'utf8'))
    .join('\n');
}

describe('versions and scripts', () => {
  const manifest = manifestAt('package.json');

  function manifestAt(path: string) {
    return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
      readonly engines: { readonly node: string };
      readonly packageManager: string;
      readonly scripts: Readonly<Record<string, string>>;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
  }

  it('runs on the Node and the pnpm that the documents name', () => {
    const said = documents.flatMap((path) => [
      ...readDocument(path).matchAll(/\bNode (\d+)\b(?! or later)/g),
    ]);
    expect(new Set(said.map(([, major]) => major))).toEqual(new Set(['24']));
    expect(manifest.devDependencies['node']).toMatch(/^\^24\./);
    const packages = ['core', 'event-stores', 'projections', 'http-host'];
    for (const path of [
      'package.json',
      ...packages.map((name) => `packages/${name}/package.json`),
    ]) {
      expect(manifestAt(path).engines.node, path).toBe('>=24');
    }
    const managers = documents.flatMap((path) => [...readDocument(path).matchAll(/pnpm@(\d+)/g)]);
    expect(new Set(managers.map(([, major]) => major))).toEqual(new Set(['12']));
    expect(manifest.packageManager).toMatch(/^pnpm@12\./);
  });

  it('names scripts that there are', () => {
    const own = new Set(['exec', 'install']);
    const named = documents.flatMap((path) =>
      [...readDocument(path).matchAll(/(?:pnpm@12|`pnpm) (?:run )?([a-z][a-z:]*)/g)].map(
        ([, script]) => script,
      ),
    );
    expect(named).toEqual(expect.arrayContaining(['start', 'serve', 'test']));
    expect(
      named.filter((script = '') => !own.has(script) && !(script in manifest.scripts)),
    ).toEqual([]);
  });
});
