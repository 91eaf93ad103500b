/** A process that appends to a log until it is killed, and prints what was acknowledged. */
import { writeSync } from 'node:fs';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { newAppend } from './appends.ts';

const STDOUT = 1;
/** Of one command, whether they are appended to one stream or to two as one. */
const EVENTS_PER_COMMAND = 3;

const [place = '', writers = '0'] = process.argv.slice(2);
const store = await (place.startsWith('postgres:')
  ? openPostgresEventStore({ url: place })
  : openSqliteEventStore({ path: place }));
writeSync(STDOUT, 'open\n');

async function writeForEver(): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const request = newAppend(turn % 2 === 0 ? EVENTS_PER_COMMAND : 1);
    const { command } = request;
    const more = newAppend(EVENTS_PER_COMMAND - 1, { command });
    if (turn % 2 === 0) await store.append(request);
    else await store.appendAll?.([request, more]);
    writeSync(STDOUT, `${command.id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, writeForEver));
