import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { createFindPayee, decideSeller, type SellerFacts } from './check-seller.ts'
import { originOf } from './terms.ts'

const [PAYEE, OTHER] = ['1', '2'].map(n => `agt_01kb7q3f8meg5tz4x9wc2n6a0${n}`) as [string, string]
const MINUTE_MS = 60_000

function facts(origins: string[], address: string, pinned: string | null = null): SellerFacts {
  const origin = originOf(new URL(address))
  return { payTo: 'shop', payee: { agentId: PAYEE, origins }, origin, host: 'shop.example', pinned }
}
const codeOf = (given: SellerFacts) => decideSeller(given)?.code ?? null

test.each([
  'https://shop.example/weather',
  'https://SHOP.example./weather',
  'https://shop.example:443/',
  'https://user:secret@shop.example/',
])(
  'a payee that sells at https://shop.example is paid for %s, even if another payee was paid there before',
  address => {
    expect(codeOf(facts(['https://shop.example'], address))).toBeNull()
    expect(codeOf(facts(['https://shop.example'], address, OTHER))).toBeNull()
  },
)

test.each([
  'https://thief.example/weather',
  'https://shop.example:8443/',
  'http://shop.example/',
  'https://www.shop.example/',
  'https://shop.example.thief.example/',
  'https://shop.example@thief.example/',
])('a payee that sells at https://shop.example is not paid for %s', address => {
  expect(codeOf(facts(['https://shop.example'], address))).toBe('payee_not_allowed')
  expect(codeOf(facts(['https://shop.example'], address, PAYEE))).toBe('payee_not_allowed')
})

test('an international name is one origin in any spelling', () => {
  expect(codeOf(facts(['https://xn--bcher-kva.example'], 'https://BÜCHER.example/'))).toBeNull()
})

test('a payee without origins is paid at hosts without an earlier payee, or where it was paid before', () => {
  expect(codeOf(facts([], 'https://shop.example'))).toBeNull()
  expect(codeOf(facts([], 'https://shop.example', PAYEE))).toBeNull()
  expect(codeOf(facts([], 'https://shop.example', OTHER))).toBe('payee_changed')
})

function openFinder(answers: (() => Response | Promise<Response>)[]) {
  const clock = { ms: 0 }
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://service.test',
    agentKey: `agk_live_${'k'.repeat(43)}`,
    maxRetries: 0,
    fetch: async input => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname)
      return (answers.shift() ?? answered)()
    },
  })
  return { clock, asked, find: createFindPayee(client, () => clock.ms) }
}
const answered = () => Response.json({ agent_id: PAYEE, handle: 'shop', origins: ['https://shop.example'] })
const failed = (status: number, code: string) => () =>
  Response.json({ error: { code, message: 'no', request_id: 'r' } }, { status })

test('a payee is looked up once in ten minutes, under any spelling and by any number of calls', async () => {
  const { find, asked, clock } = openFinder([])
  const payee = { agentId: PAYEE, origins: ['https://shop.example'] }
  expect(await Promise.all(['shop', '@Shop', 'SHOP'].map(name => find(name, undefined)))).toEqual([
    payee,
    payee,
    payee,
  ])
  expect(asked).toEqual(['/v1/agents/shop/origins'])
  clock.ms += 10 * MINUTE_MS
  await find('shop', undefined)
  expect(asked).toHaveLength(2)
})

test('a failed look-up is repeated, and an unknown payee is left to the payment', async () => {
  const { find, asked } = openFinder([failed(503, 'service_unavailable'), failed(404, 'not_found')])
  await expect(find('shop', undefined)).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await find('shop', undefined)).toBeNull()
  expect(await find('shop', undefined)).toMatchObject({ agentId: PAYEE })
  expect(asked).toHaveLength(3)
})

test('an invalid response does not allow a payment', async () => {
  const { find } = openFinder([
    () => Response.json({ agent_id: PAYEE }),
    () => Response.json({ origins: [] }),
  ])
  await expect(find('shop', undefined)).rejects.toThrow()
  await expect(find('shop', undefined)).rejects.toThrow()
})
