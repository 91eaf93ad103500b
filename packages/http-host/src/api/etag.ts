/** The ETag of a resource: a strong entity tag of its rowVersion. */
import { refuse } from '../http/errors.ts';

export function etagOf({ rowVersion }: { readonly rowVersion: number }): string {
  return `"${rowVersion}"`;
}

/** An entity tag (RFC 9110, 8.8.3), which may contain a comma. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * Refuses with `precondition_failed` when If-Match was sent and does not include this version. `*`
 * matches every version; a weak tag matches none, since If-Match compares strongly.
 */
export function checkIfMatch(
  ifMatch: string | undefined,
  resource: { readonly rowVersion: number },
): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags: readonly string[] = ifMatch.match(ENTITY_TAG) ?? [];
  if (!tags.includes(etagOf(resource))) throw refuse('precondition_failed');
}
