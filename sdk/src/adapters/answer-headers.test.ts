import { expect, test } from 'vitest'
import { headersToSet } from './answer-headers.ts'

const answer = {
  status: 402,
  headers: { Vary: 'Accept', 'Access-Control-Expose-Headers': 'X-SERVICE-PAY', 'Cache-Control': 'no-store' },
  body: '',
} as const

test('what others have put into a list stays in it, and all else is replaced', () => {
  const set: Record<string, string | string[]> = { vary: ['Origin', 'Cookie'], 'cache-control': 'public' }
  expect(headersToSet(answer, name => set[name.toLowerCase()])).toEqual([
    ['Vary', 'Origin,Cookie, Accept'],
    ['Access-Control-Expose-Headers', 'X-SERVICE-PAY'],
    ['Cache-Control', 'no-store'],
  ])
})

test('an empty or absent list is ours alone', () => {
  for (const empty of [null, undefined, '']) {
    expect(Object.fromEntries(headersToSet(answer, () => empty))).toEqual(answer.headers)
  }
})
