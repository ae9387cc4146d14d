import { expect, test } from 'vitest'
import { payeeName } from './payee.ts'

test('a payee is read as the service reads it', () => {
  const id = 'agt_01kb7q4v8mf3taw6y2zq9n5rje'
  for (const payee of ['Shop-1', '@shop-1', 'SHOP-1']) expect(payeeName(payee)).toBe('shop-1')
  for (const payee of [id, `@${id}`, id.toUpperCase(), ' shop-1', 'shop-1\0', '@@shop-1', '\u212Aelvin'])
    expect(payeeName(payee)).toBe(payee)
  expect(payeeName('@AGT_bob')).toBe('agt_bob')
})
