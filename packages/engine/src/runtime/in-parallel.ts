/** Many things to do, so many of them at the same time. */

export interface Work<Item> {
  readonly items: readonly Item[];
  /** Never more than so many are under way. */
  readonly atOnce: number;
  readonly act: (item: Item) => Promise<void>;
  /** Asked before each: whether no more is to be begun. */
  readonly stops?: () => boolean;
}

/**
 * Resolves when all is done, or nothing more is begun and what was under way is done. After a failure
 * nothing more is begun either, and the first one is thrown when the others have ended: whoever comes
 * next never works beside what is left.
 */
export async function inParallel<Item>(work: Work<Item>): Promise<void> {
  const { items, atOnce, act, stops = () => false } = work;
  const failures: unknown[] = [];
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (failures.length > 0 || stops()) return;
      try {
        await act(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
