/** What a ledger is opened with, and its master key. */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MailSettings } from './mail/mail-settings.ts';
import { type EventLogSettings, fileOf, type Located } from './storage/stores.ts';

const MASTER_KEY_BYTES = 32;

/** Fewer calls than a host takes requests: a gateway that stalls leaves room for those without it. */
export const GATEWAY_DEFAULTS = { timeoutMs: 10_000, maxInFlight: 500 } as const;

export const DEFAULT_ACTIVITY_DAYS = 400;
/** A century. */
export const MAX_ACTIVITY_DAYS = 36_500;
export const DEFAULT_WEBHOOK_LOG_DAYS = 30;
/** Ten years. */
export const MAX_WEBHOOK_LOG_DAYS = 3_650;
export const DUE_WORK_INTERVAL_MS = 1_000;

/** Where a ledger keeps its data, and how its parts behave. */
export interface Settings extends Located, EventLogSettings {
  /** Whether this process brings the read models up to date itself, or leaves that to workers. */
  readonly runProjections: boolean;
  /** Into how many shards the tenants are hashed where read models in PostgreSQL are made. */
  readonly projectionShards?: number | undefined;
  /** The clock may be moved ahead: for tests, and never in production. */
  readonly testClock: boolean;
  /** In production no master key is generated. */
  readonly production: boolean;
  /** 32 bytes. Undefined outside production until `loadMasterKey` has read or made one. */
  readonly masterKey: Buffer | undefined;
  /** A payment whose gateway has not answered after so long has an unknown outcome. */
  readonly gatewayTimeoutMs: number;
  /** Calls of one gateway that may be under way at the same time; the next one is refused. */
  readonly gatewayMaxInFlight: number;
  /** Where browsers go after an action of the customer; gateways that need one have a default. */
  readonly gatewayReturnUrl?: string | undefined;
  /** Records of activity are removed after so many days. */
  readonly activityDays: number;
  /** Deliveries of webhooks that have ended are removed after so many days. */
  readonly webhookLogDays: number;
  /** Webhooks may be sent to this machine, also by http: for development. */
  readonly loopbackWebhooks: boolean;
  /** Due work (bills, retries, deadlines, mails) is looked for so often. */
  readonly dueWorkIntervalMs: number;
  /** Undefined: only tenants with a mail server of their own send mails. */
  readonly mail: MailSettings | undefined;
  /** Whether mails without a server are kept to be shown; else they are tried again. Default: false. */
  readonly keepsMails?: boolean;
  /** Where readers of mails reach the host: `https://pay.shop.example`. */
  readonly publicUrl?: string | undefined;
}

/** The settings cannot be used; `problems` has a line for each of them at fault. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const SecretsFile = z.object({ masterKey: z.string().refine(isMasterKey) });

/**
 * The key that secrets are encrypted with: the configured one, or, outside production, that of
 * `<DATA_DIR>/secrets.json`, which is made on first use and readable by its owner only.
 */
export function loadMasterKey(settings: Settings): Buffer {
  const key = configuredOrKeptKey(settings);
  // A database has a mark of its own, for all hosts.
  if (fileOf(settings.readModelUrl) !== undefined) checkMasterKey(settings.dataDir, key);
  return key;
}

/**
 * Data made under one key is not readable under another, and customers and cards would not be known
 * again: a mark of the first key stays with the data, and another key is refused.
 */
function checkMasterKey(dataDir: string, key: Buffer): void {
  const path = masterKeyCheckIn(dataDir);
  const mark = markOfMasterKey(key);
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(path, `${mark}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (readFileSync(path, 'utf8').trim() === mark) return;
    throw new ConfigError([
      `the master key is not the one that the data in ${dataDir} was made with`,
    ]);
  }
}

/** A digest that identifies a key without revealing it. */
export function markOfMasterKey(key: Buffer): string {
  return createHmac('sha256', key).update('counterfoil master key').digest('hex');
}

export function masterKeyCheckIn(dataDir: string): string {
  return join(dataDir, 'master-key.check');
}

export function secretsFileIn(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/**
 * What `loadMasterKey` would find, without making anything: `none` where there is neither a key nor
 * data of one, `lost` where only the mark of a key is left, `unmarked` where there is no mark.
 */
export function probeMasterKey(
  settings: Settings,
): 'sound' | 'none' | 'lost' | 'wrong' | 'unmarked' {
  const { dataDir } = settings;
  const mark = existsSync(masterKeyCheckIn(dataDir))
    ? readFileSync(masterKeyCheckIn(dataDir), 'utf8').trim()
    : undefined;
  const key = findMasterKey(settings);
  if (key === undefined) return mark === undefined ? 'none' : 'lost';
  if (mark === undefined) return 'unmarked';
  return mark === markOfMasterKey(key) ? 'sound' : 'wrong';
}

/** The existing key; does not generate one. */
export function findMasterKey({
  masterKey,
  dataDir,
}: Pick<Settings, 'masterKey' | 'dataDir'>): Buffer | undefined {
  if (masterKey !== undefined) return masterKey;
  const path = secretsFileIn(dataDir);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return Buffer.from(keptMasterKey(path), 'base64');
}

function configuredOrKeptKey(settings: Settings): Buffer {
  if (settings.masterKey !== undefined) return settings.masterKey;
  if (settings.production) throw new ConfigError(['MASTER_KEY must be set']);
  const path = secretsFileIn(settings.dataDir);
  mkdirSync(settings.dataDir, { recursive: true });
  const made = { masterKey: randomBytes(MASTER_KEY_BYTES).toString('base64') };
  try {
    // Fails if the file is there: a key that something was encrypted with is never replaced.
    writeFileSync(path, `${JSON.stringify(made)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return Buffer.from(keptMasterKey(path), 'base64');
}

function keptMasterKey(path: string): string {
  try {
    return SecretsFile.parse(JSON.parse(readFileSync(path, 'utf8'))).masterKey;
  } catch {
    // Neither the parser's message nor zod's, for they may quote the secret.
    throw new ConfigError([`no master key is given, and ${path} holds no usable one`]);
  }
}

/** 32 bytes in base64, written the one way that they decode to. */
export function isMasterKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === MASTER_KEY_BYTES && bytes.toString('base64') === text;
}
