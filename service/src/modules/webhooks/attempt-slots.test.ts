import { expect, test } from 'vitest'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { openAttemptSlots } from './attempt-slots.ts'

test('a node makes 32 requested attempts at once, two for one platform, and has each slot again afterwards', async () => {
  const slots = openAttemptSlots()
  const gate = Promise.withResolvers<void>()
  const held = Array.from({ length: 32 }, (_, index) =>
    slots.hold(`platform-${index >> 1}`, () => gate.promise),
  )
  expect(await refusalOf(slots.hold('platform-0', async () => 1))).toMatchObject({
    code: 'rate_limit_exceeded',
  })
  expect(await refusalOf(slots.hold('another', async () => 1))).toMatchObject({ code: 'service_unavailable' })
  gate.resolve()
  await Promise.all(held)
  expect(await slots.hold('another', async () => 1)).toBe(1)
})

test('an attempt that breaks gives its slot back', async () => {
  const slots = openAttemptSlots()
  const broken = () => slots.hold('platform', () => Promise.reject(new Error('broken')))
  for (let count = 0; count < 3; count++) await expect(broken()).rejects.toThrow('broken')
})
