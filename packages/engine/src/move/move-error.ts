/** `in-use`: processes run on one of the stores. `different`: what was moved is not what there was. */
export type MoveErrorCode = 'in-use' | 'refused' | 'different';

/** A ledger cannot be moved; the message says why, and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
  readonly code: MoveErrorCode;

  constructor(code: MoveErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
