/** Holds the answers that are kept for repetitions against the log. */

import { type EventStore, type StreamName, streamName, type TenantId } from '@counterfoil/core';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import type { Pool } from 'pg';
import { counted } from '../counted.ts';
import { isFile } from '../stores.ts';
import type { Examined, Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

/** What the quick examination looks at: loss is at the end. */
const NEWEST = 1_000;
const PAGE_ANSWERS = 500;

const LOST_ANSWER_ADVICE =
  'Events are lost: a customer was told of this payment. Restore a newer events.db if there is one; else compare the payment with the gateway.';

/** Answers with success, in pages: their keys and bodies. */
type Pages = Iterable<readonly KeptAnswer[]> | AsyncIterable<readonly KeptAnswer[]>;

interface KeptAnswer {
  readonly key: string;
  readonly body: unknown;
}

/** Every payment that an answer in the file told of is in the log. */
export async function checkAnswersFile(
  { files, quick }: Examined,
  events: EventStore,
): Promise<Checked> {
  if (!isFile(files.answers)) return new Findings('answers').leftOut('no answers are kept');
  return checkAnswers(inFile(files.answers, quick ? NEWEST : undefined), { events, quick });
}

/** The same of those that hosts share. */
export function checkSharedAnswers(
  pool: Pool,
  { quick }: Pick<Examining, 'quick'>,
  events: EventStore,
): Promise<Checked> {
  return checkAnswers(quick ? newestIn(pool) : allIn(pool), { events, quick });
}

interface Comparing {
  readonly events: EventStore;
  readonly quick: boolean;
}

async function checkAnswers(pages: Pages, { events, quick }: Comparing): Promise<Checked> {
  const findings = new Findings('answers');
  let answers = 0;
  try {
    for await (const page of pages) {
      const told = page.flatMap((kept) => acknowledged(kept) ?? []);
      const firsts = await Promise.all(told.map(({ stream }) => events.read(stream, { limit: 1 })));
      answers += told.length;
      for (const [index, { key, stream }] of told.entries()) {
        if (firsts[index]?.length !== 0) continue;
        findings.damage(
          `the request of key ${key} was answered with success, and the log has no ${stream}`,
          LOST_ANSWER_ADVICE,
        );
      }
    }
  } catch (error) {
    return findings.leftOut(`broke off after ${counted(answers, 'answer')}: ${reasonOf(error)}`);
  }
  return findings.made(
    `${counted(answers, 'answer')} about payments${quick ? ', the newest' : ''}`,
  );
}

interface Acknowledged {
  readonly key: string;
  readonly stream: StreamName;
}

function* inFile(path: string, newest: number | undefined): Generator<readonly KeptAnswer[]> {
  const database = openForReading(path);
  try {
    const page = database.prepare(
      `SELECT rowid, key, body FROM answer WHERE status < 300 AND rowid < ? ORDER BY rowid DESC LIMIT ${PAGE_ANSWERS}`,
    );
    let before = Number.MAX_SAFE_INTEGER;
    for (let read = 0; newest === undefined || read < newest; read += PAGE_ANSWERS) {
      const rows = page.all(before);
      yield rows.map((row) => ({ key: String(row['key']), body: row['body'] }));
      const end = rows.at(-1);
      if (end === undefined) return;
      before = Number(end['rowid']);
    }
  } finally {
    database.close();
  }
}

async function* newestIn(pool: Pool): AsyncGenerator<readonly KeptAnswer[]> {
  const { rows } = await pool.query<KeptAnswer>(
    `SELECT key, body FROM (
       SELECT key, body, status FROM counterfoil_host.answers
       ORDER BY expires_at_ms DESC LIMIT ${NEWEST}
     ) AS newest WHERE status < 300`,
  );
  yield rows;
}

async function* allIn(pool: Pool): AsyncGenerator<readonly KeptAnswer[]> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<KeptAnswer>(
      `SELECT key, body FROM counterfoil_host.answers
       WHERE status < 300 AND key > $1 ORDER BY key LIMIT ${PAGE_ANSWERS}`,
      [after],
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.key;
  }
}

/** Undefined for an answer that is not about a payment of the Card API. */
function acknowledged({ key, body }: KeptAnswer): Acknowledged | undefined {
  const [tenant, , operation, name] = JSON.parse(key) as readonly string[];
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : String(body);
  const told = JSON.parse(text) as { readonly id?: unknown; readonly paymentId?: unknown };
  const id = operation === 'refundPayment' ? told.paymentId : told.id;
  if (typeof id !== 'string' || tenant === undefined || name === undefined) return undefined;
  return { key: name, stream: streamName('transaction', Number(tenant) as TenantId, id) };
}
