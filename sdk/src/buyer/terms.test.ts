import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { payingFetch } from './paying-fetch.ts'
import { limitsFor, termsOf } from './terms.ts'

const client = createClient({ baseUrl: 'https://batua.example', agentKey: 'agk_live_test' })

test('options that make no terms are refused when the paying fetch is made', () => {
  const make = (options: object) => () => payingFetch(fetch, { client, maxAmount: 1, ...options })
  expect(make({})).not.toThrow()
  expect(make({ maxAmount: undefined })).toThrow(TypeError)
  for (const maxAmount of [-1, 1.001, Number.NaN, 'ten', '1e3'])
    expect(make({ maxAmount })).toThrow(RangeError)
  expect(make({ budgets: [{ amount: 10, per: 'week' }] })).toThrow(TypeError)
  expect(make({ budgets: [{ amount: '10.001', per: 'day' }] })).toThrow(RangeError)
  expect(make({ approval: 'ask' })).toThrow(TypeError)
  expect(make({ approvalTimeoutMs: Number.NaN })).toThrow(RangeError)
  expect(make({ client: createClient({ baseUrl: 'https://batua.example' }) })).toThrow(TypeError)
  expect(() => payingFetch(null as unknown as typeof fetch, { client, maxAmount: 1 })).toThrow(TypeError)
})

test('a budget binds the host it names, each host by itself, or all together', () => {
  const budgets = [
    { amount: 1, per: 'hour', host: 'Shop.example' },
    { amount: 2, per: 'hour', host: '*' },
    { amount: 3, per: 'day' },
  ] as const
  const { budgets: terms } = termsOf({ client, maxAmount: 1, budgets })
  const each = (host: string) => ({ limitPaise: 200n, windowMs: 3_600_000, host })
  const together = { limitPaise: 300n, windowMs: 86_400_000, host: null }
  expect(limitsFor(terms, 'other.example')).toEqual([each('other.example'), together])
  expect(limitsFor(terms, 'shop.example')).toEqual([
    { ...each('shop.example'), limitPaise: 100n },
    each('shop.example'),
    together,
  ])
})
