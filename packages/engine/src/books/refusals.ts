/** What the books and reports are refused with. */
export type BookRefusal =
  /** More months than `max`, or a first one after the last. */
  | {
      readonly type: 'MonthsOutOfRange';
      readonly from: string;
      readonly to: string;
      readonly months: number;
      readonly max: number;
    }
  /** More days than `max`, or a first one after the last. */
  | {
      readonly type: 'DaysOutOfRange';
      readonly from: string;
      readonly to: string;
      readonly days: number;
      readonly max: number;
    };
