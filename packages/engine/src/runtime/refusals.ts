/** What moves of the test clock are refused with. */
export type ClockRefusal =
  | { readonly type: 'ClockCannotGoBack'; readonly now: string }
  | { readonly type: 'ClockMoveTooLong'; readonly now: string; readonly maxYears: number }
  | { readonly type: 'ClockBeyondEnd'; readonly end: string };

/** The same move may be accepted later. */
export type TransientClockRefusal = {
  readonly type: 'ClockHeldUp';
  readonly reason: string;
  readonly now: string;
};
