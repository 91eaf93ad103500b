/**
 * The expected revision and the outcome of an append, as adapters exchange them. The writer's thread
 * loads this file, which therefore imports nothing of the core.
 */
import type {
  AppendAllResult,
  AppendResult,
  Expected,
  NotAppended,
  Position,
} from '@counterfoil/core';

/** Expectations as numbers: a revision, or one of these. -1 is both `noStream` and its revision. */
const EXPECT_NO_STREAM = -1;
const EXPECT_ANY = -2;
const EXPECT_EXISTS = -3;

export function expectationCode(expected: Expected): number {
  switch (expected.kind) {
    case 'any':
      return EXPECT_ANY;
    case 'noStream':
      return EXPECT_NO_STREAM;
    case 'exists':
      return EXPECT_EXISTS;
    case 'exact':
      return expected.revision;
  }
}

/** Whether a stream's revision is the one that an expectation's code stands for. */
export function fits(expectation: number, revision: number): boolean {
  if (expectation === EXPECT_ANY) return true;
  if (expectation === EXPECT_EXISTS) return revision >= 0;
  return expectation === revision;
}

/** Outcomes of a command as numbers. */
export const APPENDED = 0;
export const REPEATED = 1;
export const CONFLICT = 2;
export const COMMAND_ID_REUSED = 3;
/** Nothing stands in its own way, but something in that of an append that it was to be made with. */
export const HELD_BACK = 4;

/** What an adapter answers to an append. */
export interface Reply {
  readonly outcome: number | undefined;
  readonly revision: number;
  /** Called for outcomes that have one. */
  readonly position: () => Position;
}

export function resultOf({ outcome, revision, position }: Reply): AppendResult {
  switch (outcome) {
    case APPENDED:
      return { outcome: 'appended', revision, position: position() };
    case REPEATED:
      return { outcome: 'repeated', revision, position: position() };
    case CONFLICT:
      return { outcome: 'conflict', actual: revision };
    case COMMAND_ID_REUSED:
      return { outcome: 'command-id-reused' };
    default:
      throw new Error(`not an outcome: ${outcome}`);
  }
}

/** The result of appends that are made as one: all were appended, or none. */
export function resultOfAll(replies: readonly Reply[]): AppendAllResult {
  for (const [code, outcome] of [
    [APPENDED, 'appended'],
    [REPEATED, 'repeated'],
  ] as const) {
    if (replies.some((reply) => reply.outcome !== code)) continue;
    const receipts = replies.map(({ revision, position }) => ({ revision, position: position() }));
    return { outcome, receipts };
  }
  const index = replies.findIndex(({ outcome }) => outcome !== HELD_BACK);
  const refused = replies[index];
  if (refused === undefined) throw new Error('appends were held back by none of them');
  return { outcome: 'refused', index, result: resultOf(refused) as NotAppended };
}
