import { expect, test } from 'vitest'
import { createOpenClaims } from './open-claims.ts'

const LIMIT = 10_000

test('open claims are found until they are removed', () => {
  const open = createOpenClaims(() => 0)
  open.keep('nonce', 'first', 1)
  open.keep('nonce', 'second', 1)
  expect(open.find('nonce')).toBe('second')
  open.forget('nonce')
  expect(open.find('nonce')).toBeNull()
})

test('open claims are bounded: expired ones are removed first, then the oldest', () => {
  let now = 0
  const open = createOpenClaims(() => now)
  open.keep('eldest', 'a', 2)
  open.keep('outlived', 'a', 0)
  for (let index = 2; index < LIMIT; index++) open.keep(`other ${index}`, 'a', 2)
  now = 1
  open.keep('one more', 'a', 2)
  expect([open.find('eldest'), open.find('outlived'), open.find('one more')]).toEqual(['a', null, 'a'])
  open.keep('and one more', 'a', 2)
  expect([open.find('eldest'), open.find('other 2'), open.find('and one more')]).toEqual([null, 'a', 'a'])
})
