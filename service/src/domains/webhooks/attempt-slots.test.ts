import { expect, test } from 'vitest'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { openAttemptSlots } from './attempt-slots.ts'

/** An attempt whose receiver does not respond until the attempt is aborted. */
const silent = (givesWay: AbortSignal) =>
  new Promise<string>(resolve =>
    givesWay.addEventListener('abort', () => resolve('gave way'), { once: true }),
  )

test('a platform has two attempts at once, and their slots are free again afterwards', async () => {
  const slots = openAttemptSlots()
  const gate = Promise.withResolvers<void>()
  const held = [1, 2].map(() => slots.withSlot('platform', () => gate.promise))
  const refusal = await refusalOf(slots.withSlot('platform', async () => 1))
  expect(refusal).toMatchObject({ code: 'rate_limit_exceeded' })
  expect(refusal.headers).toEqual({
    'ratelimit-limit': '2',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
    'retry-after': '1',
  })
  gate.resolve()
  await Promise.all(held)
  expect(await slots.withSlot('platform', async () => 1)).toBe(1)
})

test('receivers that do not respond do not keep another platform from an attempt: the longest attempt is aborted', async () => {
  let nowMs = 0
  const slots = openAttemptSlots(() => nowMs, 32)
  const held = Array.from({ length: 32 }, (_, index) => slots.withSlot(`platform-${index >> 1}`, silent))
  expect(await refusalOf(slots.withSlot('another', silent))).toMatchObject({ code: 'service_unavailable' })
  nowMs = 1_000
  expect(await slots.withSlot('another', async () => 'responded')).toBe('responded')
  expect(await held[0]).toBe('gave way')
  const others = Array.from({ length: 17 }, (_, index) => slots.withSlot(`other-${index}`, silent))
  // One slot was free; the sixteen platforms with two gave one each before any platform lost its only one.
  const kept = await Promise.race([held[1], others[0], Promise.resolve('held')])
  expect(kept).toBe('held')
  const firstOfEach = held.filter((_, index) => index % 2 === 0)
  expect(new Set(await Promise.all(firstOfEach))).toEqual(new Set(['gave way']))
})

test('an attempt that throws frees its slot', async () => {
  const slots = openAttemptSlots()
  const broken = () => slots.withSlot('platform', () => Promise.reject(new Error('broken')))
  for (let count = 0; count < 3; count++) await expect(broken()).rejects.toThrow('broken')
})
