/** A process that appends to a log until it is killed, and prints what was acknowledged. */
import { writeSync } from 'node:fs';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { newAppend } from './appends.ts';

const STDOUT = 1;
const EVENTS_PER_APPEND = 3;

const [place = '', writers = '0'] = process.argv.slice(2);
const store = await (place.startsWith('postgres:')
  ? openPostgresEventStore({ url: place })
  : openSqliteEventStore({ path: place }));
writeSync(STDOUT, 'open\n');

async function writeForEver(): Promise<never> {
  for (;;) {
    const request = newAppend(EVENTS_PER_APPEND);
    await store.append(request);
    writeSync(STDOUT, `${request.command.id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, writeForEver));
