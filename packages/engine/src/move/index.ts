/** Moves of a ledger between files and servers, for the command line and for programs. */
export { MoveError, type MoveErrorCode } from './move-error.ts';
export {
  type Moved,
  type MovedTableResult,
  type MoveOptions,
  type MoveStep,
  moveLedger,
} from './move-ledger.ts';
export { LEFT_BEHIND, MOVED_TABLES } from './moved-tables.ts';
export type { Stores } from './side.ts';
