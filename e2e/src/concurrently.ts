/** Does the work for every item, some at a time, and answers the results in the items' order. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>()
  const waiting = items.entries()
  async function worker(): Promise<void> {
    for (const [index, item] of waiting) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return [...results].toSorted(([left], [right]) => left - right).map(([, result]) => result)
}
