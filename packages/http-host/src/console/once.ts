/** What a form of a page of review does: once, and only to what the page showed. */
import { refuse } from '../http/errors.ts';
import type { Outcome } from './slice.ts';

interface Review {
  /** Where it leads. */
  readonly to: string;
  /** In the text of a refusal: `the dispute`. */
  readonly what: string;
  /** It is as the form asks: a form that was sent before finds it so. */
  readonly isDone: boolean;
  /** It is as the page showed it. */
  readonly isAsSeen: boolean;
  /** Says what was done, unless the page does. */
  readonly act: () => Promise<string | undefined>;
}

/** Where others have changed it since the page was shown, nothing is done. */
export async function doneOnce({ to, what, isDone, isAsSeen, act }: Review): Promise<Outcome> {
  if (isDone) return { to, notice: 'That is done already.' };
  if (isAsSeen) {
    const notice = await act();
    return { to, ...(notice !== undefined && { notice }) };
  }
  throw refuse(
    'stale_row_version',
    `Somebody else has changed ${what}, and nothing was done. This is how it is now.`,
  );
}
