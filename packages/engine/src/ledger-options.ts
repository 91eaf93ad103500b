/** The options of `openLedger`: their types, their checks, and the settings that they make. */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Instant, isEmail } from '@counterfoil/core';
import type { OwnProjection } from '@counterfoil/projections';
import { z } from 'zod';
import type { GatewayOption } from './gateways/gateway-option.ts';
import type { PaymentGateway } from './gateways/payment-gateway.ts';
import type { Logger } from './logger.ts';
import type { MailSettings } from './mail/mail-settings.ts';
import type { Clock } from './runtime/clock.ts';
import {
  ConfigError,
  DEFAULT_ACTIVITY_DAYS,
  DEFAULT_WEBHOOK_LOG_DAYS,
  DUE_WORK_INTERVAL_MS,
  GATEWAY_DEFAULTS,
  MAX_ACTIVITY_DAYS,
  MAX_WEBHOOK_LOG_DAYS,
  type Settings,
} from './settings.ts';
import {
  EVENT_STORE_CLIENTS,
  type EventStoreClient,
  engineOf,
  isShared,
} from './storage/stores.ts';

const MASTER_KEY_BYTES = 32;
/** The longest that a timer of Node can take. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_PORT = 65_535;
const IN_MEMORY = 'memory:';
/** Longer than the letter of a drive. */
const URL_SCHEME = /^[a-z][a-z+]+:/i;
/** URLs without their colon. A folder of such a name is written `./memory`. */
const NEARLY_URL = /^(memory|sqlite|postgres(ql)?|esdb|kurrentdb)(\/\/.*)?$/i;
/** Nothing is kept in files there. */
const NO_FOLDER = '.';

/**
 * Where a ledger keeps its data: a folder, `memory:`, or the URLs of a log (`postgres://`, `esdb://`)
 * and of a PostgreSQL for the read models and the engine's own tables.
 */
export type Storage = string | SharedStorage;

export interface SharedStorage {
  readonly log: string;
  readonly readModels: string;
  /** Of an `esdb://` log: begins the names of its streams, so that several logs can share a cluster. */
  readonly logPrefix?: string;
  /** Of an `esdb://` log: the client package. Default: `eventstore`. */
  readonly logClient?: EventStoreClient;
}

export interface LedgerOptions {
  readonly storage: Storage;
  /**
   * 32 random bytes; secrets and personal data are encrypted under it. Absent: of a folder, the key in
   * its `secrets.json`, which is made on first use; in memory, a new one.
   */
  readonly masterKey?: Uint8Array;
  /** Default: the sandbox. */
  readonly gateways?: readonly GatewayOption[];
  /** Custom read models, made by `defineProjection`. Default: none. */
  readonly projections?: readonly OwnProjection[];
  readonly clock?: Clock;
  /** Default: warnings and errors to standard output. */
  readonly logger?: Logger;
  /** Absent: only tenants with a mail server of their own send mails. */
  readonly mail?: MailSettings;
  /** Mails without a server are kept, to be shown, rather than tried again. Default: false. */
  readonly keepMails?: boolean;
  /**
   * False for a process that only handles requests, beside one on the same PostgreSQL that bills,
   * follows the log and projects. Default: true.
   */
  readonly background?: boolean;
  /** A payment whose gateway has not answered after so long has an unknown outcome. Default: 10,000. */
  readonly gatewayTimeoutMs?: number;
  /** The most calls of one gateway at once; further calls are refused with `GatewayBusy`. Default: 500. */
  readonly gatewayMaxInFlight?: number;
  /** Where browsers go after an action of the customer, such as 3-D Secure. */
  readonly gatewayReturnUrl?: string;
  /** Records of activity are removed after so many days. Default: 400. */
  readonly activityDays?: number;
  /** Deliveries of webhooks that have ended are removed after so many days. Default: 30. */
  readonly webhookLogDays?: number;
  /** Webhooks may be sent to this machine, also by http: for development and tests. Default: false. */
  readonly loopbackWebhooks?: boolean;
  /** Bills, retries, deadlines and mails that are due are looked for so often. Default: 1,000. */
  readonly dueWorkIntervalMs?: number;
}

type Given = Readonly<Record<string, unknown>>;

/** `text` goes on after the name of the option. */
function must(text: string, isMet: (given: unknown) => boolean) {
  return z.custom<unknown>(isMet, `must be ${text}`);
}

function isObject(given: unknown): given is Given {
  return typeof given === 'object' && given !== null;
}

function hasFunctions(given: unknown, names: readonly string[]): given is Given {
  return isObject(given) && names.every((name) => typeof given[name] === 'function');
}

const isText = (given: unknown): given is string => typeof given === 'string' && given !== '';
const isUpTo = (max: number) => (given: unknown) =>
  Number.isSafeInteger(given) && Number(given) >= 1 && Number(given) <= max;

type OptionalCalls =
  | 'refusalOf'
  | 'tokenScope'
  | 'adopt'
  | 'cardScriptOf'
  | 'checkCredentials'
  | 'noticesOf'
  | 'events'
  | 'disputes'
  | 'settlements';
type RequiredCalls = Exclude<keyof PaymentGateway, OptionalCalls | 'gatewayId' | 'name'>;

const GATEWAY_CALLS = Object.keys({
  tokenize: true,
  findToken: true,
  charge: true,
  confirm: true,
  capture: true,
  void: true,
  refund: true,
  findCharge: true,
  findFollowUp: true,
  close: true,
} satisfies Record<RequiredCalls, true>);

function isGateway(given: unknown): boolean {
  if (typeof given === 'function') return true;
  if (!hasFunctions(given, GATEWAY_CALLS)) return false;
  const { gatewayId, name, events, disputes, settlements } = given;
  if (events !== undefined && !isEventSource(events)) return false;
  if (settlements !== undefined && !hasFunctions(settlements, PAYOUT_CALLS)) return false;
  // Disputes are named as the events that report them.
  const isAnswered = events !== undefined && hasFunctions(disputes, ANSWER_CALLS);
  if (disputes !== undefined && !isAnswered) return false;
  return isUpTo(Number.MAX_SAFE_INTEGER)(gatewayId) && isText(name);
}

const EVENT_CALLS = ['scopeOf', 'isSigned', 'eventOf', 'findingOf', 'list'] as const;

const ANSWER_CALLS = ['refusalOf', 'keepFile', 'submitEvidence', 'accept'] as const;
const PAYOUT_CALLS = ['scopeOf', 'payouts', 'linesOf'] as const;

function isEventSource(given: unknown): boolean {
  return hasFunctions(given, EVENT_CALLS) && /^[a-z0-9-]{1,64}$/.test(String(given['name']));
}

function isOwnProjection(given: unknown): boolean {
  if (!hasFunctions(given, ['needs', 'apply'])) return false;
  return isText(given['name']) && given['types'] instanceof Set && 'isPersonal' in given;
}

function isClock(given: unknown): boolean {
  return (
    hasFunctions(given, ['now']) && Instant.safeParse((given as unknown as Clock).now()).success
  );
}

function isFolder(given: unknown): boolean {
  if (!isText(given) || URL_SCHEME.test(given) || NEARLY_URL.test(given)) return false;
  try {
    return statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    // The stores tell why it cannot be read.
    return true;
  }
}

function isUrlOf(isMeant: (url: string) => boolean) {
  return (given: unknown): boolean => {
    try {
      return isText(given) && isMeant(given);
    } catch {
      return false;
    }
  };
}

const STRICT = {
  error: ({ code }: { readonly code: string }) =>
    code === 'unrecognized_keys' ? undefined : 'must be an object',
};

const FLAG = must('true or false', (given) => typeof given === 'boolean');

const SHARED_STORAGE = z.strictObject(
  {
    log: must('a postgres:// or esdb:// URL', isUrlOf(isShared)),
    readModels: must(
      'a postgres:// URL',
      isUrlOf((url) => engineOf(url) === 'postgres'),
    ),
    logPrefix: must('a text', isText).optional(),
    logClient: must(EVENT_STORE_CLIENTS.join(' or '), (given) =>
      EVENT_STORE_CLIENTS.some((each) => each === given),
    ).optional(),
  },
  STRICT,
);

const FOLDER_OR_MEMORY = must(
  'a folder, memory:, or { log, readModels } with URLs',
  (given) => given === IN_MEMORY || isFolder(given),
);

const MAIL = z.strictObject(
  {
    server: z.strictObject(
      {
        host: must('a host name', isText),
        port: must(`a port, 1 to ${MAX_PORT}`, isUpTo(MAX_PORT)),
        secure: FLAG,
        credentials: must(
          '{ user, password } or undefined',
          (given) => isObject(given) && isText(given['user']) && isText(given['password']),
        ).optional(),
      },
      STRICT,
    ),
    from: z.strictObject(
      {
        name: must('a text', (given) => typeof given === 'string'),
        address: must('an email address', (given) => isText(given) && isEmail(given)),
      },
      STRICT,
    ),
    sandbox: FLAG,
  },
  STRICT,
);

const TIME = must(`a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`, isUpTo(MAX_TIMEOUT_MS));

const OPTIONS = z.strictObject(
  {
    // The type of the storage decides which of both problems is reported.
    storage: z.unknown().optional(),
    masterKey: must(
      `${MASTER_KEY_BYTES} bytes, as a Uint8Array or Buffer`,
      (given) => given instanceof Uint8Array && given.length === MASTER_KEY_BYTES,
    ).optional(),
    gateways: z
      .array(
        must('a PaymentGateway with a name and a gatewayId from 1, or sandbox()', isGateway),
        'must be an array of gateways',
      )
      .optional(),
    projections: z
      .array(must('made by defineProjection', isOwnProjection), 'must be an array of projections')
      .optional(),
    clock: must('{ now } that answers as 2026-01-31T12:00:00.000Z', isClock).optional(),
    logger: must('{ debug, info, warn, error }, four functions', (given) =>
      hasFunctions(given, ['debug', 'info', 'warn', 'error']),
    ).optional(),
    mail: MAIL.optional(),
    keepMails: FLAG.optional(),
    background: FLAG.optional(),
    gatewayTimeoutMs: TIME.optional(),
    gatewayMaxInFlight: must('a whole number from 1', isUpTo(Number.MAX_SAFE_INTEGER)).optional(),
    gatewayReturnUrl: must(
      'an http or https address',
      isUrlOf((url) => /^https?:$/.test(new URL(url).protocol)),
    ).optional(),
    activityDays: must(
      `a whole number of days, 1 to ${MAX_ACTIVITY_DAYS}`,
      isUpTo(MAX_ACTIVITY_DAYS),
    ).optional(),
    webhookLogDays: must(
      `a whole number of days, 1 to ${MAX_WEBHOOK_LOG_DAYS}`,
      isUpTo(MAX_WEBHOOK_LOG_DAYS),
    ).optional(),
    loopbackWebhooks: FLAG.optional(),
    dueWorkIntervalMs: TIME.optional(),
  },
  STRICT,
);

/** Throws a ConfigError that names each option at fault and what it must be. */
export function checkOptions(options: LedgerOptions): void {
  const { error } = OPTIONS.safeParse(options);
  const given: Partial<LedgerOptions> = isObject(options) ? options : {};
  const isSeveral = isObject(given.storage);
  const { error: ofStorage } = z
    .object({ storage: isSeveral ? SHARED_STORAGE : FOLDER_OR_MEMORY })
    .safeParse(given);
  const problems = [...(error?.issues ?? []), ...(ofStorage?.issues ?? [])].flatMap(problemsOf);
  if (isSeveral && given.masterKey === undefined) {
    problems.push('masterKey must be given where storage has URLs');
  }
  if (!isSeveral && given.background === false) {
    problems.push('background must be true, or absent, where storage has no URLs');
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/** `gateways[0] must be …`. Never quotes a value: it may be a secret. */
function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const name = path.join('').replace(/^\./, '');
  if (issue.code !== 'unrecognized_keys') return [`${name || 'options'} ${issue.message}`];
  return issue.keys.map((key) => `${name === '' ? '' : `${name}.`}${key} is no option`);
}

/** Of checked options. */
export function settingsOf({ storage, masterKey, mail, ...options }: LedgerOptions): Settings {
  const key = masterKey && Buffer.from(masterKey);
  const { background = true } = options;
  const common = {
    testClock: false,
    gatewayTimeoutMs: options.gatewayTimeoutMs ?? GATEWAY_DEFAULTS.timeoutMs,
    gatewayMaxInFlight: options.gatewayMaxInFlight ?? GATEWAY_DEFAULTS.maxInFlight,
    gatewayReturnUrl: options.gatewayReturnUrl,
    activityDays: options.activityDays ?? DEFAULT_ACTIVITY_DAYS,
    webhookLogDays: options.webhookLogDays ?? DEFAULT_WEBHOOK_LOG_DAYS,
    loopbackWebhooks: options.loopbackWebhooks ?? false,
    dueWorkIntervalMs: options.dueWorkIntervalMs ?? DUE_WORK_INTERVAL_MS,
    mail,
    keepsMails: options.keepMails ?? false,
  };
  if (storage === IN_MEMORY) {
    return {
      ...common,
      dataDir: NO_FOLDER,
      eventStoreUrl: IN_MEMORY,
      readModelUrl: IN_MEMORY,
      runProjections: true,
      production: true,
      masterKey: key ?? randomBytes(MASTER_KEY_BYTES),
    };
  }
  if (typeof storage === 'string') {
    return {
      ...common,
      dataDir: storage,
      eventStoreUrl: `sqlite:${join(storage, 'events.db')}`,
      readModelUrl: `sqlite:${join(storage, 'read-models.db')}`,
      runProjections: true,
      production: false,
      masterKey: key,
    };
  }
  return {
    ...common,
    dataDir: NO_FOLDER,
    eventStoreUrl: storage.log,
    eventStorePrefix: storage.logPrefix,
    ...(storage.logClient !== undefined && { eventStoreClient: storage.logClient }),
    readModelUrl: storage.readModels,
    runProjections: background,
    production: true,
    masterKey: key,
  };
}
