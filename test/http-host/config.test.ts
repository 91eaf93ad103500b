/** The configuration: defaults, what is refused and how it is said, and the key that is made. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadMasterKey } from '@counterfoil/engine';
import { readConfig } from '@counterfoil/http-host/config';
import { describe, expect, it, onTestFinished } from 'vitest';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the configuration', () => {
  it('needs nothing', () => {
    expect(readConfig({ PORT: '' })).toMatchObject({
      port: 3_000,
      host: '127.0.0.1',
      metrics: undefined,
      dataDir: './data',
      eventStoreUrl: 'sqlite:data/events.db',
      readModelUrl: 'sqlite:data/read-models.db',
      logLevel: 'info',
      demo: false,
      testClock: false,
      production: false,
      mail: undefined,
      limits: { maxBodyBytes: 1_048_576 },
    });
  });

  it('names the users of the console who operate the host', () => {
    const text = '7:ann@shop.example, 12:Ben@Shop.example';
    expect(readConfig({ CONSOLE_OPERATORS: text }).consoleOperators).toEqual([
      { tenantId: 7, email: 'ann@shop.example' },
      { tenantId: 12, email: 'Ben@Shop.example' },
    ]);
    expect(readConfig({}).consoleOperators).toEqual([]);
  });

  it('takes what is set', () => {
    const config = readConfig({
      PORT: '0',
      DATA_DIR: '/var/lib/counterfoil',
      EVENT_STORE_URL: 'memory:',
      DEMO: 'true',
      TEST_CLOCK: '1',
      MASTER_KEY,
      SMTP_URL: 'smtp://relay:p%40ss@mail.example',
      MAIL_FROM: '"Acme, Ltd" <receipts@acme.example>',
      MAX_IN_FLIGHT: '5',
    });
    expect(config).toMatchObject({
      port: 0,
      eventStoreUrl: 'memory:',
      readModelUrl: 'memory:',
      demo: true,
      testClock: true,
      masterKey: Buffer.alloc(32, 7),
      mail: {
        server: {
          host: 'mail.example',
          port: 587,
          secure: false,
          credentials: { user: 'relay', password: 'p@ss' },
        },
        from: { name: 'Acme, Ltd', address: 'receipts@acme.example' },
        sandbox: false,
      },
      limits: { maxInFlight: 5 },
    });
  });

  it.each([
    'esdb://log:2113?tls=false',
    'esdb+discover://a:2113,b:2113,c:2113?nodePreference=leader',
    'kurrentdb://log:2113',
    'postgres://user:p%40ss@log/log',
  ])('takes a log that several hosts share: %s', (eventStoreUrl) => {
    const readModelUrl = 'postgresql://user@models:5433/models';
    const shared = { EVENT_STORE_URL: eventStoreUrl, READ_MODEL_URL: readModelUrl };
    const env = { ...shared, EVENT_STORE_CLIENT: 'kurrentdb', RUN_PROJECTIONS: 'false' };
    expect(readConfig(env)).toMatchObject({
      eventStoreUrl,
      readModelUrl,
      eventStoreClient: 'kurrentdb',
      runProjections: false,
    });
  });

  it.each(['counterfoil.', 'a.', 'Acme_7.ledger.live.'])('takes the prefix %s', (prefix) => {
    const shared = { EVENT_STORE_URL: 'esdb://log:2113', READ_MODEL_URL: 'postgres://u@models/m' };
    const config = readConfig({ ...shared, EVENT_STORE_PREFIX: prefix });
    expect(config.eventStorePrefix).toBe(prefix);
    expect(readConfig({ ...shared, EVENT_STORE_PREFIX: '' }).eventStorePrefix).toBeUndefined();
  });

  it.each(['acme', '.', 'a..', '7.', '$a.', 'a-b.', 'ä.', 'a .', ' a.', `${'a'.repeat(64)}.`])(
    'refuses the prefix %j',
    (prefix) => {
      const EVENT_STORE_URL = 'esdb://log:2113';
      const env = { EVENT_STORE_URL, READ_MODEL_URL: 'postgres://u@models/m' };
      expect(() => readConfig({ ...env, EVENT_STORE_PREFIX: prefix })).toThrow(
        'EVENT_STORE_PREFIX must be at most 64 letters, digits, _ and dots',
      );
    },
  );

  it.each([undefined, 'memory:', 'sqlite:log.db', 'postgres://u@log/l'])(
    'refuses a prefix where the log is one by itself: %s',
    (url) => {
      const env = { EVENT_STORE_PREFIX: 'acme.', READ_MODEL_URL: 'postgres://u@models/m' };
      expect(() => readConfig({ ...env, EVENT_STORE_URL: url })).toThrow(
        'EVENT_STORE_PREFIX must be set only where EVENT_STORE_URL names an EventStoreDB',
      );
    },
  );

  it.each([
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '3e3' }, 'PORT must be a whole number'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error'],
    [{ DEMO: 'yes' }, 'DEMO must be true or false'],
    [{ EVENT_STORE_URL: 'mysql://x' }, 'EVENT_STORE_URL must begin with one of sqlite:'],
    [{ READ_MODEL_URL: 'esdb://x' }, 'READ_MODEL_URL must begin with one of sqlite: memory:'],
    [
      { READ_MODEL_URL: 'postgres://a:b:c' },
      'READ_MODEL_URL must begin with one of sqlite: memory:',
    ],
    [{ READ_MODEL_URL: 'memory:' }, 'READ_MODEL_URL must be memory: if and only if'],
    [
      { EVENT_STORE_URL: 'esdb://log:2113' },
      'READ_MODEL_URL must be a postgres:// URL where EVENT_STORE_URL names a server',
    ],
    [
      { EVENT_STORE_URL: 'postgres://log/log', READ_MODEL_URL: 'sqlite:x.db' },
      'READ_MODEL_URL must be a postgres:// URL where EVENT_STORE_URL names a server',
    ],
    [{ EVENT_STORE_CLIENT: 'mine' }, 'EVENT_STORE_CLIENT must be one of eventstore, kurrentdb'],
    [{ RUN_PROJECTIONS: 'false' }, 'RUN_PROJECTIONS must not be false where READ_MODEL_URL is not'],
    [
      { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'sqlite:x.db' },
      'READ_MODEL_URL must be memory: if and only if',
    ],
    [{ MASTER_KEY: 'c2hvcnQ=' }, 'MASTER_KEY must be 32 random bytes in base64'],
    [{ MASTER_KEY: `${MASTER_KEY} ` }, 'MASTER_KEY must be 32 random bytes in base64'],
    [{ MAX_BODY_BYTES: '0' }, 'MAX_BODY_BYTES must be a whole number from 1'],
    [{ NODE_ENV: 'production' }, 'MASTER_KEY must be set with NODE_ENV=production'],
    [{ NODE_ENV: 'production', MASTER_KEY, DEMO: 'true' }, 'DEMO must not be true'],
    [{ NODE_ENV: 'production', MASTER_KEY, TEST_CLOCK: '1' }, 'TEST_CLOCK must not be 1'],
    [{ TEST_CLOCK: 'true' }, 'TEST_CLOCK must be 1 or 0'],
    [{ SMTP_URL: 'smtp://mail.example' }, 'SMTP_URL and MAIL_FROM must be set both'],
    [{ MAIL_FROM: 'a@acme.example' }, 'SMTP_URL and MAIL_FROM must be set both'],
    [{ PUBLIC_URL: 'https://pay.example/path' }, 'PUBLIC_URL must be an address without a path'],
    [{ CONSOLE_OPERATORS: '7' }, 'CONSOLE_OPERATORS must list users of the console'],
    [{ CONSOLE_OPERATORS: '7:ann@shop.example,' }, 'CONSOLE_OPERATORS must list users'],
    [{ CONSOLE_OPERATORS: '0:ann@shop.example' }, 'CONSOLE_OPERATORS must list users'],
    [{ CONSOLE_OPERATORS: '7:ann@shop' }, 'CONSOLE_OPERATORS must list users'],
    [{ PUBLIC_URL: 'ftp://pay.example' }, 'PUBLIC_URL must be an address without a path'],
    [
      { PUBLIC_URL: 'http://pay.example', NODE_ENV: 'production' },
      'PUBLIC_URL must be https with NODE_ENV=production',
    ],
    [{ SMTP_URL: 'https://mail.example', MAIL_FROM: 'a@acme.example' }, 'SMTP_URL must be smtp://'],
    [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Acme' }, 'MAIL_FROM must be an address'],
    [{ MAIL_SANDBOX: '1' }, 'MAIL_SANDBOX must be true or false'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT must not be PORT'],
    [{ METRICS_PORT: '-1' }, 'METRICS_PORT must be a whole number from 0'],
    [{ METRICS_HOST: '10.0.0.7' }, 'METRICS_HOST must not be set without METRICS_PORT'],
    [{ REQUEST_TIMEOUT_MS: '5' }, 'REQUEST_TIMEOUT_MS must not be less'],
  ])('refuses %j', (env, problem) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(problem);
  });

  it('names all that is wrong at once, and no secret', () => {
    const env = { PORT: 'x', DEMO: 'x', MASTER_KEY: 'a-secret', SMTP_URL: 'a-secret' };
    expect(() => readConfig(env)).toThrow(/PORT .*\n.*DEMO .*\n.*MASTER_KEY .*\n.*SMTP_URL /);
    expect(() => readConfig(env)).not.toThrow(/a-secret/);
  });
});

describe('the master key', () => {
  it('is made once, for its owner alone', () => {
    const dataDir = join(temporaryFolder(), 'new');
    const config = readConfig({ DATA_DIR: dataDir });
    const key = loadMasterKey(config);
    expect(key).toHaveLength(32);
    expect(loadMasterKey(config)).toEqual(key);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('is the configured one if there is one', () => {
    const config = readConfig({ DATA_DIR: temporaryFolder(), NODE_ENV: 'production', MASTER_KEY });
    expect(loadMasterKey(config)).toEqual(Buffer.alloc(32, 7));
  });

  it('is never replaced when its file is damaged', () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'secrets.json'), '{"masterKey":"a-secret"');
    const load = () => loadMasterKey(readConfig({ DATA_DIR: dataDir }));
    expect(load).toThrow(ConfigError);
    expect(load).not.toThrow(/a-secret/);
  });

  it('is refused when the data was made with another one', () => {
    const dataDir = temporaryFolder();
    const load = (masterKey: string) =>
      loadMasterKey(readConfig({ DATA_DIR: dataDir, MASTER_KEY: masterKey }));
    load(MASTER_KEY);
    expect(load(MASTER_KEY)).toHaveLength(32);
    expect(() => load(Buffer.alloc(32, 8).toString('base64'))).toThrow(/not the one that the data/);
  });

  it('is refused when the kept one is lost and a new one would be made', () => {
    const dataDir = temporaryFolder();
    const load = () => loadMasterKey(readConfig({ DATA_DIR: dataDir }));
    load();
    rmSync(join(dataDir, 'secrets.json'));
    expect(load).toThrow(/not the one that the data/);
  });
});
