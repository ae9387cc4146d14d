import { expect, test } from 'vitest'
import { boundedMap } from './bounded-map.ts'

test('a bounded map keeps the entries in use and drops the others', () => {
  const map = boundedMap<number, number>(10)
  map.set(-1, 1)
  for (let key = 0; key < 1_000; key += 1) {
    map.set(key, key)
    expect(map.get(-1)).toBe(1)
  }
  const kept = Array.from({ length: 1_000 }, (_, key) => map.get(key)).filter(value => value !== undefined)
  expect(kept.length).toBeLessThanOrEqual(20)
})

test('a deleted entry is removed from both generations', () => {
  const map = boundedMap<string, number>(1)
  map.set('a', 1)
  map.set('b', 2)
  map.delete('a')
  map.delete('b')
  expect(map.get('a')).toBeUndefined()
  expect(map.get('b')).toBeUndefined()
})

test('a key that was set again never returns its old value', () => {
  const map = boundedMap<string, number>(1)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  expect(map.get('a')).toBe(3)
})
