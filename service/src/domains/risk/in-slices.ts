import { setImmediate } from 'node:timers/promises'

const SLICE = 250

/** Works on many things a few at a time and lets requests in between: no run may hold the process for long. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (slice: readonly Item[]) => Promise<Result[]> | Result[],
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += SLICE) {
    results.push(...(await work(items.slice(at, at + SLICE))))
    await setImmediate()
  }
  return results
}
