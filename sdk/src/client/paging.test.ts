import { expect, test } from 'vitest'
import type { PageInput, Pagination } from '../api/types.ts'
import type { CallOptions } from './options.ts'
import { items, pages } from './paging.ts'

type Input = PageInput & { readonly agent_id: string }

/** A list of numbers that records its requests. */
function numbers(count: number) {
  const asked: Input[] = []
  async function list(
    input: Input,
    _options?: CallOptions,
  ): Promise<{ numbers: number[]; pagination: Pagination }> {
    asked.push(input)
    const { limit = 20, offset = 0, cursor = String(offset) } = input
    const begin = Number(cursor)
    const end = Math.min(begin + limit, count)
    const pagination: Pagination = { total: count, limit, offset }
    if (end < count) pagination.next_cursor = String(end)
    return { numbers: Array.from({ length: end - begin }, (_, index) => begin + index), pagination }
  }
  return { asked, list }
}

async function all<T>(each: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of each) found.push(one)
  return found
}

test('all items are returned once, in pages of the maximum size', async () => {
  const { asked, list } = numbers(250)
  expect(await all(items(list, { agent_id: 'agt_1' }))).toEqual(
    Array.from({ length: 250 }, (_, index) => index),
  )
  expect(asked).toEqual([
    { agent_id: 'agt_1', limit: 100 },
    { agent_id: 'agt_1', limit: 100, cursor: '100' },
    { agent_id: 'agt_1', limit: 100, cursor: '200' },
  ])
})

test('an offset applies to the first page only, a limit to every page', async () => {
  const { asked, list } = numbers(10)
  const found = await all(pages(list, { agent_id: 'agt_1', limit: 4, offset: 1 }))
  expect(found.map(page => page.numbers)).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]])
  expect(asked.map(({ offset }) => offset)).toEqual([1, undefined, undefined])
})

test('an empty list has one page and no items', async () => {
  expect((await all(pages(numbers(0).list, { agent_id: 'agt_1' }))).length).toBe(1)
  expect(await all(items(numbers(0).list, { agent_id: 'agt_1' }))).toEqual([])
})

test('no page is requested before its items are used', async () => {
  const { asked, list } = numbers(250)
  for await (const number of items(list, { agent_id: 'agt_1' })) if (number === 99) break
  expect(asked.length).toBe(1)
})

test('an abort ends a list between two items', async () => {
  const abort = new AbortController()
  const found: number[] = []
  const walk = async () => {
    for await (const number of items(numbers(9).list, { agent_id: 'agt_1' }, { signal: abort.signal })) {
      found.push(number)
      if (number === 3) abort.abort(new Error('enough'))
    }
  }
  await expect(walk()).rejects.toThrow('enough')
  expect(found).toEqual([0, 1, 2, 3])
})

test('a list whose cursors form a circle is an error', async () => {
  const list = async (_input?: PageInput) => ({
    numbers: [1],
    pagination: { total: 1, limit: 1, offset: 0, next_cursor: 'again' },
  })
  await expect(all(items(list))).rejects.toMatchObject({ code: 'invalid_response' })
})
