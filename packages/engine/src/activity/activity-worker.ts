/** The thread that writes activity: a connection of its own, and an answer for each batch when it is committed. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type ActivityThreadData, END, type FromWriter, type ToWriter } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('activity is written in a thread of the host');

const { path, settings, fields, add, remove } = workerData as ActivityThreadData;
const database = new DatabaseSync(path);
const run = open();

/** What a request comes to; throws what SQLite throws, and nothing of it is written then. */
function open(): (request: Exclude<ToWriter, typeof END>) => number {
  database.exec(settings);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const adding = database.prepare(add);
  const removing = database.prepare(remove);
  return (request) => {
    begin.run();
    const changed =
      request.type === 'remove'
        ? Number(removing.run(request.before, request.limit).changes)
        : added(adding, request.values);
    commit.run();
    return changed;
  };
}

function added(adding: StatementSync, values: Extract<ToWriter, { type: 'add' }>['values']) {
  for (let at = 0; at < values.length; at += fields) adding.run(...values.slice(at, at + fields));
  return values.length / fields;
}

port.on('message', (request: ToWriter) => {
  if (request === END) {
    database.close();
    port.close();
    return;
  }
  let answer: FromWriter;
  try {
    answer = { changed: run(request) };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    answer = { error };
  }
  port.postMessage(answer);
});
