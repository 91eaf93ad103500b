/** What docs/deploy has for operators agrees with the host: metrics, variables, commands. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, matchesGlob, relative } from 'node:path';
import { readConfig } from '@counterfoil/http-host/config';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHost } from '../e2e/running-host.ts';
import { codeBlocks, ROOT, readDocument, section } from './markdown.ts';
import { type Exposed, exposedIn, faultsOfAlerts, faultsOfExpression } from './prometheus-rules.ts';

const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');

function text(name: string): string {
  return readFileSync(join(ROOT, 'docs/deploy', name), 'utf8');
}

let answer: string;
let exposed: Exposed;
beforeAll(async () => {
  const running = await startHost();
  await fetch(`${running.url}/openapi.json`);
  answer = await (await fetch(`${running.url}/metrics`)).text();
  exposed = exposedIn(answer);
  await running.close();
});

describe('the alert rules', () => {
  const rules = () => text('prometheus-alerts.yml');

  it('are rules of Prometheus on metrics of the host', () => {
    expect(faultsOfAlerts(rules(), exposed)).toEqual([]);
  });

  it.each([
    ['a key that Prometheus does not know', 'for: 1m', 'during: 1m', /during/],
    ['a name of other characters', 'CounterfoilDown', 'Counterfoil-Down', /Counterfoil-Down/],
    ['a name twice', 'CounterfoilSlow', 'CounterfoilDown', /twice/],
    ['a label of other characters', 'severity: critical', 'se-verity: critical', /se-verity/],
    ['no severity', '{ severity: critical }', '{ team: payments }', /severity/],
    ['no duration', 'for: 15m', 'for: 15 minutes', /15 minutes/],
    ['units of a duration in another order', 'for: 15m', 'for: 5m1h', /5m1h/],
    ['an expression that cannot be read', 'mails_queued > 0 and', 'mails_queued > 0 und', /PromQL/],
    ['an expression without a metric', 'projection_ready == 0', '1 == 0', /no metric/],
    [
      'a metric that the host does not have',
      'projection_ready ==',
      'projection_up ==',
      /projection_up/,
    ],
    ['a selector of a label that there is not', '{status=~', '{code=~', /code/],
    ['a label that the metric does not have', '$labels.follower', '$labels.name', /\$labels\.name/],
    ['a function that Prometheus does not have', '$labels.follower', '$value | round', /round/],
    ['a variable that Prometheus does not have', '$labels.follower', '$metric', /\$metric/],
    ['a template that is not closed', '$labels.follower }}', '$labels.follower }', /template/],
  ])('are refused with %s', (_, good, bad, fault) => {
    expect(rules()).toContain(good);
    expect(faultsOfAlerts(rules().replace(good, bad), exposed).join('\n')).toMatch(fault);
  });

  it('may show the value as a human reads it', () => {
    const shown = rules().replace('$labels.follower', '$value | humanizeDuration | toUpper');
    expect(faultsOfAlerts(shown, exposed)).toEqual([]);
  });

  it('have every metric that the manual calls worth an alarm', () => {
    const manual = section(readDocument('docs/operations.md'), '## Metrics');
    const rows = manual.split('\n').filter((line) => /worth an alarm/i.test(line));
    const names = rows.map((row) => /`(\w+)`/.exec(row)?.[1] ?? row);
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !rules().includes(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  const Dashboard = z.looseObject({
    panels: z.array(
      z.looseObject({
        id: z.int(),
        gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
        targets: z.array(z.looseObject({ expr: z.string() })).default([]),
      }),
    ),
  });

  it('names metrics of the host, in panels that do not overlap', () => {
    const { panels } = Dashboard.parse(JSON.parse(text('grafana-dashboard.json')));
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(20);
    const faults = expressions.flatMap((each) =>
      faultsOfExpression(each.replaceAll('$__rate_interval', '5m'), exposed),
    );
    expect(faults).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from(
        { length: w * h },
        (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`,
      ),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

it.each(['prometheus-alerts.yml', 'grafana-dashboard.json'])(
  '%s takes rates and increases of what only grows',
  (name) => {
    const growing = [...text(name).matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, metric = '']) =>
      metric.replace(/_(bucket|count|sum)$/, ''),
    );
    const types = growing.map((metric) => {
      const type = new RegExp(`^# TYPE ${metric} (\\w+)$`, 'm').exec(answer)?.[1];
      return `${metric} ${type}`;
    });
    expect(types.length).toBeGreaterThan(4);
    expect(types.filter((each) => !/ (counter|histogram)$/.test(each))).toEqual([]);
  },
);

/** Whether a file of the repository is sent to the builder: the last line that matches it decides. */
function isInContext(path: string): boolean {
  const lines = text('Dockerfile.dockerignore').split('\n');
  const matching = lines.filter((line) => {
    const pattern = line.replace(/^!/, '');
    return matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  });
  return matching.at(-1)?.startsWith('!') ?? true;
}

/** The variables that the image sets. */
function imageVariables(): Record<string, string> {
  const [, block = ''] = /^ENV ([\s\S]*?[^\\])\n/m.exec(text('Dockerfile')) ?? [];
  return Object.fromEntries(
    block
      .replaceAll('\\\n', ' ')
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  );
}

describe('the image', () => {
  it('runs the host as another user than root, with a check of its health', () => {
    const lines = text('Dockerfile').split('\n');
    const entry = lines.find((line) => line.startsWith('ENTRYPOINT'))?.slice('ENTRYPOINT '.length);
    const [node, ...given]: string[] = JSON.parse(entry ?? '');
    expect(node).toBe('node');
    const [hook = '', program = ''] = given.filter((each) => !each.startsWith('--'));
    expect(existsSync(join(ROOT, relative('/app', hook)))).toBe(true);
    expect(existsSync(join(ROOT, program))).toBe(true);
    expect(lines.filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
    expect(text('Dockerfile')).toMatch(/HEALTHCHECK [\s\S]*\/livez/);
    const bases = lines.filter((line) => line.startsWith('FROM')).map((line) => line.split(' ')[1]);
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const major = engines.node.replace('>=', '');
    expect(bases).toEqual([`node:${major}-bookworm-slim`, `node:${major}-bookworm-slim`]);
  });

  it('is built from all files that it runs, and from nothing that was built or is a test', () => {
    const named = text('Dockerfile').matchAll(/(?<=[\s"]|\/app\/)\w[\w./-]*\.mjs/g);
    const files = [...named].map(([file]) => file);
    expect(files).toEqual([
      'scripts/strip-all.mjs',
      'scripts/strip-types.mjs',
      'packages/http-host/src/cli/counterfoil.mjs',
    ]);
    const others = ['scripts/stripped-sources.mjs', 'pnpm-lock.yaml', 'examples/club/package.json'];
    expect([...files, ...others].filter((file) => !isInContext(file))).toEqual([]);
    const left = ['packages/core/src/execute.test.ts', 'packages/core/node_modules/zod/index.js'];
    const unwanted = [...left, 'bench/main.ts', 'scripts/profile.ts'];
    expect(unwanted.filter(isInContext)).toEqual([]);
  });

  it('is configured as a host in production accepts', () => {
    const config = readConfig({ ...imageVariables(), MASTER_KEY });
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', dataDir: '/data' });
  });
});

describe('the two hosts on PostgreSQL', () => {
  const Compose = z.looseObject({
    services: z.record(
      z.string(),
      z.looseObject({
        environment: z.record(z.string(), z.string()),
        build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
      }),
    ),
  });

  it('are configured as hosts that share their stores accept', () => {
    const { services } = Compose.parse(load(text('compose.yaml')));
    const hosts = Object.values(services).filter(({ build }) => build !== undefined);
    expect(hosts).toHaveLength(2);
    for (const { build, environment } of hosts) {
      const root = join(ROOT, 'docs/deploy', build?.context ?? '');
      expect(existsSync(join(root, build?.dockerfile ?? ''))).toBe(true);
      const given = Object.entries(environment).map(([name, value]) => [
        name,
        name === 'MASTER_KEY' ? MASTER_KEY : value.replaceAll(/\$\{[^}]*\}/g, 'secret'),
      ]);
      const config = readConfig({ ...imageVariables(), ...Object.fromEntries(given) });
      expect(config.eventStoreUrl).toMatch(/^postgres:\/\/counterfoil:secret@database/);
      expect(config.readModelUrl).toBe(config.eventStoreUrl);
    }
  });
});

it('the unit of systemd runs the command of the README', () => {
  const unit = text('counterfoil.service');
  const fields = [...unit.matchAll(/^(\w+)=(.*)$/gm)];
  const fieldOf = (name: string) => fields.find(([, each]) => each === name)?.[2] ?? '';
  const [, serve] = codeBlocks(
    section(readDocument('README.md'), '## Running it in production'),
  ).filter(({ language }) => language === 'sh');
  expect(fieldOf('ExecStart')).toBe(`/opt/counterfoil/${serve?.code.trim()}`);
  const variables = fieldOf('Environment')
    .split(' ')
    .map((pair) => pair.split('='));
  const config = readConfig({
    ...Object.fromEntries(variables),
    NODE_ENV: 'production',
    MASTER_KEY,
  });
  expect(config.dataDir).toBe(`/var/lib/${fieldOf('StateDirectory')}`);
});

it('Litestream replicates the log and what it needs, and nothing that has read the log', () => {
  const Litestream = z.object({ dbs: z.array(z.object({ path: z.string() })) });
  const { dbs } = Litestream.parse(load(text('litestream.yml')));
  const names = dbs.map(({ path }) => basename(path));
  expect(names).toEqual(['events.db', 'keys.db', 'users.db', 'evidence.db']);
  const table = section(readDocument('docs/operations.md'), '## What is in the data folder');
  for (const name of names) expect(table).toContain(`\`${name}\``);
});
