/** The mark that a move leaves in the stores that it fills, and at its end in those that it came from. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { z } from 'zod';
import { StorageError } from './damaged-files.ts';
import { syncPath, writeDurably } from './durable.ts';
import { mark, removeMark, setMark } from './host-marks.ts';
import { isFile } from './stores.ts';

const Mark = z.discriminatedUnion('state', [
  z.strictObject({
    /** These stores do not hold all of the ledger yet. */
    state: z.literal('filling'),
    /** Where the ledger comes from. */
    from: z.string(),
    /** The id of the first event of its log. */
    firstEvent: z.string(),
    /** The position of the last one when the move began. */
    head: z.string(),
  }),
  z.strictObject({
    /** The ledger goes on in other stores. */
    state: z.literal('left'),
    to: z.string(),
    firstEvent: z.string(),
  }),
]);

export type MoveMark = z.output<typeof Mark>;

/** The data folder, or the database of hosts that share a log. */
export type MarkPlace = { readonly folder: string } | { readonly pool: Pool };

const NAME = 'move';

/** Undefined for stores that no move has to do with. */
export async function moveMarkOf(place: MarkPlace): Promise<MoveMark | undefined> {
  const text = 'pool' in place ? await mark(place.pool, NAME) : textIn(place.folder);
  return text === undefined ? undefined : Mark.parse(JSON.parse(text));
}

/** Durable when it resolves. */
export async function setMoveMark(place: MarkPlace, value: MoveMark): Promise<void> {
  const text = JSON.stringify(value);
  if ('pool' in place) return setMark(place.pool, NAME, text);
  const path = moveMarkIn(place.folder);
  rmSync(`${path}.new`, { force: true });
  writeDurably(`${path}.new`, `${text}\n`);
  renameSync(`${path}.new`, path);
  syncPath(place.folder);
}

export async function removeMoveMark(place: MarkPlace): Promise<void> {
  if ('pool' in place) return removeMark(place.pool, NAME);
  rmSync(moveMarkIn(place.folder), { force: true });
  syncPath(place.folder);
}

/** Throws a StorageError for stores that hold a part of a ledger, and for those that it has left. */
export async function refuseMoved(place: MarkPlace, name: string): Promise<void> {
  const found = await moveMarkOf(place);
  if (found === undefined) return;
  const unmark =
    'pool' in place
      ? `DELETE FROM counterfoil_host.marks WHERE name = '${NAME}'`
      : `remove ${moveMarkIn(place.folder)}`;
  throw new StorageError(
    found.state === 'filling'
      ? `${name} holds a part of the ledger of ${found.from}: the move to it has not ended. Run \`counterfoil move\` again, which goes on where it was`
      : `the ledger of ${name} was moved to ${found.to}: start the host there. Two hosts on two copies would bill, mail and send twice. Only if the other one never starts again: ${unmark}`,
  );
}

export function moveMarkIn(folder: string): string {
  return join(folder, 'move.json');
}

function textIn(folder: string): string | undefined {
  const path = moveMarkIn(folder);
  return isFile(path) ? readFileSync(path, 'utf8') : undefined;
}
