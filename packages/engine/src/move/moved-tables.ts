/** The engine's own tables that a move takes along, with what they are called in files and in PostgreSQL. */
import { ActivityStore } from '../activity/activity-store.ts';
import { openEvidence } from '../disputes/evidence-store.ts';
import { openPendingAnswers } from '../disputes/pending-answers.ts';
import { openTakenEvents } from '../gateway-events/taken-events.ts';
import { openBooks } from '../gateways/sandbox/books.ts';
import { SANDBOX_GATEWAY_ID } from '../gateways/sandbox/sandbox-gateway.ts';
import { MAIL_READER, openMailTables, SERVERLESS_READER } from '../mail/outbox.ts';
import { keyRowsInFile } from '../personal-keys/key-rows.ts';
import { openCheckpoints } from '../storage/checkpoints.ts';
import { answerChecksum, openKeptAnswers } from '../storage/kept-answers.ts';
import type { DataFiles } from '../storage/stores.ts';
import { Credentials } from '../users/credentials.ts';
import { openDeliveries, WEBHOOK_READER } from '../webhooks/delivery-store.ts';

/** 64-bit integers and numerics are text in a moved row, so that no driver rounds them. */
export type ColumnType = 'text' | 'bigint' | 'numeric' | 'boolean' | 'bytea';

export type Value = string | boolean | Buffer | null;
export type MovedRow = Readonly<Record<string, Value>>;

export interface MovedTable {
  readonly file: OwnFile;
  /** Its name in the file, and in the schema `counterfoil_host`. */
  readonly inFile: string;
  readonly inSchema: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** What makes a row unique: rows are read in this order. */
  readonly key: readonly string[];
  /** The column that is a position of the log. */
  readonly position?: string;
  /** Which rows of the table are meant; else all. */
  readonly where?: string;
  /** Columns that a file has otherwise: how they are read. */
  readonly readInFile?: Readonly<Record<string, string>>;
  /** What a file keeps of a row, where that is something else. */
  readonly inFileOf?: (row: MovedRow) => Readonly<Record<string, Value | number>>;
  /** A column of the schema that only this value is allowed in; files do not have it. */
  readonly ownedBy?: { readonly column: string; readonly value: number };
  /** How many rows may be in memory at once; 500 when absent. */
  readonly rowsAtOnce?: number;
  /** Numbers that PostgreSQL gives by itself go on behind those of the rows. */
  readonly identity?: string;
}

export type OwnFile = Exclude<keyof DataFiles, 'events' | 'readModels' | 'logMark'>;

/** Makes the tables of a file. */
export const MAKE_FILE: Readonly<Record<OwnFile, (path: string) => void>> = {
  activity: (path) => void new ActivityStore(path).close(),
  answers: (path) => void openKeptAnswers(path).close(),
  checkpoints(path) {
    openCheckpoints(path).close();
    openPendingAnswers(path).close();
    openTakenEvents(path).close();
  },
  evidence: (path) => openEvidence(path).close(),
  gateway: (path) => void openBooks({ path }).close(),
  keys: (path) => keyRowsInFile(path, false).close(),
  mails: (path) => openMailTables(path).close(),
  users: (path) => new Credentials(path).close(),
  webhooks: (path) => openDeliveries(path).close(),
};

const READERS_OF_MAILS = `reactor IN ('${MAIL_READER}', '${SERVERLESS_READER}')`;
const READERS_OF_WEBHOOKS = `reactor IN ('${WEBHOOK_READER}')`;

/** How far the reactors have read the log: one table for hosts that share it, one in each file that follows it. */
function places(file: OwnFile, where: string): MovedTable {
  return {
    file,
    inFile: 'checkpoints',
    inSchema: 'places',
    columns: text('reactor', 'position'),
    key: ['reactor'],
    position: 'position',
    where,
  };
}

/** In the order in which they are moved: queues before the places of those who fill them. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    file: 'keys',
    inFile: 'personal_key',
    inSchema: 'personal_keys',
    columns: { tenant: 'bigint', sandbox: 'boolean', customer: 'bigint', wrapped: 'bytea' },
    key: ['tenant', 'sandbox', 'customer'],
  },
  {
    file: 'keys',
    inFile: 'of_log',
    inSchema: 'personal_keys_of_log',
    columns: { one: 'bigint', first_event: 'text' },
    key: ['one'],
  },
  {
    file: 'users',
    inFile: 'credentials',
    inSchema: 'user_credentials',
    columns: {
      tenant_id: 'bigint',
      ...text('user_id', 'password', 'totp'),
      used_step: 'bigint',
      recovery: 'text',
    },
    key: ['tenant_id', 'user_id'],
  },
  {
    file: 'users',
    inFile: 'links',
    inSchema: 'user_links',
    columns: { tenant_id: 'bigint', ...text('digest', 'user_id', 'purpose', 'expires_at') },
    key: ['digest'],
  },
  {
    file: 'users',
    inFile: 'sessions',
    inSchema: 'user_sessions',
    columns: {
      tenant_id: 'bigint',
      ...text('digest', 'session_id', 'user_id', 'created_at', 'used_at', 'address', 'agent'),
    },
    key: ['digest'],
  },
  {
    file: 'users',
    inFile: 'failures',
    inSchema: 'user_failures',
    columns: { count: 'bigint', ...text('who', 'last_at') },
    key: ['who'],
  },
  {
    file: 'evidence',
    inFile: 'evidence',
    inSchema: 'evidence',
    columns: { tenant_id: 'bigint', ...text('dispute_id', 'digest', 'sealed') },
    key: ['tenant_id', 'dispute_id', 'digest'],
    // Each is a file.
    rowsAtOnce: 4,
  },
  {
    file: 'gateway',
    inFile: 'request',
    inSchema: 'gateway_requests',
    columns: {
      sequence: 'bigint',
      request_id: 'bigint',
      ...text('key', 'operation', 'content', 'answer', 'currency', 'acts_on', 'behaviour'),
      merchant_account_id: 'bigint',
      amount_minor: 'numeric',
      captured_minor: 'numeric',
      refunded_minor: 'numeric',
      ...text('status', 'standing', 'once_confirmed'),
    },
    key: ['sequence'],
    ownedBy: { column: 'gateway_id', value: SANDBOX_GATEWAY_ID },
    identity: 'sequence',
  },
  {
    file: 'answers',
    inFile: 'answer',
    inSchema: 'answers',
    columns: {
      ...text('key', 'fingerprint', 'content_type', 'headers', 'stream', 'subject'),
      status: 'bigint',
      body: 'bytea',
      is_text: 'boolean',
      recorded_at_ms: 'bigint',
      expires_at_ms: 'bigint',
    },
    key: ['key'],
    readInFile: { body: 'CAST(body AS BLOB)', is_text: `typeof(body) = 'text'` },
    inFileOf({ is_text, ...row }) {
      const body = is_text === true ? String(row['body']) : (row['body'] as Buffer);
      return { ...row, body, checksum: answerChecksum({ ...row, body }) };
    },
  },
  {
    file: 'activity',
    inFile: 'activity',
    inSchema: 'activity',
    columns: {
      tenant_id: 'bigint',
      ...text('id', 'environment', 'at', 'actor', 'key_id', 'request_id', 'action', 'subject'),
      ...text('outcome', 'code', 'remote_address'),
    },
    key: ['id'],
  },
  {
    file: 'mails',
    inFile: 'mails',
    inSchema: 'mails',
    // Not the claims: those who had them have ended.
    columns: {
      ...text('event_id', 'kind', 'stream', 'recorded_at', 'status', 'due_at', 'reason'),
      ...text('changed_at', 'key_digest', 'content_digest', 'key_until', 'content'),
      tenant_id: 'bigint',
      sandbox: 'bigint',
      revision: 'bigint',
      tries: 'bigint',
    },
    key: ['event_id'],
  },
  {
    file: 'mails',
    inFile: 'mail_recipients',
    inSchema: 'mail_recipients',
    columns: text('digest', 'mail_id'),
    key: ['digest', 'mail_id'],
  },
  {
    file: 'mails',
    inFile: 'mail_suppressions',
    inSchema: 'mail_suppressions',
    columns: {
      tenant_id: 'bigint',
      sandbox: 'bigint',
      ...text('id', 'address', 'reason', 'note', 'created_at'),
    },
    key: ['id'],
  },
  places('mails', READERS_OF_MAILS),
  {
    file: 'webhooks',
    inFile: 'webhook_deliveries',
    inSchema: 'webhook_deliveries',
    // Not the claims: those who had them have ended.
    columns: {
      ...text('id', 'message_id', 'endpoint_id', 'type', 'subject', 'place', 'data', 'created_at'),
      ...text('status', 'due_at', 'changed_at', 'reason'),
      tenant_id: 'bigint',
      revision: 'bigint',
      sandbox: 'bigint',
      customer_id: 'bigint',
      tries: 'bigint',
      attempts: 'bigint',
      forgotten: 'bigint',
    },
    key: ['id'],
    position: 'place',
  },
  {
    file: 'webhooks',
    inFile: 'webhook_attempts',
    inSchema: 'webhook_attempts',
    columns: {
      ...text('delivery_id', 'at', 'error', 'answer'),
      number: 'bigint',
      duration_ms: 'bigint',
      status: 'bigint',
    },
    key: ['delivery_id', 'number'],
  },
  places('webhooks', READERS_OF_WEBHOOKS),
  {
    file: 'checkpoints',
    inFile: 'dispute_answers',
    inSchema: 'dispute_answers',
    columns: { ...text('position', 'dispute_id', 'due_at'), tenant_id: 'bigint', tries: 'bigint' },
    key: ['position'],
    position: 'position',
  },
  {
    file: 'checkpoints',
    inFile: 'gateway_events',
    inSchema: 'gateway_events',
    columns: text('owner', 'event_id', 'happened_at'),
    key: ['owner', 'event_id'],
  },
  places('checkpoints', `NOT (${READERS_OF_MAILS} OR ${READERS_OF_WEBHOOKS})`),
];

/** What stays behind: it ends with the processes, or is made again from the log. */
export const LEFT_BEHIND = {
  /** Up to where no key was missing: the first start looks through the log. */
  inFiles: ['whole_up_to'],
  inSchema: ['forgotten', 'kysely_migration', 'kysely_migration_lock', 'marks', 'rate_limits'],
} as const;

function text<const Names extends readonly string[]>(...names: Names): Record<string, 'text'> {
  return Object.fromEntries(names.map((name) => [name, 'text']));
}
