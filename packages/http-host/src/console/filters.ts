/** The query of a page. In a list a filter that cannot be is left out, and said beside its field. */
import { Refusal, refuse } from '../http/errors.ts';
import { readInput } from '../http/invalid-input.ts';
import type { Values } from './endpoint-base.ts';
import { problemOf } from './problems.ts';
import type { ConsolePage, Wrong } from './slice.ts';

interface Asked {
  readonly query: unknown;
  readonly wrong: Wrong | undefined;
}

type Listing = Pick<ConsolePage, 'query' | 'isList'>;

export function queryOf({ query: schema, isList = false }: Listing, given: Values): Asked {
  if (schema === undefined) return { query: undefined, wrong: undefined };
  const filled = withoutEmpty(given);
  const { data, errors } = readInput(schema, filled, 'query');
  if (errors.length === 0) return { query: data, wrong: undefined };
  const problems = errors.map((error) => problemOf(error));
  const names = new Set(problems.map(({ field }) => field));
  const rest = readInput(
    schema,
    only(filled, (name) => !names.has(name)),
    'query',
  );
  if (!isList || rest.errors.length > 0) {
    throw refuse('invalid_request', problems.map(({ text }) => text).join('; '));
  }
  const values = only(filled, (name) => names.has(name));
  return { query: rest.data, wrong: { values, problems } };
}

/** What the page is made of; from its first page where the address names none of the list. */
export async function loadedList<Data>(
  page: Listing,
  given: Values,
  load: (query: unknown) => Promise<Data>,
): Promise<{ readonly data: Data; readonly wrong: Wrong | undefined }> {
  const { query, wrong } = queryOf(page, given);
  try {
    return { data: await load(query), wrong };
  } catch (error) {
    if (page.isList !== true || !(error instanceof Refusal) || !isOfCursor(error)) throw error;
    const first = queryOf(
      page,
      only(given, (name) => !name.startsWith('after')),
    );
    const problems = (error.errors ?? []).map((each) => problemOf(each));
    const values = first.wrong?.values ?? {};
    return {
      data: await load(first.query),
      wrong: { values, problems: [...(first.wrong?.problems ?? []), ...problems] },
    };
  }
}

function isOfCursor({ errors = [] }: Refusal): boolean {
  return errors.some(({ pointer }) => pointer === '/query/cursor');
}

/** Fields that are left empty are absent. */
export function withoutEmpty(given: Values): Values {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

function only(given: Values, isKept: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(given).filter(([name]) => isKept(name)));
}
