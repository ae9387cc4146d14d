import { generateKeyPairSync, sign } from 'node:crypto'
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

test('a payee without origins is paid at hosts without a pinned payee, and where it was paid before', () => {
  expect(codeOf(facts([], 'https://shop.example'))).toBeNull()
  expect(codeOf(facts([], 'https://shop.example', PAYEE))).toBeNull()
  expect(codeOf(facts([], 'https://shop.example', OTHER))).toBe('payee_changed')
})

const START = Date.parse('2026-07-01T10:00:00.000Z')

/** A key of the service, and its entry in the key document. */
function newKey(id: string, span: Record<string, string> = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const public_key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const always = { active_from: '2026-01-01T00:00:00.000Z', retired_at: null, revoked_at: null }
  const entry: Record<string, string | null> = { key_id: id, public_key, ...always, ...span }
  return { id, privateKey, entry }
}

const KEY = newKey('key_a')

/** A document of origins like the service's; its canonical form is written out here. */
function documentOf(change: object = {}, { id, privateKey } = KEY) {
  const content = {
    ...{ agent_id: PAYEE, handle: 'shop', origins: ['https://shop.example'], signed_at: new Date(START) },
    ...{ issuer: 'batua', key_id: id },
    ...change,
  }
  const { agent_id, handle, issuer, key_id, origins, signed_at } = JSON.parse(
    JSON.stringify(content),
  ) as typeof content
  const canonical = `{"agent_id":"${agent_id}","handle":"${handle}","issuer":"${issuer}","key_id":"${key_id}","origins":${JSON.stringify(origins)},"signed_at":"${String(signed_at)}"}`
  return { ...content, signature: sign(null, Buffer.from(canonical), privateKey).toString('base64') }
}

function openFinder(responses: (() => Response | Promise<Response>)[] = [], keys = [KEY]) {
  const clock = { ms: START }
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://service.test',
    agentKey: `agk_live_${'k'.repeat(43)}`,
    maxRetries: 0,
    fetch: async input => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      asked.push(pathname)
      if (pathname !== KEYS) return (responses.shift() ?? responded)()
      return Response.json({ platform: 'batua', algorithm: 'Ed25519', keys: keys.map(({ entry }) => entry) })
    },
  })
  return { clock, asked, keys, find: createFindPayee(client, () => clock.ms) }
}

const KEYS = '/.well-known/service-keys.json'
const responded = () => Response.json(documentOf())
const failed = (status: number, code: string) => () =>
  Response.json({ error: { code, message: 'no', request_id: 'r' } }, { status })

test('a payee is looked up and verified once in ten minutes, under any spelling and by any number of calls', async () => {
  const { find, asked, clock } = openFinder()
  const payee = { agentId: PAYEE, origins: ['https://shop.example'] }
  expect(await Promise.all(['shop', '@Shop', 'SHOP'].map(name => find(name, undefined)))).toEqual([
    payee,
    payee,
    payee,
  ])
  expect(asked.toSorted()).toEqual([KEYS, '/v1/agents/shop/origins'])
  clock.ms += 10 * MINUTE_MS
  await find('shop', undefined)
  expect(asked).toHaveLength(4)
})

test('the keys of the service are fetched once in five minutes for all payees', async () => {
  const { find, asked, clock } = openFinder([responded, () => Response.json(documentOf({ handle: 'other' }))])
  await find('shop', undefined)
  await find('other', undefined)
  expect(asked.filter(path => path === KEYS)).toHaveLength(1)
  clock.ms += 5 * MINUTE_MS + 1
  await find('shop', undefined)
  await find(PAYEE, undefined)
  expect(asked.filter(path => path === KEYS)).toHaveLength(2)
})

test('a failed look-up is repeated, and an unknown payee is refused only by the payment', async () => {
  const { find, asked } = openFinder([failed(503, 'service_unavailable'), failed(404, 'not_found')])
  await expect(find('shop', undefined)).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await find('shop', undefined)).toBeNull()
  expect(await find('shop', undefined)).toMatchObject({ agentId: PAYEE })
  expect(asked.filter(path => path !== KEYS)).toHaveLength(3)
})

test('an invalid response does not allow a payment', async () => {
  const { find } = openFinder([
    () => Response.json({ agent_id: PAYEE }),
    () => Response.json({ origins: [] }),
  ])
  await expect(find('shop', undefined)).rejects.toThrow()
  await expect(find('shop', undefined)).rejects.toThrow()
})

const RETIRED = newKey('key_retired', { retired_at: '2026-06-30T00:00:00.000Z' })
const REVOKED = newKey('key_revoked', { revoked_at: '2026-07-02T00:00:00.000Z' })
const LATER = newKey('key_later', { active_from: '2026-07-02T00:00:00.000Z' })
const { signature: _, ...UNSIGNED } = documentOf()

test.each<[string, object]>([
  ['without a signature', UNSIGNED],
  ['with an empty signature', { ...documentOf(), signature: '' }],
  ['with another signature', { ...documentOf(), signature: Buffer.alloc(64).toString('base64') }],
  ['with another origin than was signed', { ...documentOf(), origins: ['https://thief.example'] }],
  ['with no origin, where one was signed', { ...documentOf(), origins: [] }],
  ['with a field that was not signed', { ...documentOf(), note: 'new' }],
  ['signed by another key under the id of the published one', documentOf({}, newKey('key_a'))],
  ['signed by a key that the service has not published', documentOf({}, newKey('key_b'))],
  ['that names no key', { ...documentOf(), key_id: undefined }],
  ['signed by a retired key, dated after its time', documentOf({}, RETIRED)],
  ['signed by a key, dated before its time', documentOf({}, LATER)],
  ['signed by a revoked key', documentOf({}, REVOKED)],
  ['without a date', documentOf({ signed_at: 'soon' })],
  ['of another service', documentOf({ issuer: 'other' })],
  ['of another agent', documentOf({ agent_id: OTHER, handle: 'other' })],
])('a document %s does not allow a payment, and is asked for again', async (_which, document) => {
  const { find } = openFinder([() => Response.json(document)], [KEY, RETIRED, REVOKED, LATER])
  expect(await find('shop', undefined)).toMatchObject({ kind: 'refusal', code: 'origins_not_genuine' })
  expect(await find('shop', undefined)).toMatchObject({ agentId: PAYEE })
})

test('a document signed by a retired key, dated within its time, allows a payment', async () => {
  const document = documentOf({ signed_at: '2026-06-29T23:59:59.999Z' }, RETIRED)
  const { find } = openFinder([() => Response.json(document)], [KEY, RETIRED])
  expect(await find('shop', undefined)).toMatchObject({ agentId: PAYEE })
})

test('a key that is revoked allows no payment from the next look-up after five minutes on', async () => {
  const { find, keys, clock } = openFinder()
  expect(await find('shop', undefined)).toMatchObject({ agentId: PAYEE })
  keys[0] = { ...KEY, entry: { ...KEY.entry, revoked_at: '2026-07-01T10:00:01.000Z' } }
  clock.ms += 5 * MINUTE_MS + 1
  expect(await find(PAYEE, undefined)).toMatchObject({ code: 'origins_not_genuine' })
})

test('without the keys of the service no payment is made, and the error says why', async () => {
  const client = createClient({
    baseUrl: 'http://service.test',
    agentKey: `agk_live_${'k'.repeat(43)}`,
    maxRetries: 0,
    fetch: async input => {
      if (String(input instanceof Request ? input.url : input).endsWith(KEYS))
        throw new TypeError('fetch failed')
      return responded()
    },
  })
  const find = createFindPayee(client, () => START)
  for (let tries = 0; tries < 2; tries++) {
    await expect(find('shop', undefined)).rejects.toMatchObject({ code: 'network_error' })
  }
})
