import { routes } from '@batua/contract'
import {
  type BatuaError,
  createClient,
  type Journal,
  memoryJournal,
  PurchaseError,
  paymentOf,
} from '@batua/sdk'
import { payingAdapter } from '@batua/sdk/axios'
import axios, { AxiosError } from 'axios'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPayingFetch } from '../sdk/src/buyer/paying-fetch.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { cut, openScriptedSeller, type ScriptedSeller, type Turn } from './src/scripted-seller.ts'
import { type Loss, openShopper, type ShopperOptions } from './src/shopper.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let stage: PayingStage
let seller: ScriptedSeller

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  seller = await openScriptedSeller(stage.api.address, stage.payee)
})
afterEach(() => seller.close())

const shopper = (options?: ShopperOptions) => openShopper(stage, options)

async function failure(call: Promise<unknown>): Promise<PurchaseError> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof PurchaseError)) throw error ?? new Error('nothing failed')
  return error
}

async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: BatuaError) => error.code,
  )
}

const weather = () => `${seller.address}/weather?city=Pune`

describe('a resource that requires a payment', () => {
  test('is paid once and requested again with the proof', async () => {
    const { buy, agent, payments } = await shopper()
    const response = await buy(weather())
    expect(await response.json()).toMatchObject({ method: 'GET', url: '/weather?city=Pune' })
    const made = await payments()
    expect(made).toMatchObject([{ to: stage.payee.id, amount: 10, reference: seller.proofs[0]?.nonce }])
    const [{ payment_id: paymentId, reference: nonce } = { payment_id: null, reference: null }] = made
    const receiptOf = { params: { receipt_id: paymentId ?? '' }, headers: agent.headers }
    const { token: receipt } = await stage.api.ok(routes.getReceipt, receiptOf)
    expect(seller.proofs).toEqual([
      { version: 1, transactionId: paymentId, fromAgent: agent.id, nonce, receipt },
    ])
    const payTo = stage.payee.handle
    expect(paymentOf(response)).toEqual({
      status: 'completed',
      paymentId,
      approvalId: null,
      payTo,
      amount: '10.00',
      nonce,
    })
  })

  test('gets the whole body both times, in whatever form it was passed', async () => {
    const { buy, payments } = await shopper()
    const body = 'city=Pune'
    for (const [input, init] of [
      [new URL(weather()), { method: 'POST', body: new URLSearchParams(body) }],
      [new Request(weather(), { method: 'POST', body }), undefined],
    ] as const) {
      expect(await (await buy(input, init)).json()).toMatchObject({ method: 'POST', body })
    }
    expect(await payments()).toHaveLength(2)
  })

  test('is paid once for each of 64 concurrent requests', async () => {
    const { buy, payments } = await shopper()
    seller.sign.price = '0.01'
    const responses = await Promise.all(Array.from({ length: 64 }, () => buy(weather())))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(new Set(responses.map(response => paymentOf(response)?.paymentId)).size).toBe(64)
    expect(new Set((await payments()).map(({ reference }) => reference)).size).toBe(64)
  })
})

test('a response without a challenge passes through unchanged', async () => {
  const { buy, payments } = await shopper()
  for (const path of ['/free', '/plain-402']) {
    const response = await buy(seller.address + path)
    expect([response.status, paymentOf(response)]).toEqual([path === '/free' ? 200 : 402, undefined])
    expect(await response.text()).not.toBe('')
  }
  await expect(buy('nowhere')).rejects.toThrow(TypeError)
  expect(await payments()).toEqual([])
})

describe('nothing is paid', () => {
  test('above the maximum, to another payee, without https, or for an unreadable challenge', async () => {
    const { buy, payments, agent } = await shopper({ maxAmount: '9.99' })
    expect(await failure(buy(weather()))).toMatchObject({ code: 'price_too_high', paymentId: null })
    expect((await failure(buy(`${seller.address}/garbled-402`))).code).toBe('invalid_challenge')
    const client = createClient({ baseUrl: stage.api.address, agentKey: agent.key })
    const terms = { client, maxAmount: 10 }
    const time = { now: Date.now, wait: async () => undefined }
    const choosy = createPayingFetch(fetch, { ...terms, allowHttp: true, payees: ['another-payee'] }, time)
    expect((await failure(choosy(weather()))).code).toBe('payee_not_allowed')
    const { code, response } = await failure(createPayingFetch(fetch, terms, time)(weather()))
    expect([code, await response?.text()]).toEqual(['insecure_seller', 'pay first'])
    expect(await payments()).toEqual([])
  })

  test('for a header that is longer than any challenge', async () => {
    const { buy, payments } = await shopper()
    const lengthy = (length: number) => buy(`${seller.address}/lengthy-402?${length}`)
    expect((await failure(lengthy(12 * 1024))).code).toBe('invalid_challenge')
    await expect(lengthy(1024 * 1024)).rejects.toThrow(TypeError)
    expect(await payments()).toEqual([])
  })

  test('for a body that is a stream and cannot be sent again', async () => {
    const { buy, payments } = await shopper()
    const init = { method: 'POST', body: new Blob(['city=Pune']).stream(), duplex: 'half' } as const
    expect((await failure(buy(weather(), init))).code).toBe('body_not_repeatable')
    expect(await payments()).toEqual([])
  })

  test('to another origin than the request’s', async () => {
    const { buy, payments } = await shopper()
    const other = await openScriptedSeller(stage.api.address, stage.payee)
    const { code } = await failure(buy(`${seller.address}/to?${other.address}/weather`))
    expect(code).toBe('redirect_refused')
    expect(await payments()).toEqual([])
    await other.close()
  })

  test('if the service refuses; its error is thrown and the next call starts again', async () => {
    const { buy, payments } = await shopper({ maxAmount: 1_000, extras: { spend_limit_per_tx: 5 } })
    expect(await refusal(buy(weather()))).toBe('spend_limit_exceeded')
    seller.sign.price = '5.00'
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('with an invalid key, and budgets stay as they were', async () => {
    const { buy, losses, payments } = await shopper({ budgets: [{ amount: 10, per: 'day' }] })
    const error = { code: 'authentication_error', message: 'no such key' }
    losses.pay.push(() => Response.json({ error }, { status: 401 }))
    expect(await refusal(buy(weather()))).toBe('authentication_error')
    expect((await buy(`${seller.address}/rain`)).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('and the 402 is discarded, even by a buyer that returns it', async () => {
    const responses: Response[] = []
    const keeping: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      responses.push(response)
      return response
    }
    const extras = { spend_limit_per_tx: 5 }
    const { buy } = await shopper({ extras, approval: 'return', fetch: keeping })
    expect(await refusal(buy(weather()))).toBe('spend_limit_exceeded')
    expect(responses.map(({ bodyUsed }) => bodyUsed)).toEqual([true])
  })

  test('if the nonce was paid before with another amount', async () => {
    const { buy, agent, payments } = await shopper()
    const nonce = crypto.randomUUID()
    const { payment_id } = await stage.network.pay(agent, stage.payee, 3, { reference: nonce })
    seller.sign.nonce = nonce
    const { code, paymentId } = await failure(buy(weather()))
    expect([code, paymentId]).toEqual(['payment_mismatch', payment_id])
    expect(await payments()).toHaveLength(1)
  })
})

test('a redirect within the origin is paid and followed', async () => {
  const { buy, payments } = await shopper()
  expect(await (await buy(`${seller.address}/to?/weather`)).json()).toMatchObject({ url: '/weather' })
  const post = { method: 'POST', body: 'city=Pune' }
  expect(await (await buy(`${seller.address}/to?/rain`, post)).json()).toMatchObject({
    method: 'GET',
    url: '/rain',
  })
  expect(await payments()).toHaveLength(2)
})

test('a paid request that is redirected to another origin never takes its proof there', async () => {
  const { buy, payments } = await shopper()
  const thief = await openScriptedSeller(stage.api.address, stage.payee)
  seller.turns.push(response => response.writeHead(307, { location: thief.address }).end())
  const { code, paymentId } = await failure(buy(weather()))
  expect([code, paymentId]).toEqual(['redirect_refused', (await payments())[0]?.payment_id])
  expect(thief.proofs).toEqual([])
  // Once the seller behaves again, the same call gets the paid response.
  expect((await buy(weather())).status).toBe(200)
  expect(await payments()).toHaveLength(1)
  await thief.close()
})

describe('a lost response', () => {
  test.each<[string, Loss[]]>([
    ['of the service, as often as it is asked', ['response', 'response']],
    ['of the service, which does not know it', ['request']],
  ])('%s, causes no second payment', async (_name, lost) => {
    const { buy, losses, payments } = await shopper()
    losses.pay.push(...lost)
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test.each<[string, Loss]>([
    ['made', 'response'],
    ['not made', 'request'],
  ])('leaves a purchase that the same call completes, with the payment %s', async (_name, loss) => {
    const { buy, losses, payments, clock } = await shopper()
    const nonce = crypto.randomUUID()
    seller.sign.nonce = nonce
    losses.pay.push(loss)
    losses.payments.push('response')
    expect(await refusal(buy(weather()))).toBe('network_error')
    clock.now += MINUTE_MS - 1
    expect((await buy(weather())).status).toBe(200)
    const made = await payments()
    expect([made.length, made[0]?.reference]).toEqual([1, nonce])
  })

  test('to a payment that was not made is given up ten minutes after the last attempt, and counts against budgets until then', async () => {
    const { buy, losses, payments, clock } = await shopper({ budgets: [{ amount: 20, per: 'hour' }] })
    const stale = crypto.randomUUID()
    seller.sign.nonce = stale
    losses.pay.push('request', 'request')
    expect(await refusal(buy(weather()))).toBe('network_error')
    seller.sign.nonce = null
    clock.now += 10 * MINUTE_MS
    expect((await buy(weather())).status).toBe(200)
    const made = await payments()
    expect(made).toHaveLength(1)
    expect(made[0]?.reference).not.toBe(stale)
    expect((await failure(buy(weather()))).code).toBe('budget_exceeded')
  })

  test('to a payment is not given up while it is retried', async () => {
    const { buy, losses, payments, clock } = await shopper()
    const nonce = crypto.randomUUID()
    seller.sign.nonce = nonce
    for (const _ of [1, 2, 3]) {
      losses.pay.push('request', 'request')
      expect(await refusal(buy(weather()))).toBe('network_error')
      clock.now += 10 * MINUTE_MS - 1
    }
    seller.sign.nonce = null
    expect((await buy(weather())).status).toBe(200)
    expect((await payments()).map(({ reference }) => reference)).toEqual([nonce])
  })

  test.each([{}, { payment_id: 'ok' }, { payment_id: null }])(
    'that a proxy replaces with a 200 and %j counts as no payment',
    async body => {
      const { buy, losses, payments } = await shopper()
      losses.pay.push(() => Response.json(body))
      const response = await buy(weather())
      const made = await payments()
      expect([response.status, made.length]).toEqual([200, 1])
      expect(paymentOf(response)?.paymentId).toBe(made[0]?.payment_id)
    },
  )

  test('is not continued by another buyer of the journal with stricter terms', async () => {
    const first = await shopper()
    first.losses.pay.push('request')
    first.losses.payments.push('response')
    expect(await refusal(first.buy(weather()))).toBe('network_error')
    const thrifty = await shopper({ maxAmount: 5, journal: first.journal, agent: first.agent })
    expect((await failure(thrifty.buy(weather()))).code).toBe('price_too_high')
    expect(await thrifty.payments()).toEqual([])
  })

  test('is not continued by another agent, even with the same journal', async () => {
    const first = await shopper()
    first.losses.pay.push('response')
    first.losses.payments.push('response')
    expect(await refusal(first.buy(weather()))).toBe('network_error')
    const second = await shopper({ journal: first.journal })
    expect((await second.buy(weather())).status).toBe(200)
    expect((await first.buy(weather())).status).toBe(200)
    const made = [...(await first.payments()), ...(await second.payments())]
    expect(new Set(made.map(({ reference }) => reference)).size).toBe(2)
  })

  test('of the seller, before it served, is requested again with the same proof', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(cut, cut)
    expect((await buy(weather())).status).toBe(200)
    expect(new Set(seller.proofs.map(({ transactionId }) => transactionId)).size).toBe(1)
    expect(await payments()).toHaveLength(1)
  })

  test('of the seller, after it served, names the payment and is not paid again', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(async (response, serve) => {
      // Its response is lost.
      response.end = () => response.destroy()
      await serve()
    })
    const { code, paymentId } = await failure(buy(weather()))
    const made = await payments()
    expect([code, paymentId, made.length]).toEqual(['payment_not_accepted', made[0]?.payment_id, 1])
    // Only now that the caller knows the result, a new call is a new purchase.
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(2)
  })
})

test('a call that was aborted after its payment names it in its error, and the same call completes it', async () => {
  const { buy, payments } = await shopper()
  const controller = new AbortController()
  const enough = new Error('enough')
  seller.turns.push(() => controller.abort(enough))
  await expect(buy(weather(), { signal: controller.signal })).rejects.toBe(enough)
  const [made] = await payments()
  expect(paymentOf(enough)).toMatchObject({ status: 'completed', paymentId: made?.payment_id })
  expect((await buy(weather())).status).toBe(200)
  expect(await payments()).toHaveLength(1)
})

describe('a journal that fails', () => {
  const failingAt = (state: string): Journal => {
    const memory = memoryJournal()
    const states = [state]
    return {
      ...memory,
      async update(id, change) {
        if (change.state === states[0]) throw new Error(`no space left for ${states.shift()}`)
        await memory.update(id, change)
      },
    }
  }

  test('after the payment throws an error that names the payment, which the same call finds', async () => {
    const { buy, payments } = await shopper({ journal: failingAt('paid') })
    const error = await buy(weather()).catch((error: unknown) => error)
    const [made] = await payments()
    expect([String(error), paymentOf(error)?.paymentId]).toEqual([
      'Error: no space left for paid',
      made?.payment_id,
    ])
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('after the seller served does not prevent the response, and the next call is a new purchase', async () => {
    const { buy, payments } = await shopper({ journal: failingAt('served') })
    for (const _ of [1, 2]) expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(2)
  })

  test('after a second 402 does not hide the payment', async () => {
    const { buy, payments } = await shopper({ journal: failingAt('refused') })
    seller.turns.push(response => response.writeHead(402).end())
    const { code, paymentId } = await failure(buy(weather()))
    expect([code, paymentId]).toEqual(['payment_not_accepted', (await payments())[0]?.payment_id])
    expect((await buy(weather())).status).toBe(200)
  })
})

describe('a payment that the seller gives back', () => {
  const giveBack =
    (status: number, part: { amount?: number } = {}): Turn =>
    async response => {
      const { headers } = stage.payee
      const params = { payment_id: seller.proofs.at(-1)?.transactionId ?? '' }
      await stage.api.ok(routes.refundPayment, { headers, params, body: part })
      response.writeHead(status).end()
    }

  test('is not presented again: the same call makes a new purchase, and budgets get the amount back', async () => {
    const { buy, payments } = await shopper({ budgets: [{ amount: 20, per: 'day' }] })
    seller.turns.push(giveBack(500))
    expect((await buy(weather())).status).toBe(500)
    for (const _ of [1, 2]) expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(3)
    expect((await failure(buy(weather()))).code).toBe('budget_exceeded')
  })

  test('is named in the error of its second 402', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(giveBack(402))
    const { message, refunded, paymentId } = await failure(buy(weather()))
    expect([refunded, paymentId]).toEqual([true, (await payments())[0]?.payment_id])
    expect(message).toContain('given the money back')
  })

  test('only in part counts as paid', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(giveBack(500, { amount: 9.99 }), response => response.writeHead(402).end())
    expect((await buy(weather())).status).toBe(500)
    const { code, refunded } = await failure(buy(weather()))
    expect([code, refunded]).toEqual(['payment_not_accepted', false])
    expect(await payments()).toHaveLength(1)
  })
})

describe('a second 402', () => {
  test('with another price is never paid', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(async (_response, serve) => {
      seller.sign.price = '10.01'
      await serve()
    })
    const { code, paymentId, response } = await failure(buy(weather()))
    const made = await payments()
    expect([code, paymentId, made.length]).toEqual(['price_changed', made[0]?.payment_id, 1])
    expect(await response?.text()).toBe('pay first')
  })

  test('without a reason is never paid', async () => {
    const { buy, payments } = await shopper()
    seller.turns.push(response => response.writeHead(402).end())
    expect((await failure(buy(weather()))).code).toBe('payment_not_accepted')
    expect(await payments()).toHaveLength(1)
  })
})

describe('a seller that is busy or broken', () => {
  const busy =
    (status: number): Turn =>
    response =>
      response.writeHead(status, { 'retry-after': '2' }).end()

  test('gets the same proof again after its Retry-After', async () => {
    const { buy, payments, waits } = await shopper()
    seller.turns.push(busy(503), busy(429))
    expect((await buy(weather())).status).toBe(200)
    expect(waits).toEqual([2_000, 2_000])
    expect(await payments()).toHaveLength(1)
  })

  test.each([408, 425])(
    'has not served if a proxy responds with %i, and the same call is served',
    async status => {
      const { buy, payments } = await shopper()
      seller.turns.push(...Array.from({ length: status === 425 ? 6 : 1 }, () => busy(status)))
      expect((await buy(weather())).status).toBe(status)
      expect((await buy(weather())).status).toBe(200)
      expect(await payments()).toHaveLength(1)
    },
  )

  test.each([503, 500])('that responds with %i for long serves the same call later', async status => {
    const { buy, losses, payments } = await shopper()
    seller.turns.push(...Array.from({ length: status === 503 ? 6 : 1 }, () => busy(status)))
    const response = await buy(weather())
    const made = await payments()
    expect([response.status, paymentOf(response)?.paymentId]).toEqual([status, made[0]?.payment_id])
    // The journal has the payment, so the service is not asked.
    losses.payments.push('request')
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })
})

describe('a budget', () => {
  test('of an hour applies to each host separately, and resets in the next hour', async () => {
    const other = await openScriptedSeller(stage.api.address, stage.payee)
    const { buy, clock, payments } = await shopper({ budgets: [{ amount: 25, per: 'hour', host: '*' }] })
    for (const _ of [1, 2]) expect((await buy(weather())).status).toBe(200)
    const { code, message, response } = await failure(buy(weather()))
    expect([code, response?.status]).toEqual(['budget_exceeded', 402])
    expect(message).toContain(' at 127.0.0.1 ')
    expect((await buy(other.address.replace('127.0.0.1', 'localhost'))).status).toBe(200)
    clock.now += HOUR_MS
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(4)
    await other.close()
  })

  test('is exact to the paisa for 16 concurrent calls', async () => {
    const { buy, payments } = await shopper({ budgets: [{ amount: '50.00', per: 'day' }] })
    const codes = await Promise.all(
      Array.from({ length: 16 }, () =>
        buy(weather()).then(
          () => 'served',
          (error: PurchaseError) => error.code,
        ),
      ),
    )
    expect(codes.filter(code => code === 'served')).toHaveLength(5)
    expect(codes.filter(code => code === 'budget_exceeded')).toHaveLength(11)
    expect(await payments()).toHaveLength(5)
  })
})

describe('a payment that the owner must approve', () => {
  const extras = { require_human_approval_above: 5 }

  async function decide(route: typeof routes.approve | typeof routes.reject, agent: Agent): Promise<void> {
    const headers = await stage.network.login(stage.owner)
    const { approvals } = await stage.api.ok(routes.listApprovals, { headers, query: { agent_id: agent.id } })
    for (const { approval_id } of approvals) await stage.api.ok(route, { headers, params: { approval_id } })
  }

  test('is polled at growing intervals, and served once the owner approves', async () => {
    const { agent, buy, payments, waits, whileWaiting } = await shopper({ extras })
    whileWaiting.push(
      async () => undefined,
      async () => undefined,
      () => decide(routes.approve, agent),
    )
    const response = await buy(weather())
    const made = await payments()
    expect([response.status, waits]).toEqual([200, [1_000, 1_500, 2_250]])
    expect(paymentOf(response)).toMatchObject({ status: 'completed', paymentId: made[0]?.payment_id })
    expect(paymentOf(response)?.approvalId).toMatch(/^apr_/)
    expect(made).toHaveLength(1)
  })

  test('is polled further while a proxy returns errors instead of the service', async () => {
    const { agent, buy, losses, payments, whileWaiting } = await shopper({ extras })
    losses.approvals.push(
      () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      () => new Response('', { status: 429 }),
    )
    whileWaiting.push(() => decide(routes.approve, agent))
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('that the owner rejects is not made, and the next call requests a new approval', async () => {
    const { agent, buy, payments, whileWaiting } = await shopper({ extras })
    whileWaiting.push(() => decide(routes.reject, agent))
    const { code, paymentId, approvalId } = await failure(buy(weather()))
    expect([code, paymentId]).toEqual(['approval_rejected', null])
    whileWaiting.push(() => decide(routes.approve, agent))
    expect(paymentOf(await buy(weather()))?.approvalId).not.toBe(approvalId)
    expect(await payments()).toHaveLength(1)
  })

  test('is polled no longer than its time limit or an abort, and the same call continues it', async () => {
    const { agent, buy, payments, waits, whileWaiting } = await shopper({ extras, approvalTimeoutMs: 5_000 })
    const { code, approvalId } = await failure(buy(weather()))
    expect([code, waits]).toEqual(['approval_timeout', [1_000, 1_500, 2_250, 250]])
    const controller = new AbortController()
    whileWaiting.push(async () => controller.abort(new Error('enough')))
    await expect(buy(weather(), { signal: controller.signal })).rejects.toThrow('enough')
    await decide(routes.approve, agent)
    expect(paymentOf(await buy(weather()))?.approvalId).toBe(approvalId)
    expect(await payments()).toHaveLength(1)
  })

  test('returns the seller’s 402 if the buyer wants that, and the same call continues it', async () => {
    const { agent, buy, payments } = await shopper({ extras, approval: 'return' })
    const waiting = await buy(weather())
    expect([waiting.status, await waiting.text()]).toEqual([402, 'pay first'])
    const pending = paymentOf(waiting)
    expect(pending).toMatchObject({ status: 'pending_approval', paymentId: null, amount: '10.00' })
    const stillWaiting = await buy(weather())
    expect([stillWaiting.status, paymentOf(stillWaiting)]).toEqual([402, pending])
    expect(await payments()).toHaveLength(1)
    await decide(routes.approve, agent)
    const served = await buy(weather())
    expect([served.status, paymentOf(served)?.nonce]).toEqual([200, pending?.nonce])
    expect(await payments()).toHaveLength(1)
  })

  test('that the owner rejects meanwhile is reported by the same call, and not requested again', async () => {
    const { agent, buy, payments } = await shopper({ extras, approval: 'return' })
    await buy(weather())
    await decide(routes.reject, agent)
    expect((await failure(buy(weather()))).code).toBe('approval_rejected')
    expect(await payments()).toEqual([])
  })

  test('is found if its response was lost', async () => {
    const { agent, buy, losses, payments, whileWaiting } = await shopper({ extras })
    losses.pay.push('response')
    whileWaiting.push(() => decide(routes.approve, agent))
    expect((await buy(weather())).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })
})

describe('axios with a paying adapter', () => {
  const shopWith = (buy: typeof fetch) =>
    axios.create({ adapter: payingAdapter(axios, buy), baseURL: seller.address })

  test('buys with its own settings, and returns the payment', async () => {
    const { buy, payments } = await shopper()
    const shop = shopWith(buy)
    const got = await shop.get<{ url: string }>('/weather', { params: { city: 'Pune' }, timeout: 10_000 })
    expect(got.data.url).toBe('/weather?city=Pune')
    const posted = await shop.post(
      '/weather',
      { city: 'Pune' },
      { responseType: 'text', transformResponse: [] },
    )
    expect(JSON.parse(posted.data)).toMatchObject({ method: 'POST', body: '{"city":"Pune"}' })
    const paid = [posted, got].map(response => paymentOf(response)?.paymentId)
    expect(paid).toEqual((await payments()).map(payment => payment.payment_id))
  })

  test.each(['', new URLSearchParams(), Buffer.alloc(0)])('sends an empty body again: %o', async body => {
    const { buy, payments } = await shopper()
    expect((await shopWith(buy).post('/weather', body)).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('sends a complete form again', async () => {
    const { buy } = await shopper()
    const form = new FormData()
    form.set('city', 'Pune')
    const { data } = await shopWith(buy).post<{ body: string }>('/weather', form)
    expect(data.body).toMatch(/name="city"\r\n\r\nPune\r\n/)
  })

  test('leaves free responses and other 402s unchanged', async () => {
    const { buy } = await shopper()
    const shop = shopWith(buy)
    expect(paymentOf(await shop.get('/free'))).toBeUndefined()
    await expect(shop.get('/plain-402')).rejects.toMatchObject({
      status: 402,
      response: { data: 'some other scheme' },
    })
    const { status } = await shop.get('/plain-402', { validateStatus: () => true })
    expect(status).toBe(402)
  })

  test('has the errors of the purchase and the service as its causes', async () => {
    const errorOf = (call: Promise<unknown>) => call.then(() => null).catch((error: AxiosError) => error)
    const dear = await shopper({ maxAmount: 1 })
    const tooDear = await errorOf(shopWith(dear.buy).get('/weather'))
    expect(tooDear).toBeInstanceOf(AxiosError)
    expect(tooDear).toMatchObject({ code: 'price_too_high', cause: expect.any(PurchaseError) })
    const cause = tooDear?.cause
    expect(cause instanceof PurchaseError && (await cause.response?.text())).toBe('pay first')
    const poor = await shopper({ extras: { spend_limit_per_tx: 5 } })
    const refused = await errorOf(shopWith(poor.buy).get('/weather'))
    expect(refused).toMatchObject({ code: 'spend_limit_exceeded', cause: { details: { limit: 5 } } })
  })

  test('stops on an abort or a time-out, and the same call completes the purchase', async () => {
    const { buy, payments } = await shopper()
    const shop = shopWith(buy)
    const controller = new AbortController()
    seller.turns.push(() => controller.abort())
    const cancelled = await shop
      .get('/weather', { signal: controller.signal })
      .catch((error: unknown) => error)
    expect(axios.isCancel(cancelled)).toBe(true)
    expect(paymentOf(cancelled)?.paymentId).toBe((await payments())[0]?.payment_id)
    seller.turns.push(() => undefined)
    await expect(shop.get('/weather', { timeout: 300 })).rejects.toThrow('timeout of 300ms exceeded')
    expect((await shop.get('/weather')).status).toBe(200)
    expect(await payments()).toHaveLength(1)
  })

  test('returns the approval with a 402 that waits for it', async () => {
    const { buy } = await shopper({ extras: { require_human_approval_above: 5 }, approval: 'return' })
    const error = await shopWith(buy)
      .get('/weather')
      .catch((error: AxiosError) => error)
    const { response = {} } = error as AxiosError
    expect(paymentOf(response)).toMatchObject({ status: 'pending_approval', amount: '10.00' })
  })
})
