/** A claim about the final state of the cluster, and the problems found. */

export interface Claim {
  readonly says: string;
  /** What was checked, with figures. */
  readonly facts: string;
  /** Empty when the claim holds. */
  readonly problems: readonly string[];
}

/** At most this many problems are printed per claim; the rest mostly repeats them. */
const MAX_PRINTED = 8;

/** Prints a claim and its problems. */
export function printClaim({ says, facts, problems }: Claim): void {
  console.log(`${problems.length === 0 ? '  holds' : '  FAILS'}  ${says}: ${facts}`);
  for (const problem of problems.slice(0, MAX_PRINTED)) console.log(`           ${problem}`);
  if (problems.length > MAX_PRINTED)
    console.log(`           and ${problems.length - MAX_PRINTED} more`);
}

/** Elements that are in one list but not in the other, or more often. */
export function differences({
  of,
  sent,
  logged,
}: {
  readonly of: string;
  readonly sent: Iterable<string>;
  readonly logged: Iterable<string>;
}): readonly string[] {
  const counts = new Map<string, number>();
  for (const each of sent) counts.set(each, (counts.get(each) ?? 0) + 1);
  for (const each of logged) counts.set(each, (counts.get(each) ?? 0) - 1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([each, count]) =>
      count > 0
        ? `${of} ${each} was acknowledged, and is not in the log`
        : `${of} ${each} is in the log ${-count} times more than it was acknowledged`,
    );
}
