import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import type { BudgetLimit } from './journal.ts'
import { exceededBudget } from './journal-rules.ts'
import type { PayingFetchOptions } from './options.ts'
import { payingFetch } from './paying-fetch.ts'
import { hostOf, limitsFor, termsOf } from './terms.ts'
import { newPurchase } from './testing/purchases.ts'

const client = createClient({ baseUrl: 'https://batua.example', agentKey: 'agk_live_test' })

test('invalid options are refused when the paying fetch is created', () => {
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
  // A misspelt option would limit nothing.
  expect(make({ budget: [{ amount: 10, per: 'day' }] })).toThrow(
    /^budget is not one of the options: client, /,
  )
  expect(make({ budgets: [{ amount: 10, per: 'day', hosts: 'shop.example' }] })).toThrow(
    /^hosts is not one of the fields of a budget: amount, per, host$/,
  )
  expect(make({ budget: undefined })).not.toThrow()
  for (const list of ['shop.example', { amount: 10, per: 'day' }]) {
    expect(make({ budgets: list })).toThrow('lists')
    expect(make({ payees: list })).toThrow('lists')
  }
  expect(() => payingFetch(null as unknown as typeof fetch, { client, maxAmount: 1 })).toThrow(TypeError)
})

const perHour = (limitPaise: bigint, host: string | null) => ({ limitPaise, windowMs: 3_600_000, host })

test('a budget applies to the host it names, to each host separately, or to all together', () => {
  const budgets = [
    { amount: 1, per: 'hour', host: 'Shop.example' },
    { amount: 2, per: 'hour', host: '*' },
    { amount: 3, per: 'day' },
  ] as const
  const { budgets: terms } = termsOf({ client, maxAmount: 1, budgets })
  const together = { limitPaise: 300n, windowMs: 86_400_000, host: null }
  expect(limitsFor(terms, 'other.example')).toEqual([perHour(200n, 'other.example'), together])
  expect(limitsFor(terms, 'shop.example')).toEqual([
    perHour(100n, 'shop.example'),
    perHour(200n, 'shop.example'),
    together,
  ])
  expect(limitsFor(terms, hostOf(new URL('http://shop.example.:8080')))).toHaveLength(3)
})

test.each([
  ['shop.example', 'https://SHOP.example./', true],
  ['shop.example.', 'https://shop.example/', true],
  ['shop.example', 'https://shop.example:8443/', true],
  ['shop.example', 'https://my-shop.example/', false],
  ['shop.example:443', 'https://shop.example/', true],
  ['shop.example:443', 'https://shop.example:8443/', false],
  ['shop.example:8443', 'https://shop.example.:8443/', true],
  ['shop.example:8443', 'https://shop.example/', false],
  ['localhost', 'http://localhost:3000/', true],
  ['localhost:80', 'http://localhost/', true],
  ['localhost:443', 'http://localhost/', false],
  ['127.0.0.1', 'http://127.1:3000/', true],
  ['[::1]', 'http://[0:0::1]:3000/', true],
  ['[::1]:3000', 'http://[::1]:3000/', true],
  ['BÜCHER.example', 'https://bücher.example/', true],
  ['xn--bcher-kva.example', 'https://bücher.example/', true],
])('whether a budget for %s applies to a call to %s is %s', (host, url, isBound) => {
  const { budgets } = termsOf({ client, maxAmount: 1, budgets: [{ amount: 1, per: 'hour', host }] })
  expect(limitsFor(budgets, hostOf(new URL(url)))).toHaveLength(isBound ? 1 : 0)
})

test.each([
  '',
  ' shop.example',
  'shop.example ',
  'https://shop.example',
  'shop.example/',
  'shop.example?x',
  'shop.example#f',
  'me@shop.example',
  'shop.example:port',
  ':8443',
  '.',
  'shop..example',
  '*.example',
  'a.example,b.example',
  null,
])('a budget for %j could never apply and is refused', host => {
  const options = { client, maxAmount: 1, budgets: [{ amount: 1, per: 'hour', host }] }
  expect(() => termsOf(options as PayingFetchOptions)).toThrow(/^The host of a budget/)
})

test('a purchase at a host counts in the host’s budget for every port, and in the budget of its own port', () => {
  const begun = (id: string, host: string) => newPurchase(id, { host })
  const known = [begun('a', 'shop.example'), begun('b', 'shop.example:8443'), begun('c', 'my-shop.example')]
  const purchases = new Map(known.map(purchase => [purchase.id, purchase]))
  const fits = (limit: BudgetLimit) =>
    exceededBudget(purchases, begun('d', 'shop.example:8443'), [limit]) === null
  expect(fits(perHour(299n, 'shop.example'))).toBe(false)
  expect(fits(perHour(300n, 'shop.example'))).toBe(true)
  expect(fits(perHour(199n, 'shop.example:8443'))).toBe(false)
  expect(fits(perHour(200n, 'shop.example:8443'))).toBe(true)
  expect(fits(perHour(200n, 'shop.example:443'))).toBe(true)
})

test('payees are compared by their normalised name', () => {
  expect(termsOf({ client, maxAmount: 1, payees: [' @Shop-1 '] }).payees).toEqual(new Set(['shop-1']))
})
