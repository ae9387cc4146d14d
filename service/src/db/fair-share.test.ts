import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DatabaseBusy } from './errors.ts'
import { type FairShare, openFairShare } from './fair-share.ts'

const MAX_WAIT_MS = 5_000

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function share(places: number, most = places, maxWaiting = 1_000): FairShare {
  return openFairShare({
    places,
    mostOf: () => most,
    maxWaiting: () => maxWaiting,
    maxWaitMs: () => MAX_WAIT_MS,
    isUrgent: party => party === 'stop',
    shared: 'connection',
  })
}

/** Asks for a place, and writes the party down when it gets one. */
function ask(fair: FairShare, order: string[], party: string): void {
  void fair.enter(party).then(() => order.push(party))
}

const runPending = () => vi.advanceTimersByTimeAsync(0)

test('a free place goes to the party that has none, however many others have queued before', async () => {
  const fair = share(2)
  const order: string[] = []
  for (let request = 0; request < 900; request++) ask(fair, order, 'crowd')
  ask(fair, order, 'stranger')
  await runPending()
  expect(order).toEqual(['crowd', 'crowd'])
  fair.leave('crowd')
  await runPending()
  expect(order).toEqual(['crowd', 'crowd', 'stranger'])
})

test('parties that have equally many take turns', async () => {
  const fair = share(1)
  const order: string[] = []
  for (const party of ['a', 'a', 'a', 'b', 'b', 'c']) ask(fair, order, party)
  for (let turn = 1; turn < 6; turn++) {
    await runPending()
    fair.leave(order.at(-1) ?? '')
  }
  await runPending()
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
})

test('no party has more places than its most, even while places are free', async () => {
  const fair = share(10, 3)
  const order: string[] = []
  for (let request = 0; request < 20; request++) ask(fair, order, 'crowd')
  await runPending()
  expect(order).toHaveLength(3)
  ask(fair, order, 'stranger')
  await runPending()
  expect(order.at(-1)).toBe('stranger')
})

test('a request that waits too long fails with DatabaseBusy and takes no place afterwards', async () => {
  const fair = share(1)
  await fair.enter('holder')
  const late = fair.enter('late').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS)
  expect(await late).toBeInstanceOf(DatabaseBusy)
  const order: string[] = []
  ask(fair, order, 'next')
  fair.leave('holder')
  await runPending()
  expect(order).toEqual(['next'])
})

test('one party has at most its maximum of waiting requests', async () => {
  const fair = share(1, 1, 2)
  await fair.enter('crowd')
  const order: string[] = []
  ask(fair, order, 'crowd')
  ask(fair, order, 'crowd')
  await expect(fair.enter('crowd')).rejects.toBeInstanceOf(DatabaseBusy)
  ask(fair, order, 'stranger')
  fair.leave('crowd')
  await runPending()
  expect(order).toEqual(['stranger'])
})

test('all places are free again after any sequence of entering, waiting and leaving', async () => {
  const fair = share(4, 2)
  const held: string[] = []
  let random = 7
  const next = (below: number) => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return random % below
  }
  for (let step = 0; step < 3_000; step++) {
    const leaving = next(2) === 0 ? held.splice(next(held.length || 1), 1)[0] : undefined
    if (leaving === undefined) {
      const party = `p${next(6)}`
      fair.enter(party).then(
        () => held.push(party),
        () => undefined,
      )
    } else fair.leave(leaving)
    await vi.advanceTimersByTimeAsync(next(100))
    expect(held.length).toBeLessThanOrEqual(4)
    for (const party of held) expect(held.filter(each => each === party).length).toBeLessThanOrEqual(2)
  }
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS)
  for (const party of held.splice(0)) fair.leave(party)
  await runPending()
  for (const party of held.splice(0)) fair.leave(party)
  const order: string[] = []
  for (const party of ['a', 'b', 'c', 'd']) ask(fair, order, party)
  await runPending()
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('an urgent party gets the next place, before parties that waited longer', async () => {
  const fair = share(1)
  const order: string[] = []
  for (const party of ['a', 'b', 'stop']) ask(fair, order, party)
  await runPending()
  fair.leave('a')
  await runPending()
  expect(order).toEqual(['a', 'stop'])
})
