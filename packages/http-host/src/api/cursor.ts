/** Opaque cursors of lists: the end of a page, encoded as text. */
import type { z } from 'zod';
import { refuse } from '../http/errors.ts';

export function cursorOf(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Decodes a cursor; refuses any text that this host did not make. */
export function inCursor<Schema extends z.ZodType>(
  cursor: string,
  schema: Schema,
): z.output<Schema> {
  const place = schema.safeParse(parsed(cursor));
  if (place.success) return place.data;
  throw refuse('invalid_request', undefined, {
    errors: [{ pointer: '/query/cursor', detail: 'Not a cursor of this list' }],
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
