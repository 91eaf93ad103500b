/** Lines of settlement files per second, beside plain look-ups by an index and bare inserts of the events. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Position, StoredEvent } from '@counterfoil/core';
import type { Host } from '@counterfoil/http-host';
import { ACTOR, openOwnHost, TENANT } from '../data/own-host.ts';
import type { Row, Setting, Stage } from '../harness/stage.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import { appendPayments, type Payments, paymentOf } from './read-models-data.ts';

const PAYMENTS = 500_000;
const QUICK_PAYMENTS = 50_000;
/** Captures of one file, at most. */
const MOST_LINES = 10_000;
/** As many lines as the import books at a time. */
const RAW_PER_COMMIT = 128;
const SETTLED: ReadonlySet<string> = new Set(['PaymentSettled', 'MovementSettled']);
/** One of the made-up payments. */
const MERCHANT_ACCOUNT = 10;
const SECOND_MS = 1_000;
const REST_MS = 600_000;
const HEADER = 'reference,kind,gatewayTransactionId,amount,currency,fee,settledDate\n';

const row: Row = {
  id: 'settlement',
  what: 'lines of a settlement file matched, compared and booked',
  unit: 'lines/s',
  better: 'higher',
  reach: { 'sqlite-lookup': 0.3, 'raw-sqlite': null },
  durability:
    'synchronous=FULL, each line an event on the stream of its payment; sqlite-lookup writes nothing',
};

export const settlement: Stage = {
  name: 'settlement',
  rows: [row],

  async prepare(setting) {
    const payments = { size: setting.quick ? QUICK_PAYMENTS : PAYMENTS, seed: setting.seed };
    const host = await hostWith(setting, payments);
    // A file for each round, the first of which warms up.
    const captures = [...capturesOf(payments)];
    const lines = Math.min(MOST_LINES, Math.floor(captures.length / (setting.rounds + 1)));
    const files = filesOf(captures, lines);
    const books = host.engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
    let booked: readonly StoredEvent[] = [];
    let rawRounds = 0;
    const lookup = new PlainLookup(join(setting.folder, 'lookup.db'), captures);
    const own = async () => {
      const file = files.next().value;
      if (file === undefined) throw new Error('every capture is settled: too many rounds');
      const before = await host.events.head();
      const startedAt = performance.now();
      const done = await books.settlements.import(
        { merchantAccountId: MERCHANT_ACCOUNT, graceDays: 60 },
        contentOf(file),
      );
      const seconds = (performance.now() - startedAt) / SECOND_MS;
      if (done.booked !== lines) throw new Error(`${JSON.stringify(done)} of ${lines} lines`);
      booked = await settledAfter(host, before);
      return lines / seconds;
    };
    const raw = async () => {
      rawRounds += 1;
      return rawRate(join(setting.folder, `raw-${rawRounds}.db`), booked);
    };
    const [first = ''] = filesOf(captures, lines);
    return {
      sides: {
        [row.id]: {
          own,
          peers: { 'sqlite-lookup': async () => lookup.rate(first), 'raw-sqlite': raw },
        },
      },
      facts: {
        payments: `${payments.size} of a year, their captures, refunds and chargebacks`,
        file: `${lines} lines, all of which agree`,
      },
      async close() {
        lookup.close();
        await host.close();
      },
    };
  },
};

async function hostWith({ folder, say }: Setting, payments: Payments): Promise<Host> {
  const host = await openOwnHost(join(folder, 'host'), {
    merchantAccountId: MERCHANT_ACCOUNT,
    env: { NODE_ENV: 'production' },
  });
  say(`settlement: a log of ${payments.size} payments and its read models`);
  await appendPayments(host.events, payments, { from: 0, count: payments.size });
  say('settlement: what follows from the payments');
  await atRest(host);
  return host;
}

/** Until nothing follows from the log any more, and the read models show it. */
async function atRest({ events, engine }: Host): Promise<void> {
  const { followerProgress, stores } = engine;
  let before: Position | undefined;
  let head = await events.head();
  while (head !== undefined && head !== before) {
    await followerProgress.reached(head, { timeoutMs: REST_MS });
    await stores.progress.reached(head, { timeoutMs: REST_MS });
    before = head;
    head = await events.head();
  }
}

async function settledAfter({ events }: Host, after: Position | undefined): Promise<StoredEvent[]> {
  const settled: StoredEvent[] = [];
  const options = { untilHead: true, ...(after !== undefined && { after }) };
  for await (const batch of events.subscribe(options)) {
    settled.push(...batch.filter(({ type }) => SETTLED.has(type)));
  }
  return settled;
}

function rawRate(path: string, events: readonly StoredEvent[]): number {
  const raw = new RawSqlite(path);
  const startedAt = performance.now();
  raw.insert(events, RAW_PER_COMMIT);
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  raw.close();
  return events.length / seconds;
}

interface Capture {
  readonly gatewayTransactionId: string;
  readonly line: string;
}

/** The captures of the account in pounds, as lines. */
function* capturesOf(payments: Payments): Generator<Capture> {
  for (let number = 0; number < payments.size; number += 1) {
    for (const event of paymentOf(number, payments).events) {
      if (event.type !== 'PaymentCaptured' || event.sandbox || event.currency !== 'GBP') continue;
      if (event.merchantAccountId !== MERCHANT_ACCOUNT) continue;
      const { gatewayTransactionId, amountMinor, currency, fees, at } = event;
      const feeMinor = fees
        .filter((fee) => fee.currency === currency)
        .reduce((sum, fee) => sum + fee.amountMinor, 0n);
      const cells = [
        `payout-${number}`,
        'capture',
        gatewayTransactionId,
        Number(amountMinor) / 100,
        currency,
        Number(feeMinor) / 100,
        at.slice(0, 10),
      ];
      yield { gatewayTransactionId, line: `${cells.join(',')}\n` };
    }
  }
}

function* filesOf(captures: readonly Capture[], lines: number): Generator<string> {
  let file = HEADER;
  let count = 0;
  for (const { line } of captures) {
    file += line;
    count += 1;
    if (count < lines) continue;
    yield file;
    file = HEADER;
    count = 0;
  }
}

async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(file);
  const chunk = 65_536;
  for (let from = 0; from < bytes.length; from += chunk) yield bytes.subarray(from, from + chunk);
}

/** The payments in one table with an index on the id: each line is split and looked up. */
class PlainLookup {
  readonly #database: DatabaseSync;
  readonly #select;

  constructor(path: string, captures: readonly Capture[]) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE payments (id INTEGER PRIMARY KEY, gateway_id TEXT NOT NULL, line TEXT NOT NULL) STRICT;
      CREATE INDEX by_gateway_id ON payments (gateway_id);
      BEGIN;`);
    const insert = this.#database.prepare('INSERT INTO payments VALUES (NULL, ?, ?)');
    for (const { gatewayTransactionId, line } of captures) {
      insert.run(gatewayTransactionId, line);
    }
    this.#database.exec('COMMIT');
    this.#select = this.#database.prepare('SELECT line FROM payments WHERE gateway_id = ?');
  }

  rate(file: string): number {
    const lines = file.split('\n').slice(1, -1);
    const startedAt = performance.now();
    for (const line of lines) {
      const found = this.#select.get(line.split(',')[2] ?? '');
      if (found?.['line'] !== `${line}\n`) throw new Error(`${line} was not found`);
    }
    return lines.length / ((performance.now() - startedAt) / SECOND_MS);
  }

  close(): void {
    this.#database.close();
  }
}
