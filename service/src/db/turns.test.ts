import { expect, test, vi } from 'vitest'
import { DatabaseBusy } from './errors.ts'
import { openTurns } from './turns.ts'
import type { WorkOrigin } from './work-origin.ts'

const caller: WorkOrigin = { purpose: 'shared', party: 'caller' }
const stranger: WorkOrigin = { purpose: 'shared', party: 'stranger' }
const administrator: WorkOrigin = { purpose: 'administration', party: 'administrator' }

/** Work that ends when the test says so. */
function work(order: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    end: resolve,
    run: async () => {
      order.push(name)
      await promise
    },
  }
}

const turnOfTheLoop = () => new Promise(resolve => setImmediate(resolve))

test('work on one key runs one after the other, in the order in which it came', async () => {
  const turns = openTurns()
  const order: string[] = []
  const [first, second] = [work(order, 'first'), work(order, 'second')]
  const done = [turns.take(['a'], caller, first.run), turns.take(['a'], caller, second.run)]
  await turnOfTheLoop()
  expect(order).toEqual(['first'])
  first.end()
  await done[0]
  await turnOfTheLoop()
  expect(order).toEqual(['first', 'second'])
  second.end()
  await Promise.all(done)
})

test('urgent work comes before other waiting work', async () => {
  const turns = openTurns()
  const order: string[] = []
  const running = work(order, 'running')
  const all = [turns.take(['a'], caller, running.run)]
  for (const name of ['change', 'change'])
    all.push(turns.take(['a'], caller, async () => void order.push(name)))
  all.push(turns.take(['a'], administrator, async () => void order.push('stop')))
  await turnOfTheLoop()
  running.end()
  await Promise.all(all)
  expect(order).toEqual(['running', 'stop', 'change', 'change'])
})

test('one request of a caller runs next, however many requests of another caller wait for the same key', async () => {
  const turns = openTurns()
  const order: string[] = []
  const running = work(order, 'running')
  const all = [turns.take(['a'], stranger, running.run)]
  for (let request = 0; request < 900; request++)
    all.push(turns.take(['a'], stranger, async () => void order.push('stranger')))
  all.push(turns.take(['a'], caller, async () => void order.push('caller')))
  await turnOfTheLoop()
  running.end()
  await Promise.all(all)
  expect(order.indexOf('caller')).toBeLessThanOrEqual(2)
})

test('work that waits too long is refused, and the key serves others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const turns = openTurns()
    const running = work([], 'running')
    const held = turns.take(['a'], caller, running.run)
    const refused = expect(turns.take(['a'], stranger, async () => 'ran')).rejects.toThrow(DatabaseBusy)
    await vi.advanceTimersByTimeAsync(5_000)
    await refused
    running.end()
    await held
    expect(await turns.take(['a'], stranger, async () => 'next')).toBe('next')
  } finally {
    vi.useRealTimers()
  }
})

test('work on other keys does not wait', async () => {
  const turns = openTurns()
  const order: string[] = []
  const running = work(order, 'a')
  const held = turns.take(['a'], caller, running.run)
  await turns.take(['b'], caller, async () => void order.push('b'))
  expect(order).toContain('b')
  running.end()
  await held
})

test('work on several overlapping keys never deadlocks', async () => {
  const turns = openTurns()
  const pairs = Array.from({ length: 300 }, (_, index) => [`k${index % 5}`, `k${(index * 3 + 1) % 5}`])
  let running = 0
  await Promise.all(
    pairs.map(pair =>
      turns.take(pair, caller, async () => {
        running += 1
        await turnOfTheLoop()
        running -= 1
      }),
    ),
  )
  expect(running).toBe(0)
})

test('failed work releases its keys', async () => {
  const turns = openTurns()
  const failing = async () => {
    throw new Error('failed')
  }
  await expect(turns.take(['a'], caller, failing)).rejects.toThrow('failed')
  expect(await turns.take(['a'], caller, async () => 'next')).toBe('next')
})
