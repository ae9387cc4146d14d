import { afterAll, expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import type { Ledger, Transfer } from '../../../ledger/index.ts'
import { fund } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { openTestLedger, postPayment } from '../../../testing/model/wallets.ts'
import { agentCaller, networkContext, newAgent, newOwner, newPlatform } from '../../../testing/network.ts'
import type { ReceiptsContext } from './find-receipt.ts'
import { readReceipt } from './read-receipt.ts'
import { createReceiptTokens } from './receipt-token.ts'

let ledger: Ledger
let context: ReceiptsContext
let payer: AgentCaller
let payee: AgentCaller
const statements: string[] = []

test.beforeAll(async () => {
  const clock = systemClock()
  ledger = openTestLedger(database, clock)
  const network = networkContext(database, clock)
  const query: Queryable['query'] = (text, values) => {
    statements.push(text)
    return database.query(text, values)
  }
  context = { ...network, database: { ...database, query }, logger: silentLogger() }
  const { platform } = await newPlatform(network)
  const owner = await newOwner(network, platform.id)
  payer = agentCaller(await newAgent(network, owner))
  payee = agentCaller(await newAgent(network, owner))
  await fund(ledger, payer.agentId, 10_000n)
})
afterAll(async () => {
  await ledger.close()
})

const paid = (): Promise<Transfer> =>
  postPayment(ledger, payer.agentId, payee.agentId, 1_000n, { reference: 'nonce', note: null })

test('the token of a payment is signed without a query once its parties are cached, and is the receipt’s token', async () => {
  const sign = createReceiptTokens(context)
  await sign(await paid())
  statements.length = 0
  const payment = await paid()
  const token = await sign(payment)
  expect(statements).toEqual([])
  expect(token).toBe((await readReceipt(context, payer, formatId('rcp', payment.id))).token)
})

test('no token contains a handle that was changed in the database', async () => {
  const payment = await paid()
  const change = (handle: string) =>
    database.query<{ handle: string }>(
      `update agents a set handle = $2 from agents before where a.id = $1 and before.id = a.id returning before.handle`,
      [payee.agentId, handle],
    )
  const [before] = await change('another')
  const sign = createReceiptTokens(context)
  expect(await sign(payment)).toBeNull()
  await change(before?.handle ?? '')
  expect(await sign(payment)).not.toBeNull()
})

test('a payment succeeds whether or not its token can be signed', async () => {
  const at = () => Promise.reject(new Error('no key'))
  const sign = createReceiptTokens({ ...context, signingKeys: { ...context.signingKeys, at } })
  expect(await sign(await paid())).toBeNull()
})
