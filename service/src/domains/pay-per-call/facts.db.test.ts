import { afterAll, expect } from 'vitest'
import type { AgentCaller } from '../../http/caller.ts'
import { systemClock } from '../../kernel/clock.ts'
import { formatId } from '../../kernel/ids.ts'
import type { Ledger, Transfer } from '../../ledger/index.ts'
import { fund } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { factsDuring } from '../../testing/facts.ts'
import { openTestLedger, postPayment } from '../../testing/model/wallets.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../testing/network.ts'
import { queuedCommits } from '../../testing/queued-leaves.ts'
import { type VerificationQuery, verifyPayment } from './verify-payment.ts'

const clock = systemClock()

let ledger: Ledger
let network: NetworkContext
let buyer: AgentCaller
let seller: AgentCaller
let payment: Transfer

test.beforeAll(async () => {
  network = networkContext(database, clock)
  ledger = openTestLedger(database, clock)
  const { platform } = await newPlatform(network)
  const owner = await newOwner(network, platform.id)
  buyer = agentCaller(await newAgent(network, owner))
  seller = agentCaller(await newAgent(network, owner))
  await fund(ledger, buyer.agentId, 10_000n)
  payment = await postPayment(ledger, buyer.agentId, seller.agentId, 1_250n, { reference: 'nonce 1' })
})
afterAll(async () => {
  await ledger.close()
})

const verify = (query: VerificationQuery) =>
  verifyPayment(network, seller, formatId('pay', payment.id), query, clock.now())

test('consuming a nonce is recorded once as the payee’s audit event, however many calls consume it at the same time', async () => {
  const leaves = (await queuedCommits(database)).flat().length
  const facts = await factsDuring(database, async () => {
    await verify({ nonce: 'nonce 1' })
    await verify({ nonce: 'nonce 2', consume: true })
    const uses = Array.from({ length: 5 }, () => ({ nonce: 'nonce 1', consume: true, consume_id: 'sale 7' }))
    expect((await Promise.all(uses.map(verify))).map(({ verified }) => verified)).not.toContain(false)
    expect(await verify({ nonce: 'nonce 1', consume: true })).toMatchObject({ reason: 'nonce_already_used' })
  })
  const id = formatId('agt', seller.agentId)
  expect(facts).toEqual([
    {
      agentId: id,
      actor: { type: 'agent', id },
      action: 'nonce.consumed',
      target: formatId('txn', payment.id),
      data: { nonce: 'nonce 1', consume_id: 'sale 7', from: formatId('agt', buyer.agentId) },
    },
  ])
  expect((await queuedCommits(database)).flat()).toHaveLength(leaves + 1)
})
