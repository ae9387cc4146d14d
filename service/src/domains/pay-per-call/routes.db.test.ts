import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatId } from '../../kernel/ids.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { newAgent, TEST_VAULT } from '../../testing/network.ts'
import { call, startTestServer, type TestServer } from '../../testing/test-server.ts'
import { createAuthenticators } from '../parties/platforms/credentials.ts'
import { pay } from '../payments/statements/testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  openWalletNetwork,
  type WalletNetwork,
} from '../payments/statements/testing/wallet-network.ts'
import { serveVerification } from './routes.ts'

let open: WalletNetwork
let server: TestServer

beforeAll(async () => {
  open = await openWalletNetwork(manualClock(new Date('2026-11-20T10:15:30.000Z')))
  server = await startTestServer(({ serve }) => serveVerification(serve, open.network), {
    authenticators: createAuthenticators(open.db.database, TEST_VAULT),
  })
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
    headers: { 'x-agent-key': seller.agentKey },
  }
}

test('a seller verifies and consumes a nonce over HTTP, and the response may not be cached', async () => {
  const { payment, headers } = await sold('a nonce/1')
  const path = `/v1/transactions/${payment}/verify?expected_amount=12.50&nonce=a%20nonce%2F1&consume=true`
  const first = await call(server, 'GET', path, { headers })
  expect(first).toMatchObject({ status: 200, body: { verified: true, amount: '12.50', asset: 'INR' } })
  expect(first.headers.get('cache-control')).toBe('no-store')
  const second = await call(server, 'GET', path, { headers })
  expect(second).toMatchObject({ status: 200, body: { verified: false, reason: 'nonce_already_used' } })
})

test('a seller restores a nonce over HTTP', async () => {
  const { payment, headers } = await sold('n')
  const verify = (consumeId: string) =>
    call(server, 'GET', `/v1/transactions/${payment}/verify?nonce=n&consume=true&consume_id=${consumeId}`, {
      headers,
    })
  const restore = (body: object) =>
    call(server, 'POST', `/v1/transactions/${payment}/restore-nonce`, { headers, body })
  expect((await verify('sale-1')).body).toMatchObject({ verified: true })
  const use = { nonce: 'n', consume_id: 'sale-1' }
  expect(await restore(use)).toMatchObject({ status: 200, body: { nonce: 'n', restored: true } })
  expect(await restore(use)).toMatchObject({ status: 200, body: { nonce: 'n', restored: false } })
  expect((await verify('sale-2')).body).toMatchObject({ verified: true })
  for (const [body, field] of [
    [{ nonce: 'n' }, 'consume_id'],
    [{ consume_id: 'sale-1' }, 'nonce'],
    [{ ...use, consume_id: null }, 'consume_id'],
    [{ ...use, consume_id: '' }, 'consume_id'],
  ] as const) {
    expect(await restore(body)).toMatchObject({ status: 400, body: { error: { field } } })
  }
})

test.each([
  ['consume=true', 'nonce'],
  ['expected_amount=1.234', 'expected_amount'],
  ['expected_amount=-1', 'expected_amount'],
  ['expected_amount=12,50', 'expected_amount'],
  ['consume=yes&nonce=a', 'consume'],
  ['nonce=', 'nonce'],
  ['nonse=a', 'nonse'],
])('a verification with %s is refused, and the field named', async (query, field) => {
  const { payment, headers } = await sold('n')
  const reply = await call(server, 'GET', `/v1/transactions/${payment}/verify?${query}`, { headers })
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_error', field } } })
})
