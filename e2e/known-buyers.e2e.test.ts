import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IDENTITY_HEADER, PROOF_HEADER, routes } from '@batua/contract'
import {
  type Client,
  closeTabs,
  createClient,
  type PayingFetchOptions,
  PurchaseError,
  payingFetch,
  paymentOf,
} from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { type KnownBuyer, memoryTabStore, type SellerOptions } from '@batua/sdk/seller'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let buyer: Agent
let stranger: Agent
const closing: (() => Promise<unknown>)[] = []
/** Which proofs the buyer fetched. */
let proofs = 0

beforeAll(async () => {
  stage = await openPayingStage()
  const { network, owner } = stage
  ;[buyer, stranger] = [await network.fundedAgent(owner), await network.fundedAgent(owner)]
})
afterAll(() => stage.close())
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function clientOf(agent: Agent): Client {
  return createClient({
    baseUrl: stage.api.address,
    agentKey: agent.key,
    fetch(input, init) {
      if (String(input instanceof Request ? input.url : input).includes('/me/proof')) proofs += 1
      return fetch(input, init)
    },
  })
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  closing.push(
    () =>
      new Promise(closed => {
        server.close(closed)
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Seen {
  readonly identity: string | undefined
  readonly isPaid: boolean
}

/** A shop that sells for 10 INR, and to known buyers for 2. It notes what it was shown. */
async function openShop(options: Partial<SellerOptions<IncomingMessage>> = {}) {
  const seen: Seen[] = []
  const buyers: (KnownBuyer | null)[] = []
  const selling = requirePayment(
    {
      ...{ client: clientOf(stage.payee), payTo: stage.payee.handle, buyers: {} },
      amount(_, { buyer: known }) {
        buyers.push(known)
        return known === null ? 10 : 2
      },
      ...options,
    },
    (_, response) => response.end('sunny'),
  )
  const address = await listen(
    createServer((request, response) => {
      const header = (name: string) => request.headers[name.toLowerCase()]
      seen.push({ identity: header(IDENTITY_HEADER) as string, isPaid: header(PROOF_HEADER) !== undefined })
      selling(request, response)
    }),
  )
  return { address, seen, buyers }
}

function buying(options: Partial<PayingFetchOptions> = {}, agent = buyer): typeof fetch {
  const client = clientOf(agent)
  return payingFetch(fetch, { client, maxAmount: 20, allowHttp: true, identity: true, ...options })
}

const priceOf = (response: Response) => paymentOf(response)?.amount
const refusalOf = async (purchase: Promise<Response>) => {
  const error: unknown = await purchase.then(
    ({ status }) => status,
    failure => failure,
  )
  if (!(error instanceof PurchaseError)) throw new Error('it was bought', { cause: error })
  expect(error.paymentId).toBeNull()
  return error
}

test('a buyer whose options allow it gets the price for known buyers, with its platform and organization', async () => {
  const { api, owner, platform, network } = stage
  const member = await network.fundedAgent(owner)
  const headers = await network.login(owner)
  const body = { name: 'Lab', tier: 'tier1' } as const
  const lab = await api.ok(routes.createOrganization, { headers, body })
  const membership = { agent_id: member.id, role: 'worker' } as const
  await api.ok(routes.addMember, { headers, params: { org_id: lab.id }, body: membership })
  const { address, buyers, seen } = await openShop()
  const response = await buying({}, member)(address)
  expect([response.status, await response.text(), priceOf(response)]).toEqual([200, 'sunny', '2.00'])
  expect(buyers[1]).toEqual({
    ...{ agentId: member.id, handle: member.handle, tier: 'tier1', kycStatus: 'verified' },
    ...{ platformId: platform.id, organizationId: lab.id },
  })
  expect(seen.map(({ identity, isPaid }) => [identity !== undefined, isPaid])).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ])
})

test.each<[string, Partial<PayingFetchOptions>]>([
  ['are without it', { identity: false }],
  ['do not allow this origin', { identity: origin => origin === 'https://shop.example' }],
])(
  'a buyer whose options %s shows nobody who it is, and pays the price for everybody',
  async (_, options) => {
    const { address, seen } = await openShop()
    expect(priceOf(await buying(options)(address))).toBe('10.00')
    expect(seen.map(({ identity }) => identity)).toEqual([undefined, undefined])
  },
)

test('a seller that does not ask is shown nothing', async () => {
  const { address, seen } = await openShop({ buyers: undefined, amount: 3 } as object)
  expect(priceOf(await buying()(address))).toBe('3.00')
  expect(seen.map(({ identity }) => identity)).toEqual([undefined, undefined])
})

test('one proof is fetched for many calls at once', async () => {
  const { address } = await openShop()
  const get = buying()
  const before = proofs
  const bought = await Promise.all(['/a', '/b', '/c', '/d'].map(path => get(address + path)))
  expect(bought.map(priceOf)).toEqual(['2.00', '2.00', '2.00', '2.00'])
  expect(proofs - before).toBe(1)
})

test('a seller that demands a tier is not paid by a buyer without it, and the error says what is missing', async () => {
  const { address } = await openShop({ buyers: { tier: 'tier3', kyc: 'verified' }, amount: 2 })
  const code = 'buyer_not_accepted'
  const hidden = await refusalOf(buying({ identity: false })(address))
  expect(hidden).toMatchObject({ code, message: expect.stringContaining('tier3 or above with verified KYC') })
  const shown = await refusalOf(buying()(address))
  expect(shown).toMatchObject({ code, message: expect.stringContaining('this agent is of tier1') })
  const easy = await openShop({ buyers: { kyc: 'verified' }, amount: 2 })
  expect(priceOf(await buying()(easy.address))).toBe('2.00')
})

test('a copied token gets another agent nothing: neither its price nor the payment of its owner', async () => {
  const { address, seen } = await openShop()
  await buying()(address)
  const identity = seen.findLast(each => each.identity !== undefined)?.identity ?? ''
  const thieving = buying({ identity: false }, stranger)
  const thief = thieving(address, { headers: { [IDENTITY_HEADER]: identity } })
  // It is quoted the price, pays it with its own money, and is not served.
  await expect(thief).rejects.toMatchObject({ code: 'payment_not_accepted', paymentId: expect.any(String) })
})

test('the identity is not sent to another origin by a redirect', async () => {
  const { address, seen } = await openShop()
  let isMoved = false
  const elsewhere = await openShop()
  const moving = await listen(
    createServer((request, response) => {
      isMoved ||= request.headers[IDENTITY_HEADER.toLowerCase()] !== undefined
      if (!isMoved) {
        void fetch(address).then(asked => {
          response.writeHead(402, Object.fromEntries(asked.headers))
          response.end()
        })
        return
      }
      response.writeHead(307, { location: elsewhere.address })
      response.end()
    }),
  )
  const error = await refusalOf(buying({ payees: 'any' })(moving))
  expect(error.code).toBe('redirect_refused')
  expect(isMoved).toBe(true)
  expect([...seen, ...elsewhere.seen].map(({ identity }) => identity)).toEqual([undefined])
})

test('vouchers are paid at the price for known buyers', async () => {
  const store = memoryTabStore()
  const amount: SellerOptions<IncomingMessage>['amount'] = (_, { buyer: known }) =>
    known === null ? 0.5 : 0.1
  const { address } = await openShop({ amount, tab: { store } })
  const get = buying({ tab: { amount: 5 } })
  const prices: unknown[] = []
  for (let call = 0; call < 3; call++) prices.push(priceOf(await get(address)))
  expect(prices).toEqual(['0.10', '0.10', '0.10'])
  await closeTabs(get)
  await store.close()
})
