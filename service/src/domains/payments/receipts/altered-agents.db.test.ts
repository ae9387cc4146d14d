import { afterAll, expect } from 'vitest'
import type { AgentCaller } from '../../../http/caller.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { fund } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { openTestLedger, postPayment } from '../../../testing/model/wallets.ts'
import { agentCaller, networkContext, newAgent, newOwner, newPlatform } from '../../../testing/network.ts'
import { checkReceipt } from './check-receipt.ts'
import type { ReceiptsContext } from './find-receipt.ts'
import { readReceipt } from './read-receipt.ts'

let ledger: Ledger
let context: ReceiptsContext
let payer: AgentCaller
let payee: AgentCaller
let address: string

test.beforeAll(async () => {
  const clock = systemClock()
  ledger = openTestLedger(database, clock)
  const network = networkContext(database, clock)
  context = { ...network, logger: silentLogger() }
  const { platform } = await newPlatform(network)
  const owner = await newOwner(network, platform.id)
  payer = agentCaller(await newAgent(network, owner))
  payee = agentCaller(await newAgent(network, owner))
  await fund(ledger, payer.agentId, 10_000n)
  const { id } = await postPayment(ledger, payer.agentId, payee.agentId, 1_000n, {
    reference: null,
    note: null,
  })
  address = formatId('rcp', id)
})
afterAll(async () => {
  await ledger.close()
})

test.each(['payer', 'payee'])('a receipt is not signed when the handle of its %s was changed', async side => {
  const { agentId } = side === 'payer' ? payer : payee
  expect((await checkReceipt(context, payer, address)).reason).toBe('ok')
  const [row] = await database.query<{ handle: string }>(
    `update agents a set handle = 'another' from agents before where a.id = $1 and before.id = a.id returning before.handle`,
    [agentId],
  )
  expect(await checkReceipt(context, payer, address)).toEqual({
    valid: false,
    reason: 'bad_signature',
    receipt: null,
  })
  await expect(readReceipt(context, payer, address)).rejects.toThrow('assertion failed')
  await database.query(`update agents set handle = $2 where id = $1`, [agentId, row?.handle])
  expect((await checkReceipt(context, payer, address)).reason).toBe('ok')
})
