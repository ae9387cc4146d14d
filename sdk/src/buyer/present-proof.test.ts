import { describe, expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { decodeProof } from '../protocol/headers.ts'
import { PROOF_HEADER } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import { buyerJournal } from './buyer-journal.ts'
import { callerRequest } from './caller-request.ts'
import { presentProof } from './present-proof.ts'
import { PurchaseError } from './purchase-error.ts'
import { memoryJournal } from './stored-journal.ts'
import { termsOf } from './terms.ts'

const ADDRESS = 'https://shop.example/weather'
const AGENT = 'agt_01kb7q3f8meg5tz4x9wc2n6a01'
const PAYMENT = 'pay_01kb7q3f8meg5tz4x9wc2n6a01'
const NONCE = '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'
const RECEIPT = 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'
const NOW = Date.UTC(2026, 10, 20, 10)

const agentKey = 'agk_live_test'
const client = createClient({ baseUrl: 'https://batua.example', agentKey })

interface Presented {
  readonly reply: Promise<Response>
  /** The requests to the seller. */
  readonly seen: Request[]
  /** The buyer's waits. */
  readonly waits: number[]
}

/** Presents a proof to a seller with these responses, the last of them repeatedly; `null`: no response. */
function tryProof(responses: readonly (() => Response | null)[], init: RequestInit = {}): Presented {
  const [seen, waits]: [Request[], number[]] = [[], []]
  const seller: typeof fetch = async (input, init) => {
    seen.push(new Request(input, init))
    const response = (responses[seen.length - 1] ?? responses.at(-1))?.() ?? null
    if (response === null) throw new TypeError('fetch failed')
    return response
  }
  const buyer: Buyer = {
    client,
    terms: termsOf({ client, maxAmount: 1 }),
    journal: buyerJournal(memoryJournal()),
    time: {
      now: () => NOW,
      async wait(delayMs, signal) {
        waits.push(delayMs)
        signal?.throwIfAborted()
      },
    },
    agentKey,
    agentId: async () => AGENT,
    findPayee: async () => null,
    identity: null,
    tabs: null,
  }
  return { reply: presentTo(buyer, seller, init), seen, waits }
}

async function presentTo(buyer: Buyer, seller: typeof fetch, init: RequestInit): Promise<Response> {
  const request = await callerRequest(seller, 'agk_live_test', ADDRESS, init)
  if (request === null) throw new Error('no address')
  const purchase = {
    id: 'purchase-1',
    requestKey: request.key ?? '',
    host: 'shop.example',
    payTo: 'shop',
    amountPaise: 100n,
    nonce: NONCE,
    startedAt: NOW,
    state: 'paid',
    paymentId: PAYMENT,
  } as const
  const { url, signal } = request
  return presentProof(buyer, request, {
    receipt: RECEIPT,
    purchase,
    url,
    signal,
    isResumed: false,
    paymentId: PAYMENT,
    approvalId: null,
  })
}

const served = () => new Response('sunny')
const busy =
  (retryAfter: string | null, status = 503) =>
  () =>
    new Response('', { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } })
const redirect = (status: number, location: string) => () =>
  new Response(null, { status, headers: { location } })

async function errorOf(response: Promise<unknown>): Promise<PurchaseError> {
  const error = await response.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof PurchaseError)) throw new Error(`no purchase error: ${String(error)}`)
  return error
}

test('the proof names the payment, the payer and the nonce, and carries the receipt', async () => {
  const { reply, seen } = tryProof([served])
  expect(await (await reply).text()).toBe('sunny')
  expect(seen.map(({ headers }) => decodeProof(headers.get(PROOF_HEADER) ?? ''))).toEqual([
    { version: 1, transactionId: PAYMENT, fromAgent: AGENT, nonce: NONCE, receipt: RECEIPT },
  ])
})

describe('a seller that is busy', () => {
  test('gets the same proof again after its Retry-After', async () => {
    const date = new Date(NOW + 7_000).toUTCString()
    const { reply, seen, waits } = tryProof([busy('3'), busy(date, 429), busy(null), busy(null, 425), served])
    expect((await reply).status).toBe(200)
    expect(waits).toEqual([3_000, 7_000, 1_000, 2_000])
    expect(new Set(seen.map(({ headers }) => headers.get(PROOF_HEADER))).size).toBe(1)
  })

  test('gets at most six requests, and then its response is returned', async () => {
    const { reply, seen } = tryProof([busy('1')])
    expect((await reply).status).toBe(503)
    expect(seen).toHaveLength(6)
  })

  test('is retried for at most a minute', async () => {
    const { reply, seen, waits } = tryProof([busy('61')])
    expect((await reply).status).toBe(503)
    expect([seen.length, waits]).toEqual([1, []])
  })
})

describe('a seller that does not respond', () => {
  test('gets the same proof again', async () => {
    const { reply, seen } = tryProof([() => null, () => null, served])
    expect((await reply).status).toBe(200)
    expect(seen).toHaveLength(3)
  })

  test('gets at most six requests, and then its error is thrown', async () => {
    const { reply, seen } = tryProof([() => null])
    await expect(reply).rejects.toThrow('fetch failed')
    expect(seen).toHaveLength(6)
  })

  test('is not retried after an abort', async () => {
    const controller = new AbortController()
    const fail = () => {
      controller.abort(new Error('enough'))
      return null
    }
    const { reply, seen } = tryProof([fail], { signal: controller.signal })
    await expect(reply).rejects.toThrow()
    expect(seen).toHaveLength(1)
  })
})

describe('a redirect of the paid request', () => {
  test.each([301, 302, 303, 307, 308])('within the origin is followed with the proof: %i', async status => {
    const { reply, seen } = tryProof([redirect(status, '/rain?day=1'), served], {
      method: 'POST',
      body: 'a',
    })
    expect((await reply).status).toBe(200)
    const [, second] = seen
    const isKept = status >= 307
    expect(second?.url).toBe('https://shop.example/rain?day=1')
    expect(second?.method).toBe(isKept ? 'POST' : 'GET')
    expect(await second?.text()).toBe(isKept ? 'a' : '')
    expect(second?.headers.has('content-type')).toBe(isKept)
    expect(second?.headers.has(PROOF_HEADER)).toBe(true)
  })

  test.each([
    ['another host', 'https://thief.example/weather'],
    ['another port', 'https://shop.example:8443/weather'],
    ['http', 'http://shop.example/weather'],
    ['no address', 'https://:'],
    ['a user of the same host', 'https://user:word@shop.example/weather'],
    ['a blob', 'blob:https://shop.example/weather'],
  ])('to %s gets no proof', async (_name, location) => {
    const { reply, seen } = tryProof([redirect(307, location), served])
    const { code, paymentId, response } = await errorOf(reply)
    expect([code, paymentId, response?.status]).toEqual(['redirect_refused', PAYMENT, 307])
    expect(seen).toHaveLength(1)
  })

  test('is followed at most five times', async () => {
    const { reply, seen } = tryProof([redirect(302, '/again')])
    expect((await errorOf(reply)).code).toBe('redirect_refused')
    expect(seen).toHaveLength(6)
  })

  test('that a browser hides is an error', async () => {
    const hidden = () => Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' })
    expect((await errorOf(tryProof([hidden]).reply)).code).toBe('redirect_refused')
  })

  test('is returned or an error, by the caller’s redirect mode', async () => {
    const moved = redirect(302, '/elsewhere')
    expect((await tryProof([moved], { redirect: 'manual' }).reply).status).toBe(302)
    expect((await errorOf(tryProof([moved], { redirect: 'error' }).reply)).code).toBe('redirect_refused')
  })
})
