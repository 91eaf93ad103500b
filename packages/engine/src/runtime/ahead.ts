/** Makes the next item while the one before is used. */

/**
 * The items of the source, in order. One more than was asked for is being made at any time; a failure is
 * thrown where its item would have come. A consumer that ends early does not wait for that item.
 */
export async function* ahead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const items = source[Symbol.asyncIterator]();
  const next = () => {
    const made = items.next();
    // It is thrown when it is awaited, if ever.
    made.catch(() => undefined);
    return made;
  };
  let coming = next();
  try {
    for (let item = await coming; !item.done; item = await coming) {
      coming = next();
      yield item.value;
    }
  } finally {
    items.return?.().catch(() => undefined);
  }
}
