/** The configuration: environment variables, validated once at start. */
import { join } from 'node:path';
import {
  ConfigError,
  DEFAULT_ACTIVITY_DAYS,
  DEFAULT_WEBHOOK_LOG_DAYS,
  DUE_WORK_INTERVAL_MS,
  GATEWAY_DEFAULTS,
  isMasterKey,
  MAX_ACTIVITY_DAYS,
  MAX_WEBHOOK_LOG_DAYS,
  type Settings,
} from '@counterfoil/engine';
import { mailAddressOf, smtpServerOf } from '@counterfoil/engine/mail';
import {
  EVENT_STORE_CLIENTS,
  EVENT_STORE_SCHEMES,
  engineOf,
  isShared,
  READ_MODEL_SCHEMES,
} from '@counterfoil/engine/storage';
import { isLogPrefix, LOG_PREFIX_FORM } from '@counterfoil/event-stores/eventstoredb';
import { DEFAULT_SHARDS, MOST_SHARDS } from '@counterfoil/projections';
import { z } from 'zod';
import { LOG_LEVELS, type LogLevel } from './http/logging.ts';
import { DEFAULT_LIMITS, type HttpLimits } from './http/server.ts';
import { type ConsoleOperator, consoleOperatorsOf } from './operator/operators.ts';

/** The settings of the ledger and of the host. */
export interface Config extends Settings {
  readonly port: number;
  readonly host: string;
  /** Where `/metrics` is served alone; undefined: with all other endpoints. */
  readonly metrics: { readonly port: number; readonly host: string } | undefined;
  readonly logLevel: LogLevel;
  /** Set by the program that creates a demo tenant and its key; never in production. */
  readonly demo: boolean;
  /** Users of the console who operate the host. */
  readonly consoleOperators: readonly ConsoleOperator[];
  readonly failedAuthenticationsPerMinute: number;
  /** Modules of gateways beside the sandbox. */
  readonly gatewayModules: readonly string[];
  readonly limits: HttpLimits;
}

const IN_MEMORY = 'memory:';

const MAX_PORT = 65_535;

/** Every variable with its validation; the description says what to set. */
const Environment = z.object({
  PORT: port().default(3_000),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port().optional(),
  METRICS_HOST: z.string().optional(),
  DATA_DIR: z.string().default('./data'),
  EVENT_STORE_URL: url(EVENT_STORE_SCHEMES).optional(),
  EVENT_STORE_CLIENT: z
    .enum(EVENT_STORE_CLIENTS, `must be one of ${EVENT_STORE_CLIENTS.join(', ')}`)
    .default('eventstore'),
  EVENT_STORE_PREFIX: z.string().refine(isLogPrefix, `must be ${LOG_PREFIX_FORM}`).optional(),
  READ_MODEL_URL: url(READ_MODEL_SCHEMES).optional(),
  RUN_PROJECTIONS: z
    .enum(['true', 'false'], 'must be true or false')
    .default('true')
    .transform((text) => text === 'true'),
  PROJECTION_SHARDS: count(DEFAULT_SHARDS, MOST_SHARDS),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  DEMO: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
  TEST_CLOCK: z
    .enum(['1', '0'], 'must be 1 or 0')
    .default('0')
    .transform((text) => text === '1'),
  NODE_ENV: z.string().optional(),
  MASTER_KEY: z
    .string()
    .refine(isMasterKey, 'must be 32 random bytes in base64, as `openssl rand -base64 32` prints')
    .optional(),
  CONSOLE_OPERATORS: read(
    consoleOperatorsOf,
    'must list users of the console, each as tenant:email, separated by commas, as in 7:ann@shop.example,7:ben@shop.example',
  ),
  FAILED_AUTHENTICATIONS_PER_MINUTE: count(60),
  GATEWAY_TIMEOUT_MS: count(GATEWAY_DEFAULTS.timeoutMs),
  GATEWAY_MAX_IN_FLIGHT: count(GATEWAY_DEFAULTS.maxInFlight),
  GATEWAYS: z
    .string()
    .default('')
    .transform((names) => names.split(',').map((each) => each.trim()))
    .transform((names) => names.filter((each) => each !== '')),
  GATEWAY_RETURN_URL: z.url({ protocol: /^https?$/ }).optional(),
  ACTIVITY_DAYS: count(DEFAULT_ACTIVITY_DAYS, MAX_ACTIVITY_DAYS),
  WEBHOOK_LOG_DAYS: count(DEFAULT_WEBHOOK_LOG_DAYS, MAX_WEBHOOK_LOG_DAYS),
  DUE_WORK_INTERVAL_MS: count(DUE_WORK_INTERVAL_MS),
  SMTP_URL: read(
    smtpServerOf,
    'must be smtp://[user:password@]host[:port], or smtps:// for TLS from the start, with special characters percent-encoded',
  ),
  MAIL_FROM: read(mailAddressOf, 'must be an address, as in: Acme <receipts@acme.example>'),
  PUBLIC_URL: read(originOf, 'must be an address without a path, such as https://pay.shop.example'),
  MAIL_SANDBOX: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
  HEADERS_TIMEOUT_MS: count(DEFAULT_LIMITS.headersTimeoutMs),
  REQUEST_TIMEOUT_MS: count(DEFAULT_LIMITS.requestTimeoutMs),
  KEEP_ALIVE_TIMEOUT_MS: count(DEFAULT_LIMITS.keepAliveTimeoutMs),
  SOCKET_TIMEOUT_MS: count(DEFAULT_LIMITS.socketTimeoutMs),
  MAX_HEADER_BYTES: count(DEFAULT_LIMITS.maxHeaderBytes),
  MAX_BODY_BYTES: count(DEFAULT_LIMITS.maxBodyBytes),
  MAX_REQUESTS_PER_SOCKET: count(DEFAULT_LIMITS.maxRequestsPerSocket),
  MAX_CONNECTIONS: count(DEFAULT_LIMITS.maxConnections),
  MAX_IN_FLIGHT: count(DEFAULT_LIMITS.maxInFlight),
  MAX_LOOP_DELAY_MS: count(DEFAULT_LIMITS.maxLoopDelayMs),
  SHUTDOWN_GRACE_MS: count(DEFAULT_LIMITS.shutdownGraceMs),
});

type Variables = z.output<typeof Environment>;

/** Reads the configuration from an environment such as `process.env`. Throws a ConfigError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const parsed = Environment.safeParse(withoutEmpty(env));
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    );
  }
  const problems = contradictions(parsed.data);
  if (problems.length > 0) throw new ConfigError(problems);
  return configOf(parsed.data);
}

function configOf(variables: Variables): Config {
  const { DATA_DIR: dataDir, MASTER_KEY: masterKey } = variables;
  return {
    port: variables.PORT,
    host: variables.HOST,
    metrics: metricsAddressOf(variables),
    dataDir,
    eventStoreUrl: variables.EVENT_STORE_URL ?? `sqlite:${join(dataDir, 'events.db')}`,
    eventStoreClient: variables.EVENT_STORE_CLIENT,
    eventStorePrefix: variables.EVENT_STORE_PREFIX,
    readModelUrl: variables.READ_MODEL_URL ?? defaultReadModelUrl(variables),
    runProjections: variables.RUN_PROJECTIONS,
    projectionShards: variables.PROJECTION_SHARDS,
    logLevel: variables.LOG_LEVEL,
    demo: variables.DEMO,
    testClock: variables.TEST_CLOCK,
    production: isProduction(variables),
    masterKey: masterKey === undefined ? undefined : Buffer.from(masterKey, 'base64'),
    consoleOperators: variables.CONSOLE_OPERATORS ?? [],
    failedAuthenticationsPerMinute: variables.FAILED_AUTHENTICATIONS_PER_MINUTE,
    gatewayTimeoutMs: variables.GATEWAY_TIMEOUT_MS,
    gatewayMaxInFlight: variables.GATEWAY_MAX_IN_FLIGHT,
    gatewayModules: variables.GATEWAYS,
    gatewayReturnUrl: returnUrlOf(variables),
    activityDays: variables.ACTIVITY_DAYS,
    webhookLogDays: variables.WEBHOOK_LOG_DAYS,
    loopbackWebhooks: !isProduction(variables),
    dueWorkIntervalMs: variables.DUE_WORK_INTERVAL_MS,
    mail: mailSettingsOf(variables),
    keepsMails: !isProduction(variables),
    publicUrl: publicUrlOf(variables),
    limits: {
      headersTimeoutMs: variables.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: variables.REQUEST_TIMEOUT_MS,
      keepAliveTimeoutMs: variables.KEEP_ALIVE_TIMEOUT_MS,
      socketTimeoutMs: variables.SOCKET_TIMEOUT_MS,
      maxHeaderBytes: variables.MAX_HEADER_BYTES,
      maxBodyBytes: variables.MAX_BODY_BYTES,
      maxRequestsPerSocket: variables.MAX_REQUESTS_PER_SOCKET,
      maxConnections: variables.MAX_CONNECTIONS,
      maxInFlight: variables.MAX_IN_FLIGHT,
      maxLoopDelayMs: variables.MAX_LOOP_DELAY_MS,
      shutdownGraceMs: variables.SHUTDOWN_GRACE_MS,
    },
  };
}

function metricsAddressOf({ METRICS_PORT: port, METRICS_HOST: own, HOST: host }: Variables) {
  return port === undefined ? undefined : { port, host: own ?? host };
}

function mailSettingsOf({ SMTP_URL: server, MAIL_FROM: from, MAIL_SANDBOX: sandbox }: Variables) {
  return server === undefined || from === undefined ? undefined : { server, from, sandbox };
}

/** In development the host itself, if its port is known. */
function publicUrlOf(variables: Variables): string | undefined {
  const { PUBLIC_URL: given, HOST: host, PORT: port } = variables;
  if (given !== undefined || isProduction(variables) || port === 0) return given;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol);
  return isOrigin && [url.origin, `${url.origin}/`].includes(text) ? url.origin : undefined;
}

/** With a log in memory the read models are in memory too: they must not outlive it. */
function defaultReadModelUrl({ EVENT_STORE_URL: events, DATA_DIR: dataDir }: Variables): string {
  return isInMemory(events) ? IN_MEMORY : `sqlite:${join(dataDir, 'read-models.db')}`;
}

/** Invalid combinations of variables that are valid one by one. */
/** The page that 3-D Secure ends with in the card form of this host. */
function returnUrlOf(variables: Variables): string | undefined {
  const publicUrl = publicUrlOf(variables);
  const page = publicUrl && `${publicUrl}/widget/pages/challenge?done=true`;
  return variables.GATEWAY_RETURN_URL ?? page;
}

function contradictions(variables: Variables): string[] {
  const problems: string[] = [];
  if (isProduction(variables)) {
    if (variables.DEMO) problems.push('DEMO must not be true with NODE_ENV=production');
    if (variables.TEST_CLOCK) {
      problems.push('TEST_CLOCK must not be 1 with NODE_ENV=production');
    }
    if (variables.MASTER_KEY === undefined) {
      problems.push('MASTER_KEY must be set with NODE_ENV=production: `openssl rand -base64 32`');
    }
    // Links to unsubscribe with one click must be https (RFC 8058).
    if (variables.PUBLIC_URL?.startsWith('http:') === true) {
      problems.push('PUBLIC_URL must be https with NODE_ENV=production');
    }
  }
  problems.push(...contradictionsOfStores(variables));
  if (variables.METRICS_HOST !== undefined && variables.METRICS_PORT === undefined) {
    problems.push('METRICS_HOST must not be set without METRICS_PORT');
  }
  if (variables.METRICS_PORT === variables.PORT && variables.PORT !== 0) {
    problems.push('METRICS_PORT must not be PORT');
  }
  if ((variables.SMTP_URL === undefined) !== (variables.MAIL_FROM === undefined)) {
    problems.push('SMTP_URL and MAIL_FROM must be set both, or neither');
  }
  if (variables.REQUEST_TIMEOUT_MS < variables.HEADERS_TIMEOUT_MS) {
    problems.push('REQUEST_TIMEOUT_MS must not be less than HEADERS_TIMEOUT_MS');
  }
  return problems;
}

/** Hosts that share a log must not keep other state in local files. */
function contradictionsOfStores(variables: Variables): string[] {
  const { EVENT_STORE_URL: events, READ_MODEL_URL: readModels, RUN_PROJECTIONS: runs } = variables;
  const problems: string[] = [];
  if (readModels !== undefined && isInMemory(readModels) !== isInMemory(events)) {
    problems.push('READ_MODEL_URL must be memory: if and only if EVENT_STORE_URL is');
  }
  const inDatabase = readModels !== undefined && engineOf(readModels) === 'postgres';
  if (events !== undefined && isShared(events) && !inDatabase) {
    problems.push('READ_MODEL_URL must be a postgres:// URL where EVENT_STORE_URL names a server');
  }
  const isOnCluster = events !== undefined && engineOf(events) === 'eventstoredb';
  if (variables.EVENT_STORE_PREFIX !== undefined && !isOnCluster) {
    problems.push(
      'EVENT_STORE_PREFIX must be set only where EVENT_STORE_URL names an EventStoreDB or KurrentDB: any other URL names a log of its own',
    );
  }
  if (!runs && !inDatabase) {
    problems.push('RUN_PROJECTIONS must not be false where READ_MODEL_URL is not PostgreSQL');
  }
  return problems;
}

function isInMemory(url: string | undefined): boolean {
  return url === IN_MEMORY;
}

function isProduction(variables: Variables): boolean {
  return variables.NODE_ENV === 'production';
}

/** `PORT=` in an environment file means: not set. */
function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]),
  );
}

function count(fallback: number, to = 2 ** 31 - 1) {
  return integer({ from: 1, to }).default(fallback);
}

/** 0 takes a free port. */
function port() {
  return integer({ from: 0, to: MAX_PORT });
}

function integer({ from, to }: { from: number; to: number }) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .pipe(z.number().min(from, message).max(to, message));
}

/** Parses with `reader`. The message never quotes the text: it may contain a password. */
function read<Value>(reader: (text: string) => Value | undefined, message: string) {
  return z
    .string()
    .refine((text) => reader(text) !== undefined, message)
    .transform((text) => reader(text))
    .optional();
}

/** The message never quotes the URL: it may contain a password. */
function url(schemes: Readonly<Record<string, unknown>>) {
  const names = Object.keys(schemes);
  return z
    .string()
    .refine(
      (text) => names.some((name) => (name === IN_MEMORY ? text === name : isOf(name, text))),
      `must begin with one of ${names.map(beginningOf).join(' ')}, and that of PostgreSQL be whole, as in postgres://user@host:5432/name`,
    );
}

function isOf(scheme: string, text: string): boolean {
  const beginning = beginningOf(scheme);
  return text.startsWith(beginning) && (engineOf(text) !== 'postgres' || URL.canParse(text));
}

/** Files have paths, servers have addresses. */
function beginningOf(scheme: string): string {
  return scheme === IN_MEMORY || scheme === 'sqlite:' ? scheme : `${scheme}//`;
}
