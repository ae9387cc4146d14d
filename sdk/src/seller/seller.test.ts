import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../client/client.ts'
import { decodeChallenge, encodeProof } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, type PaymentChallenge } from '../protocol/messages.ts'
import { memoryNonceStore } from './memory-nonce-store.ts'
import type { NonceStore } from './nonce-store.ts'
import type { Acceptance, SellerOptions, SellerRequest, SellerResponse } from './options.ts'
import { createSellerIn, type Seller } from './seller.ts'

const MINUTE_MS = 60_000
const agent = (letter: string) => `agt_01kb7q3f8meg5tz4x9wc2n6a0${letter}`
const PAYMENT = 'pay_01kb7q3f8meg5tz4x9wc2n6a01'
const [BUYER, THIEF] = [agent('1'), agent('3')]

type Fault = (call: () => Response) => Response | Promise<Response>

/** A faulty service: it has one payment, stores its nonce, and `fault` is applied to its calls. */
function badService(paid: { reference: string; amount: string } = { reference: '', amount: '12.50' }) {
  const state = { paid, consumedBy: null as string | null, calls: [] as URL[], bodies: [] as unknown[] }
  let fault: Fault = call => call()
  function verify({ searchParams: query }: URL): Response {
    const id = query.get('consume_id')
    let reason: string | null = null
    if (query.get('expected_payer') !== BUYER && id !== null) reason = 'payer_mismatch'
    else if (Number(state.paid.amount) < Number(query.get('expected_amount') ?? 0))
      reason = 'insufficient_amount'
    else if (query.get('nonce') !== state.paid.reference) reason = 'nonce_mismatch'
    else if (id !== null && (state.consumedBy ?? id) !== id) reason = 'nonce_already_used'
    else if (id !== null) state.consumedBy = id
    const { amount } = state.paid
    return Response.json({ verified: reason === null, ...(reason && { reason }), from: BUYER, amount })
  }
  async function response(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    state.calls.push(url)
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as { consume_id?: string }) : {}
    if (init?.method === 'POST') state.bodies.push(body)
    return fault(() => {
      if (url.pathname.endsWith('/verify')) return verify(url)
      const restored = url.pathname.endsWith('/restore-nonce') && body.consume_id === state.consumedBy
      if (restored) state.consumedBy = null
      return Response.json({ restored })
    })
  }
  return {
    state,
    fetch: response,
    be(next: Fault) {
      fault = next
    },
    consumeIds: () => state.calls.map(url => url.searchParams.get('consume_id')).filter(id => id !== null),
  }
}

type Service = ReturnType<typeof badService>

const well: Fault = call => call()
/** Executes the request, and its response is lost. */
const mute: Fault = call => {
  call()
  return new Promise<never>(() => {})
}
const saying =
  (status: number, headers: Record<string, string> = {}): Fault =>
  () =>
    Response.json({ error: { code: codeOf(status), message: 'no', request_id: 'r' } }, { status, headers })
const codeOf = (status: number) =>
  ({ 401: 'authentication_error', 403: 'authorization_error', 409: 'idempotency_error' })[status] ??
  (status === 429 ? 'rate_limit_exceeded' : 'service_unavailable')

interface Shop {
  readonly service: Service
  readonly seller: Seller<SellerRequest>
  readonly errors: unknown[]
  readonly clock: { ms: number }
}

function openShop(options: Partial<SellerOptions<SellerRequest>> = {}): Shop {
  const service = badService()
  const errors: unknown[] = []
  const clock = { ms: Date.parse('2026-07-01T10:00:00.000Z') }
  const agentKey = `agk_live_${'k'.repeat(43)}`
  const client = createClient({ baseUrl: 'http://service.test', agentKey, fetch: service.fetch })
  const all = { client, payTo: 'weather', amount: 12.5, onError: (error: unknown) => errors.push(error) }
  const seller = createSellerIn<SellerRequest>(
    { ...all, verifyTimeoutMs: 300, ...options },
    { now: () => clock.ms, randomBytes: count => crypto.getRandomValues(new Uint8Array(count)) },
  )
  return { service, seller, errors, clock }
}

function get(headers: Record<string, string> = {}, method = 'GET', path = '/weather'): SellerRequest {
  return { method, path, header: name => headers[name] ?? null }
}

function challengeIn(response: SellerResponse): PaymentChallenge {
  const challenge = decodeChallenge(response.headers[CHALLENGE_HEADER] ?? '')
  if (challenge === null) throw new Error(`no challenge in ${JSON.stringify(response)}`)
  return challenge
}

/** A buyer that has paid the price, and its proof. */
async function paidRequest({ seller, service }: Shop, fromAgent = BUYER): Promise<SellerRequest> {
  const { nonce, amount } = challengeIn(await seller.challenge(get(), get()))
  service.state.paid = { reference: nonce, amount }
  return proven(nonce, fromAgent)
}

function proven(nonce: string, fromAgent = BUYER): SellerRequest {
  return get({ 'x-service-payment': encodeProof({ version: 1, transactionId: PAYMENT, fromAgent, nonce }) })
}

/** The refund requests. */
function refunds({ service }: Shop): unknown[] {
  return service.state.bodies.filter(body => Object.hasOwn(body as object, 'idempotency_key'))
}

function accept({ seller }: Shop, request: SellerRequest): Promise<Acceptance> {
  return seller.accept(request, request)
}

function responseIn(acceptance: Acceptance): SellerResponse {
  if (acceptance.kind !== 'refused') throw new Error(`it was ${acceptance.kind}`)
  return acceptance.response
}

/** Why a request was refused: the reason in its 402, which has a new challenge, or the status. */
function reasonIn(acceptance: Acceptance): unknown {
  const response = responseIn(acceptance)
  if (response.status !== 402) return response.status
  const { nonce } = challengeIn(response)
  const body = JSON.parse(response.body) as { error: { details: { reason?: string } }; payment: object }
  expect(body).toMatchObject({ error: { code: 'payment_required' }, payment: { nonce, asset: 'INR' } })
  return body.error.details.reason ?? null
}

async function served(shop: Shop, request: SellerRequest) {
  const acceptance = await accept(shop, request)
  if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
  return acceptance
}

describe('a free request', () => {
  test('has the price 0; a request that only looks like a preflight is not free', async () => {
    const shop = openShop({ amount: ({ path }) => (path === '/free' ? 0 : '1.00') })
    expect((await accept(shop, get({}, 'GET', '/free'))).kind).toBe('free')
    const preflight = get({ 'access-control-request-method': 'GET' }, 'OPTIONS')
    expect(reasonIn(await accept(shop, preflight))).toBeNull()
  })
})

describe('a price', () => {
  test('that throws or is invalid is an error for the framework', async () => {
    const failing = openShop({
      amount: () => {
        throw new Error('the price list is away')
      },
    })
    await expect(accept(failing, get())).rejects.toThrow('the price list is away')
    for (const amount of [-1, 0.001, Number.NaN, 'ten', '10000000000.01']) {
      expect(() => openShop({ amount })).toThrow(RangeError)
      await expect(accept(openShop({ amount: async () => amount }), get())).rejects.toThrow(RangeError)
    }
  })

  test('that fell after the challenge is accepted as quoted, and one that was never quoted is not', async () => {
    let price = '10.00'
    const shop = openShop({ amount: () => price })
    const request = await paidRequest(shop)
    price = '9.00'
    shop.service.state.paid.amount = '9.50'
    expect(reasonIn(await accept(shop, request))).toBe('nonce_not_ours')
    expect(shop.service.state.consumedBy).toBeNull()
    shop.service.state.paid.amount = '10.00'
    expect((await served(shop, request)).payment.amount).toBe('10.00')
    expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
  })

  test('that rose after the payment is refused, and the payment is refunded once', async () => {
    let price = '10.00'
    const shop = openShop({ amount: () => price })
    const request = await paidRequest(shop)
    price = '10.01'
    const response = await accept(shop, request)
    expect(reasonIn(response)).toBe('insufficient_amount')
    expect(responseIn(response).body).toContain('The payment is being given back.')
    expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
    expect(refunds(shop)).toHaveLength(1)
    price = '10.00'
    expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
  })
})

describe('a proof', () => {
  test('that pays for the request is accepted with one call, and returns the payment and the payer', async () => {
    const shop = openShop()
    const { payment } = await served(shop, await paidRequest(shop))
    const nonce = shop.service.state.paid.reference
    expect(payment).toEqual({ paymentId: PAYMENT, from: BUYER, amount: '12.50', nonce })
    expect(shop.service.state.calls).toHaveLength(1)
    expect(Object.fromEntries(shop.service.state.calls[0]?.searchParams ?? [])).toMatchObject({
      expected_payee: 'weather',
      expected_amount: '12.5',
      nonce,
      consume: 'true',
    })
  })

  test('that is malformed is refused with a 402 and never reaches the service', async () => {
    const shop = openShop()
    const good = (await paidRequest(shop)).header('x-service-payment') ?? ''
    const wrong = [
      '',
      ' ',
      'null',
      'W10=',
      '%%%',
      `${good}, ${good}`,
      `${good}x`,
      'A'.repeat(2 ** 20),
      '\u0000',
    ]
    for (const header of wrong) {
      const refusal = reasonIn(await accept(shop, get({ 'x-service-payment': header })))
      expect(refusal, header.slice(0, 50)).toBe('invalid_payment_header')
    }
    expect(shop.service.state.calls).toHaveLength(0)
    expect(shop.errors).toEqual([])
  })

  test('is valid for its own method and path only', async () => {
    const shop = openShop()
    const header = (await paidRequest(shop)).header('x-service-payment') ?? ''
    for (const [method, path] of [
      ['HEAD', '/weather'],
      ['GET', '/weather?x'],
      ['GET', '/gold'],
    ] as const) {
      const request = get({ 'x-service-payment': header }, method, path)
      expect(reasonIn(await accept(shop, request))).toBe('nonce_not_ours')
    }
    expect(reasonIn(await accept(shop, proven(crypto.randomUUID())))).toBe('nonce_not_ours')
    expect(shop.service.state.calls, 'invented nonces spend no calls').toHaveLength(0)
  })

  test('is valid only at the place that records its use, until the expiry that its seller set', async () => {
    const shop = openShop()
    const request = await paidRequest(shop)
    for (const options of [{ nonces: memoryNonceStore() }, { nonceTtlMs: 20 * MINUTE_MS }]) {
      expect(reasonIn(await accept(openShop(options), request))).toBe('nonce_not_ours')
    }
    await served(shop, request)
  })

  test('that names another payer is refused, and does not cost the buyer its nonce', async () => {
    const shop = openShop()
    const request = await paidRequest(shop)
    const { reference } = shop.service.state.paid
    expect(reasonIn(await accept(shop, proven(reference, THIEF)))).toBe('payer_mismatch')
    expect(shop.service.state.consumedBy).toBeNull()
    await served(shop, request)
    const [thiefs, buyers] = shop.service.consumeIds()
    expect(buyers).not.toBe(thiefs)
  })

  test('is valid as long as its nonce, unless it came in time and could not be checked then', async () => {
    const shop = openShop({ nonceTtlMs: MINUTE_MS })
    const early = await paidRequest(shop)
    shop.service.be(saying(503))
    expect(reasonIn(await accept(shop, early))).toBe(503)
    shop.service.be(well)
    shop.clock.ms += MINUTE_MS + 1
    await served(shop, early)
    expect(reasonIn(await accept(shop, early))).toBe('nonce_already_used')
    expect(refunds(shop)).toEqual([])
  })

  test('that comes too late is refunded, unless it was served', async () => {
    const shop = openShop({ nonceTtlMs: MINUTE_MS })
    const unpaid = challengeIn(await shop.seller.challenge(get(), get())).nonce
    const request = await paidRequest(shop)
    shop.clock.ms += MINUTE_MS + 1
    expect(reasonIn(await accept(shop, proven(unpaid)))).toBe('nonce_mismatch')
    expect(reasonIn(await accept(shop, proven(shop.service.state.paid.reference, THIEF)))).toBe(
      'payer_mismatch',
    )
    expect(refunds(shop)).toEqual([])
    const [one, other] = [await accept(shop, request), await accept(shop, request)]
    expect(responseIn(one).body).toContain('too long ago. The payment is being given back.')
    expect([one, other].map(reasonIn)).toEqual(['nonce_expired', 'nonce_already_used'])
    expect(refunds(shop)).toEqual([
      { amount: 12.5, idempotency_key: `pay-per-call-${shop.service.state.paid.reference}` },
    ])
  })

  test('that comes too late is refused in time, and refunded afterwards if the refund takes longer', async () => {
    const shop = openShop({ nonceTtlMs: MINUTE_MS })
    const request = await paidRequest(shop)
    shop.clock.ms += MINUTE_MS + 1
    const held = Promise.withResolvers<void>()
    const compensated = Promise.withResolvers<void>()
    shop.service.be(async call => {
      if (shop.service.state.bodies.length > 0) await held.promise
      compensated.resolve()
      return call()
    })
    expect(reasonIn(await accept(shop, request))).toBe('nonce_expired')
    held.resolve()
    await compensated.promise
    expect(shop.errors).toEqual([])
    expect(refunds(shop)).toHaveLength(1)
  })

  test('from a clock far ahead is refused', async () => {
    const shop = openShop()
    const request = await paidRequest(shop)
    shop.clock.ms -= MINUTE_MS + 1
    expect(reasonIn(await accept(shop, request))).toBe('nonce_not_ours')
  })

  test('signed with the previous secret is valid while both are configured', async () => {
    const [before, after] = ['the secret of yesterday', 'the secret of today']
    const shop = openShop({ secret: before })
    const request = await paidRequest(shop)
    const { reference } = shop.service.state.paid
    const both = openShop({ secret: [after, before] })
    both.service.state.paid.reference = reference
    await served(both, request)
    const without = openShop({ secret: after })
    without.service.state.paid.reference = reference
    expect(reasonIn(await accept(without, request))).toBe('nonce_not_ours')
  })
})

describe('a service that does not respond', () => {
  const troubles: Readonly<Record<string, Fault>> = {
    'is silent': mute,
    'is away': () => Promise.reject(new TypeError('fetch failed')),
    fails: saying(500),
    'shuts down': saying(503, { 'retry-after': '2' }),
    'has enough of us': saying(429, { 'retry-after': '7' }),
    'does not know our key': saying(401),
    'does not let us': saying(403),
    'is something else': () => new Response('<h1>It works!</h1>'),
  }
  for (const [name, trouble] of Object.entries(troubles)) {
    test(`because it ${name} results in a 503, and the proof stays valid`, async () => {
      const shop = openShop()
      const request = await paidRequest(shop)
      shop.service.be(trouble)
      const { status, headers, body } = responseIn(await accept(shop, request))
      expect(status).toBe(503)
      expect(headers['Retry-After']).toBe({ 'shuts down': '2', 'has enough of us': '7' }[name] ?? '1')
      expect(headers).toMatchObject({ 'Cache-Control': 'no-store' })
      expect(headers).not.toHaveProperty(CHALLENGE_HEADER)
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'service_unavailable' } })
      expect(shop.errors).toHaveLength(1)
      shop.service.be(well)
      await served(shop, request)
      expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
    })
  }

  test('may have used the nonce: one of 64 concurrent repeats of the proof is served', async () => {
    const shop = openShop({ verifyTimeoutMs: 5_000 })
    const request = await paidRequest(shop)
    let first = true
    shop.service.be(call => {
      const response = call()
      if (!first) return response
      first = false
      return saying(500)(call)
    })
    expect(reasonIn(await accept(shop, request))).toBe(503)
    expect(shop.service.state.consumedBy).not.toBeNull()
    const repeats = await Promise.all(Array.from({ length: 64 }, () => accept(shop, request)))
    const kinds = repeats.map(each => (each.kind === 'accepted' ? 'served' : reasonIn(each)))
    expect(kinds.filter(kind => kind === 'served')).toHaveLength(1)
    expect(kinds.filter(kind => kind === 'nonce_already_used')).toHaveLength(63)
  })

  test('delays requests with the same proof no longer than their own deadline', async () => {
    const shop = openShop()
    const request = await paidRequest(shop)
    shop.service.be(mute)
    const both = await Promise.all([accept(shop, request), accept(shop, request)])
    expect(both.map(reasonIn)).toEqual([503, 503])
    shop.service.be(well)
    await served(shop, request)
  })

  test('and an onError that throws change nothing for the request', async () => {
    const throwing = () => {
      throw new Error('the log is full')
    }
    const rejecting: (error: unknown) => unknown = async () => throwing()
    for (const onError of [throwing, rejecting as () => void]) {
      const shop = openShop({ onError })
      const request = await paidRequest(shop)
      shop.service.be(saying(500))
      expect(reasonIn(await accept(shop, request))).toBe(503)
    }
  })
})

describe('a failed request', () => {
  const endings = (shop: Shop) => shop.service.state.calls.map(url => url.pathname.split('/').at(-1))

  test('is refunded once, and only when it was not served', async () => {
    const shop = openShop()
    for (const status of [200, 304, 404, 499])
      await (
        await served(shop, await paidRequest(shop)).finally(() => {
          shop.service.state.consumedBy = null
        })
      ).finish(status)
    expect(endings(shop)).toEqual(['verify', 'verify', 'verify', 'verify'])
    const { finish } = await served(shop, await paidRequest(shop))
    await Promise.all([finish(500), finish(500), finish(200)])
    expect(endings(shop).slice(4)).toEqual(['verify', 'refund'])
    const key = `pay-per-call-${shop.service.state.paid.reference}`
    expect(shop.service.state.bodies).toEqual([{ amount: 12.5, idempotency_key: key }])
  })

  // The paying fetch repeats its proof after these.
  test.each([408, 425, 429, 500, 503])('with a response of %i is refunded', async status => {
    const shop = openShop()
    const { finish } = await served(shop, await paidRequest(shop))
    await finish(status)
    expect(endings(shop)).toEqual(['verify', 'refund'])
  })

  test('that was refunded already causes no error; a refund that fails is reported to onError and never thrown', async () => {
    for (const [status, reported] of [
      [409, 0],
      [403, 1],
    ] as const) {
      const shop = openShop()
      const { finish } = await served(shop, await paidRequest(shop))
      shop.service.be(saying(status))
      await finish(503)
      expect(shop.errors).toHaveLength(reported)
    }
  })

  test('whose nonce cannot be restored is refunded instead; onError is called only if that fails too', async () => {
    for (const [trouble, reported] of [
      ['/restore-nonce', 0],
      ['', 1],
    ] as const) {
      const shop = openShop({ onFailure: 'keep' })
      const { finish } = await served(shop, await paidRequest(shop))
      shop.service.be(call =>
        shop.service.state.calls.at(-1)?.pathname.endsWith(trouble) === true ? saying(403)(call) : call(),
      )
      await finish(500)
      expect([endings(shop), shop.errors.length]).toEqual([['verify', 'restore-nonce', 'refund'], reported])
    }
  })

  test('restores its nonce if configured, also for a repeat that comes before that', async () => {
    const shop = openShop({ onFailure: 'keep', verifyTimeoutMs: 5_000 })
    const request = await paidRequest(shop)
    const unpaid = challengeIn(await shop.seller.challenge(get(), get())).nonce
    const first = await served(shop, request)
    let letRestore: () => void = () => {}
    const held = new Promise<void>(resolve => {
      letRestore = resolve
    })
    shop.service.be(async call => {
      shop.service.be(well)
      await held
      return call()
    })
    const finishing = first.finish(500)
    const repeated = served(shop, request)
    // Started after the repetition and finished: the repetition waits only for its nonce.
    expect(reasonIn(await accept(shop, proven(unpaid)))).toBe('nonce_mismatch')
    letRestore()
    const second = await repeated
    await finishing
    const [consumed, , again] = shop.service.consumeIds()
    expect(shop.service.state.bodies).toEqual([{ nonce: second.payment.nonce, consume_id: consumed }])
    expect(again).not.toBe(consumed)
    await second.finish(200)
    expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
  })
})

describe('with a nonce store of its own', () => {
  test('a late or insufficient payment is refused and not refunded, because another shop may have served it', async () => {
    let price = '10.00'
    const shop = openShop({ nonces: memoryNonceStore(), nonceTtlMs: MINUTE_MS, amount: () => price })
    const request = await paidRequest(shop)
    price = '10.01'
    expect(reasonIn(await accept(shop, request))).toBe('insufficient_amount')
    shop.clock.ms += MINUTE_MS + 1
    expect(reasonIn(await accept(shop, request))).toBe('nonce_expired')
    expect(shop.service.state.bodies).toEqual([])
  })

  test('an invented proof that cannot be checked extends no nonce', async () => {
    const shop = openShop({ nonces: memoryNonceStore(), nonceTtlMs: MINUTE_MS, amount: () => '10.00' })
    const request = await paidRequest(shop)
    const header = request.header('x-service-payment') ?? ''
    shop.service.be(saying(503))
    expect(reasonIn(await accept(shop, get({ 'x-service-payment': header }, 'GET', '/gold')))).toBe(503)
    shop.service.be(well)
    shop.clock.ms += MINUTE_MS + 1
    expect(reasonIn(await accept(shop, request))).toBe('nonce_expired')
  })

  test('that never restores a nonce, the payment of a failed request is refunded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const release = () => Promise.reject(new Error('the store is away'))
      const shop = openShop({ nonces: { ...memoryNonceStore(), release }, onFailure: 'keep' })
      const { finish } = await served(shop, await paidRequest(shop))
      const finished = finish(500)
      await vi.runAllTimersAsync()
      await finished
      expect([refunds(shop).length, shop.errors]).toEqual([1, []])
    } finally {
      vi.useRealTimers()
    }
  })

  test('one of 64 concurrent requests is served, and the service stores no nonce', async () => {
    const shop = openShop({ nonces: memoryNonceStore(), verifyTimeoutMs: 5_000 })
    const request = await paidRequest(shop)
    const all = await Promise.all(Array.from({ length: 64 }, () => accept(shop, request)))
    expect(all.filter(each => each.kind === 'accepted')).toHaveLength(1)
    expect(shop.service.state.consumedBy).toBeNull()
    expect(reasonIn(await accept(shop, proven(shop.service.state.paid.reference, THIEF)))).toBe(
      'payer_mismatch',
    )
  })

  test('a failed request restores its nonce, with retries if the store fails', async () => {
    const store = memoryNonceStore()
    let failures = 2
    const release: NonceStore['release'] = async (...claim) => {
      if (failures-- > 0) throw new Error('the store is away')
      return store.release(...claim)
    }
    const shop = openShop({ nonces: { ...store, release }, onFailure: 'keep' })
    const request = await paidRequest(shop)
    const { finish } = await served(shop, request)
    await finish(502)
    expect(shop.errors).toEqual([])
    await served(shop, request)
  })

  test('that never responds, a request waits no longer than its deadline', async () => {
    const store = memoryNonceStore()
    const endless = { ...store, claim: () => new Promise<never>(() => {}) }
    const shop = openShop({ nonces: endless })
    const request = await paidRequest(shop)
    expect(reasonIn(await accept(shop, request))).toBe(503)
    endless.claim = store.claim as typeof endless.claim
    await served(shop, request)
  })

  test('that failed to respond to a claim before, a failed request is refunded, because the claim may still arrive', async () => {
    const store = memoryNonceStore()
    let arrive: () => void = () => {}
    const slow: NonceStore['claim'] = (...claim) =>
      new Promise(resolve => {
        arrive = () => resolve(store.claim(...claim))
      })
    const late = { ...store, claim: slow }
    const shop = openShop({ nonces: late, onFailure: 'keep' })
    const request = await paidRequest(shop)
    expect(reasonIn(await accept(shop, request))).toBe(503)
    late.claim = store.claim
    const { finish } = await served(shop, request)
    await finish(500)
    arrive()
    expect(refunds(shop)).toHaveLength(1)
  })

  test('whose response was lost, a repeat is served', async () => {
    const store = memoryNonceStore()
    let isAway = true
    const claim: NonceStore['claim'] = async (...asked) => {
      const isFirst = await store.claim(...asked)
      if (isAway) throw new Error('the connection broke')
      return isFirst
    }
    const shop = openShop({ nonces: { ...store, claim } })
    const request = await paidRequest(shop)
    expect(reasonIn(await accept(shop, request))).toBe(503)
    isAway = false
    await served(shop, request)
    expect(reasonIn(await accept(shop, request))).toBe('nonce_already_used')
  })
})

test('an invalid configuration of a seller is refused when it is created', () => {
  expect(() => openShop({ secret: 'too short' })).toThrow(RangeError)
  expect(() => openShop({ secret: [] })).toThrow(TypeError)
  expect(() => openShop({ payTo: '' })).toThrow(TypeError)
  expect(() => openShop({ nonceTtlMs: 0 })).toThrow(RangeError)
  expect(() => openShop({ client: createClient({ baseUrl: 'http://service.test' }) })).toThrow('agentKey')
})
