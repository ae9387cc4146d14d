import { describe, expect } from 'vitest'
import { database, test } from '../../../testing/database-test.ts'
import { countOfDay, lockCountOfDay, readCountOfDay } from './daily-counts.ts'

const TODAY = 20_777

describe('a count of an IST day', () => {
  test('begins again on the next day', async () => {
    expect(await countOfDay(database, 'a', TODAY)).toBe(1)
    expect(await countOfDay(database, 'a', TODAY)).toBe(2)
    expect(await readCountOfDay(database, 'a', TODAY)).toBe(2)
    expect(await countOfDay(database, 'a', TODAY + 1)).toBe(1)
    expect(await readCountOfDay(database, 'a', TODAY + 1)).toBe(1)
  })

  test('is not begun again by a node whose clock is still before midnight', async () => {
    await countOfDay(database, 'b', TODAY + 1)
    await countOfDay(database, 'b', TODAY + 1)
    expect(await countOfDay(database, 'b', TODAY)).toBe(3)
    expect(await readCountOfDay(database, 'b', TODAY)).toBe(3)
    expect(await lockCountOfDay(database, 'b', TODAY)).toBe(3)
    expect(await countOfDay(database, 'b', TODAY + 1)).toBe(4)
  })
})
