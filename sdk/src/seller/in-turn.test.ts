import { expect, test } from 'vitest'
import { deadlineIn } from './deadline.ts'
import { createTurns } from './in-turn.ts'

/** Work that ends when the test ends it. */
function opened<Result>() {
  let end: (result: Result) => void = () => {}
  const result = new Promise<Result>(resolve => {
    end = resolve
  })
  return { work: () => result, end }
}

test('work of one key runs in sequence, that of another key concurrently, and a failure does not block the next', async () => {
  const inTurn = createTurns()
  const order: string[] = []
  const first = opened<void>()
  const noted = async (name: string) => {
    order.push(name)
  }
  const failing = inTurn('key', null, async () => {
    await first.work()
    order.push('first')
    throw new Error('it failed')
  })
  const failed = expect(failing).rejects.toThrow('it failed')
  const others = ['second', 'third'].map(name => inTurn('key', null, () => noted(name)))
  await inTurn('another', null, () => noted('another'))
  first.end()
  await Promise.all([failed, ...others])
  expect(order).toEqual(['another', 'first', 'second', 'third'])
})

test('work that waits in the queue beyond its deadline is not run', async () => {
  const inTurn = createTurns()
  const endless = opened<string>()
  const running = inTurn('key', null, endless.work)
  let isDone = false
  const waiting = inTurn('key', deadlineIn(5), async () => {
    isDone = true
  })
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  endless.end('the first goes on')
  expect(await running).toBe('the first goes on')
  expect(isDone).toBe(false)
})
