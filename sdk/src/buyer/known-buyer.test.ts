import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { createBuyerIdentity } from './known-buyer.ts'
import type { PayingFetchOptions } from './options.ts'

const START = Date.parse('2026-07-01T10:00:00.000Z')
const MINUTE_MS = 60_000
const SHOP = new URL('https://shop.example/weather')

function open(options: Partial<PayingFetchOptions> = {}, baseUrl = 'https://service.test') {
  const clock = { ms: START }
  const state = { asked: [] as string[], tier: 'tier1', isAway: false }
  const client = createClient({
    ...{ baseUrl, agentKey: `agk_live_${'k'.repeat(43)}`, maxRetries: 0 },
    async fetch(input) {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      state.asked.push(pathname + search)
      if (state.isAway) throw new TypeError('fetch failed')
      // The service's clock is another one.
      const dates = { issued_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-01T01:00:00.000Z' }
      const proof = { tier: state.tier, kyc_status: 'verified', ...dates }
      return Response.json({ proof, token: `token ${state.asked.length}` })
    },
  })
  const identity = createBuyerIdentity({ client, identity: true, ...options }, () => clock.ms)
  const tokenAt = async (url: URL | string = SHOP, demand = {}) =>
    (await identity?.proofFor(new URL(url), demand, undefined))?.token ?? null
  return { clock, state, tokenAt }
}

test('a proof is fetched once, by any number of calls, and again five minutes before it ends', async () => {
  const { clock, state, tokenAt } = open()
  expect(await Promise.all([tokenAt(), tokenAt(), tokenAt()])).toEqual(['token 1', 'token 1', 'token 1'])
  clock.ms += 55 * MINUTE_MS - 1
  expect(await tokenAt()).toBe('token 1')
  clock.ms += 1
  expect(await Promise.all([tokenAt(), tokenAt()])).toEqual(['token 2', 'token 2'])
  expect(state.asked).toEqual(Array(2).fill('/v1/agents/me/proof?affiliation=true'))
})

test('a failure is not kept', async () => {
  const { state, tokenAt } = open()
  state.isAway = true
  await expect(tokenAt()).rejects.toMatchObject({ code: 'network_error' })
  state.isAway = false
  expect(await tokenAt()).toBe('token 2')
})

test('a proof that does not fulfil a demand is fetched again after a minute, and not before', async () => {
  const { clock, state, tokenAt } = open()
  const demand = { tier: 'tier2' } as const
  expect(await tokenAt(SHOP, demand)).toBe('token 1')
  state.tier = 'tier2'
  expect(await tokenAt(SHOP, demand)).toBe('token 1')
  clock.ms += MINUTE_MS
  expect([await tokenAt(SHOP), await tokenAt(SHOP, demand), await tokenAt(SHOP, demand)]).toEqual([
    'token 1',
    'token 2',
    'token 2',
  ])
})

test.each<[string, Partial<PayingFetchOptions>, string | undefined, string, boolean]>([
  ['https', {}, undefined, 'https://shop.example', true],
  ['http', { allowHttp: true }, undefined, 'http://shop.example', false],
  [
    'http of this machine in a local sandbox',
    { allowHttp: true },
    'http://127.0.0.1:3000',
    'http://[::1]:9001',
    true,
  ],
  ['http of this machine without allowHttp', {}, 'http://127.0.0.1:3000', 'http://localhost:9001', false],
  ['http of this machine with a live service', { allowHttp: true }, undefined, 'http://localhost', false],
  ['http of others in a local sandbox', { allowHttp: true }, 'http://127.0.0.1', 'http://10.0.0.1', false],
  [
    'an origin that the options allow',
    { identity: each => each === 'https://a.example:8443' },
    undefined,
    'https://A.example.:8443',
    true,
  ],
  [
    'an origin that they do not allow',
    { identity: each => each === 'https://a.example' },
    undefined,
    'https://a.example.evil.example',
    false,
  ],
])(
  'the identity is shown only where nobody else reads it or the options allow it: %s',
  async (_, options, baseUrl, address, isShown) => {
    const { state, tokenAt } = open(options, baseUrl)
    expect(await tokenAt(address)).toBe(isShown ? 'token 1' : null)
    expect(state.asked).toHaveLength(isShown ? 1 : 0)
  },
)

test('the identity is shown to nobody without the option, and an invalid option is a TypeError', () => {
  for (const identity of [undefined, false]) {
    expect(createBuyerIdentity({ identity } as never, () => START)).toBeNull()
  }
  expect(() => open({ identity: 'yes' as never })).toThrow(TypeError)
})
