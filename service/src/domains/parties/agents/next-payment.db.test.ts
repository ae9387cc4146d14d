import { afterAll, beforeEach, expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { type Ledger, openLedger, SYSTEM } from '../../../ledger/index.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
  TEST_VAULT,
} from '../../../testing/network.ts'
import { type AgentPolicyCache, openAgentPolicyCache } from '../../limits/agent-facts.ts'
import { pay } from '../../payments/pay.ts'
import { deactivateAgent, rotateAgentKey, updatePolicy } from './change-agent.ts'
import type { CreatedAgent } from './create-agent.ts'

/** A process of the service with its caches of agents. */
interface Node {
  readonly ledger: Ledger
  readonly policyCache: AgentPolicyCache
}

let context: NetworkContext
let nodes: readonly Node[] = []
let payer: CreatedAgent
let payee: CreatedAgent

test.beforeAll(async () => {
  context = networkContext(database)
  nodes = [openNode(), openNode()]
})

afterAll(async () => {
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
})

beforeEach(async () => {
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  payer = await newAgent(context, owner)
  payee = await newAgent(context, owner)
  for (const node of nodes) {
    await node.ledger.submit({
      accounts: [payer.agent.id],
      reads: [],
      decide: batch =>
        batch.post({
          kind: 'fund',
          debit: SYSTEM.gateway,
          credit: payer.agent.id,
          amountPaise: paise(100_000n),
        }),
    })
    await payFrom(node)
  }
})

function openNode(): Node {
  const ledger = openLedger({ database, clock: context.clock, vault: TEST_VAULT, onError: console.error })
  return { ledger, policyCache: openAgentPolicyCache() }
}

function payFrom({ ledger, policyCache }: Node) {
  return pay(ledger, policyCache, {
    payerId: payer.agent.id,
    payeeId: payee.agent.id,
    keyHash: payer.agent.keyHash,
    amountPaise: paise(1_000n),
    reference: null,
    note: null,
    idempotencyKey: null,
    uniqueReference: false,
    asksOwner: false,
    context: null,
    app: null,
  })
}

async function refusedEverywhere(code: string): Promise<void> {
  for (const node of nodes) expect(await refusalOf(payFrom(node))).toMatchObject({ code })
}

const caller = () => platformCaller(payer.agent.platformId)
const address = ({ agent }: CreatedAgent) => formatId('agt', agent.id)

test('from the next payment on every node refuses a rotated key, even if its cache has the key', async () => {
  await rotateAgentKey(context, caller(), address(payer))
  await refusedEverywhere('authentication_error')
})

test('from the next payment on every node refuses payments by a deactivated agent', async () => {
  await deactivateAgent(context, caller(), address(payer))
  await refusedEverywhere('authentication_error')
})

test('from the next payment on every node refuses payments to a deactivated agent', async () => {
  await deactivateAgent(context, caller(), address(payee))
  await refusedEverywhere('validation_error')
})

test('from the next payment on every node applies a lowered limit', async () => {
  await updatePolicy(context, caller(), address(payer), { spend_limit_per_tx: 9.99 })
  await refusedEverywhere('spend_limit_exceeded')
})

test('from the next payment on every node refuses a blocked payee and a payee that is not allowed', async () => {
  const atOnce = { ...context, limitIncreaseCooldownS: 0 }
  await updatePolicy(atOnce, caller(), address(payer), { blocked_payee_agents: [address(payee)] })
  await refusedEverywhere('authorization_error')
  await updatePolicy(atOnce, caller(), address(payer), {
    blocked_payee_agents: null,
    allowed_payees: [address(payer)],
  })
  await refusedEverywhere('authorization_error')
  await updatePolicy(atOnce, caller(), address(payer), { allowed_payees: [address(payee)] })
  for (const node of nodes) await payFrom(node)
})
