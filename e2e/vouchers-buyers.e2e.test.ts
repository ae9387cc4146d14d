import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { routes, type VoucherProof } from '@batua/contract'
import {
  type Client,
  closeTabs,
  createClient,
  memoryJournal,
  type PayingFetchOptions,
  payingFetch,
  paymentOf,
} from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { memoryTabStore } from '@batua/sdk/seller'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { REAL_TIME } from '../sdk/src/buyer/buyer.ts'
import { createPayingFetch } from '../sdk/src/buyer/paying-fetch.ts'
import type { Agent } from './src/network.ts'
import { openShop } from './src/pay-per-call-shop.ts'
import { toBase64 } from './src/pay-per-call-wire.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let buyer: Agent
let seller: Agent
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  const { network, owner } = stage
  ;[buyer, seller] = [await network.fundedAgent(owner), await network.agent(owner)]
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Within this time something happens by itself, on a busy machine too. */
const SOON_MS = 20_000

const clientOf = ({ key }: Agent): Client =>
  createClient({ baseUrl: stage.api.address, agentKey: key, maxRetries: 0 })

function buying(options: Partial<PayingFetchOptions> = {}): typeof fetch {
  const terms = { client: clientOf(buyer), maxAmount: 5, allowHttp: true, tab: { amount: 10 }, ...options }
  const buy = payingFetch(fetch, terms)
  closing.push(() => closeTabs(buy))
  return buy
}

async function authorizationsOf({ id, headers }: Agent) {
  const call = { params: { agent_id: id }, headers, query: {} }
  return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** An honest shop; `price` by path. */
async function openTabShop(price: (path: string) => number, handler: Handler): Promise<string> {
  const store = memoryTabStore()
  const amount = (request: IncomingMessage) => price(request.url ?? '')
  const options = {
    client: clientOf(seller),
    payTo: seller.handle,
    amount,
    tab: { store },
    onError: () => {},
  }
  const shop = await openShop(createServer(requirePayment(options, handler)))
  closing.push(
    () => store.close(),
    () => shop.close(),
  )
  return shop.address
}

interface Cheat {
  readonly status?: number
  readonly total?: string
  readonly price?: string
  /** The nonce of the next challenge; by default a new one. */
  readonly nonce?: string
}

/** A seller that responds to vouchers as the test says, and keeps them; `payee` by path. */
async function openCheat(
  cheat: (proof: VoucherProof) => Cheat,
  firstPrice = '0.10',
  payee: (path: string) => Agent | undefined = () => seller,
) {
  const vouchers: { amount: string; nonce: string }[] = []
  const shop = await openShop(
    createServer((request, response) => {
      const header = request.headers['x-service-payment']
      const proof = header && (JSON.parse(Buffer.from(String(header), 'base64').toString()) as VoucherProof)
      const isVoucher = typeof proof === 'object' && 'voucher' in proof
      if (isVoucher) {
        vouchers.push(JSON.parse(Buffer.from(proof.voucher.split('.')[1] ?? '', 'base64url').toString()))
      }
      const {
        status = 200,
        total,
        price = firstPrice,
        nonce = randomUUID(),
      } = isVoucher ? cheat(proof) : { status: header === undefined ? 402 : 200 }
      const payTo = payee(request.url ?? '')?.handle ?? ''
      const challenge = { payTo, amount: price, asset: 'INR', nonce, vouchers: true }
      if (total !== undefined) response.setHeader('X-SERVICE-VOUCHER-TOTAL', total)
      response.writeHead(status, { 'X-SERVICE-PAY': toBase64(challenge) }).end('sunny')
    }),
  )
  closing.push(() => shop.close())
  return { address: shop.address, vouchers }
}

const amounts = (vouchers: readonly { readonly amount: string }[]) => vouchers.map(({ amount }) => amount)

describe('a seller that cheats', () => {
  test('by asking for a higher total gets no more than the prices of the calls', async () => {
    const { address, vouchers } = await openCheat(() => ({ total: '9.00' }))
    const buy = buying()
    for (let call = 0; call < 4; call++) await (await buy(`${address}/weather`)).text()
    expect(amounts(vouchers)).toEqual(['0.10', '0.20', '0.30', '0.40'])
  })

  test('by counting calls that failed gets nothing for them', async () => {
    let total = 0
    const { address, vouchers } = await openCheat(() => ({ status: 500, total: (total += 0.1).toFixed(2) }))
    const buy = buying()
    for (let call = 0; call < 3; call++) expect((await buy(`${address}/weather`)).status).toBe(500)
    expect(amounts(vouchers)).toEqual(['0.10', '0.10', '0.10'])
  })

  test('by refusing every voucher gets one price, and then one payment for each call', async () => {
    const { address, vouchers } = await openCheat(() => ({ status: 402, total: '0.10' }))
    const buy = buying()
    const first = await buy(`${address}/weather`)
    expect([first.status, paymentOf(first)?.paymentId?.slice(0, 4)]).toEqual([200, 'pay_'])
    expect(new Set(amounts(vouchers))).toEqual(new Set(['0.10']))
    const before = vouchers.length
    await buy(`${address}/weather`)
    expect(vouchers).toHaveLength(before)
    expect(await authorizationsOf(buyer)).toHaveLength(1)
  })

  test('by a price above the maximum gets nothing more', async () => {
    const { address, vouchers } = await openCheat(({ nonce }) => ({ total: '0.10', price: '4.00', nonce }))
    const buy = buying({ maxAmount: 0.5 })
    for (let call = 0; call < 2; call++) await (await buy(`${address}/weather`)).text()
    expect(amounts(vouchers)).toEqual(['0.10', '0.20'])
    const { address: dear } = await openCheat(() => ({}), '4.00')
    await expect(buy(`${dear}/weather`)).rejects.toMatchObject({ code: 'price_too_high' })
  })

  test('by naming another payee later gets nothing for it', async () => {
    const other = await stage.network.agent(stage.owner)
    let payee = seller
    const { address, vouchers } = await openCheat(
      () => ({ total: '0.10' }),
      '0.10',
      () => payee,
    )
    const journal = memoryJournal()
    const buy = buying({ journal })
    await (await buy(`${address}/weather`)).text()
    payee = other
    for (const again of [buy, buying({ journal }), buying({ journal, tab: { amount: 0.1 } })]) {
      await expect(again(`${address}/tides`)).rejects.toMatchObject({
        code: 'payee_changed',
        paymentId: null,
      })
    }
    expect(vouchers).toHaveLength(1)
    expect(await authorizationsOf(buyer)).toMatchObject([{ to_agent_id: seller.id }])
  })

  test('by handing out the same nonce again gets a voucher for no more than the price', async () => {
    const nonce = randomUUID()
    const { address, vouchers } = await openCheat(() => ({ nonce }))
    const buy = buying()
    for (let call = 0; call < 3; call++) await (await buy(`${address}/weather`)).text()
    expect(amounts(vouchers)).toEqual(['0.10', '0.20', '0.30'])
  })
})

describe('a buyer with vouchers', () => {
  test('requests each price once, and pays all paths of a seller from one authorization', async () => {
    const prices: Record<string, number> = { '/a': 0.1, '/b': 0.25, '/free': 0 }
    let plain = 0
    const address = await openTabShop(
      path => prices[path] ?? 1,
      (request, response) => response.end(request.url),
    )
    const counting = payingFetch(
      async (input, init) => {
        if (!new Headers(init?.headers).has('x-service-payment')) plain += 1
        return fetch(input, init)
      },
      { client: clientOf(buyer), maxAmount: 5, allowHttp: true, tab: { amount: 10 } },
    )
    closing.push(() => closeTabs(counting))
    for (const path of ['/a', '/b', '/a', '/b', '/a', '/free']) {
      expect(await (await counting(`${address}${path}`)).text()).toBe(path)
    }
    expect(plain).toBe(3)
    prices['/a'] = 0.3
    const dearer = await counting(`${address}/a`)
    expect([dearer.headers.get('x-service-voucher-total'), paymentOf(dearer)?.amount]).toEqual([
      '1.10',
      '0.30',
    ])
    expect(await authorizationsOf(buyer)).toHaveLength(1)
  })

  test('renews an authorization that is used up, and never has more open than it may', async () => {
    const address = await openTabShop(
      () => 2,
      (_, response) => response.end('sunny'),
    )
    const buy = buying({ tab: { amount: 5, perHost: 1 } })
    for (let call = 0; call < 5; call++) expect((await buy(`${address}/weather`)).status).toBe(200)
    const made = await authorizationsOf(buyer)
    expect(made.map(({ amount }) => amount)).toEqual([5, 5, 5])
    expect(made.filter(({ status }) => status === 'open')).toHaveLength(1)
  })

  test('opens no more at one host than it may for calls to several payees at once', async () => {
    const payees = await Promise.all(['/0', '/1', '/2', '/3'].map(() => stage.network.agent(stage.owner)))
    const { address } = await openCheat(
      () => ({}),
      '0.10',
      path => payees[Number(path.slice(1))],
    )
    const buy = buying({ payees: 'any', tab: { amount: 10, perHost: 1 } })
    const responses = await Promise.all(payees.map((_, at) => buy(`${address}/${at}`)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await authorizationsOf(buyer)).toHaveLength(1)
  })

  test('spends vouchers on one payee only when two are named at one host at the same time', async () => {
    const payees = await Promise.all(['/0', '/1'].map(() => stage.network.agent(stage.owner)))
    const { address, vouchers } = await openCheat(
      () => ({}),
      '0.10',
      path => payees[Number(path.slice(1))],
    )
    const journal = memoryJournal()
    /** What was read while the first authorization was opened is used when there are two. */
    const slowly = async (host: string) => {
      const payee = (await journal.payeeOf?.(host)) ?? null
      const opened = async () => (await authorizationsOf(buyer)).length
      if ((await opened()) === 1) await vi.waitFor(async () => expect(await opened()).toBe(2)).catch(() => {})
      return payee
    }
    const buy = buying({ journal: { ...journal, payeeOf: slowly } })
    const responses = await Promise.allSettled(payees.map((_, at) => buy(`${address}/${at}`)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = responses.find(response => response.status === 'rejected')
    expect(refused?.reason).toMatchObject({ code: 'payee_changed', paymentId: null })
    expect(vouchers).toHaveLength(1)
  })

  test('counts an authorization that waits for approval, and opens one for another payee after the rejection', async () => {
    const payees = await Promise.all(['/0', '/1'].map(() => stage.network.agent(stage.owner)))
    buyer = await stage.network.fundedAgent(stage.owner, { require_human_approval_above: 5 })
    const { address } = await openCheat(
      () => ({}),
      '0.10',
      path => payees[Number(path.slice(1))],
    )
    const headers = await stage.network.login(stage.owner)
    const pending = async () => {
      const { approvals } = await stage.api.ok(routes.listApprovals, { headers })
      return approvals.filter(each => each.agent_id === buyer.id && each.status === 'pending_approval')
    }
    let ahead = 0
    const time = { ...REAL_TIME, now: () => Date.now() + ahead }
    const terms = { client: clientOf(buyer), maxAmount: 5, allowHttp: true, payees: 'any' as const }
    const buy = createPayingFetch(fetch, { ...terms, tab: { amount: 10, perHost: 1 } }, time)
    for (const path of ['/0', '/1']) await (await buy(`${address}${path}`)).text()
    const [first, ...others] = await pending()
    expect([first?.to, others]).toMatchObject([payees[0]?.id, []])
    await stage.api.ok(routes.reject, { params: { approval_id: first?.approval_id ?? '' }, headers })
    // The next call learns of it, and one after that opens.
    ahead = 60_000
    await vi.waitFor(async () => {
      await (await buy(`${address}/1`)).text()
      expect((await pending()).map(({ to }) => to)).toEqual([payees[1]?.id])
    }, SOON_MS)
  })

  test('pays each call separately if vouchers are not cheaper, or a budget or the policy does not allow the authorization', async () => {
    const address = await openTabShop(
      () => 2,
      (_, response) => response.end('sunny'),
    )
    const poor = await stage.network.agent(stage.owner)
    await stage.network.pay(buyer, poor, 20)
    for (const options of [
      { tab: { amount: 3 } },
      { budgets: [{ amount: 8, per: 'hour' as const }] },
      { client: clientOf(poor), tab: { amount: 100 } },
    ]) {
      const response = await buying(options)(`${address}/weather`)
      expect([response.status, paymentOf(response)?.paymentId?.slice(0, 4)]).toEqual([200, 'pay_'])
    }
    expect(await authorizationsOf(buyer)).toEqual([])
  })

  test('counts an authorization in a budget per hour for an hour after it was spent last', async () => {
    const { address, vouchers } = await openCheat(() => ({}), '4.00')
    let ahead = 0
    const time = { ...REAL_TIME, now: () => Date.now() + ahead }
    const budgets = [{ amount: 10, per: 'hour' as const }]
    const terms = { client: clientOf(buyer), maxAmount: 5, allowHttp: true, budgets }
    const buy = createPayingFetch(fetch, { ...terms, tab: { amount: 10 } }, time)
    for (const minutes of [0, 59]) {
      ahead = minutes * 60_000
      await (await buy(`${address}/weather`)).text()
    }
    expect(amounts(vouchers)).toEqual(['4.00', '8.00'])
    ahead = 61 * 60_000
    await expect(buy(`${address}/weather`)).rejects.toMatchObject({ code: 'budget_exceeded' })
    expect(await authorizationsOf(buyer)).toHaveLength(1)
  })

  test('closes idle authorizations, and the journal then counts the signed amount', async () => {
    const address = await openTabShop(
      () => 1,
      (_, response) => response.end('sunny'),
    )
    const journal = memoryJournal()
    const budgets = [{ amount: 12, per: 'hour' as const }]
    const buy = buying({ journal, budgets, tab: { amount: 10, idleMs: 50 } })
    await (await buy(`${address}/weather`)).text()
    await vi.waitFor(async () => expect((await authorizationsOf(buyer))[0]?.status).not.toBe('open'), SOON_MS)
    // Of the budget 11 INR are left, which another authorization fits into.
    await vi.waitFor(async () => expect((await buy(`${address}/weather`)).status).toBe(200), SOON_MS)
    expect(await authorizationsOf(buyer)).toHaveLength(2)
  })

  test('closes authorizations that an earlier process with the same journal left open', async () => {
    const address = await openTabShop(
      () => 1,
      (_, response) => response.end('sunny'),
    )
    const journal = memoryJournal()
    // The memory of a process that was killed: its authorization is in the journal, its key is gone.
    const { id, requestKey } = await leftover(journal, address)
    await (await buying({ journal })(`${address}/weather`)).text()
    await vi.waitFor(async () => {
      expect((await authorizationsOf(buyer)).filter(({ status }) => status === 'open')).toHaveLength(1)
    }, SOON_MS)
    expect((await journal.resume(requestKey))?.id).not.toBe(id)
  })
})

async function leftover(journal: ReturnType<typeof memoryJournal>, address: string) {
  const { sha256 } = await import('../sdk/src/buyer/sha-256.ts')
  const reference = `vouchers-${randomUUID()}`
  await stage.api.ok(routes.authorize, {
    ...{ params: { agent_id: buyer.id }, headers: buyer.headers },
    body: { to: seller.handle, amount: 10, reference },
  })
  const requestKey = await sha256(JSON.stringify([buyer.key, 'vouchers', address, seller.handle]))
  const id = randomUUID()
  const purchase = {
    ...{ id, requestKey, host: new URL(address).host, payTo: seller.handle, amountPaise: 1_000n },
    ...{ nonce: reference, startedAt: Date.now(), state: 'paying' as const, paymentId: null },
  }
  await journal.begin(purchase, [])
  await journal.release(id)
  return purchase
}
