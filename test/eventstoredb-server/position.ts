// Places in the log, and their order.

export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export function isBefore(left: Position, right: Position): boolean {
  return left.commit === right.commit ? left.prepare < right.prepare : left.commit < right.commit;
}
