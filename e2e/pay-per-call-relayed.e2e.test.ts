import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHALLENGE_HEADER, PROOF_HEADER, routes } from '@batua/contract'
import {
  createClient,
  type Journal,
  memoryJournal,
  type PayingFetchOptions,
  PurchaseError,
  payingFetch,
} from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import type { Shop } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'

const PATH = '/shop/weather?city=Pune'

/** A shop of an agent, and a web site that passes on the challenges of another shop and uses the proofs there. */
interface Relay {
  readonly address: string
  shop: Shop
  close(): Promise<void>
}

let stage: PayPerCallStage
let folder: string
let other: Agent
let shop: Shop
let otherShop: Shop
let relay: Relay

beforeAll(async () => {
  stage = await openPayPerCallStage()
  folder = await mkdtemp(join(tmpdir(), 'relayed-'))
  other = await stage.network.agent(stage.owner)
  shop = await openShop(stage.payee)
  otherShop = await openShop(other)
  relay = await openRelay(shop)
})
afterAll(async () => {
  await Promise.all([relay, shop, otherShop].map(each => each.close()))
  await stage.close()
  await rm(folder, { recursive: true })
})

async function openShop(agent: Agent): Promise<Shop> {
  const [, open] = SHOPS.find(([name]) => name === 'node:http') ?? []
  if (open === undefined) throw new Error('there is no shop on node:http')
  const client = createClient({ baseUrl: stage.api.address, agentKey: agent.key })
  return open({ client, payTo: agent.handle })
}

async function openRelay(first: Shop): Promise<Relay> {
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const proof = request.headers[PROOF_HEADER.toLowerCase()]
    const reply = await fetch(opened.shop.address + (request.url ?? '/'), {
      headers: typeof proof === 'string' ? { [PROOF_HEADER]: proof } : {},
    })
    const challenge = reply.headers.get(CHALLENGE_HEADER)
    response.writeHead(reply.status, challenge === null ? {} : { [CHALLENGE_HEADER]: challenge })
    response.end(await reply.text())
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const opened: Relay = {
    address: `http://127.0.0.1:${port}`,
    shop: first,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
  return opened
}

const balance = async () => (await stage.network.balance(stage.buyer)).available

function buyer(options: Partial<PayingFetchOptions> = {}): typeof fetch {
  const client = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key })
  return payingFetch(fetch, { client, maxAmount: 20, allowHttp: true, ...options })
}

async function refusal(call: Promise<unknown>): Promise<[string, string | null]> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof PurchaseError)) throw error ?? new Error('nothing was refused')
  return [error.code, error.paymentId]
}

function name({ id }: Agent, origins: string[]) {
  const { headers } = stage.platform
  return stage.api.ok(routes.updateAgent, { params: { agent_id: id }, headers, body: { origins } })
}

test('a payee that lists its origins is paid at these only, not at another site that relays its challenge', async () => {
  await name(stage.payee, [shop.address])
  const buy = buyer()
  expect((await buy(shop.address + PATH)).status).toBe(200)
  const before = await balance()
  expect(await refusal(buy(relay.address + PATH))).toEqual(['payee_not_allowed', null])
  expect(await refusal(buyer({ payees: [stage.payee.handle] })(relay.address + PATH))).toEqual([
    'payee_not_allowed',
    null,
  ])
  expect(await balance()).toBe(before)
})

/** A buyer whose responses from the service are altered on the way: the relay is among the origins of each payee. */
function deceivedBuyer(journal: Journal): typeof fetch {
  const deceived: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!new URL(input instanceof Request ? input.url : input).pathname.endsWith('/origins')) return response
    const { origins, ...document } = (await response.json()) as { origins: string[] }
    return Response.json({ ...document, origins: [...origins, relay.address] })
  }
  const client = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key, fetch: deceived })
  return buyer({ client, journal })
}

test('origins that were changed on their way from the service allow no payment', async () => {
  await name(stage.payee, [shop.address])
  const before = await balance()
  const journal = memoryJournal()
  const buy = deceivedBuyer(journal)
  expect(await refusal(buy(relay.address + PATH))).toEqual(['origins_not_genuine', null])
  expect(await refusal(buy(shop.address + PATH))).toEqual(['origins_not_genuine', null])
  expect(await balance()).toBe(before)
  expect((await buyer({ journal })(shop.address + PATH)).status).toBe(200)
})

test('a buyer that allows any payee at any origin does not check origins', async () => {
  await name(stage.payee, [shop.address])
  expect((await buyer({ payees: 'any' })(relay.address + PATH)).status).toBe(200)
})

/** A journal from before pins existed. */
function oldJournal(): Journal {
  const { begin, update, resume, release } = memoryJournal()
  return { begin, update, resume, release }
}

test.each<[string, () => Promise<{ journal: Journal; again: () => Promise<Journal> }>]>([
  ['in memory', async () => kept(memoryJournal())],
  ['of the user’s own, without pins', async () => kept(oldJournal())],
  [
    'in a file, over a restart',
    async () => {
      const path = join(folder, 'journal.jsonl')
      const journal = await fileJournal(path)
      const again = () => journal.close().then(() => fileJournal(path))
      return { journal, again }
    },
  ],
])('with a journal %s a host whose payee is known cannot name another', async (_, open) => {
  await name(stage.payee, [])
  relay.shop = shop
  const { journal, again } = await open()
  expect((await buyer({ journal })(relay.address + PATH)).status).toBe(200)
  const reopened = await again()
  relay.shop = otherShop
  const before = await balance()
  expect(await refusal(buyer({ journal: reopened })(relay.address + PATH))).toEqual(['payee_changed', null])
  expect(await balance()).toBe(before)
  relay.shop = shop
  expect((await buyer({ journal: reopened })(relay.address + PATH)).status).toBe(200)
})

function kept(journal: Journal) {
  return { journal, again: async () => journal }
}
