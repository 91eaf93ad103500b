/** Reads what the ledger read model has of each month: for statements and dispute rates. */
import type { Build } from '../read-model-store.ts';
import { ledger, monthOfKey, monthsKey, type PeriodTotals } from './ledger.ts';
import { BALANCES } from './live-model.ts';

/** One document for each month of each currency: far more than a merchant account will have. */
const LIST_PAGE = 10_000;

export interface BookedMonth extends PeriodTotals {
  readonly merchantAccountId: number;
  readonly currency: string;
  /** `yyyy-mm`, GMT. */
  readonly month: string;
}

/** Every month with anything in it, by merchant account, currency and month. */
export async function* bookedMonths(
  model: Build,
  books: Parameters<typeof monthsKey>[0],
): AsyncGenerator<BookedMonth> {
  const prefix = monthsKey(books);
  let after: string | undefined;
  do {
    const options = { prefix, limit: LIST_PAGE, ...(after === undefined ? {} : { after }) };
    const page = await model.list(BALANCES, options);
    for (const { key, body } of page) {
      yield { ...monthOfKey(key), ...(ledger.decode(body) as PeriodTotals) };
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
}
