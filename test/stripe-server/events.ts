/** Events, kept for 30 days. */
import { listOf, paging, timeRange, within } from './lists.ts';
import { boolean, list, text } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

const KEPT_SECONDS = 30 * 86_400;

export const eventRoutes: readonly Route[] = [
  route(
    'GET',
    '/v1/events',
    { ...paging, created: timeRange, delivery_success: boolean, type: text, types: list(text) },
    (call, { created, delivery_success: delivered, type, types, ...page }) => {
      if (type !== undefined && types !== undefined) {
        throw invalidRequest('You may only specify one of these parameters: type, types.');
      }
      const all = keptEvents(call.state);
      const wanted = type === undefined ? types : [type];
      const rows = all.filter(
        (event) =>
          within(event.created, created) &&
          (delivered === undefined || (event.pending_webhooks === 0) === delivered) &&
          (wanted === undefined || wanted.some((each) => matches(event.type, each))),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route('GET', '/v1/events/{id}', {}, ({ state, id }) => state.events.get(id, 'id')),
];

/** `charge.*` is every event of charges. */
export function matches(type: string, pattern: string): boolean {
  return (
    pattern === '*' ||
    type === pattern ||
    (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
  );
}

function keptEvents(state: AccountState) {
  return state.events.newestFirst().filter(({ created }) => created > state.now() - KEPT_SECONDS);
}
