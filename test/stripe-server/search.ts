/** Search of PaymentIntents: `metadata['key']:'value' AND status:'succeeded'`, a minute behind. */
import type Stripe from 'stripe';
import { limitOf } from './lists.ts';
import { invalidRequest } from './refusal.ts';
import type { Call } from './route.ts';

/** How long the index takes to know an intent. */
const INDEX_LAG_SECONDS = 60;

type Term = (intent: Stripe.PaymentIntent) => boolean;

export function searchPaymentIntents(
  { state, path }: Call,
  params: {
    readonly query: string;
    readonly limit: number | undefined;
    readonly page: string | undefined;
  },
): object {
  const terms = params.query.split(/ AND /i).map(termOf);
  const limit = limitOf(params.limit);
  const start = params.page === undefined ? 0 : Number(params.page);
  if (!Number.isSafeInteger(start) || start < 0) {
    throw invalidRequest('Invalid page', { param: 'page' });
  }
  const found = state.paymentIntents
    .newestFirst()
    .filter((intent) => intent.created <= state.now() - INDEX_LAG_SECONDS)
    .filter((intent) => terms.every((term) => term(intent)));
  const hasMore = found.length > start + limit;
  return {
    object: 'search_result',
    data: found.slice(start, start + limit),
    has_more: hasMore,
    next_page: hasMore ? String(start + limit) : null,
    url: path,
  };
}

function termOf(text: string): Term {
  const term = text.trim();
  const label = /^(-?)metadata\[(['"])([^'"]+)\2\]:(['"])([^'"]*)\4$/.exec(term);
  if (label !== null) {
    const [, minus, , key = '', , value] = label;
    return (intent) => (intent.metadata[key] === value) === (minus === '');
  }
  const field = /^(-?)(status|currency|customer):(['"])([^'"]*)\3$/.exec(term);
  if (field !== null) {
    const [, minus, name, , value] = field;
    return (intent) => (intent[name as 'status'] === value) === (minus === '');
  }
  const time = /^(created|amount)(:|>=|<=|>|<)(\d+)$/.exec(term);
  if (time !== null) {
    const [, name, operator, value] = time;
    return (intent) => compare(intent[name as 'created'], operator ?? ':', Number(value));
  }
  throw invalidRequest(`We were unable to parse your search query: ${term}`, { param: 'query' });
}

function compare(left: number, operator: string, right: number): boolean {
  switch (operator) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    default:
      return left === right;
  }
}
