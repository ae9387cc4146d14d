import { expect, test } from 'vitest'
import { headersToSet } from './response-headers.ts'

const response = {
  status: 402,
  headers: { Vary: 'Accept', 'Access-Control-Expose-Headers': 'X-SERVICE-PAY', 'Cache-Control': 'no-store' },
  body: '',
} as const

test('values of other middleware in a list header are kept, and other headers are replaced', () => {
  const set: Record<string, string | string[]> = { vary: ['Origin', 'Cookie'], 'cache-control': 'public' }
  expect(headersToSet(response, name => set[name.toLowerCase()])).toEqual([
    ['Vary', 'Origin,Cookie, Accept'],
    ['Access-Control-Expose-Headers', 'X-SERVICE-PAY'],
    ['Cache-Control', 'no-store'],
  ])
})

test('an empty or absent list header gets only our values', () => {
  for (const empty of [null, undefined, '']) {
    expect(Object.fromEntries(headersToSet(response, () => empty))).toEqual(response.headers)
  }
})
