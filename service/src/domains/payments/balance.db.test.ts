import { afterAll, expect } from 'vitest'
import type { AgentCaller } from '../../http/caller.ts'
import { systemClock } from '../../kernel/clock.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import type { Ledger } from '../../ledger/index.ts'
import { fund } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { openTestLedger, postPayment } from '../../testing/model/wallets.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../testing/network.ts'
import { readBalance } from './balance.ts'

const clock = systemClock()
let network: NetworkContext
let ledger: Ledger

test.beforeAll(async () => {
  network = networkContext(database, clock)
  ledger = openTestLedger(database, clock)
})

afterAll(async () => {
  await ledger.close()
})

async function someAgent(): Promise<AgentCaller> {
  const { platform } = await newPlatform(network)
  return agentCaller(await newAgent(network, await newOwner(network, platform.id)))
}

const balanceOf = (agent: AgentCaller) => readBalance(database, agent, formatId('agt', agent.agentId))

test('a new wallet is empty', async () => {
  expect(await balanceOf(await someAgent())).toEqual({ available: 0, total_funded: 0, total_spent: 0 })
})

test('a payment includes its fee for the payer and not for the payee', async () => {
  const [payer, payee] = [await someAgent(), await someAgent()]
  await fund(ledger, payer.agentId, 97_505n)
  await postPayment(ledger, payer.agentId, payee.agentId, 40_000n)
  expect(await balanceOf(payer)).toEqual({ available: 573.05, total_funded: 975.05, total_spent: 402 })
  expect(await balanceOf(payee)).toEqual({ available: 400, total_funded: 400, total_spent: 0 })
})

test('a balance is shown to its platform and its owner, and to no others', async () => {
  const [agent, other] = [await someAgent(), await someAgent()]
  const address = formatId('agt', agent.agentId)
  const empty = { available: 0 }
  const platform = { kind: 'platform', platformId: agent.platformId } as const
  const owner = { kind: 'owner', ownerIds: [agent.ownerId], sessionId: newUuid(clock.now()) } as const
  expect(await readBalance(database, platform, address)).toMatchObject(empty)
  expect(await readBalance(database, owner, address)).toMatchObject(empty)
  for (const caller of [
    other,
    { ...platform, platformId: other.platformId },
    { ...owner, ownerIds: [other.ownerId] },
  ]) {
    expect((await refusalOf(readBalance(database, caller, address))).code).toBe('authorization_error')
  }
  const unknown = formatId('agt', newUuid(clock.now()))
  expect((await refusalOf(readBalance(database, agent, unknown))).code).toBe('not_found')
})
