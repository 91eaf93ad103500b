/** Runs work with bounded concurrency. */

export interface Work<Item> {
  readonly items: readonly Item[];
  /** The maximum concurrency. */
  readonly atOnce: number;
  readonly act: (item: Item) => Promise<void>;
  /** Called before each item; true stops starting more. */
  readonly stops?: () => boolean;
}

/**
 * Resolves when all items are done, or after a stop when the running ones are done. A failure stops too;
 * the first error is thrown when the running items have ended, so that no work is left running.
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
