import { expect, test } from 'vitest'
import { openTurns } from './turns.ts'

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
  const done = [turns.take(['a'], false, first.run), turns.take(['a'], false, second.run)]
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
  const all = [turns.take(['a'], false, running.run)]
  for (const name of ['change', 'change'])
    all.push(turns.take(['a'], false, async () => void order.push(name)))
  all.push(turns.take(['a'], true, async () => void order.push('stop')))
  await turnOfTheLoop()
  running.end()
  await Promise.all(all)
  expect(order).toEqual(['running', 'stop', 'change', 'change'])
})

test('work on other keys does not wait', async () => {
  const turns = openTurns()
  const order: string[] = []
  const running = work(order, 'a')
  const held = turns.take(['a'], false, running.run)
  await turns.take(['b'], false, async () => void order.push('b'))
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
      turns.take(pair, false, async () => {
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
  await expect(turns.take(['a'], false, failing)).rejects.toThrow('failed')
  expect(await turns.take(['a'], false, async () => 'next')).toBe('next')
})
