import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor, page, pageOf } from './paging.ts'

const id = (number: number) => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: id(count - index), name: `n${index}` }))

test('a page reads one row more than it returns, to know whether more follow', () => {
  expect(pageOf({})).toEqual({ limit: 20, fetch: 21, offset: 0, before: null })
  expect(pageOf({ limit: 5, offset: 10 })).toEqual({ limit: 5, fetch: 6, offset: 10, before: null })
})

test('a full page has a cursor, and the last page has none', () => {
  const request = pageOf({ limit: 2 })
  const first = page('items', rows(3), row => row.name, 3n, request)
  expect(first).toEqual({
    items: ['n0', 'n1'],
    pagination: { total: 3, limit: 2, offset: 0, next_cursor: encodeCursor(id(2)) },
  })
  expect(pageOf({ limit: 2, cursor: first.pagination.next_cursor }).before).toBe(id(2))
  expect(page('items', rows(2), row => row.name, 2, request).pagination).not.toHaveProperty('next_cursor')
})

test('a decoded cursor equals the encoded id', () => {
  expect(decodeCursor(encodeCursor(id(7)))).toBe(id(7))
})

test.each([
  '',
  'x',
  'not-a-cursor',
  `${encodeCursor(id(1))}A`,
  `${encodeCursor(id(1))}=`,
  '../../etc/passwd',
])('a cursor that is not ours (%s) is refused by name', cursor => {
  expect(() => decodeCursor(cursor)).toThrow(
    expect.objectContaining({ code: 'validation_error', field: 'cursor' }),
  )
})

test('an offset together with a cursor is refused', () => {
  expect(() => pageOf({ offset: 1, cursor: encodeCursor(id(1)) })).toThrow(
    expect.objectContaining({ field: 'offset' }),
  )
})
