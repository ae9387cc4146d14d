import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { newAgent, newOwner, TEST_VAULT } from '../../../testing/network.ts'
import { call, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { createAuthenticators } from '../../parties/platforms/credentials.ts'
import { serveTransactions } from './routes.ts'
import { pay } from './testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  openWalletNetwork,
  type WalletNetwork,
} from './testing/wallet-network.ts'

let open: WalletNetwork
let server: TestServer
/** The owner whose session every cookie opens. */
let asOwner: readonly Uuid[] = []

beforeAll(async () => {
  open = await openWalletNetwork(manualClock(new Date('2026-11-20T10:15:30.000Z')))
  const authenticators = {
    ...createAuthenticators(open.db.database, TEST_VAULT),
    owner: () => ({ kind: 'owner', ownerIds: asOwner, sessionId: open.owner.id }) as const,
  }
  server = await startTestServer(({ serve }) => serveTransactions(serve, open.network), { authenticators })
})

afterAll(async () => {
  await server.close()
  await open.close()
})

/** A payment of 12.50 INR for a nonce, and the key of the agent that received it. */
async function sold(nonce: string) {
  const payer = await newFilledWallet(open, emptyHistory(open), 'Buyer')
  const seller = await newAgent(open.network, open.owner, { name: 'Seller' })
  const payee = { id: seller.agent.id, name: 'Seller' }
  const { id } = await pay(emptyHistory(open), payer, payee, 1_250n, { reference: nonce, note: null })
  return {
    payment: formatId('pay', id),
    seller: formatId('agt', payee.id),
    headers: { 'x-agent-key': seller.agentKey },
  }
}

test('a statement is filtered and paged by its query string', async () => {
  const { seller, payment, headers } = await sold('n')
  const list = (query: string) =>
    call(server, 'GET', `/v1/agents/${seller}/transactions?${query}`, { headers })
  expect(
    await list('type=pay_in&status=completed&from_date=2026-11-20&to_date=2026-11-20&limit=1'),
  ).toMatchObject({
    status: 200,
    body: { transactions: [{ payment_id: payment }], pagination: { total: 1, limit: 1, offset: 0 } },
  })
  expect((await list('from_date=2026-11-21')).body).toMatchObject({
    transactions: [],
    pagination: { total: 0 },
  })
  for (const [query, field] of [
    ['type=payment', 'type'],
    ['status=open', 'status'],
    ['from_date=20-11-2026', 'from_date'],
    ['to_date=2026-02-30', 'to_date'],
    ['limit=101', 'limit'],
    ['offset=-1', 'offset'],
    ['cursor=abc', 'cursor'],
  ]) {
    expect(await list(query ?? '')).toMatchObject({ status: 400, body: { error: { field } } })
  }
})

test('an owner lists the lines of all its agents, and no others', async () => {
  const history = emptyHistory(open)
  const owner = await newOwner(open.network, open.owner.platformId)
  const own = { ...open, owner }
  const [one, two] = [await newFilledWallet(own, history, 'One'), await newFilledWallet(own, history, 'Two')]
  const stranger = await newFilledWallet(open, history, 'Stranger')
  await pay(history, one, two, 100n, { reference: 'inside', note: null })
  await pay(history, two, stranger, 100n, { reference: 'outside', note: null })

  asOwner = [owner.id]
  const ask = (query: string) =>
    call(server, 'GET', `/api/web/transactions${query}`, { headers: { cookie: 'service_session=mine' } })
  const { status, body } = await ask('')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    transactions: [
      { agent_name: 'Two', type: 'pay_out', reference: 'outside' },
      { agent_name: 'Two', type: 'pay_in', reference: 'inside' },
      { agent_name: 'One', type: 'pay_out', reference: 'inside' },
      { agent_name: 'Two', type: 'fund' },
      { agent_name: 'One', type: 'fund' },
    ],
    pagination: { total: 5 },
  })
  const ofOne = await ask(`?agent_id=${formatId('agt', one.id)}&type=pay_out`)
  expect(ofOne).toMatchObject({ body: { transactions: [{ reference: 'inside' }], pagination: { total: 1 } } })
  expect((await ask(`?agent_id=${formatId('agt', stranger.id)}`)).status).toBe(403)
  expect((await ask(`?agent_id=${formatId('agt', owner.id)}`)).status).toBe(404)
  expect((await ask('?agent_id=me')).status).toBe(400)

  asOwner = [(await newOwner(open.network, open.owner.platformId)).id]
  expect(await ask('')).toMatchObject({ status: 200, body: { transactions: [], pagination: { total: 0 } } })
})

test('a session of several owners lists the lines of one of them; an owner outside the session is not found', async () => {
  const history = emptyHistory(open)
  const [mine, also, foreign] = [
    await newOwner(open.network, open.owner.platformId),
    await newOwner(open.network, open.owner.platformId),
    await newOwner(open.network, open.owner.platformId),
  ]
  const one = await newFilledWallet({ ...open, owner: mine }, history, 'One')
  const two = await newFilledWallet({ ...open, owner: also }, history, 'Two')
  await newFilledWallet({ ...open, owner: foreign }, history, 'Foreign')
  await pay(history, one, two, 100n, { reference: 'across', note: null })
  asOwner = [mine.id, also.id]
  const ask = (query: string) =>
    call(server, 'GET', `/api/web/transactions${query}`, { headers: { cookie: 'service_session=mine' } })

  expect((await ask('')).body).toMatchObject({ pagination: { total: 4 } })
  const ofMine = await ask(`?owner_id=${formatId('own', mine.id)}`)
  const linesOfOne = [
    { agent_name: 'One', type: 'pay_out' },
    { agent_name: 'One', type: 'fund' },
  ]
  expect(ofMine).toMatchObject({
    status: 200,
    body: { transactions: linesOfOne, pagination: { total: 2 } },
  })
  expect((await ask(`?owner_id=${formatId('own', also.id)}&type=pay_in`)).body).toMatchObject({
    transactions: [{ agent_name: 'Two', type: 'pay_in' }],
    pagination: { total: 1 },
  })

  const agent = formatId('agt', one.id)
  expect((await ask(`?owner_id=${formatId('own', mine.id)}&agent_id=${agent}`)).body).toMatchObject({
    pagination: { total: 2 },
  })
  expect(await ask(`?owner_id=${formatId('own', also.id)}&agent_id=${agent}`)).toMatchObject({
    status: 404,
    body: { error: { field: 'agent_id' } },
  })
  expect(await ask(`?owner_id=${formatId('own', foreign.id)}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found', field: 'owner_id' } },
  })
  expect((await ask('?owner_id=me')).status).toBe(400)
})
