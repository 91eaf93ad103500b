/** What is to hold of the cluster at the end, and what was found to speak against it. */

export interface Claim {
  readonly says: string;
  /** What was looked at, with figures. */
  readonly facts: string;
  /** Empty when it holds. */
  readonly problems: readonly string[];
}

/** Of each claim so many problems are told, for the rest is mostly more of the same. */
const MOST_TOLD = 8;

/** Prints a line for a claim, and a line for each thing that speaks against it. */
export function tell({ says, facts, problems }: Claim): void {
  console.log(`${problems.length === 0 ? '  holds' : '  FAILS'}  ${says}: ${facts}`);
  for (const problem of problems.slice(0, MOST_TOLD)) console.log(`           ${problem}`);
  if (problems.length > MOST_TOLD)
    console.log(`           and ${problems.length - MOST_TOLD} more`);
}

/** What stands in one list and not in the other, or more often. */
export function differences({
  of,
  told,
  kept,
}: {
  readonly of: string;
  readonly told: Iterable<string>;
  readonly kept: Iterable<string>;
}): readonly string[] {
  const counts = new Map<string, number>();
  for (const each of told) counts.set(each, (counts.get(each) ?? 0) + 1);
  for (const each of kept) counts.set(each, (counts.get(each) ?? 0) - 1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([each, count]) =>
      count > 0
        ? `${of} ${each} was acknowledged, and is not in the log`
        : `${of} ${each} is in the log ${-count} times more than it was acknowledged`,
    );
}
