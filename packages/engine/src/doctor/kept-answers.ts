/** Holds the answers that are kept for repetitions against the log. */
import type { EventStore, StreamName } from '@counterfoil/core';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import type { Pool } from 'pg';
import { counted } from '../counted.ts';
import { isFile } from '../storage/stores.ts';
import type { Examined, Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

/** What the quick examination looks at: loss is at the end. */
const NEWEST = 1_000;
const PAGE_ANSWERS = 500;

const LOST_ANSWER_ADVICE =
  'Events are lost: somebody was told of what was in them. Restore a newer log if there is one; else compare payments with the gateway.';

/** An answer, and the stream that it is about: it was in the log when the answer was given. */
interface KeptAnswer {
  readonly key: string;
  readonly stream: StreamName;
}

/** Those of earlier hosts do not say what they are about, and are left out. */
type Pages = Iterable<readonly KeptAnswer[]> | AsyncIterable<readonly KeptAnswer[]>;

/** Every stream that an answer in the file is about is in the log. */
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
      // After the answers: beside a running host the log has what each of them tells of.
      const firsts = await Promise.all(page.map(({ stream }) => events.read(stream, { limit: 1 })));
      answers += page.length;
      for (const [index, { key, stream }] of page.entries()) {
        if (firsts[index]?.length !== 0) continue;
        findings.damage(
          `the request of key ${nameIn(key)} was answered, and the log has no ${stream}`,
          LOST_ANSWER_ADVICE,
        );
      }
    }
  } catch (error) {
    return findings.leftOut(`broke off after ${counted(answers, 'answer')}: ${reasonOf(error)}`);
  }
  return findings.made(`${counted(answers, 'answer')}${quick ? ', the newest' : ''}`);
}

/** What the caller sent, of all that a key is unique by. */
function nameIn(key: string): string {
  return String((JSON.parse(key) as readonly unknown[]).at(-1));
}

function* inFile(path: string, newest: number | undefined): Generator<readonly KeptAnswer[]> {
  const database = openForReading(path);
  try {
    if (database.prepare(HAS_STREAMS).get() === undefined) return;
    const page = database.prepare(
      `SELECT rowid, key, stream FROM answer
       WHERE stream IS NOT NULL AND rowid < ? ORDER BY rowid DESC LIMIT ${PAGE_ANSWERS}`,
    );
    let before = Number.MAX_SAFE_INTEGER;
    for (let read = 0; newest === undefined || read < newest; read += PAGE_ANSWERS) {
      const rows = page.all(before) as unknown as (KeptAnswer & { readonly rowid: number })[];
      yield rows;
      const end = rows.at(-1);
      if (end === undefined) return;
      before = end.rowid;
    }
  } finally {
    database.close();
  }
}

/** The file of an earlier host has none. */
const HAS_STREAMS = "SELECT 1 FROM pragma_table_info('answer') WHERE name = 'stream'";

async function* newestIn(pool: Pool): AsyncGenerator<readonly KeptAnswer[]> {
  const { rows } = await pool.query<KeptAnswer>(
    `SELECT key, stream FROM (
       SELECT key, stream FROM counterfoil_host.answers
       ORDER BY expires_at_ms DESC LIMIT ${NEWEST}
     ) AS newest WHERE stream IS NOT NULL`,
  );
  yield rows;
}

async function* allIn(pool: Pool): AsyncGenerator<readonly KeptAnswer[]> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<KeptAnswer>(
      `SELECT key, stream FROM counterfoil_host.answers
       WHERE stream IS NOT NULL AND key > $1 ORDER BY key LIMIT ${PAGE_ANSWERS}`,
      [after],
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.key;
  }
}
