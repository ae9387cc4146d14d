import { once } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { refusalOf } from '../../../../testing/expect-refusal.ts'
import { TEST_AGENT, TEST_OWNER, TEST_PLATFORM } from '../../../../testing/test-server.ts'
import { openExports } from './open-exports.ts'

let stopping: AbortController

beforeEach(() => {
  stopping = new AbortController()
})

/** Endless, and counts what was asked of it. */
function endless() {
  const made = { chunks: 0, ended: false }
  async function* chunks() {
    try {
      for (;;) {
        made.chunks++
        yield 'x'.repeat(1_024)
      }
    } finally {
      made.ended = true
    }
  }
  return { made, chunks }
}

const begun = async () => endless().chunks()

test('a credential has one statement under way, and the next when that one was closed', async () => {
  const exports = openExports(stopping.signal)
  const first = await exports.open(TEST_AGENT, begun)
  expect(await refusalOf(exports.open(TEST_AGENT, begun))).toMatchObject({
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '1' },
  })
  const others = [await exports.open(TEST_PLATFORM, begun), await exports.open(TEST_OWNER, begun)]
  first.destroy()
  await once(first, 'close')
  for (const body of [...others, await exports.open(TEST_AGENT, begun)]) body.destroy()
})

test('a statement that cannot begin keeps no place', async () => {
  const exports = openExports(stopping.signal)
  const failing = () => Promise.reject(new Error('no database'))
  await expect(exports.open(TEST_AGENT, failing)).rejects.toThrow('no database')
  ;(await exports.open(TEST_AGENT, begun)).destroy()
})

test('a node has a bounded number of statements under way', async () => {
  const exports = openExports(stopping.signal)
  const bodies = []
  for (let count = 0; count < 32; count++)
    bodies.push(await exports.open({ ...TEST_AGENT, agentId: `agent ${count}` }, begun))
  expect(await refusalOf(exports.open(TEST_AGENT, begun))).toMatchObject({ code: 'service_unavailable' })
  for (const body of bodies) body.destroy()
})

test('what a client does not take is not made', async () => {
  const { made, chunks } = endless()
  const body = await openExports(stopping.signal).open(TEST_AGENT, async () => chunks())
  body.read(1)
  await once(body, 'readable')
  const before = made.chunks
  await new Promise(resolve => setImmediate(resolve))
  expect(made.chunks - before).toBeLessThan(100)
  expect(made.chunks).toBeLessThan(200)
  body.destroy()
  await once(body, 'close')
  expect(made.ended).toBe(true)
})

test('a client that takes nothing is disconnected, and its place is free', async () => {
  const exports = openExports(stopping.signal, 1)
  const body = await exports.open(TEST_AGENT, begun)
  const [error] = await once(body, 'error')
  expect(String(error)).toContain('stopped reading')
  ;(await exports.open(TEST_AGENT, begun)).destroy()
})

test('a service that stops ends the statements that are under way', async () => {
  const body = await openExports(stopping.signal).open(TEST_AGENT, begun)
  const failed = once(body, 'error')
  stopping.abort()
  expect(String((await failed)[0])).toContain('stopping')
})
